"""The plan's own rules, without any language: plans that contradict themselves, the arithmetic of sections against Python's
ranges, which way an array assignment takes, in which form a cyclic loop runs; and that languages answer what is asked."""

import ast
import inspect
import itertools
import textwrap
import types

import pytest
from kumihimo.compiler.c.writing import context as c_context
from kumihimo.compiler.fortran.writing import context as fortran_context
from kumihimo.compiler.plan import (
    array_assignment,
    array_construct,
    array_functions,
    coarrays,
    communication,
    gmove,
    loop,
    mapping,
    nest,
    questions,
    reduction,
    shadows,
    task,
)
from kumihimo.compiler.plan.language import Language
from kumihimo.compiler.plan.step import InvalidPlan, Step

DIRECTIVE = types.SimpleNamespace(text="directive")
NODES = types.SimpleNamespace(name="p", rank=2)


def reference(subscripts):
    return types.SimpleNamespace(entity=NODES, subscripts=subscripts, word=types.SimpleNamespace(text="p"))


def array(rank, **more):
    return types.SimpleNamespace(name="a", rank=rank, **more)


def side(kind, sections=0, **more):
    subscripts = [gmove.Triplet(None, None, None, None) for _ in range(sections)]
    return gmove.Side(kind, None, None, None, subscripts=subscripts, **more)


CONTRADICTIONS = {
    "a barrier on a part of p": communication.Barrier(DIRECTIVE, None, on=reference([0])),
    "waiting for nothing": communication.WaitAsync(DIRECTIVE, None, ids=[], on=None),
    "a reduction of nothing": communication.Reduction(
        DIRECTIVE, None, operator="+", variables=[], locations=[], on=None, async_id=None
    ),
    "a place of a sum": communication.Reduction(
        DIRECTIVE, None, operator="+", variables=[None], locations=[[None]], on=None, async_id=None
    ),
    "too many sizes of codimensions": coarrays.Allocation(None, None, name="y", codimensions=1, bytes="8", coextents=["2"]),
    "a bcast of nothing": communication.Bcast(DIRECTIVE, None, variables=[], source=None, on=None, async_id=None),
    "two widths for one dimension": communication.Reflect(
        DIRECTIVE, None, arrays=[array(1)], widths=[1, 1], orthogonal=False, async_id=None
    ),
    "an array aligned in one of two dimensions": mapping.Array(
        DIRECTIVE, None, array=array(2, dimensions=[types.SimpleNamespace(onto=0)], shadow=None)
    ),
    "a coarray counted by `*` twice": coarrays.Declaration(
        None, None, name="a", type="int", rank=0, codimensions=[None, None], initial=False
    ),
    "a sort of matrices": array_functions.ArrayCall(
        None, None, name="xmp_sort_up", sides=[side("array", 2), side("array", 2)], more=[], option=None
    ),
    "a gmove into a value": gmove.Gmove(DIRECTIVE, None, mode=None, left=side("value"), right=side("value"), async_id=None),
    "a gmove of two sections into one": gmove.Gmove(
        DIRECTIVE, None, mode=None, left=side("memory", 1), right=side("memory", 2), async_id=None
    ),
}


@pytest.mark.parametrize("step", CONTRADICTIONS.values(), ids=CONTRADICTIONS.keys())
def test_contradictions_are_found(step):
    with pytest.raises(InvalidPlan, match="the plan of '(directive|Declaration|Allocation|ArrayCall)'"):
        step.validate()


def test_a_step_has_its_fields_and_no_others():
    with pytest.raises(InvalidPlan, match="has no other"):
        communication.Barrier(DIRECTIVE, None, on=None, other=1)
    with pytest.raises(KeyError):
        communication.Barrier(DIRECTIVE, None)
    assert all(kind.fields is not Step.fields or kind.__name__ == "SyncMemory" for kind in Step.__subclasses__())


def dimension(size, first, step, number=None):
    made = array_assignment.Dimension()
    made.size, made.first, made.step, made.number = size, first, step, number
    return made


