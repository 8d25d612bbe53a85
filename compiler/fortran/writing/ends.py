"""Statements at the ends of do loops. Loops that end with one labelled statement get an `end do` each where something must
stand between their ends, or before one."""

from . import pragmas


class Ends:
    def __init__(self, context):
        self.context = context
        self._before, self._behind = {}, {}  # position of a do statement -> statements
        self._apart = set()  # positions of labelled statements

    def before(self, position, statements):
        """Last in the loop's body; the ones that come later stand before the others."""
        self._before[position] = [*statements, *self._before.get(position, ())]

    def behind(self, position, statements):
        self._behind.setdefault(position, []).extend(statements)

    def separate(self, position):
        """A statement with a label becomes more than one: if it ends loops, they get ends of their own."""
        if any(item.kind == "do" and item.end == position for item in self.context.items[:position]):
            self._apart.add(position)

    def write(self):
        items, ended = self.context.items, {}  # position of a statement -> those of the loops that it ends
        for position, item in enumerate(items):
            if item.kind == "do":
                ended.setdefault(item.end, []).append(position)
        for end in sorted({items[position].end for position in (*self._before, *self._behind)} | self._apart):
            loops = ended[end]
            if items[end].kind == "end":
                self._end_do(items[end], loops[0])
            else:
                self._labelled(items[end], loops, end in self._apart)

    def _end_do(self, item, loop):
        before = self._before.get(loop)
        if before and item.label is not None:
            label = "" if self.context.file.source.fixed else f"{item.label} "
            self.context.edits.statement(item.statement, f"{label}continue; {'; '.join(before)}; end do")
        elif before:
            self.context.edits.before(item.statement, "; ".join(before) + "; ")
        self._put_behind(item, loop, [])

    def _labelled(self, item, loops, apart):
        """loops: those that the statement ends, the outermost first."""
        apart = apart or any(self._before.get(loop) for loop in loops) or any(self._behind.get(loop) for loop in loops[1:])
        ends = []
        if apart:
            for loop in loops:
                self._without_label(loop)
            for loop in reversed(loops):
                ends += [*self._before.get(loop, ()), "end do", *(self._behind.get(loop, ()) if loop != loops[0] else ())]
        self._put_behind(item, loops[0], ends)

    def _without_label(self, loop):
        item = self.context.items[loop]
        last = item.words[2] if item.words[2].text == "," else item.words[1]
        self.context.edits.words(item.statement, item.words[1], last, " ")

    def _put_behind(self, item, loop, ends):
        """ends: statements that belong to the loops; then come those behind the outermost, `loop`."""
        context, behind = self.context, self._behind.get(loop, [])
        foreign = pragmas.end_behind(context, loop)
        if foreign is None:
            ends += behind
        elif behind:
            context.edits.lines_behind(foreign.statement.last_line, [context.indented(foreign, "; ".join(behind))])
        if ends:
            context.edits.after(item.statement, "; ".join(["", *ends]))
