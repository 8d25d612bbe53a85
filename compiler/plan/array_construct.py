"""array: an array assignment whose elements are computed by the nodes that own a part of a template (specification 4.4.4)."""

from ..directives import tree
from ..directives.words import added, integer
from ..semantics.entities import NodesEntity
from ..semantics.iteration import IndexSubscript, LoopMapping
from . import loop as plan_loop
from . import shadows
from .questions import Blocks, Loops, Sections
from .step import Step

QUESTIONS = (Blocks, Loops, Sections)


class ArrayConstruct(Step):
    """mapping: semantics.LoopMapping of the on clause; loops: for each section of the left side the DistributedLoop that runs
    along it, None where the dimension is not distributed; partial: whether the on clause leaves nodes out; own_set: whether
    the statement may ask for the executing set; temporary: whether the right side must be computed as a whole first."""

    fields = ("mapping", "loops", "partial", "own_set", "temporary")

    def validate(self):
        self.require_subscripts(self.mapping.reference)
        dimensions = [loop.index.dimension for loop in self.loops if loop is not None]
        self.require(len(set(dimensions)) == len(dimensions), "runs along a dimension twice")


class SectionIndex:
    """The counting loop over a section: its distance from the first element, in steps of the section."""

    outside = unsigned = False
    bound_variables = {}

    def __init__(self, name, step, type_):
        self.name = self.variable = name
        self.step, self.step_value, self.type = step, integer(step), type_
        self.up = self.step_value is None or self.step_value > 0
        self.relation = "<=" if self.up else ">="


def plan(language, directive, place, target, operands):
    """The ArrayConstruct of a directive before an array assignment, or None after an error. target, operands: the language's
    Operands, with `word`, `array` (None for local ones), `index(d)` (the array's dimension that section d runs along), and
    dimensions with `begin`, `pace`, `count` (texts)."""
    reference = language.reference(directive.on, place)
    if reference is None:
        return None
    if reference.executing_set or isinstance(reference.entity, NodesEntity):
        language.error("XMP-E161", "an array construct is distributed like a template", directive.on.word)
        return None
    along = _along(language, directive, reference, target)
    if along is None:
        return None
    loops = [None if d is None else _loop(language, reference, target, number, d) for number, d in enumerate(along)]
    mapping = LoopMapping(reference, [loop.index for loop in loops if loop is not None], False)
    for number, loop in enumerate(loops):
        if loop is not None and loop.cyclic:
            _choose_form(language, loop, number, [target, *operands])
    _check_reach(language, loops, operands)
    step = ArrayConstruct(
        directive,
        place,
        mapping=mapping,
        loops=loops,
        partial=plan_loop.partial(mapping, plan_loop.enclosing(language, place)),
        own_set=language.asks_for_set(language.block(place)),
        temporary=not all(operand.is_separate(target) for operand in operands),
    )
    return language.planned(step)


# ---- which section lies along which dimension of the template ----


def _along(language, directive, reference, target):
    """For each section of the target the dimension of the template, None where it has none; None after an error."""
    ranges = [d for d in range(reference.entity.rank) if _subscript(reference, d).kind in (tree.ALL, tree.RANGE)]
    if target.array is not None and target.array.template is reference.entity:
        onto = [target.array.dimensions[target.index(number)].onto for number in range(target.rank)]
        return [d if d in ranges else None for d in onto]
    if len(ranges) == target.rank:
        return ranges
    message = f"'{target.text}' has rank {target.rank}, and '{reference.word.text}' rank {len(ranges)}"
    language.error("XMP-E206", message, directive.on.word, (), "write a range or `:` for each section of the left side")
    return None


def _subscript(reference, dimension):
    return reference.subscripts[dimension] if reference.subscripts else _WHOLE


class _Whole:
    kind, first, last, step = tree.ALL, None, None, "1"


_WHOLE = _Whole()


def _loop(language, reference, target, number, dimension):
    """The DistributedLoop along a section of the target."""
    subscript, section = _subscript(reference, dimension), target.dimensions[number]
    first, step = subscript.first, subscript.step
    if subscript.kind == tree.ALL and target.array is not None and target.array.template is reference.entity:
        first = added(section.begin, target.array.dimensions[target.index(number)].offset)
        step = section.pace
    elif first is None:
        first = reference.entity.bounds[dimension][0] if reference.entity.bounds else "0"
    counting = language.section_index(number, step)
    _check_length(language, subscript, section)
    index = IndexSubscript(counting.name, dimension, first)
    return plan_loop.DistributedLoop(counting, index, reference.entity, False)


def _check_length(language, subscript, section):
    ends = [None if text is None else integer(text) for text in (subscript.first, subscript.last, subscript.step)]
    if subscript.kind == tree.ALL or None in ends or section.number is None or ends[2] == 0:
        return
    length = max(0, (ends[1] - ends[0]) // ends[2] + 1)
    if length != section.number:
        message = f"the range in the on clause has {length} elements; the section of the left side has {section.number}"
        language.error("XMP-E206", message, subscript.source.word)


def follows(loop, operand, number):
    """Whether the position of a loop is the subscript of an operand's section."""
    array = operand.array
    if array is None or array.template is not loop.entity or operand.dimensions[number].pace != loop.counting.step:
        return False
    aligned = array.dimensions[operand.index(number)]
    begins = added(operand.dimensions[number].begin, aligned.offset)
    same = begins == loop.index.offset or None is not integer(begins) == integer(loop.index.offset)
    return aligned.onto == loop.index.dimension and array.positional(operand.index(number)) and same


def _distance(loop, operand, number):
    """How far an operand's elements lie from those of the left side, along the template; None where that is not known."""
    array, section = operand.array, operand.dimensions[number]
    if array is None or array.template is not loop.entity or section.pace != loop.counting.step or section.begin is None:
        return None
    aligned = array.dimensions[operand.index(number)]
    begins, own = integer(added(section.begin, aligned.offset)), integer(loop.index.offset)
    return begins - own if aligned.onto == loop.index.dimension and None not in (begins, own) else None


def _check_reach(language, loops, operands):
    """No communication takes place, so what is read must lie in the shadow (decision WRK-13)."""
    accesses = [
        plan_loop.Access(operand, operand.index(number), None, _distance(loop, operand, number))
        for number, loop in enumerate(loops)
        for operand in operands
        if loop is not None and operand.rank
    ]
    shadows.check_accesses(language, accesses, lambda access: (access.reference.text, access.reference.word))


def _choose_form(language, loop, number, operands):
    """Positions where a subscript follows them; the value where one does not."""
    by_position = language.positions and not language.global_subscripts
    following = [by_position and follows(loop, operand, number) for operand in operands]
    plan_loop.choose_form(loop, any(following), not all(following))
    if loop.counting.step_value is None and loop.form == plan_loop.RANGE:
        loop.form = plan_loop.COUNTED
