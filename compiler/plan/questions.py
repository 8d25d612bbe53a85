"""What the planner asks a language about the user's program, a class for each subject. A module of the plan says in QUESTIONS
which subjects it asks about; a language that answers them has its directives (tests/compiler/plan). A question without a body
must be answered; one with a body has that answer until the language gives a better one.

A *place* tells where a directive stands. It is the language's own: a node of C's tree, a position among Fortran's items. So
is a *block*: statements that a directive governs, or what a loop repeats."""


class Names:
    """What names in directives mean."""

    def scope(self, place):
        """(the language's scope object, the position in the unit) of a place, as the model takes them."""

    def declared(self, name, place):
        """(key of the model, word of the declaration or None) of the variable that a name means at a place; None if there is
        no such variable."""

    def variable(self, expression, place):
        """The Variable that a clause names, or None after an error."""

    def is_single(self, variable):
        """Whether a Variable is one element."""


class Elements:
    """Global arrays and the uses of their elements."""

    def references(self, block, nested=True):
        """Uses of elements in a block, with `array` and `subscripts`; nested: also below directives inside."""

    def affine(self, subscript):
        """(variable, constant) of `i`, `i + c`, `i - c`, `c + i`, else None."""

    def element(self, reference, d):
        """(text, word) that show the subscript of dimension d in messages."""

    def element_kind(self, array):
        """The kind of a global array's elements, as in Variable."""

    def element_type(self, array):
        """The type of a global array's elements as text."""

    def length(self, array, dimension):
        """The number of elements of a global array's dimension as text."""

    def shadow_proposal(self, array, widths):
        """What to write so that an array has a shadow: pairs of texts for its dimensions, None where it is full."""


class Blocks:
    """Statements under a directive."""

    def block(self, place):
        """What the directive at a place governs; None if that has no end."""

    def contains(self, block, place):
        """Whether a place is inside."""

    def jumps(self, block, loops):
        """(statement, its word) of what leaves a block before its end; loops: CountingLoops in it, whose next iteration may
        begin."""

    def asks_for_set(self, block):
        """Whether something in it may ask for the executing set: a call of a user's function, an inquiry, a directive other
        than a loop without reduction."""

    def tasks_inside(self, place):
        """(directive, place, None) of each task directly inside a `tasks`, (None, None, word) for what is none; None if no
        block follows."""


class Loops:
    """The loops of a nest. positions: whether subscripts of cyclic dimensions are written as positions; global_subscripts:
    whether elements may be looked up by their global subscripts, too."""

    positions = global_subscripts = False

    def nest(self, place):
        """The NestedLoops behind a directive that contain nothing but the next one, from the outermost."""

    def counting(self, loop, directive):
        """The CountingLoop that a NestedLoop is, or None after an error. It has name, variable, step (text), step_value (None
        if not constant), up, unsigned, bound_variables (variable -> word); the rest is the writer's."""

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

    def in_any_order(self, loop):
        """The word of what makes threads or the lanes of a vector share the iterations of a CountingLoop, or None: none knows
        what the one before it found."""
        return None

    def collapsed_around(self, place):
        """The word of what takes the loop behind a directive and the one around it as one, so that the directive stands inside;
        None."""
        return None

    def copies(self, place, loops, around):
        """The loops of a nest that are one copy of memory; loops: its DistributedLoops, around: those around it."""
        return []

    def independent(self, place):
        """The innermost loops behind a directive that have no dependence between their iterations."""
        return []


class Reductions:
    """The reduction clause of a loop. reduces_parts: whether `reduced_part` answers."""

    reduces_parts = False

    def reduced(self, expression, place, location):
        """The Variable that a reduction clause of a loop names, with a known number of elements unless it is a location; None
        after an error."""

    def reduced_part(self, expression, place):
        """The same of an element or member, whose place does not change in the loop."""
        return None


class Expressions:
    """Expressions and types; an expression has a type, constant() and a place for messages."""

    def expression(self, expression, place):
        """What the language makes of an Expression of a directive, or None after an error."""

    def written(self, expression):
        """An expression as the user wrote it."""

    def type_text(self, type_):
        """A type for messages."""

    def is_integer(self, type_):
        """Whether its values are integers."""

    def same_type(self, left, right):
        """Whether they are one type, as far as is known."""

    def assignable(self, left, right):
        """Whether a value of the type `right` can be assigned to a variable of the type `left`."""

    def is_lock(self, expression):
        """Whether it names a lock."""


class Assignments(Expressions):
    """Sides of assignments and array arguments, taken apart."""

    def assignment(self, place):
        """(left side, right side) of the assignment behind a directive, or None."""

    def follower(self, place):
        """What follows a directive, for messages."""

    def side(self, expression):
        """The plan.gmove.Side that an expression is."""

    def size(self, subscript):
        """The number of elements of the dimension that a plan.gmove.Index or Triplet is of, where it is a constant; None."""

    def lower_bound(self, subscript):
        """The lower bound of that dimension, where it is a constant; None."""
        return 0

    def dimension(self, subscript):
        """The plan.array_assignment.Dimension of a plan.gmove.Triplet; its first element counts from the lower bound."""

    def names(self, side):
        """The names in a side, for messages that an error elsewhere would explain."""

    def whole(self, rank):
        """The subscripts of a whole array."""

    def downwards(self, section):
        """What to write in place of a section that counts down and has no base."""

    def element_inside(self, expression):
        """(its name in the expression, the global array) of the first element of one; (None, None)."""


class ArrayArguments(Assignments):
    """Arguments of the array functions."""

    def whole_side(self, expression):
        """The Side of an argument that is an array, where a name stands for all of it, as its descriptor does."""

    def is_mask(self, type_):
        """Whether its values, which are no integers, are true or false."""
        return False

    def is_null(self, expression):
        """Whether an argument is the constant for none."""

    def section_of(self, expression):
        """What to write for memory behind a pointer, if it is one; else None."""


class Sections:
    """Array assignments under a directive."""

    def section_index(self, number, step):
        """The plan.array_construct.SectionIndex of section `number` of an array assignment."""


class Lines:
    """Where things stand, for --explain."""

    def location(self, place):
        """(file, line) of a place."""

    def extent(self, place):
        """(first, last) of the lines that a directive governs, its own with them."""

    def innermost(self, place):
        """The lines of the loops behind a directive that have no loop inside."""
