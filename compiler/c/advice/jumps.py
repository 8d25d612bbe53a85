"""goto into a distributed loop or a task: the statements before the label, which say what this node executes, are left out."""

from ..reading import syntax
from ..reading.places import Place
from .tree import constructs_around

_NAMES = {"loop": "distributed loop", "task": "task", "tasks": "tasks construct"}


def jumps(context):
    for function in context.definitions.values():
        labels = {part.name: part for part in function.body.walk() if isinstance(part, syntax.Label)}
        for part in function.body.walk() if labels else ():
            if isinstance(part, syntax.Goto) and part.label in labels:
                _check(context, part, labels[part.label])


def _check(context, goto, label):
    for kind, construct in constructs_around(context, label):
        if kind in _NAMES and not construct.first <= goto.first <= construct.last:
            notes = [("it begins here", Place(construct.directive.token)), (f"'{label.name}' is here", Place(label.token))]
            context.error("XMP-E170", f"'goto' enters the {_NAMES[kind]}", Place(goto.token), notes, "enter it at its begin")
            return
