"""References to global arrays in expressions: subscripts, names, addresses, sizeof, xmp_desc_of."""

from ..reading import syntax, types
from .elements import shape, type_text
from .texts import object_name


class Reference:
    """An Identifier that names a global array, with what stands around it.

    subscripts: the Subscript nodes applied to it, outermost last; array: ArrayEntity"""

    __slots__ = ("identifier", "array", "subscripts")

    def __init__(self, identifier, array):
        self.identifier = identifier
        self.array = array
        self.subscripts = []
        node = identifier
        while True:
            parent = node.parent
            if isinstance(parent, syntax.Parenthesized):
                node = parent
            elif isinstance(parent, syntax.Subscript) and parent.base is node:
                self.subscripts.append(parent)
                node = parent
            else:
                break

    @property
    def complete(self):
        return len(self.subscripts) == self.array.rank


def references(context, node, nested=True):
    """The References to global arrays below a node, in source order; nested: also below XMP directives with a statement."""
    found = []
    for part in node.walk() if nested else _walk_outside_directives(node):
        if type(part) is syntax.Identifier:
            array = context.array_of(part)
            if array is not None and array.dimensions is not None and not in_sizeof(part):
                found.append(Reference(part, array))
    return found


def _walk_outside_directives(node):
    yield node
    for child in node.children():
        if not isinstance(child, syntax.DirectiveStatement) or child.directive.language != "xmp":
            yield from _walk_outside_directives(child)


def in_sizeof(node):
    for ancestor in node.ancestors():
        if isinstance(ancestor, syntax.SizeOf):
            return True
        if not isinstance(ancestor, syntax.Expression):
            return False
    return False


def row_declaration(context, array, separate=False):
    """`double (*const u)[N] = u_xmp->origin;`; separate: no other pointer leads to the array's elements up to XMP_JOIN."""
    element, _, _ = shape(array.symbol.declaration.type)
    origin = f"{object_name(array)}->origin"
    pointer = type_text(element, _pointer(context, array, f"*const {array.identifier}"))
    return f"{pointer} = {f'XMP_Separate({origin})' if separate else origin};"


def cast_to_rows(context, array, member):
    """`((double (*)[N])u_xmp->origin)`"""
    return _as_rows(context, array, f"{opened(context, array)}->{member}")


def _as_rows(context, array, address):
    element, _, _ = shape(array.symbol.declaration.type)
    return f"(({type_text(element, _pointer(context, array, '*'))}){address})"


def opened(context, array):
    """The descriptor where the user gets an address: with --check what is done there to the shadow is not known."""
    return f"XMP_Check_open({object_name(array)})" if context.check and array.shadow else object_name(array)


def adds_shadow(context, array):
    """Whether a reduce_shadow of the file adds the shadow up: until then nodes may write what they like there."""
    return any(word.text == array.name for _, one in context.directives("reduce_shadow") for word in one.arrays)


_WRITING = ("XMP_Element_written", "XMP_Element_widened")


def element_function(context, array, writes, shadow_written=False):
    """What gives the address of an element with --check; shadow_written: a loop around writes its shadow, too."""
    if adds_shadow(context, array):
        return "XMP_Element"
    if writes:
        return "XMP_Element_widened" if shadow_written else "XMP_Element_written"
    return "XMP_Element_read"


def checked_element(context, node, array, function, object_, seen=None):
    """What stands in front of the subscripts of an element with --check; `})` stands behind them. node: for messages; seen:
    what XMP_Checked gets as seen and known, if not the array itself."""
    seen = seen or f"{object_name(array)}, {object_name(array)}->known"
    element = shape(array.symbol.declaration.type)[0]
    cyclic = sum(1 << d for d in range(array.rank) if array.positional(d))
    kept = f"{array.rank}, {cyclic}u, sizeof({type_text(element)})"
    asked = f"{function}, {int(function in _WRITING)}, {context.code_place(node)}, {object_}, {seen}, {kept}"
    return f"({type_text(element, '*')})XMP_Checked({asked}, (const XMP_Index[]){{"


def checked_as_written(context, reference, shadow_written):
    """Whether a reference is checked to write its element."""
    return element_function(context, reference.array, access(reference)[1], shadow_written) in _WRITING


def access(reference):
    """(whether it reads, whether it writes); (False, False) where only the address is taken."""
    return use_of(reference.subscripts[-1])


def use_of(node):
    """The same of an lvalue."""
    while isinstance(node.parent, syntax.Parenthesized) or isinstance(node.parent, syntax.Member) and not node.parent.arrow:
        node = node.parent
    change = changer(node)
    if change is not None:
        return change.operator != "=", True
    reads = not isinstance(node.parent, syntax.Unary) or node.parent.operator != "&"
    return reads, False


def changer(node):
    """The assignment, `++` or `--` that changes an lvalue, or None."""
    while isinstance(node.parent, syntax.Parenthesized):
        node = node.parent
    parent = node.parent
    changes = isinstance(parent, (syntax.Unary, syntax.Postfix)) and parent.operator in ("++", "--")
    return parent if changes or isinstance(parent, syntax.Assign) and parent.target is node else None


