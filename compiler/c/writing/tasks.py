"""task and tasks (specification 4.4.1, 4.4.2). Inside `tasks` all are prepared at its head and entered one after another."""

from .part import Part
from .texts import on_text


class Tasks(Part):
    """Writes task and tasks. lowering: the walk."""

    def __init__(self, lowering):
        super().__init__(lowering)
        self._variables = {}  # Task -> its variable

    def task(self, node, step):
        prepare = f"{self._prepare(step, self.context.site_of(step.directive))} " if step.first else ""
        variable = self._variables[step]
        leave = "" if step.first else f" XMP_Task_leave(&{variable});"
        self.edits.replace(node.directive.first, node.directive.last, f"{{ {prepare}if (XMP_Task_enter(&{variable}))")
        self.edits.after(node.statement.last, f"{leave} }}")
        self.lowering.visit(node.statement)

    def tasks(self, node, step):
        prepared = [self._prepare(one, self.context.site_of(one.directive, one.place.token.line)) for one in step.tasks]
        self.edits.replace(node.directive.first, node.directive.last, " ".join(["{", *prepared]))
        self.edits.after(node.statement.last, " }")
        self.lowering.visit(node.statement)

    def _prepare(self, step, site):
        variable = self._variables[step] = self.context.numbered("task_xmp")
        flags = "XMP_TASK_NOCOMM" if step.nocomm else "0"
        return f"XMP_Task {variable} XMP_SCOPED(XMP_Task_leave) = XMP_Task_prepare({site}, {on_text(step.on)}, {flags});"
