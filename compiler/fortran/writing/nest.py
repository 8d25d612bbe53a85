"""What Fortran answers when the planner asks about loops, tasks and what is in them (plan/questions.py). A block is a pair of
positions: of its first item, a directive or do statement, and of the one that ends it."""

from ...directives.words import integer
from ...plan.gmove import Side
from ...plan.language import Variable
from ...plan.nest import NestedLoop
from ...plan.questions import Blocks, Elements, Loops, Reductions
from ..reading.components import part_of
from ..reading.declarations import text_of
from . import pragmas
from .jumps import leaving
from .references import elements

_KINDS = ("integer", "real", "complex", "logical")

# Functions of the language that no executing set concerns, and words before a parenthesis that are none.
_INTRINSICS = frozenset(
    "abs acos aimag aint anint asin atan atan2 ceiling char cmplx conjg cos cosh dble dim dprod epsilon erf erfc exp exponent "
    "float floor fraction gamma hypot huge iabs iachar iand ibclr ibits ibset ichar ieor int ior ishft kind len log log10 max "
    "maxval merge min minval mod modulo nint not real sign sin sinh size sqrt sum tan tanh tiny dabs dsqrt dexp dlog dsin dcos "
    "dmax1 dmin1 max0 min0 amax1 amin1 if do while where forall write read print select case elseif then".split()
)


class CountingLoop:
    """A do loop with a counter. position: of its Item; step: text; constant: whether the step is."""

    unsigned = False

    def __init__(self, context, position):
        item = context.items[position]
        self.item, self.position, self.name = item, position, item.variable.text
        kept = context.result_bounds.get(id(item.step[0])) if item.step else None
        self.step = kept or (text_of(item.step) if item.step else "1")
        self.step_value = integer(self.step)
        self.constant = self.step_value is not None or context.declarations(position).constant(self.step)
        self.up = not self.step.startswith("-")

    @property
    def variable(self):
        return self.name

    @property
    def body(self):
        return self.position, self.item.end

    @property
    def bound_variables(self):
        words = (*self.item.first, *self.item.last, *(self.item.step or ()))
        return {word.text: word for word in reversed(words)}  # the first word of each


def _function(declarations, name):
    variable = declarations.lookup(name)
    known = variable is not None and (variable.bounds or variable.base == "character")
    return name not in _INTRINSICS and not known


