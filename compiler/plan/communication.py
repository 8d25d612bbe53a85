"""barrier, reduction, bcast, reflect, reduce_shadow, wait_async (specification 4.5): stand-alone directives in which nodes
communicate."""

from ..semantics.reflect import check_reflect
from .questions import Elements, Names
from .reduction import NUMBERS, located_operation, reducible
from .step import Step

QUESTIONS = (Names, Elements)


class Barrier(Step):
    """4.5.3. on: a ResolvedReference; None for the executing set, here and in all others."""

    fields = ("on",)

    def validate(self):
        self.require_subscripts(self.on)


class WaitAsync(Step):
    """4.5.6. ids: Expressions."""

    fields = ("ids", "on")

    def validate(self):
        self.require(self.ids, "waits for nothing")
        self.require_subscripts(self.on)


class Reduction(Step):
    """4.5.4. operator: as written; variables: Variables; locations: for each of them the Variables that get what the first
    node with its value has (COM-23); async_id: an Expression or None, here and in all others."""

    fields = ("operator", "variables", "locations", "on", "async_id")

    def validate(self):
        self.require(self.variables, "reduces nothing")
        self.require(len(self.locations) == len(self.variables), "has too many or few locations")
        self.require(not any(self.locations) or located_operation(self.operator), f"finds no place by '{self.operator}'")
        self.require_subscripts(self.on)


class Bcast(Step):
    """4.5.5. variables: Variables; source: the node that sends, None for the first of the set."""

    fields = ("variables", "source", "on", "async_id")

    def validate(self):
        self.require(self.variables, "broadcasts nothing")
        self.require_subscripts(self.source, self.on)


class Reflect(Step):
    """4.5.1. arrays: ArrayEntities; widths: tree.Widths in the arrays' order of dimensions, None for the whole shadows."""

    fields = ("arrays", "widths", "orthogonal", "async_id")

    def validate(self):
        for array in self.arrays:
            self.require(
                self.widths is None or len(self.widths) == array.rank, f"has too many or few widths for '{array.name}'"
            )


class ReduceShadow(Reflect):
    """4.5.8: the other way round, shadows are added to what they mirror."""


def _barrier(language, directive, place):
    return Barrier(directive, place, on=language.reference(directive.on, place))


def _wait_async(language, directive, place):
    return WaitAsync(directive, place, ids=directive.ids, on=language.reference(directive.on, place))


def _reduction(language, directive, place):
    on = language.reference(directive.on, place)
    reduced = []
    for expression, locations in zip(directive.variables, directive.locations):
        variable = language.variable(expression, place)
        found = _locations(language, variable, locations, place)
        if variable is not None and reducible(language, directive.operator, variable, expression.word) and None not in found:
            reduced.append((variable, found))
    return Reduction(
        directive,
        place,
        operator=directive.operator,
        variables=[variable for variable, _ in reduced],
        locations=[locations for _, locations in reduced],
        on=on,
        async_id=directive.async_id,
    )


def _locations(language, variable, locations, place):
    """The Variables of a variable's location variables; None for what is none."""
    if not locations or language.refuses("locations", locations[0].word):
        return []
    if variable is not None and not language.is_single(variable):
        message = f"'{variable.expression.text}' has several elements: location variables need one value"
        help = "reduce it without location variables, or one element"
        language.error("XMP-E182", message, variable.expression.word, help=help)
    return [language.variable(location, place) for location in locations]


def _bcast(language, directive, place):
    source, on = (language.reference(reference, place) for reference in (directive.source, directive.on))
    variables = _variables(language, directive, place)
    return Bcast(directive, place, variables=variables, source=source, on=on, async_id=directive.async_id)


def _variables(language, directive, place):
    found = [language.variable(expression, place) for expression in directive.variables]
    return [variable for variable in found if variable is not None]


def _reflect(language, directive, place):
    return _shadows(Reflect, language, directive, place, _arrays(language, directive, place))


def _reduce_shadow(language, directive, place):
    arrays = []
    if not language.refuses("reduce_shadow", directive.word):
        found = zip(_arrays(language, directive, place), directive.arrays)
        arrays = [array for array, word in found if _adds(language, array, word)]
    return _shadows(ReduceShadow, language, directive, place, arrays)


def _arrays(language, directive, place):
    """The arrays whose shadows a directive names; None for what is none."""
    found = [language.array(word, place) for word in directive.arrays]
    fine = [a is not None and check_reflect(language.model, directive, a, w) for a, w in zip(found, directive.arrays)]
    return [array if good else None for array, good in zip(found, fine)]


def _adds(language, array, word):
    """Whether the elements of an array are numbers (decision COM-14)."""
    if array is None or language.element_kind(array) in NUMBERS:
        return array is not None
    message = f"reduce_shadow needs {language.numbers}; the elements of '{array.name}' are {language.element_type(array)}"
    language.error("XMP-E182", message, word, [("it is declared here", array.word)])
    return False


def _shadows(step, language, directive, place, arrays):
    return step(
        directive,
        place,
        arrays=[array for array in arrays if array is not None],
        widths=directive.widths or None,
        orthogonal=bool(directive.orthogonal),
        async_id=directive.async_id,
    )


PLANNERS = {
    "barrier": _barrier,
    "wait_async": _wait_async,
    "reduction": _reduction,
    "bcast": _bcast,
    "reflect": _reflect,
    "reduce_shadow": _reduce_shadow,
}
