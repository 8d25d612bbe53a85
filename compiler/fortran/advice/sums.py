"""Sums and the like in a distributed loop that no reduction combines: each node has its own then."""

from ...plan import loop as plan
from ...semantics.entities import TemplateEntity
from ..reading.lexer import closing, split

_LOGICAL = (".and.", ".or.", ".eqv.", ".neqv.")
_CHOOSING = ("max", "min", "iand", "ior", "ieor")


def sums(context):
    for step in context.plan:
        if isinstance(step, plan.Loop) and _distributed(step):
            _Loop(context, step).advise()


def _distributed(step):
    template = step.mapping.reference.entity
    return isinstance(template, TemplateEntity) and any(
        template.formats[loop.index.dimension].kind != "*" for loop in step.loops
    )


class _Loop:
    """One loop directive. inside: the statements of its nest, those behind `if (...)` instead of it."""

    def __init__(self, context, step):
        self.context, self.step = context, step
        first, last = step.block
        self.inside = [item.guarded or item for item in context.items[first : last + 1] if not item.statement.directive]
        self.unit = context.unit(first)

    def advise(self):
        for statement in self.inside:
            operator = updated_by(statement)
            if operator is not None and self._lost(statement.words[0].text):
                self._warn(statement.words[0], operator)

    def _lost(self, name):
        """Whether the variable outlives the loop, is looked at behind it, and nothing reduces it."""
        variable = self.context.scopes.of(self.unit).lookup(name)
        if variable is not None and (variable.bounds or variable.common is not None or variable.has("associated")):
            return False
        if name in [loop.name for loop in self.step.loops] or self._begun_inside(name) or self._reduced(name):
            return False
        return self._returned(variable) or any(self._looked_at(name, item) for item in self._behind())

    def _begun_inside(self, name):
        """Whether the nest gives the variable a new value, or is where it is declared."""
        given = (s for s in self.inside if s.kind == "assignment" and s.words[0].text == name and s.words[1].text == "=")
        own = any(one.words[0].text == name and one.kind == "do" for one in self.inside)
        return own or any(updated_by(statement) is None for statement in given) or self._declared_inside(name)

    def _declared_inside(self, name):
        first, last = self.step.block
        units = (unit for unit in self.context.file.units if unit.construct and first < unit.first <= last)
        return any(self.context.scopes.of(unit).own(name) for unit in units)

    def _reduced(self, name):
        """Whether a clause or directive of the procedure names the variable."""
        for position in range(self.unit.procedure.first, self.unit.procedure.end or len(self.context.items)):
            for one in self.context.parsed.get(position, ()):
                clauses = one.reductions if one.kind == "loop" else ()
                variables = [spec.variable for clause in clauses for spec in clause.specs]
                variables += one.variables if one.kind in ("reduction", "bcast") else ()
                if any(name in variable.names for variable in variables):
                    return True
        return False

    @staticmethod
    def _returned(variable):
        return variable is not None and (variable.dummy or variable.is_result)

    def _behind(self):
        """The statements of the procedure behind the nest."""
        items = self.context.items[self.step.block[1] + 1 : self.unit.procedure.end]
        return [item for item in items if item.unit is not None and item.unit.procedure is self.unit.procedure]

    @staticmethod
    def _looked_at(name, item):
        """Whether a statement uses the value for what all nodes should agree on: it may hand it on, or tell the node's own."""
        texts = [word.text for word in (item.guarded or item).words]
        given = item.kind == "assignment" and texts[0] == name and texts.count(name) == 1
        own = item.kind == "call" or "xmp_node_num" in texts or "this_image" in texts
        return not item.statement.directive and name in texts and not given and not own

    def _warn(self, word, operator):
        message = f"each node adds up '{word.text}' over its own iterations only"
        notes = [("the loop is distributed here", self.step.directive.word)]
        help = f"add to the directive: reduction({operator}:{word.text})"
        self.context.diagnostics.warning("XMP-W165", message, word, notes, help)


def updated_by(statement):
    """The operator of a reduction that does what `s = s + x`, `s = x .or. s` or `s = max(s, x)` does; None for others."""
    words = statement.words
    if statement.kind != "assignment" or len(words) < 5 or words[0].kind != "identifier" or words[1].text != "=":
        return None
    name, value = words[0].text, [word.text for word in words[2:]]
    if value.count(name) != 1:
        return None
    if value[0] in _CHOOSING and value[1] == "(" and closing(words, 3) == len(words) - 1:
        arguments = split(words[4:-1])
        return value[0] if any(len(one) == 1 and one[0].text == name for one in arguments) else None
    top = _operators(words[2:])
    operator = value[1] if value[0] == name else value[-2] if value[-1] == name else None
    if operator == "-" and value[0] == name:
        operator = "+"
    if operator in _LOGICAL:  # all others but these bind stronger
        return operator if all(one == operator for one in top if one in _LOGICAL) else None
    return operator if operator == "+" or operator == "*" and set(top) == {"*"} else None


def _operators(words):
    """The operators outside brackets that bind no stronger than `*`."""
    found, number = [], 0
    while number < len(words):
        text = words[number].text
        if text in ("(", "["):
            number = closing(words, number)
        elif text in _LOGICAL or text in ("+", "*", "-", "/", "<", ">", "<=", ">=", "==", "/="):
            found.append(text)
        number += 1
    return found
