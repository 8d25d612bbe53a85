"""Calls of functions whose results are global arrays in what decides the way through a program: their results exist while the
condition is evaluated, at each test of it.

    do while (total(f(v)) > 0)        do; block; logical :: condition_xmp; f_xmp => f(v); ...
                                      condition_xmp = total(f_xmp) > 0; ...; if (.not. condition_xmp) exit; end block
    else if (total(f(v)) > 0) then    else; block; ... ; condition_xmp = ...; if (condition_xmp) then
The second kind of block ends where its construct does. The value that `select case` and a counted loop need has any type: an
ASSOCIATE construct keeps it."""

from ..reading.lexer import closing


class Tested:
    """A statement in which something is tested. words: of that, [] for other statements; kind: if, while, else if, value."""

    def __init__(self, context, position, item):
        self.context, self.position, self.item = context, position, item
        self.kind, self.words = _tested(item)

    def write(self, before, behind):
        """before, behind: what surrounds the evaluation, the first with `block`. Lines for the place before the statement, and
        what comes behind its end."""
        statement, (first, last) = self.item.statement, (self.words[0], self.words[-1])
        moved = self.context.edits.moved(statement, first, last)
        if self.kind == "value":
            name = self.context.name("value_xmp")
            self.context.edits.words(statement, first, last, name)
            return [*before, f"associate ({name} => {moved})", *behind], ["end associate", "end block"]
        name = self.context.name("condition_xmp")
        lines = [before[0], f"logical :: {name}", *before[1:], f"{name} = {moved}", *behind]
        if self.kind == "if":
            self.context.edits.words(statement, first, last, name)
            return lines, ["end block"]
        (self._while if self.kind == "while" else self._else_if)(lines, name)
        return [], []

    def _while(self, lines, name):
        words = self.item.words
        at = next(n for n, word in enumerate(words) if word.text == "while")
        at -= words[at - 1].text == ","
        text = "; ".join(["", *lines, f"if (.not. {name}) exit", "end block"])
        self.context.edits.words(self.item.statement, words[at], words[-1], text)

    def _else_if(self, lines, name):
        """The construct inside the block has no name: the other one has it."""
        context, words = self.context, self.item.words
        text = "; ".join(["else", *lines, f"if ({name}) then"])
        context.edits.words(self.item.statement, words[0], words[-1], text)
        around = next(at for at in range(self.position, -1, -1) if _is_around(context.items[at], self.position))
        end = context.items[around].end
        context.lines_before(context.items[end], ["end if; end block"])
        for at in range(self.position + 1, end):
            other = context.items[at]
            is_branch = other.words and other.words[0].text in ("else", "elseif")
            if is_branch and other.words[-1].text == context.items[around].name:
                context.edits.word(other.statement, other.words[-1], "")


def _is_around(item, position):
    return item.kind == "if" and item.end is not None and item.end > position


def _tested(item):
    words = item.words
    texts = [word.text for word in words[:2]]
    if item.kind == "do":
        at = next((n for n, word in enumerate(words) if word.text == "while" and item.variable is None), None)
        return ("while", words[at + 2 : -1]) if at is not None else ("", [])
    if texts == ["else", "if"] or texts[:1] == ["elseif"]:
        opening = 2 if texts[0] == "else" else 1
        return "else if", words[opening + 1 : closing(words, opening)]
    if item.kind == "select" and texts in (["select", "case"], ["selectcase", "("]):
        return "value", words[3 if texts[0] == "select" else 2 : -1]
    conditional = item.kind == "if" or item.guarded is not None
    return ("if", words[2 : closing(words, 1)]) if conditional else ("", [])
