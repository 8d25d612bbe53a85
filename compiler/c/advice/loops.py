"""Distributed loops that compute something else than the serial loop: sums that nobody adds up, elements outside the array,
results that are written into the neighbour's copy."""

from ...directives.tree import SCALAR
from ...directives.words import integer
from ...plan import loop as plan
from ...semantics.entities import TemplateEntity
from ..reading import syntax, types
from ..reading.places import Place
from ..writing.elements import shape
from ..writing.references import Reference, changer, in_sizeof, variable_plus
from .accumulations import accumulated
from .conditions import Conditions
from .tree import called, may_communicate

# The updates that each operator of a reduction combines; None: any.
_UPDATES = {
    "+": ("+=", "-=", "++", "--"),
    "-": ("+=", "-=", "++", "--"),
    "*": ("*=", "/="),
    "&": ("&=",),
    "|": ("|=",),
    "^": ("^=",),
    "&&": ("&=", "*="),
    "||": ("|=", "+=", "++"),
}


def loops(context):
    conditions = Conditions(context)
    for step in context.plan:
        if isinstance(step, plan.Loop) and isinstance(step.mapping.reference.entity, TemplateEntity):
            Loop(context, conditions, step).advise()


class Loop:
    """One loop directive. distributed: declarator of a loop variable -> (CanonicalLoop, IndexSubscript)."""

    def __init__(self, context, conditions, step):
        self.context, self.conditions, self.node, self.directive = context, conditions, step.place.parent, step.directive
        self.template, self.subscripts = step.mapping.reference.entity, step.mapping.reference.subscripts
        spread = (loop for loop in step.loops if self.template.formats[loop.index.dimension].kind != "*")
        self.distributed = {loop.counting.declarator: (loop.counting, loop.index) for loop in spread}

    def advise(self):
        for part in self.node.statement.walk() if self.distributed else ():
            if isinstance(part, (syntax.Assign, syntax.Postfix, syntax.Unary)):
                self._sum(part)
            elif isinstance(part, syntax.Identifier):
                self._element(part)

    # ---- sums ----
    def _sum(self, part):
        """`s += x` where s was declared outside, is looked at afterwards, and no reduction names it."""
        target, operator = accumulated(part) or (None, None)
        if (
            target is None
            or self._reduced_otherwise(part, target)
            or not self._outlives(target)
            or self._reduced(target.declaration)
        ):
            return
        does = "finds" if operator in ("max", "min", "&&", "||") else "adds up"
        message = f"each node {does} '{target.name}' over its own iterations only"
        notes = [("the loop is distributed here", self.directive.word)]
        help = f"add to the directive: reduction({operator}:{target.name})"
        self.context.diagnostics.warning("XMP-W165", message, Place(part.token, part.text()), notes, help)

    def _reduced_otherwise(self, part, target):
        """Whether a clause of this directive names the variable; a warning where it combines by another operator."""
        clause = next((c for c in self.directive.reductions for spec in c.specs if spec.variable.name == target.name), None)
        if clause is not None and part.operator != "=" and part.operator not in _UPDATES.get(clause.operator, ()):
            message = (
                f"the reduction combines '{target.name}' by '{clause.operator}', and the loop updates it by '{part.operator}'"
            )
            notes = [("the reduction is here", clause.word)]
            place = Place(part.token, part.text())
            self.context.diagnostics.warning("XMP-W166", message, place, notes, "both must be the same operation")
        return clause is not None

    def _outlives(self, target):
        context, declarator = self.context, target.declaration
        if declarator is None or context.coarrays.get(context.key(declarator)) is not None or declarator in self.distributed:
            return False
        if not isinstance(types.resolve(declarator.type), types.Basic) or context.key(declarator) in context.addressed:
            return False
        uses = context.uses.get(context.key(declarator), ())
        inside = [use for use in uses if self.node.first <= use.first <= self.node.last]
        if any(self._begins_anew(use) for use in inside):
            return False
        outside = not self.node.first <= declarator.first <= self.node.last
        later = [use for use in uses if use.first > self.node.last]
        return outside and any(not self._told_by_node(use) and not self._handed_on(use) for use in later)

    @staticmethod
    def _begins_anew(use):
        assign = use.parent
        set_ = isinstance(assign, syntax.Assign) and assign.target is use and assign.operator == "="
        return set_ and accumulated(assign) is None

    def _handed_on(self, use):
        """`all = s;` where all is reduced, `total(s)` of the program's own."""
        for ancestor in use.ancestors():
            if isinstance(ancestor, syntax.Assign) and isinstance(ancestor.target, syntax.Identifier):
                return self._reduced(ancestor.target.declaration)
            if isinstance(ancestor, syntax.Call) and called(ancestor):
                return may_communicate(self.context, ancestor.function)
        return False

    def _told_by_node(self, use):
        """Whether the value is looked at beside the node's number: it is meant to be this node's."""
        statement = next((a for a in use.ancestors() if not isinstance(a, syntax.Expression)), None)
        return statement is not None and (self.conditions.differs(statement) or self.conditions.chosen(use) is not None)

    def _reduced(self, declarator):
        """Whether a clause or a directive of the unit reduces the variable: here, or in what stands around or behind."""
        for node, one in self.context.directives("loop", "reduction", "bcast"):
            clauses = one.reductions if one.kind == "loop" else ()
            variables = [spec.variable for clause in clauses for spec in clause.specs] or getattr(one, "variables", ())
            if any(node.scope.lookup(name, node.first) is declarator for variable in variables for name in variable.names):
                return True
        return False

    # ---- elements ----
    def _chosen(self, dimension):
        """Whether the on clause names one place of the dimension, so that only its owner is here."""
        running = {index.dimension for _, index in self.distributed.values()}
        return dimension not in running and self.subscripts[dimension].kind == SCALAR

    def _constant(self, reference):
        """`b[3]` in each iteration."""
        text = reference.subscripts[-1].text()
        innermost = next(a for a in reference.identifier.ancestors() if isinstance(a, syntax.For))
        loop = next((loop for loop, _ in self.distributed.values() if loop.node is innermost), None)
        if loop is not None and self._unconditional(reference.identifier, loop):
            help = "copy it to a variable before the loop: by gmove, or in a task with a bcast"
            self._warn("XMP-W149", reference, f"every node of the loop accesses '{text}', and one of them has it", help)

    def _warn(self, code, reference, message, help):
        place = Place(reference.identifier.token, reference.subscripts[-1].text())
        notes = [("the loop is distributed here", self.directive.word)]
        self.context.diagnostics.warning(code, message, place, notes, help)

    def _element(self, identifier):
        array = self.context.array_of(identifier)
        if array is None or array.dimensions is None or array.failed or in_sizeof(identifier):
            return
        reference = Reference(identifier, array)
        if not reference.complete or array.template is not self.template:
            return
        for d, subscript in enumerate(reference.subscripts):
            if subscript.index.constant() is not None and array.is_divided(d):
                if not self._chosen(array.dimensions[d].onto):
                    self._constant(reference)
                return
            found = variable_plus(subscript.index)
            if found is None or found[0] not in self.distributed or array.dimensions[d].onto is None:
                continue
            loop, index = self.distributed[found[0]]
            if array.dimensions[d].onto == index.dimension:
                self._neighbour(reference, d, loop, index, found[1])
            elif array.is_divided(d) and self._unconditional(identifier, loop):
                self._across(reference, d, loop, index)

    def _across(self, reference, d, loop, index):
        """`m[i][i]`, where i runs along one of two distributed dimensions."""
        text, along = reference.subscripts[-1].text(), f"dimension {index.dimension + 1} of '{self.template.name}'"
        message = (
            f"most nodes do not store '{text}': '{loop.name}' runs along {along}, but dimension {d + 1} of the array lies "
        )
        help = "name both dimensions in the on clause, with a loop for each; or test which node has the element"
        self._warn("XMP-W153", reference, message + "on another one", help)

    def _neighbour(self, reference, d, loop, index, constant):
        array = reference.array
        there, here = integer(array.dimensions[d].offset), integer(index.offset)
        if there is None or here is None or array.full_shadow(d):
            return
        if constant + there != here and changer(reference.subscripts[-1]) is not None and not self._adds_shadows(array):
            self._warn_of_shadow(reference, d, constant + there - here)
        elif self._unconditional(reference.identifier, loop):
            self._outside(reference, d, loop, constant)

    def _adds_shadows(self, array):
        return any(
            word.text == array.name for _, one in self.context.directives("reduce_shadow") for word in one.arrays
        ) or bool(self.directive.expand or self.directive.margin or self.directive.peel)

    def _warn_of_shadow(self, reference, d, distance):
        beyond = f"'{reference.subscripts[-1].text()}' is written {abs(distance)} beyond the node's own elements"
        help = "let each iteration write its own element, or add the shadows up by reduce_shadow"
        message = f"{beyond}: at a border the neighbour's copy changes, not the element"
        self._warn("XMP-W151", reference, message, help)

    def _unconditional(self, node, loop):
        """Whether the element is accessed in every iteration."""
        conditional = (syntax.If, syntax.Switch, syntax.While, syntax.DoWhile, syntax.Conditional)
        child = node
        for ancestor in node.ancestors():
            if ancestor is loop.node:
                return not any(isinstance(part, (syntax.Continue, syntax.Goto)) for part in loop.node.body.walk())
            if isinstance(ancestor, conditional):
                return False
            if isinstance(ancestor, syntax.Binary) and ancestor.operator in ("&&", "||") and ancestor.right is child:
                return False
            child = ancestor
        return False

    def _outside(self, reference, d, loop, constant):
        """Constant bounds of the loop, and an element of the shadow that no node has."""
        array = reference.array
        first, last = loop.first.constant(), loop.bound.constant()
        size = _declared_size(array, d)
        if first is None or last is None or size is None or self._fills_borders(array):
            return
        if loop.relation in ("<", ">", "!="):
            last += -1 if loop.up else 1
        low, high = sorted((first, last)) if (first <= last) == loop.up else (first, first)
        if (first <= last) != loop.up and first != last:
            return  # no iteration
        for value, subscript in ((low, low + constant), (high, high + constant)):
            if not 0 <= subscript < size:
                self._warn_of_outside(reference, d, loop, value, subscript, size)
                return

    def _fills_borders(self, array):
        """Whether some reflect or reduce_shadow is periodic."""
        return any(
            any(word.text == array.name for word in one.arrays) and any(w.modifier == "periodic" for w in one.widths or ())
            for _, one in self.context.directives("reflect", "reduce_shadow")
        )

    def _warn_of_outside(self, reference, d, loop, value, subscript, size):
        where = f"'{reference.subscripts[-1].text()}' with {loop.name} = {value} is outside the array"
        message = f"{where}: dimension {d + 1} of '{reference.array.name}' has the subscripts 0 to {size - 1}"
        help = "let the loop begin or end one neighbour earlier, or make the border meet by reflect with width(/periodic/...)"
        self._warn("XMP-W152", reference, message, help)


def _declared_size(array, d):
    _, sizes, pointer = shape(array.symbol.declaration.type)
    if sizes[d] is None or pointer and d == 0:
        return None
    return sizes[d].constant()
