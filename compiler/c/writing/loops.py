"""loop: the for statements of a nest run through this node's iterations (specification 4.4.3)."""

from contextlib import contextmanager

from ..reading import syntax
from . import pragmas
from .checks import LoopChecks
from .copies import moved_arrays
from .dependence import say_independent, separate
from .forms import local_loop
from .jumps import continues
from .margins import Rim
from .part import Part
from .reduction import check_images, reduced
from .references import references, row_declaration
from .texts import on_text


class Loops(Part):
    """Writes loop directives. lowering: the walk (visit), references, context."""

    def loop(self, node, step, chain=()):
        """node: the DirectiveStatement; chain: Directives of others before it, which come behind the head."""
        WrittenLoop(self.lowering, node, step).write(chain)

    def task_loop(self, node, step, chain=()):
        task = self.context.numbered("loop_xmp")
        for foreign in chain:
            self.lowering.pragmas.adapt(foreign)
        self.edits.delete(node.directive.first, node.directive.last)
        prepare = f"XMP_Task_prepare({self.context.site_of(step.directive)}, {on_text(step.on)}, 0)"
        self.edits.before(
            step.body.first, f"{{ XMP_Task {task} XMP_SCOPED(XMP_Task_leave) = {prepare}; if (XMP_Task_enter(&{task})) "
        )
        self.edits.after(step.body.last, " }")
        self.lowering.visit(node.statement)


