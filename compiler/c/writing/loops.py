"""loop: distributes a nest of for statements (specification 4.4.3)."""

from contextlib import contextmanager

from ...directives import tree
from ...semantics.entities import NodesEntity
from ...semantics.iteration import loop_mapping
from ..reading import syntax
from . import copies, dependence, loop_variables, margins, shadows
from .bounds import LocalLoop
from .canonical import loop_variable
from .executing import needs_set
from .jumps import check_no_jumps, continues
from .nest import find_nest
from .reduction import check_images, loop_reductions
from .references import PositionIndex, distance, references, row_declaration
from .texts import on_text

# With these sizes of blocks a division in each iteration costs less than a loop for each one (bench/compare.py index-cyclic4).
SMALL_BLOCKS = {str(size) for size in (2, 3, 4, 5, 6, 7, 8, 16)}


class Loops:
    """Lowers loop directives. lowering: the walk (visit), references, context."""

    def __init__(self, lowering):
        self.lowering = lowering
        self.context = lowering.context
        self.edits = lowering.context.edits
        self.enclosing = []  # (entity, IndexSubscript) of the loops around

    def loop(self, node, directive, head_at, pragma=""):
        """node: the DirectiveStatement; head_at: (first, last) tokens that the head replaces; pragma: what follows the head."""
        context = self.context
        reference = context.reference(directive.on, node.directive)
        if reference is None:
            return
        if reference.executing_set or not reference.subscripts:
            context.error("XMP-E161", "the on clause of a loop needs subscripts with the loop variable", directive.on.word)
            return
        nest = find_nest(context, directive, node, reference)
        if nest is None:
            return
        if nest.mapping.general:
            self._task_for_each(node, directive, nest, head_at, pragma)
            return
        for loop in nest.loops:
            check_no_jumps(context, loop.node, "distributed loop", True)
        LoweredLoop(self, node, directive, nest).lower(head_at, pragma)

    def _task_for_each(self, node, directive, nest, head_at, pragma):
        """`loop on p(lb(i):iub(i))`: every node runs through all iterations and takes part in those of its sets."""
        context, body = self.context, nest.statement.body
        check_no_jumps(context, body, "distributed loop", False)
        if directive.reductions:
            context.error("XMP-E190", "a reduction clause is not supported with this on clause", directive.reductions[0].word)
        task = context.numbered("loop_xmp")
        on = on_text(nest.mapping.reference)
        self.edits.replace(*head_at, pragma)
        prepare = f"XMP_Task_prepare({context.site_of(directive)}, {on}, 0)"
        self.edits.before(
            body.first, f"{{ XMP_Task {task} XMP_SCOPED(XMP_Task_leave) = {prepare}; if (XMP_Task_enter(&{task})) "
        )
        self.edits.after(body.last, " }")
        self.lowering.visit(node.statement)