def _pointer(context, array, inner):
    """Declarator text of a pointer to rows: `(*u)[N]` or `*u`."""
    rows = "".join(f"[{_length(context, array, d)}]" for d in range(1, array.rank))
    return f"({inner}){rows}" if rows else inner


def _length(context, array, d):
    """The allocated length of a dimension: gcc's loops are better where it is a constant, as declared."""
    _, sizes, pointer = shape(array.symbol.declaration.type)
    size, shadow = None if pointer else sizes[d], array.shadow[d] if array.shadow else None
    whole = array.format(d) == "*" and (shadow is None or (shadow.full, shadow.lower, shadow.upper) == (False, "0", "0"))
    constant = size.constant() if whole and size is not None else None
    if constant is None:
        return f"{object_name(array)}->dimension[{d}].length"
    named = any(token.kind == "identifier" for token in size.tokens[size.first : size.last + 1])
    return str(constant) if named else context.lasting_spelling(size)


def _allocates(value, name):
    """Whether an expression is xmp_malloc(xmp_desc_of(name), ...)."""
    call = syntax.uncast(value)
    if not isinstance(call, syntax.Call) or getattr(call.function, "name", "") != "xmp_malloc" or not call.arguments:
        return False
    described = call.arguments[0]
    named = isinstance(described, syntax.Call) and len(described.arguments) == 1
    return named and getattr(described.arguments[0], "name", "") == name


def _is_null(value):
    return syntax.uncast(value).constant() == 0


def mentions(expression, declarator):
    """Whether an expression uses a variable."""
    return any(isinstance(part, syntax.Identifier) and part.declaration is declarator for part in expression.walk())


def variable_plus(expression):
    """(Declarator, constant) of `i`, `i + c`, `i - c`, `c + i`, else None."""
    expression = syntax.bare(expression)
    if isinstance(expression, syntax.Identifier):
        return (expression.declaration, 0) if expression.declaration is not None else None
    if isinstance(expression, syntax.Binary) and expression.operator in ("+", "-"):
        left, right = variable_plus(expression.left), expression.right.constant()
        if left is not None and right is not None:
            return left[0], left[1] + (right if expression.operator == "+" else -right)
        if expression.operator == "+":
            left, right = expression.left.constant(), variable_plus(expression.right)
            if left is not None and right is not None:
                return right[0], right[1] + left
    return None


