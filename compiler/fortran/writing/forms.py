"""The local iterations of one do loop of a nest. In cyclic dimensions the loop counts positions, so that subscripts of global
arrays need no division (decision view-subscripts); the user's variable gets its value where the body needs it."""

from ...directives.words import integer, parenthesised
from ...plan import loop as plan
from ...semantics.entities import NodesEntity
from . import subscripts
from .context import index, indices


class LocalLoop:
    """Statements around and in a DistributedLoop. range: the variable with this node's XMP_Iterations.

    A form says: constants, (name, value) pairs from the iterations; control, what stands behind `do`; positions and value, what
    the body finds in addition. derived: the names that the body sets."""

    def __init__(self, context, loop, site):
        self.context, self.loop, self.counting, self.site = context, loop, loop.counting, site
        self.item, self.name, self.up = loop.counting.item, loop.name, loop.counting.up
        suffixes = "first last final step xmp blocks left local begin end count total position_step round base stride".split()
        for suffix in suffixes:
            setattr(self, "n_" + suffix, context.name(f"{self.name}_{suffix}"))
        self.position, self.range = self.n_local, self.n_xmp
        declarations = context.declarations(loop.counting.position)
        foreign = declarations.lookup(self.name) is None and declarations.is_foreign()
        self.kind = f"kind({self.name})" if foreign else f"{self.name}%kind"  # the latter needs a type that is known already
        self.own_step = not loop.counting.constant
        self.step = self.n_step if self.own_step else loop.counting.step

    # ---- before the nest ----
    def declarations(self):
        names = [self.n_final, *([self.n_step] if self.own_step else []), *self.variables()]
        blocks = [f"type(XMP_Blocks) :: {self.n_blocks}, {self.n_left}"] if self.loop.in_blocks else []
        iterations = [f"type(XMP_Iterations) :: {self.n_xmp}"]
        return [f"integer({self.kind}) :: {', '.join(names)}", *blocks, *iterations]

    def variables(self):
        return [name for name, _ in self.constants()] + self.counters()

    def counters(self):
        """Variables that the loop counts or the body sets, besides the user's."""
        return []

    @property
    def derived(self):
        """What the body sets: private where threads share the iterations."""
        return [name for name, _ in self.positions()] + ([self.name] if self.value() else [])

    def global_range(self):
        """Texts of first, last and step of the user's loop, and of the offset of its on clause."""
        words = (subscripts.text(self.context, self.counting.position, part) for part in (self.item.first, self.item.last))
        return [*words, self.step, self.loop.index.offset]

    def along(self):
        nodes = 1 if isinstance(self.loop.entity, NodesEntity) else 0
        return self.context.object(self.loop.entity), nodes, self.loop.index.dimension

    def own_iterations(self):
        """Statements that find this node's iterations, and the variable's value after all of them."""
        entity, nodes, dimension = self.along()
        range_ = indices(*self.global_range())
        if self.loop.in_blocks:
            found = f"call XMP_Loop_blocks({self.n_blocks}, {self.site}, {entity}, {dimension}, {range_})"
        else:
            found = f"call XMP_Iterate({self.n_xmp}, {self.site}, {entity}, {nodes}, {dimension}, {range_})"
        step = [f"{self.n_step} = {self.counting.step}"] if self.own_step else []
        return [*step, found, f"{self.n_final} = int(XMP_Final({range_}), {self.kind})"]

    def setup(self):
        return [*self.own_iterations(), *([] if self.loop.in_blocks else self.assigned())]

    def assigned(self):
        return [f"{name} = int({value}, {self.kind})" for name, value in self.constants()]

    # ---- around the do statement ----
    def enter(self):
        """The loop over blocks, if there is one."""
        if not self.loop.in_blocks:
            return []
        left = [f"{self.n_left} = {self.n_blocks}", f"do while (XMP_Loop_next({self.n_left}, {self.n_xmp}))"]
        return [*left, *self.assigned()]

    def leave(self):
        return ["end do"] if self.loop.in_blocks else []

    # ---- in the body ----
    def body(self):
        pairs = self.positions() + ([(self.name, self.value())] if self.value() else [])
        return [f"{name} = {value}" for name, value in pairs]

    def positions(self):
        return []

    def value(self):
        """The user's variable in an iteration, where the do statement does not count it and the body needs it."""
        return None


