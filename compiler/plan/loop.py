"""loop: the iterations of a nest on the nodes that own them (specification 4.4.3)."""

from ..directives import tree
from ..directives.words import integer
from ..record import Record
from ..semantics.entities import NodesEntity, in_order
from ..semantics.iteration import loop_mapping
from . import nest, shadows
from .questions import Blocks, Elements, Loops, Names, Reductions
from .reduction import loop_reductions
from .step import Step
from .task import check_jumps

QUESTIONS = (Names, Blocks, Loops, Reductions, Elements)

# The forms of a distributed loop: what counts its iterations on a node (decision view-subscripts).
RANGE = "range"  # the variable itself, through contiguous values or by the user's step
COUNTED = "counted"  # a number of iterations, which gives the value: cyclic
POSITIONS = "positions"  # the position in a cyclic dimension, by one: subscripts need no division
STRIDED_POSITIONS = "strided positions"  # a number of iterations, which gives the position
SMALL_BLOCKS = "small blocks"  # the position; the value follows from it by a division by a small constant

# With these sizes of blocks a division in each iteration costs less than a loop for each one (bench/compare.py index-cyclic4).
_SMALL = {str(size) for size in (2, 3, 4, 5, 6, 7, 8, 16)}


class Loop(Step):
    """mapping: semantics.LoopMapping; block: the nest, in the language's terms; loops: DistributedLoops, the outermost first;
    ranges: Ranges or None; reductions: LoopReductions; order: CountingLoops down to the innermost of `loops`, where reductions
    need the number of an iteration; partial: whether the on clause leaves nodes out; own_set: whether
    something in the iterations may ask for the executing set.
    What helps the language's compiler: copies: loops that are one memcpy each; independent: innermost loops without a
    dependence between iterations; divisions: (reference, dimension) of subscripts that cost a division in each, those below
    directives inside apart."""

    fields = ("mapping", "block", "loops", "ranges", "reductions", "order", "partial", "own_set")
    fields += ("copies", "independent", "divisions")

    def validate(self):
        self.require(self.loops, "distributes no loop")
        dimensions = [loop.index.dimension for loop in self.loops]
        self.require(len(set(dimensions)) == len(dimensions), "runs along a dimension twice")
        self.require_subscripts(self.mapping.reference)
        for loop in self.loops:
            self.require(loop.cyclic or loop.form == RANGE and not loop.in_blocks, f"counts '{loop.name}' wrongly")
            self.require(self.ranges is None or not loop.cyclic and not loop.depends, f"widens '{loop.name}'")

    @property
    def running(self):
        """The dimensions of the on clause that loop variables run along."""
        return {index.dimension for index in self.mapping.indices}


class TaskLoop(Step):
    """`loop on p(lb(i):iub(i))`: every node runs through all iterations and takes part in those of its sets. on: of each
    iteration; body: in the language's terms."""

    fields = ("on", "body")

    def validate(self):
        self.require_subscripts(self.on)


class DistributedLoop:
    """counting: the language's loop; index: its IndexSubscript along `entity`; depends: whether its bounds depend on a loop
    around it in the nest; accesses: the subscripts in its body that follow it; form: of the above; in_blocks: whether a loop
    over the blocks of a cyclic dimension stands around; value: whether the body needs the variable itself, "perhaps" where a
    directive mentions it."""

    def __init__(self, counting, index, entity, depends):
        self.counting, self.name, self.index, self.entity, self.depends = counting, counting.name, index, entity, depends
        self.accesses, self.form, self.in_blocks, self.value = (), RANGE, False, True

    @property
    def cyclic(self):
        return not isinstance(self.entity, NodesEntity) and self.entity.cyclic(self.index.dimension)

    @property
    def positional(self):
        return self.form in (POSITIONS, STRIDED_POSITIONS, SMALL_BLOCKS)

    def distance(self, array, d, affine):
        """By how much the template index of a subscript, (variable, constant) or None, differs from that of the loop's
        iteration; None if it does not follow the loop variable or is not known."""
        aligned = array.dimensions[d]
        if affine is None or affine[0] is not self.counting.variable and affine[0] != self.counting.variable:
            return None
        if array.template is not self.entity or aligned.onto != self.index.dimension:
            return None
        if aligned.offset == self.index.offset:
            return affine[1]
        a, o = integer(aligned.offset), integer(self.index.offset)
        return None if a is None or o is None else affine[1] + a - o