class WrittenLoop:
    """One Loop on its way to C."""

    def __init__(self, lowering, node, step):
        self.lowering, self.context, self.edits = lowering, lowering.context, lowering.context.edits
        self.node, self.step = node, step
        self.site = self.context.site_of(step.directive)
        self.on = on_text(step.mapping.reference, step.running)
        self.reductions = [reduced(self.context, reduction) for reduction in step.reductions]
        self.closers, self.number = [], ""

    # ---- the whole ----
    def write(self, chain):
        check_images(self.context, self.reductions, self.step.block)
        self.locals = [self._local(loop) for loop in self.step.loops]
        moved = moved_arrays(self.context, self.step.block)
        self.checks = LoopChecks(self.context, self.step, self.locals, moved) if self.context.check else None
        self.rows = self._rows(moved)
        with self._bound():
            self._copies()
            self._put_head(self._head(), chain)
            self.edits.after(self.node.statement.last, "".join(reversed(self.closers)))
            self._headers()
            self.lowering.done |= {local.counting.node for local in self.locals}  # those headers are not visited again
            self.lowering.visit(self.node.statement)
        say_independent(self.edits, self.step.independent, self.lowering.copies)

    def _local(self, loop):
        counting = loop.counting
        for expression in (counting.first, counting.bound):
            self.lowering.visit(expression)
        first, last = self.context.spelling(counting.first), counting.last(self.context.spelling)
        return local_loop(self.context, loop, self.site, self.node, first, last)

    def _rows(self, moved):
        """Arrays that get a row pointer here: subscripted in the nest, not bound by a loop around, not moved inside."""
        if self.context.check:
            return []
        known = {*self.lowering.references.bound, *moved}
        found = (reference.array for reference in references(self.context, self.step.block) if reference.subscripts)
        return [array for array in dict.fromkeys(found) if array not in known]

    @contextmanager
    def _bound(self):
        """The arrays and positions of the nest are known inside."""
        around = self.lowering.references
        bound, loops = len(around.bound), len(around.loops)
        around.bound += self.rows
        around.loops += [local for local in self.locals if local.loop.positional]
        if self.checks is not None:
            around.checked_before |= {reference.identifier for reference in self.checks.references}
            around.shadow_written += self.checks.writes_shadow
        yield
        del around.bound[bound:], around.loops[loops:]
        if self.checks is not None:
            around.shadow_written -= self.checks.writes_shadow

    def _copies(self):
        position_for = self.lowering.references.position_for
        for copy in self.step.copies:
            self.lowering.copies[copy.outermost] = copy.text(position_for, self.locals)
            for local in self.locals:
                local.copied |= copy.outermost.first <= local.counting.node.first <= copy.outermost.last

    # ---- the head ----
    def _put_head(self, head, chain):
        directive = self.node.directive
        self.edits.replace(directive.first, directive.last, "" if chain else head)
        if chain:
            self.lowering.pragmas.put_before(head + " ", chain, None)

    def _head(self):
        """Under -Wshadow all up to the innermost body says that it hides variables on purpose."""
        texts = ["{ XMP_HIDING" if self.context.warns_of_shadows else "{"]
        texts.append(self.checks.step(self.site) if self.checks is not None else "")
        self.closers.append(" XMP_HIDDEN }" if self.context.warns_of_shadows and self.locals[-1].copied else " }")
        if self.step.ranges is not None:
            texts.append(Rim(self.context, self.step.ranges, self.locals, self.site).head(self.closers))
        else:
            texts += [local.setup() for local in self.locals if not local.loop.depends]
        told = self.checks.tail() if self.checks is not None else ""
        self.closers.insert(1, told + "".join(local.final_value() for local in self.locals))
        texts += self._row_head()
        texts += self._reduction_head()
        texts += self._set_head()
        texts.append(self.checks.head() if self.checks is not None else "")
        for local in filter(self._begins_in_head, self.locals):
            texts += [local.enter().rstrip(), self._said(local)]
            self.closers.append(local.leave())
        return " ".join(text for text in texts if text)

    def _row_head(self):
        apart = separate(self.context, self.step.block, self.step.independent)
        if apart:
            self.closers.insert(1, "".join(f" XMP_JOIN({array.identifier});" for array in self.rows))
        return [row_declaration(self.context, array, apart) for array in self.rows]

    def _reduction_head(self):
        if not self.reductions:
            return []
        mask = f"{self.step.mapping.mask}u"
        site = self.context.site_of(self.step.directive, self.node.directive.token.line)  # it stands behind the loop
        self.closers.append("".join(" " + r.combine(site, self.on, mask) for r in self.reductions) + " }")
        texts = [r.head() for r in self.reductions] + ["{"] + [r.shadows() for r in self.reductions]
        self.number = self._number()
        return texts + [f"const XMP_Index {self._trips(loop)} = {self._trip_count(loop)};" for loop in self.step.order[1:]]

    def _set_head(self):
        """The executing set of the iterations, where the body may ask for it or the on clause leaves nodes out."""
        if not self.step.own_set and not self.step.partial:
            return []
        task = self.context.numbered("loop_xmp")
        self.closers.append(" } }")
        call = f"XMP_Loop_set({self.site}, {self.on}, {self.step.mapping.mask}u, {1 if self.step.own_set else 0})"
        return [f"{{ XMP_Task {task} XMP_SCOPED(XMP_Task_leave) = {call}; if ({task}.member) {{"]

    # ---- the for statements ----
    def _headers(self):
        for local in self.locals:
            if not local.copied:
                self._surround(local)
                self._header(local)
                self._body(local)

    def _begins_in_head(self, local):
        """Around a serial loop outside of it, a loop over blocks would change the order of iterations."""
        outermost = local is self.locals[0] and local.counting.node is self.step.block
        return not local.loop.depends and (outermost or pragmas.inside_collapsed(local.counting.node))

    def _surround(self, local):
        """Set-up and loop over blocks before a for statement; the head has them where it can."""
        node = local.counting.node
        before, after = ("", "") if self._begins_in_head(local) else (local.enter(), local.leave())
        said = "" if self._begins_in_head(local) else self._said(local)
        if local.loop.depends or said:
            before, after = f"{{ {local.setup() + ' ' if local.loop.depends else ''}{before}{said}", after + " }"
        if before:
            self.lowering.pragmas.put_before(before, pragmas.at(node), node.first)
            self.edits.after(node.last, after)

    def _said(self, local):
        """With --check: what is said of its elements in front of a loop."""
        return self.lowering.in_front.distributed(local) if self.context.check else ""

    def _header(self, local):
        node = local.counting.node
        init, condition, step = local.header()
        semicolon = ";" if isinstance(node.init, syntax.Declaration) else ""
        self.edits.override(node.init.first, node.init.last, init + semicolon)
        self.edits.override(node.condition.first, node.condition.last, condition)
        if step is not None:
            self.edits.override(node.step.first, node.step.last, step)

    def _body(self, local):
        body = pragmas.body(local.counting.node)
        constants = local.body_constants()
        innermost = local is self.locals[-1]
        track = self._track() if innermost else ""
        if innermost and self.context.warns_of_shadows:
            constants += " XMP_HIDDEN"
        if not constants and not track:
            return
        self.edits.before(body.first, f"{{ {constants} " if constants else "{ ")
        self.edits.after(body.last, f" {track} }}" if track else " }")
        if track:
            for node in continues(body):
                self.edits.before(node.first, f"{{ {track} ")
                self.edits.after(node.last, " }")

    def _track(self):
        """What located reductions do at the end of an iteration, with its number in the serial order."""
        located = [reduction for reduction in self.reductions if reduction.located]
        return " ".join(reduction.track(self.number) for reduction in located)

    def _number(self):
        """The number of an iteration in the serial program; the headers still have the user's words."""
        number = ""
        for loop in self.step.order:
            first = self.context.spelling(loop.first)
            ordinal = f"({loop.name} - ({first})) / ({loop.step})"
            number = f"({number}) * {self._trips(loop)} + {ordinal}" if number else ordinal
        return number

    def _trips(self, loop):
        return self.context.name(f"{loop.name}_trips")

    def _trip_count(self, loop):
        first, last = self.context.spelling(loop.first), loop.last(self.context.spelling)
        return f"(XMP_Loop_final({first}, {last}, {loop.step}) - ({first})) / ({loop.step})"