class LoweredLoop:
    """One loop directive on its way to C."""

    def __init__(self, loops, node, directive, nest):
        self.loops, self.lowering, self.context, self.edits = loops, loops.lowering, loops.context, loops.edits
        self.node, self.directive, self.nest = node, directive, nest
        self.mapping, self.reference = nest.mapping, nest.mapping.reference
        self.site = self.context.site_of(directive)
        self.statement = nest.statement
        self.locals = []
        self.closers = []

    # ---- the whole ----
    def lower(self, head_at, pragma):
        context = self.context
        self.reductions = loop_reductions(context, self.directive, self.node.directive)
        check_images(context, self.reductions, self.statement)
        self._make_locals()
        shadows.check(context, self.directive, self.nest, self.locals)
        outer = self._split()
        self.rows = self._rows()
        with self._bound():
            self._find_copies(pragma)
            head = self._head(outer)
            self.edits.replace(*head_at, head + pragma)
            self.edits.after(self.statement.last if pragma else self.node.statement.last, "".join(reversed(self.closers)))
            self._headers()
            self._visit_bodies()
        if not context.check and not pragma:
            dependence.assert_independent(context, self.node.statement, self.lowering.copies)

    def _make_locals(self):
        for loop in self.nest.loops:
            local = LocalLoop(self.context, loop, self.mapping.of(loop.name), self.reference, self.site)
            for expression in (loop.first, loop.bound):
                self.lowering.visit(expression)
            local.first, local.last = self.context.spelling(loop.first), loop.last(self.context.spelling)
            if local.cyclic:
                size = self.reference.entity.formats[local.index.dimension].size
                local.two_level = size not in (None, "1")
                local.positional = not self.context.check and any(self._substituted(local))
            local.keeps_value = not local.cyclic or self._value_used(local)
            if local.two_level and local.positional and local.unit_step:  # the positions of all blocks follow each other
                local.block = size if local.keeps_value and size in SMALL_BLOCKS else None
                local.two_level = bool(local.keeps_value and not local.block)
            local.own_variable = not local.cyclic and loop_variables.plain_local(self.context, loop, self.node)
            self.locals.append(local)

    def _substituted(self, local):
        """Subscripts in the body that become the position of this loop."""
        template = self.reference.entity
        for reference in references(self.context, local.loop.node.body):
            for d, subscript in enumerate(reference.subscripts[: reference.array.rank]):
                if reference.array.positional(d):
                    index = local.index
                    if (
                        distance(
                            reference.array, d, subscript.index, local.loop.declarator, template, index.dimension, index.offset
                        )
                        == 0
                    ):
                        yield subscript.index

    def _value_used(self, local):
        """Whether the body needs the loop variable itself besides its position ("directive": for a directive's text)."""
        used = False
        if any(reduction.located for reduction in self.reductions):
            return True
        covered = [(index.first, index.last) for index in self._substituted(local)] if local.positional else []
        for part in local.loop.node.body.walk():
            if isinstance(part, syntax.Identifier) and part.declaration is local.loop.declarator:
                if not any(first <= part.first <= last for first, last in covered):
                    return True
            elif isinstance(part, syntax.Directive):
                if any(token.text == local.loop.name for token in part.tokens[part.first : part.last]):
                    used = "directive"
        return used

    # ---- the head ----
    def _head(self, outer):
        texts = ["{"]
        self.closers.append(" }")
        ranges = margins.Ranges(self.context, self.directive, self.reference, self.locals, self.site)
        if ranges.given:
            for local in self.locals:
                local.depends = False
            texts.append(ranges.head(self.closers))
        else:
            texts += [local.setup() for local in outer]
        self.closers.insert(1, "".join(local.final_value() for local in self.locals))
        texts += [row_declaration(self.context, array) for array in self.rows]
        texts += self._reduction_head()
        texts += self._set_head()
        if self.locals[0].two_level:
            texts.append(self.locals[0].enter().rstrip())
            self.closers.append(self.locals[0].leave())
        return " ".join(text for text in texts if text)

    def _split(self):
        """The loops whose bounds are known before the nest; the others' depend on an outer loop variable."""
        declarators = set()
        for local in self.locals:
            names = set()
            for expression in (local.loop.first, local.loop.bound):
                names |= {part.declaration for part in expression.walk() if isinstance(part, syntax.Identifier)}
            local.depends = bool(names & (declarators | self._serial_variables(local)))
            declarators.add(local.loop.declarator)
        return [local for local in self.locals if not local.depends]

    def _serial_variables(self, local):
        """Variables of serial loops of the nest around this one."""
        found = set()
        for ancestor in local.loop.node.ancestors():
            if ancestor is self.node:
                break
            if isinstance(ancestor, syntax.For):
                found.add(loop_variable(ancestor))
        return found - {None}

    def _rows(self):
        """Arrays that get a row pointer here: subscripted in the nest, not bound by a loop around, not moved inside."""
        if self.context.check:
            return []
        found = []
        moved = moved_arrays(self.context, self.statement)
        for reference in references(self.context, self.statement):
            array = reference.array
            if (
                reference.subscripts
                and array not in found
                and array not in self.lowering.references.bound
                and array not in moved
            ):
                found.append(array)
        return found

    def _reduction_head(self):
        if not self.reductions:
            return []
        on = on_text(self.reference, {index.dimension for index in self.mapping.indices})
        mask = f"{self.mapping.mask}u"
        combines = "".join(" " + r.combine(self.site, on, mask) for r in self.reductions)
        self.closers.append(combines + " }")
        texts = [r.head() for r in self.reductions] + ["{"] + [r.shadows() for r in self.reductions]
        if any(r.located for r in self.reductions):
            texts += [f"const XMP_Index {local.loop.name}_trips = {_trips(local)};" for local in self.locals[1:]]
        return texts

    def _set_head(self):
        """The executing set of the iterations, where the body may ask for it or the on clause leaves nodes out."""
        push = needs_set(self.context, self.statement)
        if not push and not self._partial():
            return []
        task = self.context.numbered("loop_xmp")
        on = on_text(self.reference, {index.dimension for index in self.mapping.indices})
        self.closers.append(" } }")
        call = f"XMP_Loop_set({self.site}, {on}, {self.mapping.mask}u, {1 if push else 0})"
        return [f"{{ XMP_Task {task} XMP_SCOPED(XMP_Task_leave) = {call}; if ({task}.member) {{"]

    def _partial(self):
        """Whether the on clause leaves nodes out by a subscript that no loop around has already chosen."""
        names = [index.variable for _, index in self.loops.enclosing]
        chosen = {index.dimension: index for index in loop_mapping(self.reference, names).indices}
        for d, subscript in enumerate(self.reference.subscripts):
            if d in {index.dimension for index in self.mapping.indices} or subscript.kind in (tree.ALL, tree.OWN):
                continue
            entity = self.reference.entity
            if not isinstance(entity, NodesEntity) and entity.formats[d].kind == "*":
                continue
            index = chosen.get(d)
            if index is None or not any(
                e is entity and i.dimension == d and i.variable == index.variable and i.offset == index.offset
                for e, i in self.loops.enclosing
            ):
                return True
        return False

    # ---- the for statements ----
    def _headers(self):
        for number, local in enumerate(self.locals):
            node = local.loop.node
            if local.copied:
                continue
            if number and (local.two_level or local.depends):
                setup = f"{{ {local.setup()} " if local.depends else ""
                self.edits.before(node.first, setup + local.enter())
                self.edits.after(node.last, local.leave() + (" }" if setup else ""))
            elif not number and local.depends:
                self.edits.before(node.first, f"{{ {local.setup()} ")
                self.edits.after(node.last, " }")
            init, condition, step = local.header()
            semicolon = ";" if isinstance(node.init, syntax.Declaration) else ""
            self.edits.override(node.init.first, node.init.last, init + semicolon)
            self.edits.override(node.condition.first, node.condition.last, condition)
            if step is not None:
                self.edits.override(node.step.first, node.step.last, step)
            self._body(local, local is self.locals[-1])

    def _body(self, local, innermost):
        body = local.loop.node.body
        constants = local.body_constants()
        track = self._track() if innermost else ""
        if not constants and not track:
            return
        self.edits.before(body.first, f"{{ {constants} " if constants else "{ ")
        self.edits.after(body.last, f" {track} }}" if track else " }")
        if track:
            for node in continues(body):
                self.edits.before(node.first, f"{{ {track} ")
                self.edits.after(node.last, " }")

    def _track(self):
        located = [reduction for reduction in self.reductions if reduction.located]
        if not located:
            return ""
        number = ""
        for local in self.locals:
            ordinal = f"({local.loop.name} - ({local.first})) / ({local.loop.step})"
            number = f"({number}) * {local.loop.name}_trips + {ordinal}" if number else ordinal
        return " ".join(reduction.track(number) for reduction in located)

    @contextmanager
    def _bound(self):
        """The arrays and positions of the nest are known inside."""
        references_ = self.lowering.references
        bound, positions = len(references_.bound), len(references_.positions)
        references_.bound += self.rows
        for local in self.locals:
            if local.positional:
                references_.positions.append(
                    PositionIndex(
                        local.loop.declarator, self.reference.entity, local.index.dimension, local.index.offset, local.position
                    )
                )
        yield
        del references_.bound[bound:], references_.positions[positions:]

    def _find_copies(self, pragma):
        clause = self.directive.expand or self.directive.margin or self.directive.peel
        if self.context.check or pragma or self.reductions or clause:
            return
        references_ = self.lowering.references
        found = copies.find(self.context, references_.bound, references_.position_for, self.locals, self.statement)
        self.lowering.copies.update(found)
        for local in self.locals:
            local.copied = any(node.first <= local.loop.node.first <= node.last for node in found)

    def _visit_bodies(self):
        """Walks the nest; the headers that were rewritten are not visited again."""
        enclosing = self.loops.enclosing
        before = len(enclosing)
        enclosing += [(self.reference.entity, local.index) for local in self.locals]
        self.lowering.done |= {local.loop.node for local in self.locals}
        self.lowering.visit(self.node.statement)
        del enclosing[before:]


def _trips(local):
    return f"(XMP_Loop_final({local.first}, {local.last}, {local.loop.step}) - ({local.first})) / ({local.loop.step})"


def moved_arrays(context, statement):
    """Arrays whose memory may move inside a statement: allocated there, or a template is fixed there."""
    moved, fixes = set(), False
    for part in statement.walk():
        if (
            isinstance(part, syntax.Call)
            and isinstance(part.function, syntax.Identifier)
            and part.function.name == "xmp_malloc"
        ):
            for inner in part.walk():
                if isinstance(inner, syntax.Identifier) and context.array_of(inner) is not None:
                    moved.add(context.array_of(inner))
        elif isinstance(part, syntax.Assign) and isinstance(part.target, syntax.Identifier):
            array = context.array_of(part.target)
            if array is not None:
                moved.add(array)
        elif isinstance(part, syntax.Directive) and part.name == "template_fix":
            fixes = True
    if fixes:
        moved |= set(context.model.arrays)
    return moved
