"""Calls of functions whose results are global arrays in what decides the way through a program: their results exist while the
condition is evaluated, at each test of it.

    do while (total(f(v)) > 0)        do; block; logical :: condition_xmp; f_xmp => f(v); ...
                                      condition_xmp = total(f_xmp) > 0; ...; if (.not. condition_xmp) exit; end block
    else if (total(f(v)) > 0) then    else; block; ... ; condition_xmp = ...; if (condition_xmp) then
The second kind of block ends where its construct does. The values that `select case` and a counted loop need have any type: an
ASSOCIATE construct keeps them.

    do i = 1, count(f(v))             block; f_xmp => f(v); ...; associate (bound_xmp => count(f_xmp)); ...; do i = 1, bound_xmp
Those of distributed loops surround the whole nest, because all nodes evaluate them together."""

from ..reading.lexer import closing
from . import branches


class Tested:
    """A statement in which something is tested. words: of that, [] for other statements; kind: if, while, else if, value,
    bounds; ends: the Ends of loops."""

    def __init__(self, context, position, item, ends):
        self.context, self.position, self.item, self.ends = context, position, item, ends
        self.around = position  # of the loop that the bounds of one surround
        self.kind, self.words = _tested(item)

    def write(self, before, behind):
        """before, behind: what surrounds the evaluation, the first with `block`. Lines for the place before the statement, and
        what comes behind its end."""
        if self.kind == "bounds":
            self.ends.behind(self.around, ["end associate", "end block"])
            return [*before, f"associate ({', '.join(self._bounds())})", *behind], []
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
        if self.kind == "while":
            self._while(lines, name)
        else:
            self.context.edits.words(statement, first, last, name)
            branches.nest(self.context, self.position, lines, ["end block"])
        return [], []

    def _bounds(self):
        """What keeps each bound that has a result."""
        for words in filter(None, (self.item.first, self.item.last, self.item.step)):
            name = self.context.result_bounds.get(id(words[0]))
            if name is not None:
                yield f"{name} => {self.context.edits.moved(self.item.statement, words[0], words[-1])}"
                self.context.edits.words(self.item.statement, words[0], words[-1], name)

    def _while(self, lines, name):
        words = self.item.words
        at = next(n for n, word in enumerate(words) if word.text == "while")
        at -= words[at - 1].text == ","
        text = "; ".join(["", *lines, f"if (.not. {name}) exit", "end block"])
        self.context.edits.words(self.item.statement, words[at], words[-1], text)


def _tested(item):
    words = item.words
    texts = [word.text for word in words[:2]]
    if item.kind == "do" and item.variable is not None:
        return "bounds", [*item.first, *item.last, *(item.step or ())]
    if item.kind == "do":
        at = next((n for n, word in enumerate(words) if word.text == "while"), None)
        return ("while", words[at + 2 : -1]) if at is not None else ("", [])
    if branches.has_condition(item):
        return "else if", branches.condition(item).words[2:-1]
    if item.kind == "select" and texts in (["select", "case"], ["selectcase", "("]):
        return "value", words[3 if texts[0] == "select" else 2 : -1]
    conditional = item.kind == "if" or item.guarded is not None
    return ("if", words[2 : closing(words, 1)]) if conditional else ("", [])
