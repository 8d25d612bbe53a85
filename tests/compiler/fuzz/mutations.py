"""Programs that nobody would write: seeded mutations of C and Fortran sources.

All is drawn from one random.Random, so a number and a seed give the same text on every machine."""

import re

_TOKEN = re.compile(r"""[A-Za-z_]\w*|\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\n|[^\S\n]+|.""")
_DIRECTIVE = re.compile(r"[ \t]*(?:#pragma|[!c*]\$xmp)\b", re.I)
_NUMBERS = (
    "0", "-1", "1e999999", "1.e+", "0x", "0b", "09", "0b2", "1u1", "18446744073709551616", "88172645463325252ULLpragma",
    "0x1p", "1'000", "9" * 400, "9" * 5000, ".", "1..2", "7_8_k", "1if", "4294967296ij", "'ab'", "'\\x'", "'\\400'", "''",
)  # fmt: skip
_NOISE = "()[]{}<>:;,.*&%#!'\"\\/=+-?@$`~^|\t\r\n\f\v\0\x7f\x1b é組\u2028\ufeff𝔘"
_KEYWORDS = (
    "loop on t[i]", "task on p", "tasks", "array on t[0:N]", "gmove", "gmove in", "reflect (u)", "barrier", "bcast (x)",
    "reduction(+:x)", "nodes p[*]", "template t[:]", "distribute t[block] onto p", "align u[i] with t[i]", "shadow u[1]",
    "template_fix[block] t[4]", "coarray a:[*]", "image(p)", "post(p[0], 1)", "wait(p[0])", "lock(l)", "unlock(l)",
    "sync_memory", "local_alias l => u", "static_desc :: u", "wait_async (1)", "reduce_shadow (u)", "end task", "master_io",
)  # fmt: skip
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("-", ""), ("*", ""), ("if (1) ", ""), ("x + ", ""), ("f(", ")"), ("!", ""))
_STATEMENTS = (
    "return 1;", "else", "struct s {", "};", "switch (1) { case 1:", "do", "end if", "contains", "type x", "enum {",
    "module m",
    "end", "      use m, only: u => v", "      common /c/ u, v(10)", "      equivalence (u, v)", "      entry f(u)",
    "interface",
    "block", "end block", "associate (u => v)", "10    continue", "     & u", "      type(x) :: u(8)", "      implicit none",
    "submodule (m) s", "      data u /1/", "      do 10 i = 1, 8", "include 'flow.inc'", "      namelist /u/ v",
    "import", "end type",
)  # fmt: skip


class Corpus:
    """Sources of one language: name -> text. sentinel: what begins a directive."""

    def __init__(self, texts, sentinel):
        self.names = sorted(texts)
        self.tokens = {name: _TOKEN.findall(texts[name]) for name in self.names}
        self.directives = sorted({line for text in texts.values() for line in text.split("\n") if _DIRECTIVE.match(line)})
        self.sentinel = sentinel

    def mutated(self, random):
        """(name of the source that it comes from, names of the mutations, bytes)."""
        name = random.choice(self.names)
        tokens, done = list(self.tokens[name]), []
        for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
            mutation = random.choice(_MUTATIONS)
            tokens = mutation(self, random, tokens) or ["\n"]
            done.append(mutation.__name__.strip("_"))
        return name, done, _encoded(random, "".join(tokens), done)


def _stretch(random, tokens, longest=8):
    begin = random.randrange(len(tokens))
    return begin, min(len(tokens), begin + random.randint(1, longest))


def _inserted(random, tokens, *words):
    at = random.randrange(len(tokens) + 1)
    return [*tokens[:at], *words, *tokens[at:]]


def _deletion(corpus, random, tokens):
    begin, end = _stretch(random, tokens)
    return tokens[:begin] + tokens[end:]


def _duplication(corpus, random, tokens):
    begin, end = _stretch(random, tokens, random.choice((1, 8, 60)))
    return tokens[:end] + tokens[begin:]


def _swap(corpus, random, tokens):
    first, second = random.randrange(len(tokens)), random.randrange(len(tokens))
    tokens[first], tokens[second] = tokens[second], tokens[first]
    return tokens


