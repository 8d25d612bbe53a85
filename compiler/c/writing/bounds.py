"""The local iterations of one loop of a nest, in the form that was measured fastest (decision view-subscripts): bounds in fresh
constants of the loop variable's type, the variable declared in the for statement, literal steps. In cyclic dimensions the
loop counts positions, so that array subscripts need no division."""

from ...directives.words import parenthesised
from ...semantics.entities import NodesEntity
from . import loop_variables
from .elements import is_unsigned, type_text
from .texts import object_name


class LocalLoop:
    """One CanonicalLoop of a nest, with texts for its set-up and its header.

    loop, index: the CanonicalLoop and its IndexSubscript; first, last: texts of the global range; positional: whether
    the loop counts positions, two_level: whether it runs over blocks; position: the name of the position"""

    def __init__(self, context, loop, index, reference, site):
        name = context.name
        self.context, self.loop, self.index, self.site = context, loop, index, site
        self.entity = reference.entity
        v = loop.name
        self.iterations, self.blocks = name(v + "_xmp"), name(v + "_blocks")
        self.start, self.end, self.stride = name(v + "_first"), name(v + "_end"), name(v + "_step")
        self.final = name(v + "_last")
        self.position, self.begin, self.count, self.total = (
            name(v + suffix) for suffix in ("_local", "_begin", "_count", "_total")
        )
        self.position_stride = name(v + "_position_step")
        self.first = self.last = None
        self.round, self.base = name(v + "_round"), name(v + "_base")
        self.positional = self.two_level = self.keeps_value = False
        self.block = None  # size of small blocks, a literal: the body gets the variable's value from its position
        # keeps_value: whether the body needs the variable beside the position; "directive": perhaps, in a directive's text
        self.depends = False  # whether the bounds depend on a loop around, inside the nest
        self.copied = False  # whether the loop is part of a memcpy
        self.own_variable = False  # whether the user's variable itself counts, declared where the user declared it
        self.type = _unqualified(type_text(loop.type))
        self.range = None  # text of an XMP_Iterations that replaces this node's own (expand, margin)

    @property
    def unit_step(self):
        return self.loop.step_value in (1, -1)

    @property
    def cyclic(self):
        return not isinstance(self.entity, NodesEntity) and self.entity.cyclic(self.index.dimension)

    @property
    def ends_before(self):
        """Whether the limit is the value behind the last one, not the last one."""
        return is_unsigned(self.loop.type) or self.loop.relation in ("<", ">", "!=")

    # ---- the call ----
    def _arguments(self):
        entity, index = object_name(self.entity), self.index
        return f"{self.site}, {entity}, {index.dimension}, {self.first}, {self.last}, {self.loop.step}, {index.offset}"

    def own_iterations(self):
        function = "XMP_Loop_nodes" if isinstance(self.entity, NodesEntity) else "XMP_Loop"
        return f"const XMP_Iterations {self.iterations} = {function}({self._arguments()});"

    def setup(self):
        """Statements before the nest."""
        if self.two_level:
            return f"const XMP_Blocks {self.blocks} = XMP_Loop_blocks({self._arguments()});"
        return f"{self.own_iterations()} {self.constants()}"

    def enter(self):
        """Statements directly before the for statement; they open self.depth braces."""
        if not self.two_level:
            return ""
        return (
            f"{{ XMP_Blocks {self.blocks}_left = {self.blocks}; for (XMP_Iterations {self.iterations}; "
            f"XMP_Loop_next(&{self.blocks}_left, &{self.iterations});) {{ {self.constants()} "
        )

    def leave(self):
        return " } }" if self.two_level else ""

    # ---- constants of a progression ----
    def constants(self):
        source = self.range or self.iterations
        if self.positional:
            return self._positional_constants(source)
        if self.cyclic and not self.two_level:
            value = f"{self.start} = {source}.first, {self.stride} = {source}.step, " if self.keeps_value else ""
            return f"const {self.type} {value}{self.total} = {source}.count;"
        return f"const {self.type} {self.start} = {source}.first, {self._limit(source)};"

    def _limit(self, source):
        up = self.loop.up
        if self.ends_before:
            end = f"{source}.last {'+' if up else '-'} 1"
            if is_unsigned(self.loop.type):
                end = f"{source}.count ? {end} : {source}.first"
            return f"{self.end} = {end}"
        return f"{self.final} = {source}.last"

    def _positional_constants(self, source):
        texts = [f"const {self.type} {self.begin} = {source}.position"]
        if self.counts:
            texts.append(f"{self.total} = {source}.count")
            texts.append(f"{self.position_stride} = {source}.position_step")
        else:
            texts.append(f"{self.end} = {self.begin} {'+' if self.loop.up else '-'} {source}.count")
        if self.block:
            texts.append(f"{self.round} = {source}.round")
            texts.append(f"{self.base} = {source}.first - ({self._from_position(self.begin)})")
        elif self.keeps_value:
            texts.append(f"{self.start} = {source}.first")
            if not self.two_level:
                texts.append(f"{self.stride} = {source}.step")
        return ", ".join(texts) + ";"

    def _from_position(self, position):
        """The template's index at a position, from its lower bound on. Positions are not negative: dividing them as unsigned
        is a shift for powers of two, and gcc vectorises it."""
        unsigned = f"{self.block}u"
        return f"{position} / {unsigned} * {self.round} + {position} % {unsigned}"

    @property
    def counts(self):
        """Whether the loop counts iterations: its positions advance by more than one."""
        return not self.unit_step or is_unsigned(self.loop.type) and not self.loop.up

    # ---- the for statement ----
    def header(self):
        """(init, condition, step) texts; step None keeps the user's."""
        v, type_ = self.loop.name, self.type
        if self.positional:
            return self._positional_header()
        if self.cyclic and not self.two_level:
            count = self.count
            return f"{type_} {count} = 0", f"{count} < {self.total}", f"{count}++"
        if self.ends_before:
            condition = f"{v} {'<' if self.loop.up else '>'} {self.end}"
        else:
            condition = f"{v} {self.loop.relation} {self.final}"
        return f"{'' if self.own_variable else type_ + ' '}{v} = {self.start}", condition, None

    def _positional_header(self):
        if self.counts:
            return f"{self.type} {self.count} = 0", f"{self.count} < {self.total}", f"{self.count}++"
        sign, compare = ("++", "<") if self.loop.up else ("--", ">")
        return f"{self.type} {self.position} = {self.begin}", f"{self.position} {compare} {self.end}", f"{self.position}{sign}"

    def body_constants(self):
        """What the body finds in addition: the loop variable's value and the position."""
        v = self.loop.name
        unused = f" (void){v};" if self.keeps_value == "directive" else ""
        if not self.positional:
            if self.cyclic and not self.two_level and self.keeps_value:
                return f"const {self.type} {v} = {self.start} + {self.count} * {self.stride};{unused}"
            return ""
        texts = []
        step = self.loop.step if self.two_level else self.stride
        if self.counts:
            texts.append(f"{self.position} = {self.begin} + {self.count} * {self.position_stride}")
            if self.keeps_value:
                texts.append(f"{v} = {self.start} + {self.count} * {parenthesised(step)}")
        elif self.block:
            texts.append(f"{v} = {self.base} + {self._from_position(self.position)}")
        elif self.keeps_value:
            done = f"({self.position} - {self.begin})" if self.loop.up else f"({self.begin} - {self.position})"
            if self.two_level:
                texts.append(f"{v} = {self.start} {'+' if self.loop.up else '-'} {done}")
            else:
                texts.append(f"{v} = {self.start} + {done} * {step}")
        return f"const {self.type} {', '.join(texts)};{unused}" if texts else ""

    def final_value(self):
        """Statement for after the nest: the user's variable gets its value after a serial loop, if anybody looks."""
        loop = self.loop
        if not loop.outside:
            return ""
        if not loop_variables.read_after_loop(self.context, loop.declarator):
            return "" if self.own_variable and not self.copied else f" (void){loop.name};"
        return " " + f"{loop.name} = XMP_Loop_final({self.first}, {self.last}, {loop.step});"


def _unqualified(text):
    return " ".join(word for word in text.split() if word not in ("const", "volatile", "register"))
