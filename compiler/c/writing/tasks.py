"""task and tasks (specification 4.4.1, 4.4.2)."""

from ..reading import syntax
from .jumps import check_no_jumps
from .texts import on_text


class Tasks:
    """Lowers task and tasks. Inside `tasks` all tasks are prepared at its head and entered one after another."""

    def __init__(self, lowering):
        self.lowering = lowering
        self.context = lowering.context
        self.edits = lowering.context.edits
        self._prepared = {}  # DirectiveStatement of a task inside tasks -> its variable

    def task(self, node, directive):
        check_no_jumps(self.context, node.statement, "task", False)
        variable = self._prepared.get(node)
        if variable is None:
            variable = self.context.numbered("task_xmp")
            prepare = self._prepare(node, directive, variable, self.context.site_of(directive))
            if prepare is None:
                return
            self.edits.replace(node.directive.first, node.directive.last, f"{{ {prepare} if (XMP_Task_enter(&{variable}))")
            self.edits.after(node.statement.last, " }")
        else:
            self.edits.replace(node.directive.first, node.directive.last, f"{{ if (XMP_Task_enter(&{variable}))")
            self.edits.after(node.statement.last, f" XMP_Task_leave(&{variable}); }}")
        self.lowering.visit(node.statement)

    def _prepare(self, node, directive, variable, site):
        reference = self.context.reference(directive.on, node.directive)
        if reference is None:
            return None
        flags = "XMP_TASK_NOCOMM" if directive.nocomm else "0"
        call = f"XMP_Task_prepare({site}, {on_text(reference)}, {flags})"
        return f"XMP_Task {variable} XMP_SCOPED(XMP_Task_leave) = {call};"

    def tasks(self, node, directive):
        check_no_jumps(self.context, node.statement, "tasks construct", False)
        texts = ["{"]
        if not isinstance(node.statement, syntax.Compound):
            self.context.error("XMP-E171", "tasks must be followed by a block of task constructs", directive.word)
            return
        for item in node.statement.items:
            task = self._task_of(item)
            if task is None:
                self.context.error(
                    "XMP-E171",
                    "only task constructs may stand in a tasks construct",
                    item,
                    [("tasks begins here", directive.word)],
                )
                continue
            variable = self.context.numbered("task_xmp")
            prepare = self._prepare(item, task, variable, self.context.site_of(task, item.token.line))
            if prepare is not None:
                self._prepared[item] = variable
                texts.append(prepare)
        self.edits.replace(node.directive.first, node.directive.last, " ".join(texts))
        self.edits.after(node.statement.last, " }")
        self.lowering.visit(node.statement)

    def _task_of(self, item):
        if isinstance(item, syntax.DirectiveStatement) and item.directive.language == "xmp" and item.directive.name == "task":
            parsed = self.context.parsed.get(item.directive.first)
            return parsed[0] if parsed else None
        return None
