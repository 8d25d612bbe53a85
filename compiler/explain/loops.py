"""loop, task and tasks in words: who executes which iterations, what is communicated at their ends, what they cost."""

from ..plan.array_construct import ArrayConstruct
from ..plan.loop import COUNTED, RANGE, SMALL_BLOCKS, Loop, TaskLoop
from ..plan.task import Task, Tasks
from ..semantics.entities import NodesEntity

_FORMS = {
    RANGE: "through its own part",
    COUNTED: "through its own indices, counted",
    SMALL_BLOCKS: "by positions; its value costs a division",
}


def _loop(language, step):
    return [
        *(_distributed(loop) for loop in step.loops),
        *_ranges(step),
        *_members(step),
        *(_reduction(one) for one in step.reductions),
        *(["no communication"] if not step.reductions and not _waits(step) else []),
        *_costs(language, step),
    ]


def _distributed(loop, name=None):
    along = f"{loop.entity.name}, dimension {loop.index.dimension + 1}"
    kind = "" if isinstance(loop.entity, NodesEntity) else f" ({loop.entity.formats[loop.index.dimension].kind})"
    form = "block by block" if loop.in_blocks else _FORMS.get(loop.form, "by positions in its own part")
    return f"{name or loop.name} runs along {along}{kind}: each node {form}"


def _waits(step):
    return step.ranges is not None and step.ranges.async_id is not None


def _ranges(step):
    if step.ranges is None:
        return []
    if _waits(step):
        return [f"first what needs no neighbour, then wait_async({step.ranges.async_id.text}), then the rim"]
    return ["the rim of each node's part only" if step.ranges.margin else "each node's part and iterations around it"]


def _members(step):
    chosen = ["only the nodes that the on clause chooses take part"] if step.partial else []
    return chosen + (["the iterations have an executing set of their own: they call or communicate"] if step.own_set else [])


def _reduction(one):
    return f"reduction '{one.operator}' of {one.variable.expression.text} when the loop ends: all to all"


def _costs(language, step):
    texts = []
    for reference, dimension in step.divisions:
        text, word = language.element(reference, dimension)
        texts.append(f"line {word.line}: the subscript of {text} costs a division each time")
    return texts + (["what only copies is one memcpy"] if step.copies else [])


def _array(language, step):
    loops = [(loop, f"section {number}") for number, loop in enumerate(step.loops, 1) if loop is not None]
    memory = ["the right side goes through memory of its own: it reads other elements of the left side"]
    return [*(_distributed(*pair) for pair in loops), *_members(step), "no communication", *(memory if step.temporary else [])]


def _task_loop(language, step):
    return ["every node runs through all iterations and takes part in those of its sets"]


def _task(language, step):
    return ["only its nodes execute it; " + ("no communication" if step.nocomm else "they are an executing set of their own")]


def _tasks(language, step):
    return ["its tasks run at the same time on nodes that they do not share"]


SENTENCES = {Loop: _loop, ArrayConstruct: _array, TaskLoop: _task_loop, Task: _task, Tasks: _tasks}
