"""The local iterations of one loop of a nest, in the forms that were measured fastest (decision view-subscripts): bounds in
fresh constants of the loop variable's type, the variable declared in the for statement, literal steps. In cyclic dimensions
the loop counts positions, so that array subscripts need no division. Each form of plan/loop.py is a class."""

from ...directives.words import integer, parenthesised
from ...plan import loop as plan
from ...semantics.entities import NodesEntity
from .elements import type_code, type_text
from .loop_variables import plain_local, read_after_loop
from .texts import object_name


class LocalLoop:
    """Texts for the set-up and the header of a DistributedLoop. first, last: texts of the global range; range: text of the
    XMP_Iterations that are run through; own_variable: whether the user's variable itself counts, declared where the user
    declared it; copied: whether the loop is part of a memcpy.

    A form gives constants: (name, value) pairs; header: (init, condition, step) with step None for the user's; positions and
    value: what the body finds in addition. counter: the type of its constants and of what it counts."""

    def __init__(self, context, loop, site, node, first, last):
        name, v = context.name, loop.name
        self.context, self.loop, self.counting, self.site = context, loop, loop.counting, site
        self.first, self.last = first, last
        self.iterations, self.blocks = name(v + "_xmp"), name(v + "_blocks")
        self.start, self.end, self.stride = name(v + "_first"), name(v + "_end"), name(v + "_step")
        self.final = name(v + "_last")
        self.position, self.begin, self.count, self.total = (
            name(v + suffix) for suffix in ("_local", "_begin", "_count", "_total")
        )
        self.position_stride = name(v + "_position_step")
        self.round, self.base = name(v + "_round"), name(v + "_base")
        self.type = _unqualified(type_text(self.counting.type))
        self.counter = self.type if loop.form == plan.RANGE or _counts(loop) else _WIDE
        self.range, self.copied = self.iterations, False
        self.own_variable = not loop.cyclic and plain_local(context, self.counting, node)

    @property
    def ends_before(self):
        """Whether the limit is the value behind the last one, not the last one."""
        return self.counting.unsigned or self.counting.relation in ("<", ">", "!=")

    # ---- before the nest ----
    def _arguments(self, step=None):
        entity, index = object_name(self.loop.entity), self.loop.index
        step = step or self.counting.step
        return f"{self.site}, {entity}, {index.dimension}, {self.first}, {self.last}, {step}, {index.offset}"

    def _own(self, step=None):
        function = "XMP_Loop_nodes" if isinstance(self.loop.entity, NodesEntity) else "XMP_Loop"
        return f"{function}({self._arguments(step)})"

    def own_iterations(self):
        return f"const XMP_Iterations {self.iterations} = {self._own()};"

    def own_count(self):
        """The number of this node's iterations, or more: in blocks those that a step leaves out count, too."""
        return f"{self._own(_direction(self.counting.step) if self.loop.in_blocks else None)}.count"

    def setup(self):
        if self.loop.in_blocks:
            return f"const XMP_Blocks {self.blocks} = XMP_Loop_blocks({self._arguments()});"
        return f"{self.own_iterations()} {self.declared()}"

    def declared(self):
        return self._declaration(self.counter, self.constants())

    @staticmethod
    def _declaration(type_, pairs):
        """The casts are for -Wconversion: all these values fit the type."""
        values = ", ".join(f"{name} = ({type_}){parenthesised(value)}" for name, value in pairs)
        return f"const {type_} {values};"

    # ---- around the for statement ----
    def enter(self):
        """The loop over blocks, if there is one."""
        if not self.loop.in_blocks:
            return ""
        return (
            f"{{ XMP_Blocks {self.blocks}_left = {self.blocks}; for (XMP_Iterations {self.iterations}; "
            f"XMP_Loop_next(&{self.blocks}_left, &{self.iterations});) {{ {self.declared()} "
        )

    def leave(self):
        return " } }" if self.loop.in_blocks else ""

    # ---- in the body ----
    def body_constants(self):
        positions, value = self.positions(), self.value() if self.loop.value else None
        texts = [self._declaration(self.counter, positions)] if positions else []
        if value is not None:
            texts.append(self._declaration(self.type, [(self.loop.name, value)]))
        if value is not None and self.loop.value == "perhaps":
            texts.append(f"(void){self.loop.name};")
        return " ".join(texts)

    def positions(self):
        """(name, value) pairs of what changes with each iteration, besides the variable."""
        return []

    def value(self):
        """The variable's value in an iteration, where the header does not give it; written where the body needs it."""
        return None

    # ---- after the nest ----
    def final_value(self):
        """The user's variable gets its value after a serial loop, if anybody looks."""
        counting = self.counting
        if not counting.outside:
            return ""
        if not read_after_loop(self.context, counting.declarator):
            return "" if self.own_variable and not self.copied else f" (void){counting.name};"
        return f" {counting.name} = ({self.type})XMP_Loop_final({self.first}, {self.last}, {counting.step});"


def _direction(step):
    """1 or -1."""
    number = integer(step)
    if number is None:
        return f"({parenthesised(step)} > 0 ? 1 : -1)"
    return "1" if number > 0 else "-1"


