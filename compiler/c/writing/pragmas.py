"""Pragmas of OpenMP and gcc at the loops of a nest (specification chapter 8). Between such a pragma and its for statement
nothing may come, and loops that it collapses must stay a perfect nest: what we write goes before the pragma or into the
innermost body."""

from ...directives.words import integer
from ..reading import syntax
from .canonical import first_for
from .texts import object_name, quoted

# Words of OpenMP's directives that take a for statement; `parallel` takes any, and opens the threads.
_TAKE_LOOPS = frozenset("for simd loop distribute taskloop tile unroll".split())
_COLLAPSE = ("collapse", "ordered")
_ALL = 99  # a number that only gcc knows


# ---- what the pragmas mean ----
def _words(directive):
    """The words of an OpenMP directive's name, and perhaps of clauses without arguments."""
    texts = [token.text for token in directive.tokens[slice(*directive.operands)]]
    return set(texts[: texts.index("(") - 1]) if "(" in texts else set(texts)


def _depth(directive):
    """How many loops of the nest behind it a directive takes."""
    if directive.language != "omp":
        return 1
    if not _TAKE_LOOPS & _words(directive):
        return 0
    texts = [token.text for token in directive.tokens[slice(*directive.operands)]]
    numbers = [integer(texts[n + 2]) or _ALL for n, text in enumerate(texts[:-2]) if text in _COLLAPSE and texts[n + 1] == "("]
    return max([1, *numbers])


def _precedes_loop(directive):
    """Whether the head of a distributed loop below goes before a directive, not between it and the loop."""
    return _depth(directive) > 0 or "parallel" in _words(directive)


def at(loop):
    """The Directives of others directly before a for statement, the first one first; an xmp loop may stand among them."""
    found, parent = [], loop.parent
    while isinstance(parent, syntax.DirectiveStatement) and (_foreign(parent) or parent.directive.name == "loop"):
        found += [parent.directive] if _foreign(parent) else []
        parent = parent.parent
    return found[::-1]


def _foreign(node):
    return node.directive.language != "xmp"


def _around(loop):
    """The for statement whose body is just this one, with pragmas."""
    parent = loop.parent
    while isinstance(parent, (syntax.DirectiveStatement, syntax.Compound)):
        parent = parent.parent
    inside = isinstance(parent, syntax.For) and parent is not loop and first_for(parent.body) is loop
    return parent if inside else None


def taken(loop):
    """How many loops, from this one inwards, pragmas here and at the loops around it take."""
    most, distance = 0, 0
    while loop is not None:
        most = max([most, *(_depth(directive) - distance for directive in at(loop))])
        loop, distance = _around(loop), distance + 1
    return most


def inside_collapsed(loop):
    """Whether a pragma takes a loop together with the one around it."""
    around = _around(loop)
    return around is not None and taken(around) > 1


def body(loop):
    """The body of a loop, or of the innermost one that a pragma takes together with it."""
    for _ in range(taken(loop) - 1):
        inner = first_for(loop.body)
        loop = loop if inner is None else inner
    return loop.body


def among_threads(loop):
    """Whether OpenMP shares the iterations of a loop among threads."""
    while loop is not None:
        if any(directive.language == "omp" and (_words(directive) - {"simd"}) & _TAKE_LOOPS for directive in at(loop)):
            return True
        loop = _around(loop) if inside_collapsed(loop) else None
    return False


def shared_by(loop):
    """The word of the OpenMP directive that shares the iterations of a loop among threads or the lanes of a vector, or None."""
    while loop is not None:
        for directive in at(loop):
            if directive.language == "omp" and _words(directive) & _TAKE_LOOPS:
                return _name_of(directive)
        loop = _around(loop) if inside_collapsed(loop) else None
    return None


def collapsing(node):
    """The word of the OpenMP directive that takes the loop behind a loop directive together with those around; None. node: the
    loop directive's DirectiveStatement."""
    distance = 1
    while isinstance(node.parent, (syntax.DirectiveStatement, syntax.Compound, syntax.For)):
        node = node.parent
        if isinstance(node, syntax.For):
            found = next((directive for directive in at(node) if _depth(directive) > distance), None)
            if found is not None:
                return _name_of(found)
            distance += 1
    return None


def _name_of(directive):
    return directive.tokens[directive.operands[0]]


def before_loop(node):
    """(Directives, the xmp loop below them) of a chain that begins at the DirectiveStatement of a foreign one and whose loop
    has its head before all of them; else ([], None)."""
    chain = []
    while isinstance(node, syntax.DirectiveStatement) and _foreign(node) and _precedes_loop(node.directive):
        chain.append(node.directive)
        node = node.statement
    found = isinstance(node, syntax.DirectiveStatement) and not _foreign(node) and node.directive.name == "loop"
    return (chain, node) if found else ([], None)


# ---- what is written ----
class Pragmas:
    """Writes the pragmas of others. lowering: the walk (references, context)."""

    def __init__(self, lowering):
        self.context, self.edits, self.references = lowering.context, lowering.context.edits, lowering.references
        self._adapted, self._operators = set(), set()

    def adapt(self, directive):
        """Writes a directive where it stands, for a body with our names; the text around it is written before."""
        if directive not in self._adapted:
            self._adapted.add(directive)
            self._rename(directive)
        if self.edits.prefix(directive.first):
            self._be_operator(directive)

    def _rename(self, directive):
        """`default(none)` would forbid the constants that hold a loop's bounds; it checks only, and goes. Global arrays have
        their own names only where a pointer to their rows has it."""
        first, last = directive.operands
        texts = [token.text for token in directive.tokens[first:last]]
        for number, text in enumerate(texts):
            if texts[number : number + 4] == ["default", "(", "none", ")"]:
                self.edits.delete(first + number, first + number + 3)
            array = self._array(directive, text)
            if array is not None and array not in self.references.bound:
                self.edits.replace(first + number, first + number, object_name(array))

    def _array(self, directive, text):
        declarator = directive.scope.lookup(text, directive.first)
        array = self.context.model.array(self.context.key(declarator)) if declarator is not None else None
        return array if array is not None and array.dimensions is not None else None

    def _be_operator(self, directive):
        """Makes a directive one that need not begin a line."""
        if directive not in self._operators:
            self._operators.add(directive)
            words = [self.edits.token(index) for index in range(*directive.operands)]
            text = quoted(" ".join([directive.language, *filter(None, words)]))
            self.edits.replace(directive.first, directive.last, f"_Pragma({text}) ")

    def put_before(self, text, chain, index):
        """Writes before Directives that stand one behind the other; before a token if there are none."""
        for directive in chain:
            self.adapt(directive)
            self._be_operator(directive)
        self.edits.before(chain[0].first if chain else index, text)
