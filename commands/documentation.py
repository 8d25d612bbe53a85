"""Manual pages and shell completions of all commands, made of the parsers that print --help. The build runs it:

documentation.py DIRECTORY      writes DIRECTORY/man/man1, bash-completion, zsh and fish as they lie below share/
"""

import os
import sys

from . import completion, manual
from .command_line import Group


def commands():
    """[(name, what describes it)] of all commands, nested ones behind their group."""
    from ..compiler import help as compilers
    from . import main, run

    first = [("xmpcc", compilers.parser("c")), ("xmpf90", compilers.parser("fortran")), ("xmprun", run.parser())]
    return first + list(_with_nested("kumihimo", main.COMMAND))


def _with_nested(name, group):
    yield name, group
    for word, make in group.commands.items():
        command = make()
        if isinstance(command, Group):
            yield from _with_nested(f"{name} {word}", command)
        else:
            yield f"{name} {word}", command.parser()


def write(directory):
    described = commands()
    names = [name for name, _ in described]
    for name, one in described:
        _write(directory, f"man/man1/{manual.file_name(name)}", manual.page(name, one, names))
    for name in ("xmpcc", "xmpf90", "xmprun", "kumihimo"):
        own = [(words.split(), one) for words, one in described if words.split()[0] == name]
        _write(directory, f"bash-completion/completions/{name}", completion.bash(name, own))
        _write(directory, f"zsh/site-functions/_{name}", completion.zsh(name, own))
        _write(directory, f"fish/vendor_completions.d/{name}.fish", completion.fish(name, own))


def _write(directory, name, text):
    path = os.path.join(directory, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(arguments):
    write(*arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
