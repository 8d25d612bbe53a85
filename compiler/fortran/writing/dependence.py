"""Innermost do loops whose iterations do not depend on each other. gfortran gives up on loops with many arrays, because behind
the descriptors of allocatable arrays it cannot see that they do not overlap; the language says that they do not, and we say
so by `!GCC$ ivdep` before the do statement."""

from ..reading.lexer import closing, find, split
from . import pragmas
from .functions import INTRINSIC

_BRANCHES = frozenset("else elseif endif end continue".split())
_OPERATORS = frozenset("not and or eqv neqv eq ne lt le gt ge true false".split())
_NUMBERS = ("integer", "real", "complex", "logical")
_SHARING = ("pointer", "target", "equivalence", "volatile", "asynchronous", "codimension", "associated")  # with other names


def write(context, nests):
    """Edits of all such loops. nests: pairs of positions, the blocks of loop directives."""
    aliases = {alias.variable for found in context.aliases.values() for alias in found}
    dos = {at for first, end in nests for at in range(first, end + 1) if context.items[at].kind == "do"}
    for position in sorted(dos):
        inside = range(position + 1, context.items[position].end + 1)
        if dos.isdisjoint(inside) and _may_be_told(context, position) and _Body(context, position, aliases).independent():
            context.edits.lines_before(context.items[position].statement.first_line, ["!GCC$ ivdep"])


def _may_be_told(context, position):
    """Whether the directive can stand before a do statement: the first on its line, and not among the loops that a directive of
    others takes."""
    item = context.items[position]
    around = (at for at in range(position + 1) if context.items[at].kind == "do" and (context.items[at].end or 0) >= position)
    taken = any(pragmas.at(context, at) for at in around)
    return item.variable is not None and not taken and context.begins_line(item)


class _Body:
    """The statements of one loop: what they read and write, in order."""

    def __init__(self, context, position, aliases):
        self.context, self.aliases, self.loop = context, aliases, context.items[position]
        self.items = context.items[position + 1 : self.loop.end + 1]
        self.declarations = context.declarations(position)
        self.uses = {}  # array -> (texts of its subscripts, whether it is written, whether the loop moves it) of each element
        assignments = [item.guarded or item for item in self.items if not item.statement.directive]
        self.assigned = {one.words[0].text for one in assignments if one.kind == "assignment"}
        self.own = set()  # scalars that each iteration has set so far
        self.depth = 0  # of the IF constructs around a statement

    def independent(self):
        if not all(map(self._statement, self.items)):
            return False
        written = [uses for uses in self.uses.values() if any(write for _, write, _ in uses)]
        return len(self.uses) > 1 and bool(written) and all(map(_apart, written))

    def _statement(self, item):
        """Whether all is known of a statement."""
        words, guarded = item.words, item.guarded
        if item.statement.directive:
            return item.kind == "pragma"
        if item.kind == "assignment":
            return self._assignment(words, self.depth == 0)
        if guarded is not None and guarded.kind == "assignment":
            condition = words[: len(words) - len(guarded.words)]
            return self._reads(condition[1:]) and self._assignment(guarded.words, False)
        if item.kind == "if" or words[0].text in ("else", "elseif"):
            self.depth += item.kind == "if"
            return self._reads([word for word in words if word.text not in ("if", "else", "elseif", "then")])
        self.depth -= words[0].text == "endif" or [word.text for word in words[:2]] == ["end", "if"]
        return words[0].text in _BRANCHES

    def _assignment(self, words, certain):
        """certain: whether each iteration executes it."""
        equals = find(words, "=")
        if equals is None or not self._reads(words[equals + 1 :]):
            return False
        name, subscripts = words[0].text, words[2 : equals - 1]
        if equals == 1:
            self.own |= {name} if certain else set()
            return name in self.own and self._is_scalar(words[0]) and name != self.loop.variable.text
        if words[1].text != "(" or closing(words, 1) != equals - 1:
            return False
        return self._reads(subscripts) and self._element(words[0], subscripts, True)

    def _reads(self, words):
        """Whether all is known of an expression."""
        return all(self._reads_word(words, number) for number in range(len(words)))

    def _reads_word(self, words, number):
        word, behind = words[number], words[number + 1].text if number + 1 < len(words) else ""
        if word.kind != "identifier":
            return word.text not in ("%", ":", "[") and word.kind != "string" and not _is_users_operator(word)
        if behind != "(":
            return self._is_scalar(word) and (word.text in self.own or word.text not in self.assigned)
        if self.declarations.lookup(word.text) is None:
            return word.text in INTRINSIC
        return self._element(word, words[number + 2 : closing(words, number + 1)], False)

    def _is_scalar(self, word):
        """Whether a name is that of a scalar number whose memory no other name has."""
        if self.declarations.lookup(word.text) is None:
            return self.declarations.type_of(word.text) is not None
        return self._is_alone(word) and not self.declarations.lookup(word.text).bounds

    def _is_alone(self, word):
        """Whether no other name has the memory of a variable, which holds numbers."""
        variable = self.declarations.lookup(word.text)
        if variable is None or variable.base not in _NUMBERS or variable in self.aliases:
            return False
        return not any(variable.has(attribute) for attribute in _SHARING)

    def _element(self, word, subscripts, written):
        """Takes note of an element. False for what is no array."""
        variable, parts = self.declarations.lookup(word.text), split(subscripts)
        if not self._is_alone(word) or len(parts) != len(variable.bounds):
            return False
        affine = [self.context.affine(part) for part in parts]
        moves = any(one is not None and one[0] == self.loop.variable.text for one in affine)
        self.uses.setdefault(variable, []).append(([[word.text for word in part] for part in parts], written, moves))
        return True


def _is_users_operator(word):
    return word.kind == "operator" and word.text.strip(".") not in _OPERATORS


def _apart(uses):
    """Whether an array that is written is touched at one place only in each iteration, and at another one in every
    iteration."""
    first = uses[0][0]
    return all(texts == first and moves for texts, _, moves in uses)