class BlockAnswers(Blocks, Loops, Reductions, Elements):
    """Base of Context."""

    positions = True

    # ---- blocks ----
    def block(self, place):
        """Of a task, tasks or array directive."""
        if self._directive(place) is not None and self._directive(place).kind == "array":
            first = self.following(place)
            return first, self.items[first].end or first
        open_ = []
        for position in range(place, len(self.items)):
            one = self._directive(position)
            if one is not None and one.kind in ("task", "tasks"):
                open_.append(one.kind)
            elif one is not None and one.kind == "end" and one.what in ("task", "tasks"):
                if open_.pop() != one.what:
                    return None
                if not open_:
                    return place, position
        return None

    def _directive(self, position):
        return next(iter(self.parsed.get(position) or ()), None)

    def contains(self, block, place):
        return block[0] < place <= block[1]  # the last statement of a labelled loop is one of its body

    def jumps(self, block, loops):
        return leaving(self.items, *block, [loop.position for loop in loops])

    def asks_for_set(self, block):
        return any(self._asks(item) for item in self.items[block[0] : block[1] + 1])

    def _asks(self, item):
        if item.statement.directive:
            return item.kind == "directive" and bool(item.words) and item.words[0].text != "loop"
        if item.unit is None:
            return False
        if item.kind == "call" or item.guarded is not None and item.guarded.kind == "call":
            return True
        pairs = zip(item.words, item.words[1:])
        declarations = self.scopes.of(item.unit)
        return any(
            word.kind == "identifier" and after.text == "(" and _function(declarations, word.text) for word, after in pairs
        )

    def tasks_inside(self, place):
        found, position = [], place + 1
        while position < len(self.items):
            one = self._directive(position)
            if one is not None and one.kind == "end":
                break
            if one is not None and one.kind == "task":
                found.append((one, position, None))
                position = (self.block(position) or (0, len(self.items)))[1]
            elif one is not None or position not in self.parsed and self.items[position].kind != "pragma":
                return [*found, (None, None, self.items[position].words[0])]
            position += 1
        return found

    # ---- loops ----
    def nest(self, place):
        items, found, position = self.items, [], self.following(place)
        while position < len(items):
            item = items[position]
            outer = items[found[-1].block[0]].end if found else item.end
            if item.kind != "do" or found and (item.variable is None or outer not in (item.end, (item.end or 0) + 1)):
                break
            name, block = item.variable.text if item.variable else None, (position, item.end)
            found.append(NestedLoop(name, name, item.words[0], block, block))
            if name is None:
                break
            position = self.following(position)
        return found

    def counting(self, loop, directive):
        found = CountingLoop(self, loop.block[0])
        item, known = found.item, self.declarations(found.position).type_of(found.name)
        message = word = None
        if known is not None and (known[0] != "integer" or known[2]):
            message, word = f"the loop variable '{found.name}' is not an integer", item.variable
        elif not item.last:
            message, word = "the do loop has no last value", item.variable
        elif found.step_value == 0:
            message, word = "the step of the loop is 0", item.step[0]
        if message:
            self.error("XMP-E162", message, word)
        return None if message else found

    def reduced(self, expression, place, location):
        """more: the bounds of an array."""
        variable = self.variable(expression, place)
        if variable is None:
            return None
        if isinstance(variable.more, Side):
            message = f"'{expression.text}' is part of a global array; a clause takes local variables"
            self.error("XMP-E184", message, expression.word)
            return None
        if variable.kind is None:
            what = f"a reduction of '{expression.name}', whose type is declared in another place, is"
            self.unsupported(what, expression.word, "declare a variable for it here")
            return None
        if any(upper is None for _, upper in variable.more):
            message = f"the number of elements of '{expression.name}' is not known"
            self.error("XMP-E185", message, expression.word, (), "declare the array with its bounds")
            return None
        return Variable(expression, variable.kind, variable.type, variable.more)

    reduces_parts = True

    def reduced_part(self, expression, place):
        """An element or component. more: the bounds of what it is itself."""
        variable = self.variable(expression, place)
        if variable is None or isinstance(variable.more, Side):
            return None if variable is None else self.reduced(expression, place, False)
        found = part_of(self.declarations(place), expression.words)
        if found is None or any(high is None for _, high in found[2]):
            message = f"'{expression.text}' is no element or component whose type and number of elements are known here"
            self.error("XMP-E181", message, expression.word, (), "name one element, or copy it to a variable")
            return None
        base, type_, bounds = found
        return Variable(expression, base if base in _KINDS else "other", type_, bounds)

    def changed(self, loop):
        for position in range(loop.position + 1, loop.item.end + 1):
            item = self.items[position]
            if item.kind == "assignment" and item.words[0].text == loop.name and item.words[1].text == "=":
                return item.words[0]
        return None

    def uses_value(self, loop, besides):
        covered = {id(word) for subscript in besides for word in subscript}
        for position in range(loop.position + 1, loop.item.end + 1):
            item = self.items[position]
            inside = [one for word in item.words for one in getattr(word, "inside", (word,))]
            if any(word.text == loop.name and id(word) not in covered for word in inside):
                return True
            if not item.statement.directive and self._asks(item) and self._visible_elsewhere(loop, position):
                return True
        return False

    def _visible_elsewhere(self, loop, place):
        """Whether a procedure that is called may see a loop variable."""
        variable, unit = self.declarations(place).lookup(loop.name), self.unit(place)
        if variable is None or variable.unit.procedure is not unit.procedure:
            return variable is not None
        return variable.common is not None or variable.has("equivalence") or unit.procedure.contains is not None

    def among_threads(self, loop):
        return pragmas.opens_threads(self, loop.position)

    def refuses(self, feature, word, notes=()):
        if feature != "dependent bounds":
            return False
        found = pragmas.depth(self, self.following(self.items.index(self.at))) > 1
        if found:
            message = "collapse needs distributed loops whose bounds do not depend on each other"
            self.error("XMP-E190", message, word, notes, "leave out the collapse clause")
        return found

    # ---- elements ----
    def references(self, block, nested=True):
        items = (self.items[position] for position in range(block[0], block[1] + 1))
        return [element for item in items if not item.statement.directive for element in elements(self, item)]

    def affine(self, subscript):
        texts = [word.text for word in subscript]
        if len(texts) == 1 and subscript[0].kind == "identifier":
            return texts[0], 0
        if len(texts) != 3 or texts[1] not in ("+", "-"):
            return None
        if subscript[0].kind == "identifier" and integer(texts[2]) is not None:
            return texts[0], integer(texts[2]) * (1 if texts[1] == "+" else -1)
        left = integer(texts[0])
        return (texts[2], left) if left is not None and texts[1] == "+" and subscript[2].kind == "identifier" else None

    def element(self, reference, d):
        subscript = reference.subscripts[d]
        text = "".join((" " if number and word.space else "") + word.text for number, word in enumerate(subscript))
        return f"{reference.array.name}({text})", subscript[0]

    def shadow_proposal(self, array, widths):
        texts = ["*" if pair is None else pair[0] if pair[0] == pair[1] else f"{pair[0]}:{pair[1]}" for pair in widths]
        shadow = f"!$xmp shadow {array.name}({', '.join(texts)})"
        return f"write: {shadow}, and before the loop: !$xmp reflect ({array.name})"