def giving_position(loops, array, d, affine):
    """The innermost of DistributedLoops whose position is a subscript of a cyclic dimension, or None."""
    return next((loop for loop in reversed(loops) if loop.positional and loop.distance(array, d, affine) == 0), None)


class Access(Record):
    """A subscript that follows a distributed loop at a constant distance."""

    fields = ("reference", "dimension", "subscript", "distance")

    @property
    def positional(self):
        return self.distance == 0 and self.reference.array.positional(self.dimension)


class Ranges(Record):
    """expand, margin or peel_and_wait: iterations beyond or at the rim of a node's own. widths: in the order of the template;
    margin: whether only the rim is meant; async_id: what peel_and_wait waits for, else None."""

    fields = ("widths", "margin", "async_id")


def _plan(language, directive, place):
    """The Loop or TaskLoop of a directive; None after an error that leaves nothing to write."""
    reference = language.reference(directive.on, place)
    if reference is None:
        return None
    if reference.executing_set or not reference.subscripts:
        language.error("XMP-E161", "the on clause of a loop needs subscripts with the loop variable", directive.on.word)
        return None
    collapsed = language.collapsed_around(place)
    if collapsed is not None:
        message = "collapse takes loops together of which an inner one has a loop directive of its own"
        notes = [("the inner loop directive is here", directive.word)]
        language.error(
            "XMP-E190", message, collapsed, notes, "write one loop directive with all variables before the outer loop"
        )
        return None
    found = nest.find(language, directive, place, reference)
    if found is None:
        return None
    return (_task_loop if found.mapping.general else _loop)(language, directive, place, found)


def _task_loop(language, directive, place, found):
    check_jumps(language, found.outer.body, "distributed loop")
    if directive.reductions:
        word = directive.reductions[0].word
        language.error("XMP-E190", "a reduction clause is not supported with this on clause", word)
    return TaskLoop(directive, place, on=found.mapping.reference, body=found.outer.body)


def _loop(language, directive, place, found):
    mapping, block = found.mapping, found.outer.block
    check_jumps(language, found.outer.body, "distributed loop", [counting for counting, _ in found.loops])
    reductions = loop_reductions(language, directive, place)
    loops = [_distributed(language, mapping, reductions, *loop) for loop in found.loops]
    if not (directive.expand or directive.margin or directive.peel):
        shadows.check(language, loops)  # widths move the iterations; what they reach is the widths' business
    ranges = _ranges(language, directive, mapping.reference, loops)
    around = enclosing(language, place)
    plain = ranges is None and not reductions
    return Loop(
        directive,
        place,
        mapping=mapping,
        block=block,
        loops=loops,
        ranges=ranges,
        reductions=reductions,
        order=_order(language, directive, place, reductions, loops),
        partial=partial(mapping, around),
        own_set=language.asks_for_set(block),
        copies=language.copies(place, loops, around) if plain else [],
        independent=language.independent(place),
        divisions=_divisions(language, found.outer, around, loops),
    )


_IN_ORDER = "leave it out, or reduce by max or min"


def _order(language, directive, place, reductions, loops):
    """Loop.order. Iterations are numbered as in the serial program, so the serial loops of the nest count."""
    operator = next((reduction.operator for reduction in reductions if reduction.located), None)
    if operator is None:
        return []
    nested, counted = language.nest(place), {loop.counting.variable: loop.counting for loop in loops}
    innermost = max(n for n, loop in enumerate(nested) if loop.variable in counted)
    order, around = [], set()
    for loop in nested[: innermost + 1]:
        counting = counted.get(loop.variable) or language.counting(loop, directive)
        shared = None if counting is None else language.in_any_order(counting)
        if shared is not None:
            message = f"{operator} needs its iterations in order: threads or vector lanes that share them have partial results"
            language.error("XMP-E190", message, shared, [("the reduction is here", directive.reductions[0].word)], _IN_ORDER)
        if counting is None or shared is not None:
            return []
        outer = next((word for variable, word in counting.bound_variables.items() if variable in around), None)
        if outer is not None:
            language.error("XMP-E190", f"{operator} needs loops whose bounds do not depend on the loops around them", outer)
            return []
        order.append(counting)
        around.add(loop.variable)
    return order


