"""The user's language as the planner sees it: questions that C and Fortran answer, and answers that both share.

A *place* tells where a directive stands. It is the language's own: a node of C's tree, a position among Fortran's items."""

from ..directives.reader import nearest
from ..names import FreshNames


class Language(FreshNames):
    """model: semantics.Model; diagnostics: Diagnostics; plan: the Steps so far; at: what is being read or written, for
    errors of our own.

    Words that messages use: sentinel `#pragma xmp`, statement `for statement`, numbers `an arithmetic type`."""

    sentinel = statement = numbers = ""

    def __init__(self, words, model, diagnostics, at):
        super().__init__(words)
        self.model, self.diagnostics, self.at = model, diagnostics, at
        self.parsed = {}  # where a directive stands -> what the parser made of it
        self.plan = []

    def planned(self, step):
        """Enters a Step into the plan. After an error of the user's a plan may have holes: it is not written."""
        if self.diagnostics.ok:
            step.validate()
        self.plan.append(step)
        return step

    # ---- questions ----
    def scope(self, place):
        """(the language's scope object, the position in the unit) of a place, as the model takes them."""
        raise NotImplementedError

    def declared(self, name, place):
        """(key of the model, word of the declaration or None) of the variable that a name means at a place; None if there is
        no such variable."""
        raise NotImplementedError

    def variable(self, expression, place):
        """The Variable that a clause names, or None after an error."""
        raise NotImplementedError

    def expression(self, expression, place):
        """What the language makes of an Expression of a directive, or None after an error."""
        raise NotImplementedError

    def is_lock(self, expression):
        raise NotImplementedError

    # ---- questions about assignments; an expression has a type, constant() and a place for messages ----
    def assignment(self, place):
        """(left side, right side) of the assignment behind a directive, or None."""
        raise NotImplementedError

    def follower(self, place):
        """What follows a directive, for messages."""
        raise NotImplementedError

    def side(self, expression):
        """The plan.gmove.Side that an expression is."""
        raise NotImplementedError

    def whole(self, rank):
        """The subscripts of a whole array."""
        raise NotImplementedError

    def downwards(self, section):
        """What to write in place of a section that counts down and has no base."""
        raise NotImplementedError

    def element_inside(self, expression):
        """(its name in the expression, the global array) of the first element of one; (None, None)."""
        raise NotImplementedError

    def is_integer(self, expression):
        raise NotImplementedError

    def assignable(self, left, right):
        """Whether a value of the type `right` can be assigned to a variable of the type `left`."""
        raise NotImplementedError

    def written(self, expression):
        """An expression as the user wrote it."""
        raise NotImplementedError

    def type_text(self, type_):
        raise NotImplementedError

    # ---- messages ----
    def error(self, code, message, word, notes=(), help=None):
        self.diagnostics.error(code, message, word, notes, help)

    def undeclared(self, code, what, name, word, candidates):
        meant = nearest(name, candidates)
        self.error(code, f"the {what} '{name}' is not declared", word, (), f"did you mean '{meant}'?" if meant else None)

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


class Variable:
    """A variable that a clause names. expression: the directive's; kind: integer, real, complex, logical, other, or None where
    the declaration is out of sight; type: its text for messages; more: what the language's writer needs of it."""

    __slots__ = ("expression", "kind", "type", "more")

    def __init__(self, expression, kind, type_, more=None):
        self.expression, self.kind, self.type, self.more = expression, kind, type_, more
