"""Completion of command lines by bash, zsh and fish. bash(), zsh() and fish() take the name of a command, and of itself and all
that is nested in it [(words, Parser or Group)]."""

import shlex

from ..compiler.option_parser import operand_of
from .command_line import Group

HEAD = "# Completes the command line of {name}; made of what `{name} --help` says.\n"
STARTS_A_PROGRAM = ("xmprun", "kumihimo files run", "kumihimo files advise")  # what follows is another command's line


def _subcommands(group):
    """{word: summary}"""
    return {**{word: make().summary for word, make in group.commands.items()}, "help": "what a command's --help prints"}


def _takes_operand(action):
    return bool(operand_of(action)) and action.nargs != "?"


def _choices(action):
    return " ".join(action.choices or ())


# ---- bash ----

BASH = r"""
{function}() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} joined= path= words= word i
    # bash takes the = of --name=operand for a word
    [[ $current == "=" ]] && current= joined==
    [[ $previous == "=" ]] && previous=${{COMP_WORDS[COMP_CWORD - 2]}} joined==
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${{COMP_WORDS[i]}}
        [[ $word == "--" ]] && return
        case "$path $word" in
{paths}
        esac
    done
    case "$path $previous$joined" in
{operands}
    esac
    [[ -n $joined ]] && return
    case "$path" in
{words}
    esac
    [[ $current == -* || $words == *" help "* ]] || return
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ ${{#COMPREPLY[@]}} == 1 && ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2>/dev/null
}}
complete -o bashdefault -o default -F {function} {name}
"""


def bash(name, described):
    own = [(" ".join(["", *words[1:]]), one) for words, one in described]
    paths = [f'" {path.strip()}") path="{path}" ;;' for path, _ in own if path]
    operands = [line for path, one in own if not isinstance(one, Group) for line in _bash_operands(path, one)]
    words = [f'"{path}") words="{" ".join(_bash_words(one))}" ;;' for path, one in own]
    return HEAD.format(name=name) + BASH.format(
        name=name,
        function=f"_kumihimo_{name}",
        paths=_indented(['*" help") ;;', *paths]),
        operands=_indented(operands),
        words=_indented(words),
    )


def _bash_operands(path, parser):
    """Where there is nothing to choose from bash completes file names."""
    for action in filter(operand_of, parser.described_options()):
        after = [f'"{path} {option}="' for option in action.option_strings if option.startswith("--")]
        after += [f'"{path} {option}"' for option in action.option_strings] if _takes_operand(action) else []
        choose = f"COMPREPLY=($(compgen -W '{_choices(action)}' -- \"$current\")); " if action.choices else ""
        yield f"{' | '.join(after)}) {choose}return ;;"


def _bash_words(one):
    if isinstance(one, Group):
        return [*_subcommands(one), "--help", "--version"]
    return [
        option + ("=" if _takes_operand(action) and option.startswith("--") else "")
        for action in one.described_options()
        for option in action.option_strings
    ]


def _indented(lines):
    return "\n".join(" " * 8 + line for line in lines)


# ---- zsh ----


def zsh(name, described):
    functions = [_zsh_function(" ".join(words), one) for words, one in described]
    return f"#compdef {name}\n" + HEAD.format(name=name) + "\n" + "\n".join(functions) + f'\n{_function(name)} "$@"\n'


def _function(command):
    return "_kumihimo_" + command.replace(" ", "_")


def _zsh_function(command, one):
    body = _zsh_group(command, one) if isinstance(one, Group) else _zsh_arguments(command, one)
    return "\n".join([f"{_function(command)}() {{", *("    " + line for line in body), "}"])


def _zsh_group(command, group):
    summaries = [shlex.quote(f"{word}:{_plain(text)}") for word, text in _subcommands(group).items()]
    return [
        "local line state",
        "_arguments -C '(- *)'{-h,--help}'[this text]' '(- *)--version[the version]' '1: :->command' '*:: :->rest'",
        'case "$state" in',
        f"    command) local commands=({' '.join(summaries)}); _describe command commands ;;",
        "    rest)",
        '        case "$line[1]" in',
        *[f"            {word}) {_function(f'{command} {word}')} ;;" for word in group.commands],
        f"            help) {_function(command)} ;;",
        "        esac ;;",
        "esac",
    ]


def _zsh_arguments(command, parser):
    lines = [f"    {_zsh_option(option, action)}" for action in parser.described_options() for option in action.option_strings]
    wrapped = ["'(-)1:command:_command_names -e'", "'*::arguments:_normal'"]
    rest = wrapped if command in STARTS_A_PROGRAM else ["'*:file:_files'"]
    return ["_arguments -S \\", *(f"{line} \\" for line in lines), "    " + " ".join(rest)]


def _zsh_option(option, action):
    operand = operand_of(action)
    mark = ""
    if operand:
        optional = action.nargs == "?"
        mark = "=-" if optional else "=" if option.startswith("--") else ""
        what = f"({_choices(action)})" if action.choices else "_files -/" if operand == "DIRECTORY" else "_files"
        operand = f"{'::' if optional else ':'}{_plain(operand)}:{what}"
    return shlex.quote(f"{option}{mark}[{_plain(action.help)}]{operand}".replace("showme:", r"showme\:"))


def _plain(text):
    """Without what zsh's descriptions take for their own."""
    for sign in ":[]":
        text = text.replace(sign, "\\" + sign)
    return text


# ---- fish ----

FISH = """
# The words before the cursor without options: exactly these, or beginning with them.
function {function}_exactly
    test "$({function}_words)" = "$argv"
end
function {function}_within
    string match -q -- "$argv *" "$({function}_words) "
end
function {function}_words
    set -l words (commandline -opc)
    string match -v -- '-*' $words[2..] | string match -v help | string join ' '
end
"""


def fish(name, described):
    lines = [line for words, one in described for line in _fish_lines(name, " ".join(words[1:]), one)]
    return HEAD.format(name=name) + FISH.format(function=f"__kumihimo_{name}") + "\n".join(lines) + "\n"


def _fish_lines(name, path, one):
    if isinstance(one, Group):
        condition = shlex.quote(f"__kumihimo_{name}_exactly {path}".rstrip())
        for word, text in _subcommands(one).items():
            yield f"complete -c {name} -f -n {condition} -a {word} -d {shlex.quote(text)}"
        return
    condition = f" -n {shlex.quote(f'__kumihimo_{name}_within {path}')}" if path else ""
    for action in one.described_options():
        names = " ".join(_fish_name(option) for option in action.option_strings)
        takes = f" -x -a {shlex.quote(_choices(action))}" if action.choices else " -r" if _takes_operand(action) else ""
        yield f"complete -c {name}{condition} {names}{takes} -d {shlex.quote(action.help)}"


def _fish_name(option):
    if option.startswith("--"):
        return f"-l {option[2:]}"
    return f"-s {option[1:]}" if len(option) == 2 else f"-o {option[1:]}"