class Range(LocalLoop):
    """The variable runs through contiguous values, or by the user's step."""

    def constants(self):
        return [(self.start, f"{self.range}.first"), self._limit()]

    def _limit(self):
        if not self.ends_before:
            return self.final, f"{self.range}.last"
        end = f"{self.range}.last {'+' if self.counting.up else '-'} 1"
        return self.end, f"{self.range}.count ? {end} : {self.range}.first" if self.counting.unsigned else end

    def header(self):
        v, counting = self.loop.name, self.counting
        if self.ends_before:
            condition = f"{v} {'<' if counting.up else '>'} {self.end}"
        else:
            condition = f"{v} {counting.relation} {self.final}"
        return f"{'' if self.own_variable else self.type + ' '}{v} = {self.start}", condition, None


class Counted(LocalLoop):
    """A number of iterations gives the value: cyclic, without positions."""

    def constants(self):
        value = [(self.start, f"{self.range}.first"), (self.stride, f"{self.range}.step")] if self.loop.value else []
        return [*value, (self.total, f"{self.range}.count")]

    def header(self):
        return f"{self.counter} {self.count} = 0", f"{self.count} < {self.total}", f"{self.count}++"

    def value(self):
        return f"{self.start} + {self.count} * {self.stride}"


class Positions(LocalLoop):
    """The position advances by one; the value, where it is needed, follows from it."""

    def constants(self):
        sign = "+" if self.counting.up else "-"
        return [
            (self.begin, f"{self.range}.position"),
            (self.end, f"{self.begin} {sign} {self.range}.count"),
            *self._value_constants(),
        ]

    def _value_constants(self):
        stride = [] if self.loop.in_blocks else [(self.stride, f"{self.range}.step")]
        return [(self.start, f"{self.range}.first"), *stride] if self.loop.value else []

    def header(self):
        sign, compare = ("++", "<") if self.counting.up else ("--", ">")
        return (
            f"{self.counter} {self.position} = {self.begin}",
            f"{self.position} {compare} {self.end}",
            f"{self.position}{sign}",
        )

    def value(self):
        up = self.counting.up
        done = f"({self.position} - {self.begin})" if up else f"({self.begin} - {self.position})"
        advance = f"{'+' if up else '-'} {done}" if self.loop.in_blocks else f"+ {done} * {self.stride}"
        return f"{self.start} {advance}"


class StridedPositions(Positions):
    """A number of iterations gives the position, which advances by more than one."""

    header = Counted.header

    def constants(self):
        return [
            (self.begin, f"{self.range}.position"),
            (self.total, f"{self.range}.count"),
            (self.position_stride, f"{self.range}.position_step"),
            *self._value_constants(),
        ]

    def positions(self):
        return [(self.position, f"{self.begin} + {self.count} * {self.position_stride}")]

    def value(self):
        step = f"({self.counter}){parenthesised(self.counting.step)}" if self.loop.in_blocks else self.stride
        return f"{self.start} + {self.count} * {step}"


class SmallBlocks(Positions):
    """The value follows from the position by a division by a small constant. Positions are not negative: dividing them as
    unsigned is a shift for powers of two, and gcc vectorises it."""

    def _value_constants(self):
        return [(self.round, f"{self.range}.round"), (self.base, f"{self.range}.first - {self._index(self.begin)}")]

    def value(self):
        return f"{self.base} + {self._index(self.position)}"

    def _index(self, position):
        """The template's index at a position, from its lower bound on."""
        size = self.loop.entity.formats[self.loop.index.dimension].size + "u"
        wide = "long" in self.counter or self.counter == _WIDE
        unsigned = "unsigned long" if wide else "unsigned"
        return f"({self.counter})(({unsigned}){position} / {size} * ({unsigned}){self.round} + ({unsigned}){position} % {size})"


_WIDE = "XMP_Index"
# The largest values of types that may be too small for one.
_MOST = {
    "XMP_TYPE_BOOL": 1,
    "XMP_TYPE_CHAR": 0x7F,
    "XMP_TYPE_SCHAR": 0x7F,
    "XMP_TYPE_UCHAR": 0xFF,
    "XMP_TYPE_SHORT": 0x7FFF,
    "XMP_TYPE_USHORT": 0xFFFF,
    "XMP_TYPE_INT": 0x7FFFFFFF,
    "XMP_TYPE_UINT": 0xFFFFFFFF,
}

_FORMS = {
    plan.RANGE: Range,
    plan.COUNTED: Counted,
    plan.POSITIONS: Positions,
    plan.STRIDED_POSITIONS: StridedPositions,
    plan.SMALL_BLOCKS: SmallBlocks,
}


def local_loop(context, loop, site, node, first, last):
    """The LocalLoop of a DistributedLoop. node: of the loop directive with its statement."""
    return _FORMS[loop.form](context, loop, site, node, first, last)


def _counts(loop):
    """Whether positions and numbers of iterations surely fit the type of a loop's variable; gcc's loops are better with it."""
    most = _MOST.get(type_code(loop.counting.type))
    if most is None:
        return True
    bounds = loop.entity.bounds[loop.index.dimension] if loop.entity.bounds else ("", "")
    (lower, upper), offset = (integer(bound) for bound in bounds), integer(loop.index.offset)
    if lower is None:
        return False
    extent_fits = upper is not None and upper - lower < most
    return extent_fits or offset is not None and offset <= lower  # the position is not greater than the variable, then


def _unqualified(text):
    return " ".join(word for word in text.split() if word not in ("const", "volatile", "register"))