def _replacement(corpus, random, tokens):
    other = corpus.tokens[random.choice(corpus.names)]
    tokens[random.randrange(len(tokens))] = random.choice(other)
    return tokens


def _splice(corpus, random, tokens):
    other = corpus.tokens[random.choice(corpus.names)]
    begin, end = _stretch(random, other, 200)
    if random.random() < 0.5:
        return _inserted(random, tokens, *other[begin:end])
    return tokens[: random.randrange(len(tokens) + 1)] + other[begin:]


def _noise(corpus, random, tokens):
    for _ in range(random.randint(1, 4)):
        tokens = _inserted(random, tokens, random.choice(_NOISE))
    return tokens


def _truncation(corpus, random, tokens):
    cut = random.randrange(len(tokens) + 1)
    return tokens[:cut] if random.random() < 0.8 else tokens[cut:]


def _number(corpus, random, tokens):
    places = [place for place, token in enumerate(tokens) if token[0].isdigit()]
    number = random.choice(_NUMBERS)
    if not places or random.random() < 0.3:
        return _inserted(random, tokens, f" {number} ")
    tokens[random.choice(places)] = number
    return tokens


def _nesting(corpus, random, tokens):
    opening, closing = random.choice(_BRACKETS)
    depth = random.choice((3, 40, 300, 3000))
    begin, end = _stretch(random, tokens, 3)
    after = [closing * depth] if closing and random.random() < 0.8 else []
    return [*tokens[:begin], opening * depth, *tokens[begin:end], *after, *tokens[end:]]


def _directive(corpus, random, tokens):
    """A directive at any place: on a line of its own, within one, in a macro, in _Pragma, split in two."""
    text = random.choice(corpus.directives) if random.random() < 0.6 else corpus.sentinel + random.choice(_KEYWORDS)
    words = text.split()
    if random.random() < 0.4:
        del words[random.randrange(1, len(words)) :]
    text = " ".join(words)
    form = random.randrange(6)
    if form == 0:
        return _inserted(random, tokens, text)
    if form == 1:
        return _inserted(random, tokens, f"\n#define DIRECTIVE {text}\nDIRECTIVE\n")
    if form == 2:
        return _inserted(random, tokens, f' _Pragma("{" ".join(words[1:])}") ')
    if form == 3:
        return _inserted(random, tokens, "\n", text.replace(" ", random.choice((" \\\n", " &\n", "\\\n"))), "\n")
    return _inserted(random, tokens, "\n", text, "\n")


def _shuffle(corpus, random, tokens):
    """One of the file's own directives goes elsewhere."""
    lines = "".join(tokens).split("\n")
    places = [number for number, line in enumerate(lines) if _DIRECTIVE.match(line)]
    if places:
        line = lines.pop(random.choice(places))
        lines.insert(random.randrange(len(lines) + 1), line)
    return _TOKEN.findall("\n".join(lines))


def _statement(corpus, random, tokens):
    return _inserted(random, tokens, "\n", random.choice(_STATEMENTS), "\n")


def _join(corpus, random, tokens):
    """A line loses its end, or a line is cut in two."""
    places = [place for place, token in enumerate(tokens) if token == "\n"]
    if places and random.random() < 0.6:
        del tokens[random.choice(places)]
        return tokens
    return _inserted(random, tokens, "\n")


_MUTATIONS = (
    _deletion, _deletion, _duplication, _swap, _replacement, _splice, _noise, _truncation, _number, _nesting, _directive,
    _directive, _shuffle, _shuffle, _statement, _join,
)  # fmt: skip


def _encoded(random, text, done):
    """Mostly UTF-8; sometimes what editors and accidents make of a file."""
    data = text.encode("utf-8")
    if random.random() > 0.06:
        return data
    form = random.choice(("latin-1", "utf-16", "utf-8-sig", "carriage returns", "bytes"))
    done.append(form)
    if form == "carriage returns":
        return data.replace(b"\n", random.choice((b"\r\n", b"\r")))
    if form == "bytes":
        places = [random.randrange(len(data) + 1) for _ in range(3)]
        for place in places:
            data = data[:place] + bytes([random.randrange(256)]) + data[place:]
        return data
    return text.encode(form, "replace")
