"""loop: which dimension of the on clause each loop variable runs along (specification 4.4.3)."""

from ..directives import tree
from ..directives.words import Expression, negated, plus
from ..record import Record


class IndexSubscript(Record):
    """Dimension `dimension` of the on clause is `variable` + offset (text)."""

    fields = ("variable", "dimension", "offset")

    def same(self, other):
        return (self.variable, self.dimension, self.offset) == (other.variable, other.dimension, other.offset)


class LoopMapping(Record):
    """reference: the ResolvedReference; indices: IndexSubscripts; general: whether a loop variable stands in the clause in
    another form (`p(lb(i):iub(i))`), so that each iteration is a task of its own."""

    fields = ("reference", "indices", "general")

    def of(self, variable):
        return next((index for index in self.indices if index.variable == variable), None)

    @property
    def mask(self):
        """Bit d is set for each index dimension."""
        return sum(1 << index.dimension for index in self.indices)


def loop_mapping(reference, variables):
    """variables: names of the loop variables of the nest."""
    indices, general = [], False
    wanted = set(variables)
    for dimension, subscript in enumerate(reference.subscripts):
        source = subscript.source
        if subscript.kind in (tree.ALL, tree.OWN):
            continue
        used = [e for e in (source.first, source.last, source.step) if e is not None and wanted & set(e.names)]
        if not used:
            continue
        affine = _affine(source.first, wanted) if source.kind == tree.SCALAR else None
        if affine is None or any(affine[0] == index.variable for index in indices):
            general = True
            continue
        name, offset = affine
        if subscript.first != source.first.text:  # a ( ) reference to nodes: coordinates are 0-based
            offset = plus(offset, -1)
        indices.append(IndexSubscript(name, dimension, offset))
    return LoopMapping(reference, indices, general)


def _affine(expression, wanted):
    """(variable, offset text) of `v`, `v + e`, `v - e`, `e + v`, else None."""
    words = list(expression.words)
    while len(words) > 2 and words[0].text == "(" and words[-1].text == ")" and _encloses(words):
        words = words[1:-1]
    mentions = [n for n, w in enumerate(words) if w.kind == "identifier" and w.text in wanted]
    if len(mentions) != 1:
        return None
    at = mentions[0]
    name = words[at].text
    if len(words) == 1:
        return name, "0"
    if at == 0 and words[1].text in ("+", "-") and len(words) > 2 and _additive(words[2:]):
        rest = Expression.of(words[2:]).text
        return name, rest if words[1].text == "+" else negated(rest)
    if at == len(words) - 1 and words[-2].text == "+" and len(words) > 2 and _additive(words[:-2]):
        return name, Expression.of(words[:-2]).text
    return None


def _encloses(words):
    depth = 0
    for number, word in enumerate(words):
        depth += word.text in "([" if len(word.text) == 1 else 0
        depth -= word.text in ")]" if len(word.text) == 1 else 0
        if depth == 0 and number + 1 < len(words):
            return False
    return True


def _additive(words):
    """No operator outside brackets that binds less tightly than + or that a minus sign before it would change."""
    depth = 0
    for word in words:
        if word.text in ("(", "["):
            depth += 1
        elif word.text in (")", "]"):
            depth -= 1
        elif depth == 0 and word.text in ("+", "-", "?", ":", "<", ">", "==", "&", "|", "^", "<<", ">>", "&&", "||", "=", ","):
            return False
    return True