class References:
    """Lowers references in the course of the walk. `bound`: arrays whose row pointer has the array's own name here;
    `loops`: LocalLoops around that count positions, innermost last."""

    def __init__(self, context):
        self.context = context
        self.edits = context.edits
        self.bound = []
        self.loops = []
        self.checked_before = set()  # Identifiers of references that are checked in front of the loop around
        self.plain = {}  # Identifiers of references -> (what is true if they need no check, address) in the loop around
        self.seen = {}  # Identifiers of references -> what the loop around has copied, for checked_element
        self.shadow_written = 0  # how many loops around write their shadow

    def position_for(self, array, d, index):
        """The name of the position that is a subscript in a cyclic dimension, or None."""
        affine = variable_plus(index)
        return next((local.position for local in reversed(self.loops) if local.loop.distance(array, d, affine) == 0), None)

    def identifier(self, node, visit):
        """Lowers an Identifier that names a global array; visit: the walk, for subscripts."""
        array = self.context.array_of(node)
        if in_sizeof(node):
            self._sizeof(node, array)
            return
        reference = Reference(node, array)
        if not reference.subscripts:
            self._whole(node, array)
        elif self.context.check and reference.complete:
            (self._flat if node in self.checked_before else self._checked)(reference)
        else:
            self._subscripted(reference)

    def _sizeof(self, node, array):
        declared = array.symbol.declaration.type
        self.edits.replace(node.first, node.last, f"(*({type_text(types.Pointer(declared))})0)")

    def _whole(self, node, array):
        """The bare name is the address of the local block, shadow included (MAP-17)."""
        _, _, pointer = shape(array.symbol.declaration.type)
        is_object = pointer or array.symbol.declaration.kind == "parameter"
        if is_object and array not in self.bound:
            return  # the user's own pointer
        parent = node.parent
        if is_object and self._assigned(node):
            return
        if isinstance(parent, syntax.Unary) and parent.operator == "&" and not is_object:
            element, sizes, _ = shape(array.symbol.declaration.type)
            rows = "".join(f"[{size.text()}]" for size in sizes)
            self.edits.delete(parent.first, parent.first)
            self.edits.replace(
                node.first, node.last, f"(({type_text(element, f'(*){rows}')}){opened(self.context, array)}->base)"
            )
            return
        if isinstance(parent, syntax.Call) and node is not parent.function:  # for the message of an argument that differs
            text = _as_rows(self.context, array, f"XMP_Pass({self.context.code_site(parent)}, {opened(self.context, array)})")
        else:
            text = cast_to_rows(self.context, array, "base")
        self.edits.replace(node.first, node.last, text)

    def _assigned(self, node):
        parent = node.parent
        return isinstance(parent, syntax.Assign) and parent.target is node

    # ---- aligned pointers ----
    def _pointer_named(self, node):
        """The array whose pointer (the user's own object) an expression names, or None."""
        node = syntax.bare(node)
        array = self.context.array_of(node) if isinstance(node, syntax.Identifier) else None
        if array is None or array.dimensions is None or array in self.bound:
            return None
        declaration = array.symbol.declaration
        return array if shape(declaration.type)[2] or declaration.kind == "parameter" else None

    def pointer_assigned(self, node):
        """`u = v`: the descriptor follows the pointer. It is there already where xmp_malloc allocates u itself."""
        array = self._pointer_named(node.target)
        if array is None:
            return
        if node.operator != "=":
            self._refuse_moving(node, array)
        elif not _allocates(node.value, array.name) and not _is_null(node.value):
            site = self.context.code_site(node)
            self.edits.before(node.value.first, f"XMP_Array_point({site}, &{object_name(array)}, ")
            self.edits.after(node.value.last, ")")

    def pointer_moved(self, node):
        """`u++`, and `&u`, through which others could assign u unseen."""
        array = self._pointer_named(node.operand) if node.operator in ("++", "--", "&") else None
        if array is None:
            return
        if node.operator != "&":
            self._refuse_moving(node, array)
        else:
            message = f"the address of the aligned pointer '{array.name}' is taken"
            help = "pass the array itself, or assign the pointer by its name: its descriptor must follow"
            self.context.error("XMP-E137", message, node, [("it is declared here", array.word)], help)

    def _refuse_moving(self, node, array):
        message = f"the aligned pointer '{array.name}' cannot move within its array"
        help = "it points to an array's first stored element; use another pointer"
        self.context.error("XMP-E137", message, node, [("it is declared here", array.word)], help)

    def _subscripted(self, reference):
        array = reference.array
        for d, subscript in enumerate(reference.subscripts[: array.rank]):
            if array.positional(d):
                self._position(array, d, subscript.index)
        identifier = reference.identifier
        if array not in self.bound:
            self.edits.replace(identifier.first, identifier.last, cast_to_rows(self.context, array, "origin"))
        elif array.identifier != array.name:
            self.edits.replace(identifier.first, identifier.last, array.identifier)

    def _position(self, array, d, index):
        """Makes a subscript of a cyclic dimension a position: that of the loop around, or by a division."""
        position = self.position_for(array, d, index)
        if position is not None:
            self.edits.replace(index.first, index.last, position)
        else:
            self.edits.before(index.first, f"XMP_Subscript({object_name(array)}, {d}, ")
            self.edits.after(index.last, ")")

    def _element(self, reference):
        """(function that gives the address of a checked element, the descriptor that it gets)."""
        reads, writes = access(reference)
        if not reads and not writes:
            return "XMP_Element", opened(self.context, reference.array)
        function = element_function(self.context, reference.array, writes, self.shadow_written)
        return function, object_name(reference.array)

    def _checked(self, reference):
        """`(*(double *)XMP_Checked(XMP_Element_read, 0, XMP_PLACE("u[j][i]"), ...))`, or if the loop around has asked before:
        `(*(plain_xmp ? (double *)u_xmp->origin + ... : (double *)XMP_Checked(...)))`"""
        array, last = reference.array, reference.subscripts[-1]
        function, object_ = self._element(reference)
        before = checked_element(self.context, last, array, function, object_, self.seen.get(reference.identifier))
        flag, address = self.plain.get(reference.identifier, (None, None))
        before = f"(*{before}" if flag is None else f"(*(XMP_LIKELY({flag}) ? {address} : {before}"
        self._surround(reference, before, [", "] * (array.rank - 1), "}))" if flag is None else "})))")

    def _flat(self, reference):
        """`((double *)u_xmp->origin)[((j) * u_xmp->dimension[1].length + (i))]`: rows may be shorter than their subscripts,
        which the undefined-behaviour sanitizer takes for an error."""
        array, object_ = reference.array, object_name(reference.array)
        element, _, _ = shape(array.symbol.declaration.type)
        for d, subscript in enumerate(reference.subscripts):
            if array.positional(d):
                self._position(array, d, subscript.index)
        between = [f"{')' if d == 1 else '))'} * {object_}->dimension[{d}].length + (" for d in range(1, array.rank)]
        before = f"(({type_text(element, '*')}){object_}->origin)[{'(' * array.rank}"
        self._surround(reference, before, between, "))]" if array.rank > 1 else ")]")

    def _surround(self, reference, before, between, after):
        """Writes the subscripts with other texts around them."""
        last = reference.subscripts[-1]
        self.edits.before(last.first, before)
        self.edits.delete(last.first, reference.subscripts[0].index.first - 1)
        for one, two, text in zip(reference.subscripts, reference.subscripts[1:], between):
            self.edits.replace(one.index.last + 1, two.index.first - 1, text)
        self.edits.replace(last.index.last + 1, last.last, after)
