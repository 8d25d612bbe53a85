"""task and tasks with their end directives (specification 4.4.1, 4.4.2)."""


class Tasks:
    """Writes task and tasks. Inside `tasks` all tasks are prepared at its head."""

    def __init__(self, context):
        self.context = context
        self.open = []  # (directive, what ends its block) in the course of the walk
        self.variables = {}  # Task -> its variable

    def task(self, step):
        first = f"block; type(XMP_Task) :: {self._variable(step)}; {self._prepare(step)}; " if step.first else ""
        variable = self.variables[step]
        self.open.append((step.directive, f"end if; call XMP_Task_leave({variable}){'; end block' if step.first else ''}"))
        return f"{first}if (XMP_Task_enter({variable})) then"

    def _variable(self, step):
        return self.variables.setdefault(step, self.context.name("task_xmp"))

    def tasks(self, step):
        variable = self.context.numbered("tasks_xmp")
        self.open.append((step.directive, "end block"))
        self.variables.update((one, f"{variable}({number})") for number, one in enumerate(step.tasks, 1))
        declaration = f"block; type(XMP_Task) :: {variable}({max(1, len(step.tasks))})"
        return "; ".join([declaration, *(self._prepare(one) for one in step.tasks)])

    def _prepare(self, step):
        on = self.context.on(step.on)
        flags = ", flags=XMP_TASK_NOCOMM" if step.nocomm else ""
        site = self.context.site(step.place)
        return f"call XMP_Task_prepare({self.variables[step]}, {site}{', ' + on if on else ''}{flags})"

    def end(self, directive):
        what = directive.what
        if not self.open or self.open[-1][0].kind != what:
            expected = f"; 'end {self.open[-1][0].kind}' is expected" if self.open else ""
            notes = [(f"{self.open[-1][0].kind} begins here", self.open[-1][0].word)] if self.open else ()
            self.context.error("XMP-E171", f"'end {what}' ends nothing{expected}", directive.word, notes)
            return "continue"
        return self.open.pop()[1]

    def failed(self, directive):
        """One that is not planned, after an error: its end belongs to it all the same."""
        if directive.kind in ("task", "tasks"):
            self.open.append((directive, ""))

    def finish(self):
        for directive, _ in self.open:
            self.context.error("XMP-E171", f"'{directive.kind}' has no 'end {directive.kind}'", directive.word)
