"""task and tasks (specification 4.4.1, 4.4.2), and what leaves a block that all its nodes must end together."""

from .questions import Blocks, Names
from .step import Step

QUESTIONS = (Names, Blocks)


class Task(Step):
    """4.4.1. on: a ResolvedReference; first: whether it is prepared where it stands, not at the head of a `tasks` around."""

    fields = ("on", "nocomm", "first")

    def validate(self):
        self.require(self.on is not None, "has no nodes")
        self.require_subscripts(self.on)


class Tasks(Step):
    """4.4.2. tasks: the Tasks inside, which are all prepared at its head."""

    fields = ("tasks",)

    def validate(self):
        self.require(all(not task.first for task in self.tasks), "prepares a task twice")


def _one_task(language, directive, place):
    """The Task of a directive: the one that a `tasks` around has planned, or a new one; None after an error."""
    check_jumps(language, language.block(place), "task")
    return language.step_at(place) or _task(language, directive, place, True)


def _task(language, directive, place, first):
    on = language.reference(directive.on, place)
    if on is None:
        return None
    return Task(directive, place, on=on, nocomm=directive.nocomm, first=first)


def _tasks(language, directive, place):
    """The Tasks of a directive, or None after an error."""
    check_jumps(language, language.block(place), "tasks construct")
    inside = language.tasks_inside(place)
    if inside is None:
        language.error("XMP-E171", "tasks must be followed by a block of task constructs", directive.word)
        return None
    found = []
    for one, at, word in inside:
        if one is None:
            notes = [("tasks begins here", directive.word)]
            language.error("XMP-E171", "only task constructs may stand in a tasks construct", word, notes)
        else:
            found.append(_task(language, one, at, False))
    return Tasks(directive, place, tasks=[language.planned(one) for one in found if one is not None])


def check_jumps(language, body, what, loops=()):
    """Errors for jumps that leave a body before its end. loops: the CountingLoops in it that are distributed."""
    for statement, word in language.jumps(body, loops) if body is not None else ():
        help = "other nodes would wait for this one: end it normally"
        language.error("XMP-E170", f"'{statement}' leaves the {what}", word, help=help)


PLANNERS = {"task": _one_task, "tasks": _tasks}