def test_sections_count_as_ranges_do():
    for size, step in itertools.product(range(1, 7), (-3, -2, -1, 1, 2, 3)):
        for first in range(size):
            open_ended = range(first, size if step > 0 else -1, step)
            assert dimension(size, first, step).rest() == len(open_ended)
            for number in range(1, 9):
                reached = [first + n * step for n in range(number)]
                outside = dimension(size, first, step, number).outside()
                assert outside == next((at for at in (reached[0], reached[-1]) if not 0 <= at < size), None)


class Operand(array_assignment.Operand):
    def __init__(self, remote, contiguous, like, separate):
        self.remote, self.text = remote, "x"
        self.contiguous = lambda: contiguous
        self.is_like = lambda target: like
        self.is_separate = lambda target: separate


def test_ways_are_safe():
    """In every case: what overlaps goes through memory of its own, what is elsewhere is fetched or sent."""
    kinds = [Operand(*bits) for bits in itertools.product((False, True), repeat=4)]
    seen = set()
    for target, source, whole, plain, at_image in itertools.product(kinds, kinds, *[(False, True)] * 3):
        way = array_assignment.way(target, [source], source if whole else None, plain, at_image)
        seen.add(way)
        overlaps = not source.remote and not source.is_separate(target)
        assert way in array_assignment.WAYS
        if way == "loops":
            assert not target.remote and not overlaps
        if way in ("move", "temporary"):
            assert not target.remote
        if way == "transfer":
            assert plain and whole and source.is_like(target) and target.remote != source.remote
        if way == "move":
            assert plain and whole and source.is_like(target) and source.contiguous() and target.contiguous()
        if way == "accumulate":
            assert target.remote and at_image and not source.remote and not overlaps
        if target.remote and not plain and not at_image:
            assert way == "modify"
    assert seen == set(array_assignment.WAYS) - {"scalar"}
    assert {array_assignment.way(kinds[-1], [], None, plain, True) for plain in (False, True)} == {"scalar"}


def test_forms_of_cyclic_loops():
    """Positions are counted where subscripts follow them; blocks need a loop of their own where the value is needed and no
    cheap division gives it."""
    for size, step, follows, value in itertools.product((None, "1", "4", "100"), (1, -1, 3), (False, True), (False, True)):
        entity = types.SimpleNamespace(formats=[types.SimpleNamespace(size=size)], cyclic=lambda d: True)
        counting = types.SimpleNamespace(name="i", step_value=step, up=step > 0, unsigned=False)
        one = loop.DistributedLoop(counting, types.SimpleNamespace(dimension=0), entity, False)
        loop.choose_form(one, follows, value)
        assert one.positional == follows
        if size in (None, "1"):
            assert not one.in_blocks
        elif not follows or abs(step) != 1:
            assert one.in_blocks
        else:
            assert one.in_blocks == (value and size == "100")


# ---- the questions to the languages ----


def _asked(function):
    """Whether a question has no answer of its own: nothing but its description."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    return len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr)


SUBJECTS = [kind for kind in vars(questions).values() if isinstance(kind, type)]
LANGUAGES = {"C": c_context.Context, "Fortran": fortran_context.Context}


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES.keys())
def test_a_language_answers_all_questions_of_its_subjects(language):
    subjects = [subject for subject in SUBJECTS if issubclass(language, subject)]
    asked = [(subject, name) for subject in subjects for name, one in vars(subject).items() if inspect.isfunction(one)]
    assert len(asked) > 25
    unanswered = [name for subject, name in asked if _asked(vars(subject)[name]) and _asked(getattr(language, name))]
    assert unanswered == []


MODULES = [array_construct, array_functions, coarrays, communication, gmove, loop, mapping, nest, reduction, shadows, task]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_module_of_the_plan_asks_what_it_says(module):
    known = {name for subject in (*module.QUESTIONS, Language) for name in dir(subject)} | {"model", "plan"}
    nodes = ast.walk(ast.parse(inspect.getsource(module)))
    asked = {node.attr for node in nodes if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "language"}
    assert asked <= known
    needless = [subject for subject in module.QUESTIONS if not asked & set(vars(subject)) and not hasattr(module, "PLANNERS")]
    assert needless == []
