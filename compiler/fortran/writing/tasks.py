"""task and tasks with their end directives (specification 4.4.1, 4.4.2)."""

from .jumps import check_no_jumps


class Tasks:
    """The open task and tasks directives in the course of the walk. Inside `tasks` all tasks are prepared at its head."""

    def __init__(self, context):
        self.context = context
        self.open = []  # (kind, position, word, variable or None, whether it opened a block construct)
        self.prepared = {}  # position of a task inside tasks -> its variable

    def task(self, position, directive):
        context = self.context
        variable = self.prepared.get(position)
        if variable is None and self.open and self.open[-1][0] == "tasks":
            variable = ""  # its on clause is wrong
        self.open.append(("task", position, directive.word, variable or context.name("task_xmp"), variable is None))
        if variable is not None:
            return f"if (XMP_Task_enter({variable})) then"
        variable = context.name("task_xmp")
        prepare = self._prepare(position, directive, variable)
        return f"block; type(XMP_Task) :: {variable}; {prepare}; if (XMP_Task_enter({variable})) then"

    def _prepare(self, position, directive, variable):
        on = self.context.on(self.context.reference(directive.on, position))
        flags = ", flags=XMP_TASK_NOCOMM" if directive.nocomm else ""
        return f"call XMP_Task_prepare({variable}, {self.context.site(position)}{', ' + on if on else ''}{flags})"

    def tasks(self, position, directive):
        """Looks ahead to the matching end and prepares what lies directly inside."""
        context, depth, found = self.context, 0, []
        for inside in range(position + 1, len(context.items)):
            parsed = context.parsed.get(inside)
            if parsed is None:
                if depth == 0:
                    context.error("XMP-E171", "only task constructs may stand in a tasks construct",
                                  context.items[inside].words[0],
                                  [("tasks begins here", directive.word)])  # fmt: skip
                    break
                continue
            one = parsed[0] if parsed else None
            if one is not None and one.kind == "task":
                if depth == 0:
                    found.append((inside, one))
                depth += 1
            elif one is not None and one.kind == "end":
                depth -= 1
                if depth < 0:
                    break
        variable = context.numbered("tasks_xmp")
        self.open.append(("tasks", position, directive.word, None, True))
        texts = [f"block; type(XMP_Task) :: {variable}({max(1, len(found))})"]
        for number, (inside, one) in enumerate(found, 1):
            self.prepared[inside] = f"{variable}({number})"
            texts.append(self._prepare(inside, one, f"{variable}({number})"))
        return "; ".join(texts)

    def end(self, position, directive):
        what = directive.what
        if not self.open or self.open[-1][0] != what:
            expected = f"; 'end {self.open[-1][0]}' is expected" if self.open else ""
            notes = [(f"{self.open[-1][0]} begins here", self.open[-1][2])] if self.open else ()
            self.context.error("XMP-E171", f"'end {what}' ends nothing{expected}", directive.word, notes)
            return "continue"
        kind, first, _, variable, block = self.open.pop()
        check_no_jumps(self.context, first, position, "task" if kind == "task" else "tasks construct")
        if kind == "tasks":
            return "end block"
        return f"end if; call XMP_Task_leave({variable})" + ("; end block" if block else "")

    def finish(self):
        for kind, _, word, _, _ in self.open:
            self.context.error("XMP-E171", f"'{kind}' has no 'end {kind}'", word)
