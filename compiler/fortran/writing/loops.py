"""loop: gives the do loops of a nest this node's iterations (specification 4.4.3). The bodies stay the user's."""

from . import dependence, pragmas, subscripts
from .context import indices
from .ends import Ends
from .forms import local_loop
from .margins import Rim
from .reduction import Reduced


class Loops:
    """Writes loop directives."""

    def __init__(self, context):
        self.context, self.ends = context, Ends(context)
        self._nests = []  # blocks of the nests

    def loop(self, step):
        """The text in place of the directive."""
        self._nests.append(step.block)
        head = "; ".join(WrittenLoop(self.context, self.ends, step).write())
        return self._before_pragmas(step.place, head)

    def task_loop(self, step):
        """Each iteration is a task: every node runs through all of them."""
        context, first = self.context, step.body[0]
        task = context.numbered("loop_xmp")
        prepare = f"call XMP_Task_prepare({task}, {context.site(step.place)}, {context.on(step.on)})"
        begin = f"; block; type(XMP_Task) :: {task}; {prepare}; if (XMP_Task_enter({task})) then"
        context.edits.after(context.items[first].statement, begin)
        self.ends.before(first, ["end if", f"call XMP_Task_leave({task})", "end block"])
        return ""

    def _before_pragmas(self, place, head):
        """What stands in place of the directive: the head goes before OpenMP's directives that belong to the loop."""
        first = pragmas.first_before(self.context, place)
        if first is None:
            return head
        self.context.edits.lines_before(first.statement.first_line, [self.context.indented(first, head)])
        return ""

    def finish(self):
        dependence.write(self.context, self._nests)
        self.ends.write()


class WrittenLoop:
    """One Loop on its way to Fortran."""

    def __init__(self, context, ends, step):
        self.context, self.ends, self.step = context, ends, step
        self.site = context.site(step.place)
        self.on = context.on_with_indices(step.mapping.reference, step.running)
        self.locals = [local_loop(context, loop, self.site, step.ranges is not None) for loop in step.loops]
        self.reductions = [Reduced(context, reduction) for reduction in step.reductions]
        context.position_names.update({local.loop: local.position for local in self.locals if local.loop.positional})
        self.located = [reduction.located for reduction in self.reductions if reduction.located]
        self.outer = step.block[0]
        self.depth = pragmas.depth(context, self.outer)

    def write(self):
        """The statements before the nest."""
        tail = []  # what comes behind it
        head = ["block", *(text for local in self.locals if not local.loop.depends for text in local.declarations())]
        head += [reduction.declaration() for reduction in self.reductions]
        trips = [self._trips(loop) for loop in self.step.order[1:]]
        head += [f"integer(XMP_INDEX) :: {', '.join(trips)}"] if trips else []
        rim = Rim(self.context, self.step.ranges, self.locals, self.site) if self.step.ranges is not None else None
        head += rim.declarations() if rim else []
        on = self.on
        if len(self.reductions) + (self.step.partial or self.step.own_set) > 1:  # several calls have it
            self.on = self.context.numbered("on_xmp")
            head.append(f"type(XMP_Reference) :: {self.on}")
        task = self.context.numbered("loop_xmp") if self.step.partial or self.step.own_set else None
        head += [f"type(XMP_Task) :: {task}"] if task else []
        head += rim.setup() if rim else [t for local in self.locals if not local.loop.depends for t in local.setup()]
        head += [f"{self.on} = {on}"] if self.on != on else []
        head += [reduction.start() for reduction in self.reductions]
        head += [f"{self._trips(loop)} = {self._trip_count(loop)}" for loop in self.step.order[1:]]
        head += rim.enter() if rim else []  # first: it waits for what the executing set began, not this node's own set
        if task:
            set_ = f"call XMP_Loop_set({task}, {self.site}, {self.on}, {self.step.mapping.mask}, {int(self.step.own_set)})"
            head += [set_, f"if ({task}%member /= 0) then"]
        for local in filter(self._begins_in_head, self.locals):
            head += local.enter()
            tail = [*local.leave(), *tail]
        self._loops()
        tail += ["end if", f"call XMP_Task_leave({task})"] if task else []
        tail += rim.leave() if rim else []
        tail += [reduction.combine(self.site, self.on, self.step.mapping.mask) for reduction in self.reductions]
        tail += [f"{local.name} = {local.n_final}" for local in self.locals if not local.loop.depends]
        self.ends.behind(self.outer, [*tail, "end block"])
        return head

    # ---- the do statements ----
    def _begins_in_head(self, local):
        """A loop over blocks stays inside the serial loops around its loop: their order counts."""
        return not local.loop.depends and self._number(local) < self.depth

    def _number(self, local):
        """How many loops of the nest stand around it."""
        return sum(1 for at in range(self.outer, local.counting.position) if self.context.items[at].kind == "do")

    def _loops(self):
        for local in self.locals:
            if not self._begins_in_head(local):
                self._surround(local)
            item = local.item
            self.context.edits.words(item.statement, item.variable, item.words[-1], local.control())
        innermost = self._innermost()
        taken = [local for local in self.locals if self._number(local) < self.depth]
        for local in self.locals:
            self._body(local, innermost if local in taken else local.counting.position)
        if self.located:
            number = self._iteration()
            statements = [text for one in self.located for text in one.track(number)]
            last = max(innermost, self.locals[-1].counting.position)
            self.context.edits.after(self.context.items[last].statement, "; ".join(["", *statements]))

    # ---- the number of an iteration in the serial program, for located reductions ----
    def _iteration(self):
        number = ""
        for loop in self.step.order:
            first, _ = self._bounds(loop)
            ordinal = f"({loop.name} - ({first})) / ({loop.step})"
            number = f"({number}) * {self._trips(loop)} + {ordinal}" if number else ordinal
        return number

    def _bounds(self, loop):
        return [subscripts.text(self.context, loop.position, words) for words in (loop.item.first, loop.item.last)]

    def _trips(self, loop):
        return self.context.name(f"{loop.name}_trips")

    def _trip_count(self, loop):
        first, last = self._bounds(loop)
        return f"(XMP_Final({indices(first, last, loop.step, '0')}) - ({first})) / ({loop.step})"

    def _surround(self, local):
        """Set-up and loop over blocks before a do statement inside the nest."""
        position = local.counting.position
        before, behind = local.enter(), local.leave()
        if local.loop.depends:
            before = ["block", *local.declarations(), *local.setup(), *before]
            behind += [f"{local.name} = {local.n_final}", "end block"]
        if before:
            first = pragmas.first_before(self.context, position) or local.item
            self.context.lines_before(first, ["; ".join(before)])
            self.ends.behind(position, behind)

    def _innermost(self):
        """The do statement whose body is inside all loops that a directive of OpenMP takes together."""
        dos = [at for at in range(*self.step.block) if self.context.items[at].kind == "do"]
        return dos[min(self.depth, len(dos)) - 1]

    def _body(self, local, position):
        statements = local.body()
        if statements:
            self.context.edits.after(self.context.items[position].statement, "; ".join(["", *statements]))
            pragmas.make_private(self.context, local.counting.position, local.derived)