class Plain(LocalLoop):
    """Not cyclic: the variable runs through contiguous values, or by the user's step."""

    def declarations(self):
        names = [self.n_first, self.n_last, self.n_final] + ([self.n_step] if self.own_step else [])
        return [f"integer({self.kind}) :: {', '.join(names)}"]

    def setup(self):
        entity, nodes, dimension = self.along()
        function = "XMP_Loop_nodes" if nodes else "XMP_Loop"
        along = ", ".join([self.site, entity, str(dimension), *map(index, self.global_range())])
        call = f"call {function}({along}, {self.n_first}, {self.n_last}, {self.n_final})"
        return [*([f"{self.n_step} = {self.counting.step}"] if self.own_step else []), call]

    def control(self):
        return f"{self.name} = {self.n_first}, {self.n_last}" + (f", {self.step}" if self.item.step else "")


class Range(LocalLoop):
    """The variable runs through the values of a block, or of a widened range, by the user's step."""

    control = Plain.control

    def constants(self):
        return [(self.n_first, f"{self.range}%first"), (self.n_last, f"{self.range}%last")]


class Counted(LocalLoop):
    """cyclic, without positions: the variable runs through this node's values, by a multiple of the user's step."""

    def constants(self):
        return [(name, f"{self.range}%{part}") for name, part in
                ((self.n_first, "first"), (self.n_last, "last"), (self.n_stride, "step"))]  # fmt: skip

    def control(self):
        return f"{self.name} = {self.n_first}, {self.n_last}, {self.n_stride}"


class Positions(LocalLoop):
    """The position advances by one; the value, where it is needed, follows from it."""

    def counters(self):
        return [self.position]

    def constants(self):
        sign = "+" if self.up else "-"
        behind = f"{self.range}%position {sign} ({self.range}%count - 1)"
        return [(self.n_begin, f"{self.range}%position"), (self.n_end, behind), *self.value_constants()]

    def value_constants(self):
        if not self.loop.value:
            return []
        stride = [] if self.loop.in_blocks else [(self.n_stride, f"{self.range}%step")]
        return [(self.n_first, f"{self.range}%first"), *stride]

    def control(self):
        return f"{self.position} = {self.n_begin}, {self.n_end}" + ("" if self.up else ", -1")

    def value(self):
        if not self.loop.value:
            return None
        done = f"({self.position} - {self.n_begin})" if self.up else f"({self.n_begin} - {self.position})"
        if self.loop.in_blocks:
            return f"{self.n_first} {'+' if self.up else '-'} {done}"
        return f"{self.n_first} + {done} * {self.n_stride}"


class StridedPositions(Positions):
    """A number of iterations gives the position, which advances by more than one."""

    def counters(self):
        return [self.n_count, self.position]

    def constants(self):
        pairs = ((self.n_begin, "position"), (self.n_total, "count"), (self.n_position_step, "position_step"))
        return [*((name, f"{self.range}%{part}") for name, part in pairs), *self.value_constants()]

    def control(self):
        return f"{self.n_count} = 0, {self.n_total} - 1"

    def positions(self):
        return [(self.position, f"{self.n_begin} + {self.n_count} * {self.n_position_step}")]

    def value(self):
        step = parenthesised(self.step) if self.loop.in_blocks else self.n_stride
        return f"{self.n_first} + {self.n_count} * {step}" if self.loop.value else None


class SmallBlocks(Positions):
    """The value follows from the position by a division by a small constant."""

    def value_constants(self):
        return [(self.n_round, f"{self.range}%round"), (self.n_base, f"{self.range}%first")]

    def assigned(self):
        return [*super().assigned(), f"{self.n_base} = {self.n_base} - ({self._index(self.n_begin)})"]

    def value(self):
        return f"{self.n_base} + {self._index(self.position)}"

    def _index(self, position):
        """The template's index at a position, from its lower bound on. Positions are not negative: for powers of two a shift
        divides them, which gfortran cannot know."""
        size = self.loop.entity.formats[self.loop.index.dimension].size
        elements = integer(size)
        if elements is not None and elements & (elements - 1) == 0:
            return f"shiftr({position}, {elements.bit_length() - 1}) * {self.n_round} + iand({position}, {elements - 1})"
        block = f"{position} / {size}"
        return f"{block} * {self.n_round} + ({position} - {block} * {size})"


_FORMS = {
    plan.COUNTED: Counted,
    plan.POSITIONS: Positions,
    plan.STRIDED_POSITIONS: StridedPositions,
    plan.SMALL_BLOCKS: SmallBlocks,
}


def local_loop(context, loop, site, widened):
    """The LocalLoop of a DistributedLoop. widened: whether expand, margin or peel_and_wait changes its range."""
    return _FORMS.get(loop.form, Range if loop.cyclic or widened else Plain)(context, loop, site)