def enclosing(language, place):
    """The DistributedLoops around a place, the innermost last."""
    steps = (step for step in language.plan if isinstance(step, Loop) and language.contains(step.block, place))
    return [loop for step in steps for loop in step.loops]


# ---- which iterations ----


def _ranges(language, directive, reference, loops):
    clause = next((name for name in ("expand", "margin", "peel") if getattr(directive, name)), None)
    if clause is None or language.refuses(clause, directive.word):
        return None
    async_id, widths = directive.peel or (None, directive.expand or directive.margin)
    if len(widths) != len(reference.subscripts):
        language.model.wrong_rank(reference.entity, len(widths), directive.word, "widths")
        return None
    for loop in loops:
        loop.depends = False
        _check_widened(language, directive, loop)
    widths = in_order(widths, directive.on.bracket, reference.entity.bracket)
    return Ranges(widths, clause != "expand", async_id)


def _check_widened(language, directive, loop):
    message = help = None
    if loop.cyclic:
        message = f"the widths have no meaning for '{loop.name}': its dimension is cyclic"
        help = "expand, margin and peel_and_wait need block or gblock"
    elif loop.counting.step_value not in (1, -1):
        message = f"expand, margin and peel_and_wait need step 1; '{loop.name}' has {loop.counting.step}"
    if message:
        language.error("XMP-E164", message, directive.word, help=help)


def partial(mapping, around):
    """Whether the on clause leaves nodes out by a subscript that no loop around has already chosen."""
    reference = mapping.reference
    chosen = {index.dimension: index for index in loop_mapping(reference, [loop.name for loop in around]).indices}
    running = {index.dimension for index in mapping.indices}
    for d, subscript in enumerate(reference.subscripts):
        if d in running or subscript.kind in (tree.ALL, tree.OWN):
            continue
        if not isinstance(reference.entity, NodesEntity) and reference.entity.formats[d].kind == "*":
            continue
        index = chosen.get(d)
        if index is None or not any(loop.entity is reference.entity and loop.index.same(index) for loop in around):
            return True
    return False


# ---- in which form ----


def _distributed(language, mapping, reductions, counting, depends):
    loop = DistributedLoop(counting, mapping.of(counting.name), mapping.reference.entity, depends)
    loop.accesses = [
        Access(reference, d, subscript, distance)
        for reference in language.references(counting.body)
        for d, subscript in enumerate(reference.subscripts[: reference.array.rank])
        if (distance := loop.distance(reference.array, d, language.affine(subscript))) is not None
    ]
    if loop.cyclic:
        covered = [access.subscript for access in loop.accesses if access.positional] if language.positions else []
        located = any(reduction.located for reduction in reductions)
        value = True if located else language.uses_value(counting, covered)
        if covered and language.global_subscripts:
            value = value or "perhaps"
        choose_form(loop, bool(covered), value, language.among_threads(counting))
    return loop


def choose_form(loop, follows, value, threads=False):
    """Of a cyclic dimension. follows: whether subscripts follow the position; value: whether the value is needed, too; threads:
    whether they share the iterations."""
    counting, loop.value = loop.counting, value
    size = loop.entity.formats[loop.index.dimension].size
    by_one = counting.step_value in (1, -1)
    loop.in_blocks = size not in (None, "1")
    divisible = by_one and (counting.up or not counting.unsigned)
    if loop.in_blocks and divisible and integer(size) is not None and threads:
        loop.form = SMALL_BLOCKS if loop.value else POSITIONS
        loop.in_blocks = False  # each block would start the threads anew
        return
    if not follows:
        loop.form = RANGE if loop.in_blocks else COUNTED
        return
    loop.form = POSITIONS if divisible else STRIDED_POSITIONS
    if loop.in_blocks and by_one:  # the positions of all blocks follow each other
        if loop.value and size in _SMALL and loop.form == POSITIONS:
            loop.form = SMALL_BLOCKS
        loop.in_blocks = bool(loop.value) and loop.form != SMALL_BLOCKS


def _divisions(language, outer, around, loops):
    """Subscripts of cyclic dimensions whose position no loop gives."""
    if not language.positions:
        return []
    return [
        (reference, d)
        for reference in language.references(outer.body, nested=False)
        for d, subscript in enumerate(reference.subscripts[: reference.array.rank])
        if reference.array.positional(d)
        and giving_position([*around, *loops], reference.array, d, language.affine(subscript)) is None
    ]


PLANNERS = {"loop": _plan}
