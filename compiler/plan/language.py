"""The user's language as the planner sees it: questions that C and Fortran answer, and answers that both share.

A *place* tells where a directive stands. It is the language's own: a node of C's tree, a position among Fortran's items. So is
a *block*: statements that a directive governs, or what a loop repeats."""

from ..directives.reader import nearest
from ..names import FreshNames


class Language(FreshNames):
    """model: semantics.Model; diagnostics: Diagnostics; plan: the Steps so far; at: what is being read or written, for
    errors of our own.

    Words that messages use: sentinel `#pragma xmp`, statement `for statement`, numbers `an arithmetic type`, component
    `member`. positions: whether subscripts of cyclic dimensions are written as positions."""

    sentinel = statement = numbers = component = ""
    positions = False

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

    def step_at(self, place):
        """The Step that a directive has already, or None."""
        return next((step for step in self.plan if step.place == place), None)

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

    def is_single(self, variable):
        """Whether a Variable is one element."""
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

    def whole_side(self, expression):
        """The same of an argument that is an array, where a name stands for all of it, as its descriptor does."""
        raise NotImplementedError

    def is_descriptor(self, expression):
        """Whether an argument is a descriptor whose array is known at run time only."""
        raise NotImplementedError

    def is_null(self, expression):
        """Whether an argument is the constant for none."""
        raise NotImplementedError

    def section_of(self, expression):
        """What to write for memory behind a pointer, if it is one; else None."""
        raise NotImplementedError

    def size(self, subscript):
        """The number of elements of the dimension that a plan.gmove.Index or Triplet is of, where it is a constant; None."""
        raise NotImplementedError

    def names(self, side):
        """The names in a side, for messages that an error elsewhere would explain."""
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

    def is_integer_type(self, type_):
        raise NotImplementedError

    def same_type(self, left, right):
        raise NotImplementedError

    def assignable(self, left, right):
        """Whether a value of the type `right` can be assigned to a variable of the type `left`."""
        raise NotImplementedError

    def written(self, expression):
        """An expression as the user wrote it."""
        raise NotImplementedError

    def type_text(self, type_):
        raise NotImplementedError

    # ---- questions about blocks ----
    def block(self, place):
        """What the directive at a place governs; None if that has no end."""
        raise NotImplementedError

    def contains(self, block, place):
        raise NotImplementedError

    def jumps(self, block, loops):
        """(statement, its word) of what leaves a block before its end; loops: CountingLoops in it, whose next iteration may
        begin."""
        raise NotImplementedError

    def asks_for_set(self, block):
        """Whether something in it may ask for the executing set: a call of a user's function, an inquiry, a directive other
        than a loop without reduction."""
        raise NotImplementedError

    def tasks_inside(self, place):
        """(directive, place, None) of each task directly inside a `tasks`, (None, None, word) for what is none; None if no
        block follows."""
        raise NotImplementedError

    # ---- questions about loops ----
    def nest(self, place):
        """The NestedLoops behind a directive that contain nothing but the next one, from the outermost."""
        raise NotImplementedError

    def counting(self, loop, directive):
        """The CountingLoop that a NestedLoop is, or None after an error. It has name, variable, step (text), step_value (None
        if not constant), up, unsigned, bound_variables (variable -> word); the rest is the writer's."""
        raise NotImplementedError

    def section_index(self, number, step):
        """The plan.array_construct.SectionIndex of section `number` of an array assignment."""
        raise NotImplementedError

    def changed(self, loop):
        """The word that shows where the body of a CountingLoop changes its variable, or None; the language's own compiler may
        find that."""
        return None

    def uses_value(self, loop, besides):
        """Whether the body of a CountingLoop needs its variable besides these subscripts; "perhaps" where a directive mentions
        it."""
        return True

    def among_threads(self, loop):
        """Whether threads share the iterations of a CountingLoop: each start of it takes their time."""
        return False

    def reduced(self, expression, place, location):
        """The Variable that a reduction clause of a loop names, with a known number of elements unless it is a location; None
        after an error."""
        raise NotImplementedError

    reduces_parts = False  # whether `reduced_part` answers

    def reduced_part(self, expression, place):
        """The same of an element or member, whose place does not change in the loop."""
        raise NotImplementedError

    def copies(self, place, loops, around):
        """The loops of a nest that are one copy of memory; loops: its DistributedLoops, around: those around it."""
        return []

    def independent(self, place):
        """The innermost loops behind a directive that have no dependence between their iterations."""
        return []

    def refuses(self, feature, word, notes=()):
        """Whether the language cannot write this yet; that is an error then. features: expand, margin, peel, firstmax and
        its like, locations, reduce_shadow, `general on clause`, `dependent bounds`."""
        return False

    # ---- questions about elements of global arrays ----
    def references(self, block, nested=True):
        """Uses of elements in a block, with `array` and `subscripts`; nested: also below directives inside."""
        raise NotImplementedError

    def affine(self, subscript):
        """(variable, constant) of `i`, `i + c`, `i - c`, `c + i`, else None."""
        raise NotImplementedError

    def element(self, reference, d):
        """(text, word) that show the subscript of dimension d in messages."""
        raise NotImplementedError

    def shadow_proposal(self, array, widths):
        """What to write so that an array has a shadow: pairs of texts for its dimensions, None where it is full."""
        raise NotImplementedError

    # ---- questions for --explain ----
    def location(self, place):
        """(file, line) of a place."""
        raise NotImplementedError

    def extent(self, place):
        """(first, last) of the lines that a directive governs, its own with them."""
        raise NotImplementedError

    def innermost(self, place):
        """The lines of the loops behind a directive that have no loop inside."""
        raise NotImplementedError

    def length(self, array, dimension):
        """The number of elements of a global array's dimension as text."""
        raise NotImplementedError

    def element_kind(self, array):
        """The kind of a global array's elements, as in Variable."""
        raise NotImplementedError

    def element_type(self, array):
        """The type of a global array's elements as text."""
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
