"""array: an array assignment in loops over this node's iterations (specification 4.4.4).

    #pragma xmp array on t[1:8]
    a[1:8] = b[1:8] + 1;
becomes the loop that a loop directive would give. The right side counts as evaluated first: where it reads other elements of
the target, it goes through memory of its own."""

from ...directives.words import added, parenthesised
from ...plan.array_construct import follows, plan
from ..reading import syntax
from ..reading.operands import Failed
from .checks import check_step
from .elements import type_text
from .forms import local_loop
from .operands import compose
from .references import checked_element, element_function, row_declaration
from .sections import ArrayAssignment
from .texts import INDICES, object_name, on_text


def write(lowering, node, directive):
    """node: the DirectiveStatement."""
    assign = node.statement.expression if isinstance(node.statement, syntax.ExpressionStatement) else None
    if not isinstance(assign, syntax.Assign):
        message = "array must be followed by an array assignment"
        notes = [("this follows", lowering.context.follower(node.directive))]
        help = "write: a[:] = ...; behind it, or use a loop directive"
        lowering.context.error("XMP-E186", message, directive.word, notes, help)
        return
    lowering.context.local_view = True
    Construct(lowering, node, directive, assign).lower()


class Construct(ArrayAssignment):
    """One array construct on its way to C."""

    distributed = True

    def __init__(self, lowering, node, directive, assign):
        super().__init__(lowering, node.statement, assign)
        self.whole, self.directive = node, directive
        self.closers = []

    def _no_section(self):
        self.reader.fail(
            "XMP-E206",
            "the left side of an array construct needs a section",
            self.assign.target,
            "write base:length or `:` for the dimension that is distributed",
        )

    def _write(self):
        step = plan(self.context, self.directive, self.whole.directive, self.target, self.operands)
        if step is None:
            raise Failed
        self.step = step
        self.site = self.context.site_of(self.directive, self.whole.directive.token.line)
        self.locals = [loop and self._local(loop, section) for loop, section in zip(step.loops, self.target.dimensions)]
        self.edits.delete(self.whole.directive.first, self.whole.directive.last)
        if step.temporary:
            self._through_memory()
        else:
            self._in_place()

    def _local(self, loop, section):
        """From 0 to the distance of the section's last element from its first."""
        step = parenthesised(loop.counting.step)
        last = f"({section.count}) - 1" if step == "1" else f"(({section.count}) - 1) * {step}"
        return local_loop(self.context, loop, self.site, self.whole, "0", last)

    # ---- the ways ----
    def _in_place(self):
        """The user's statement itself, inside the loops."""
        for operand in [self.target, *self.operands]:
            self.edits.override(operand.node.first, operand.node.last, self._element(operand))
        loops, ends = self._nest()
        self.edits.before(self.node.first, " ".join([self._opening(), *self.once.prefix, *self._head(), loops]))
        self.edits.after(self.node.last, ends + self._closing())

    def _through_memory(self):
        """The right side of this node's iterations first, in their order."""
        name, number = self.once.name("result"), self.once.name("number")
        head = self._head()
        for operand in self.operands:
            self.edits.override(operand.node.first, operand.node.last, self._element(operand))
        value, target = self.context.spelling(self.assign.value), self._element(self.target)
        loops, ends = self._nest()
        counts = " * ".join(self._trips(*pair) for pair in zip(self.locals, self.target.dimensions))
        memory = f"XMP_Temporary({counts} * sizeof *{name})"
        texts = [
            f"{self._type(self.target)} *const {name} XMP_SCOPED(XMP_Temporary_free) = {memory}; size_t {number} = 0;",
            f"{loops}{name}[{number}++] = {value};{ends} {number} = 0;",
            f"{loops}{target} {self.assign.operator} {name}[{number}++];{ends}",
        ]
        whole = " ".join([self._opening(), *self.once.prefix, *head, *texts]) + self._closing()
        self.edits.override(self.node.first, self.node.last, whole)

    def _type(self, operand):
        return type_text(operand.node.type)

    # ---- texts ----
    def _opening(self):
        """Under -Wshadow it says that the rows hide variables on purpose."""
        return "{ XMP_HIDING" if self.context.warns_of_shadows else "{"

    def _closing(self):
        return "".join(self.closers) + (" XMP_HIDDEN }" if self.context.warns_of_shadows else " }")

    def _head(self):
        """Set-up of the loops, and the executing set where the statement may ask for it or nodes are left out."""
        steps = [check_step(self.node, self.site)] if self.context.check else []
        texts = steps + [local.setup() for local in self.locals if local is not None]
        arrays = dict.fromkeys(operand.array for operand in (self.target, *self.operands) if operand.array is not None)
        if not self.context.check:
            texts += [row_declaration(self.context, array) for array in arrays if array not in self.lowering.references.bound]
        if self.step.own_set or self.step.partial:
            mapping, task = self.step.mapping, self.context.numbered("array_xmp")
            on = on_text(mapping.reference, {index.dimension for index in mapping.indices})
            call = f"XMP_Loop_set({self.site}, {on}, {mapping.mask}u, {1 if self.step.own_set else 0})"
            texts.append(f"{{ XMP_Task {task} XMP_SCOPED(XMP_Task_leave) = {call}; if ({task}.member) {{")
            self.closers.append(" } }")
        return texts

    def _nest(self):
        """(what opens the loops, what closes them)"""
        opened, closed = "", ""
        for index, local, section in zip(INDICES, self.locals, self.target.dimensions):
            if local is None:
                name = self.context.name(f"{index}_xmp")
                opened += f"for (XMP_Index {name} = 0; {name} < {parenthesised(section.count)}; {name}++) {{ "
                closed = " }" + closed
                continue
            init, condition, step = local.header()
            step = step or f"{local.loop.name} += {parenthesised(local.counting.step)}"
            constants = local.body_constants()
            opened += f"{local.enter()}for ({init}; {condition}; {step}) {{ {constants + ' ' if constants else ''}"
            closed = " }" + local.leave() + closed
        return opened, closed

    def _trips(self, local, section):
        """The number of this node's iterations in a dimension."""
        return "(size_t)" + (parenthesised(section.count) if local is None else local.own_count())

    def _element(self, operand):
        """The operand's element of one turn of the loops."""
        subscripts = [self._subscript(operand, number) for number in range(operand.rank)]
        sections = dict(zip((d.node for d in operand.dimensions), subscripts))
        if operand.array is None:
            return compose(self.context, operand.node, sections)
        chain = [part for part in reversed(operand.parts) if isinstance(part, (syntax.Subscript, syntax.Section))]
        chain = chain[: operand.array.rank]
        texts = [sections[part] if part in sections else self.context.spelling(part.index) for part in chain]
        element = self._checked(operand, texts) if self.context.check else self._stored(operand, texts)
        return compose(self.context, operand.node, sections, {chain[-1]: element})

    def _stored(self, operand, texts):
        array = operand.array
        for d in range(array.rank):
            if array.positional(d):
                position = self._position(operand, d)
                texts[d] = position or f"XMP_Subscript({object_name(array)}, {d}, {texts[d]})"
        return array.identifier + "".join(f"[{text}]" for text in texts)

    def _position(self, operand, d):
        for number, local in enumerate(self.locals):
            if (
                local is not None
                and local.loop.positional
                and operand.index(number) == d
                and follows(local.loop, operand, number)
            ):
                return local.position
        return None

    def _checked(self, operand, texts):
        array = operand.array
        function = element_function(self.context, array, operand is self.target)
        return f"(*{checked_element(self.context, operand.node, array, function, object_name(array))}{', '.join(texts)}}}))"

    def _subscript(self, operand, number):
        """Of a section, from the index of its loop: the distance from the first element."""
        section, local = operand.dimensions[number], self.locals[number]
        if local is None:
            return section.subscript(self.context.name(f"{INDICES[number]}_xmp"))
        distance = local.loop.name
        if section.pace != local.counting.step:
            distance = f"{distance} / {parenthesised(local.counting.step)} * {parenthesised(section.pace)}"
        return distance if section.begin == "0" else added(section.begin, distance)
