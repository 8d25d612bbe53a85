"""The user's language as the planner sees it: what all languages have. What it asks them stands in questions.py."""

from ..names import FreshNames
from ..record import Record
from ..spelling import did_you_mean
from .questions import Names


class Language(FreshNames, Names):
    """model: semantics.Model; diagnostics: Diagnostics; plan: the Steps so far; at: what is being read or written, for
    errors of our own.

    Words that messages use: sentinel `#pragma xmp`, statement `for statement`, numbers `an arithmetic type`, component
    `member`."""

    sentinel = statement = numbers = component = ""

    def __init__(self, words, model, diagnostics, at):
        super().__init__(words)
        self.model, self.diagnostics, self.at = model, diagnostics, at
        self.parsed = {}  # where a directive stands -> what the parser made of it
        self.plan = []

    def planned(self, step):
        """Enters a Step into the plan, once. After an error of the user's a plan may have holes: it is not written."""
        if self.diagnostics.ok:
            step.validate()
        if step not in self.plan:
            self.plan.append(step)
        return step

    def step_at(self, place):
        """The Step that a directive has already, or None."""
        return next((step for step in self.plan if step.place == place), None)

    def heading(self, step):
        """What the user wrote."""
        return f"{self.sentinel} {step.directive.text}" if step.directive is not None else self.written(step.place)

    def refuses(self, feature, word, notes=()):
        """Whether the language cannot write this yet; that is an error then. features: expand, margin, peel, firstmax and
        its like, locations, reduce_shadow, template_fix, `general on clause`, `dependent bounds`."""
        return False

    def unplanned(self, directive):
        """The error that a directive is not supported."""
        raise NotImplementedError

    # ---- messages ----
    def error(self, code, message, word, notes=(), help=None):
        self.diagnostics.error(code, message, word, notes, help)

    def undeclared(self, code, what, name, word, candidates):
        self.error(code, f"the {what} '{name}' is not declared", word, (), did_you_mean(name, candidates))

    # ---- names in directives ----
    def reference(self, reference, place):
        """The ResolvedReference of an on or from clause; None for none, and after an error."""
        return None if reference is None else self.model.reference(reference, *self.scope(place))

    def array(self, word, place):
        """The global array of that name, or None after an error."""
        found = self.declared(word.text, place)
        array = self.model.array(found[0]) if found is not None else None
        if array is not None and array.dimensions is not None:
            return array
        if array is not None and array.failed or self.model.doubtful(word.text):
            return None  # its directive has an error
        entity = self.model.lookup(word.text, *self.scope(place))
        if entity is not None:
            self.model.of_another_kind(word, entity, "global array")
        elif found is None:
            self.undeclared("XMP-E119", "array", word.text, word, [array.name for array in self.model.arrays])
        else:
            notes = [("it is declared here", found[1])] if found[1] is not None else ()
            self.error(
                "XMP-E146", f"'{word.text}' is no global array", word, notes, f"add an align directive for '{word.text}'"
            )
        return None


class Variable(Record):
    """A variable that a clause names. expression: the directive's; kind: integer, real, complex, logical, other, or None where
    the declaration is out of sight; type: its text for messages; more: what the language's writer needs of it."""

    fields = ("expression", "kind", "type", "more")
    more = None
