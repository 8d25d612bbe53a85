"""C types as the parser computes them: what an expression's value is, how large it is, how to write it down again.

Types are immutable once complete and compared with `same_type`. `Typedef` keeps the name that the user wrote, because it may
be the only way to write the type (`typedef struct {...} cell;`); `resolve` looks through it."""


class Type:
    """Base class. `qualifiers` is a tuple of "const", "volatile", "restrict", "_Atomic"."""

    __slots__ = ("qualifiers",)

    def __init__(self):
        self.qualifiers = ()

    def qualified(self, qualifiers):
        """This type with more qualifiers."""
        if not qualifiers or set(qualifiers) <= set(self.qualifiers):
            return self
        copy = object.__new__(type(self))
        for cls in type(self).__mro__:
            for slot in getattr(cls, "__slots__", ()):
                if hasattr(self, slot):
                    setattr(copy, slot, getattr(self, slot))
        copy.qualifiers = self.qualifiers + tuple(q for q in qualifiers if q not in self.qualifiers)
        return copy

    def __repr__(self):
        return f"<{render(self)}>"


class Basic(Type):
    """An arithmetic type or void. `name` is canonical: "int", "unsigned long", "long double _Complex", "void" ..."""

    __slots__ = ("name",)

    def __init__(self, name):
        super().__init__()
        self.name = name


class Unknown(Type):
    """The type of something that the parser does not know, e.g. an undeclared function's argument."""

    __slots__ = ()


class Pointer(Type):
    __slots__ = ("target",)

    def __init__(self, target):
        super().__init__()
        self.target = target


class Array(Type):
    """`size` is the dimension's expression (a syntax.Expression) or None for `[]` and `[*]`;
    `first` and `last` are the token indices of `[` and `]`."""

    __slots__ = ("element", "size", "first", "last")

    def __init__(self, element, size=None, first=None, last=None):
        super().__init__()
        self.element = element
        self.size = size
        self.first = first
        self.last = last


class Function(Type):
    """`parameters` is a list of syntax.Declarator (kind "parameter"); None for `()`. scope: the syntax.Scope of their names."""

    __slots__ = ("result", "parameters", "variadic", "scope")

    def __init__(self, result, parameters=None, variadic=False, scope=None):
        super().__init__()
        self.scope = scope
        self.result = result
        self.parameters = parameters
        self.variadic = variadic


class Struct(Type):
    """struct or union: `keyword` says which. `fields` is None while incomplete, else the list of its syntax.Declarators
    (kind "field"); members of anonymous inner structs are found by `field`. Qualified copies share the body.
    find_definition: called once when the fields of an incomplete struct are asked for, e.g. to read a system header further."""

    __slots__ = ("keyword", "tag", "body")

    def __init__(self, keyword, tag, find_definition=None):
        super().__init__()
        self.keyword = keyword
        self.tag = tag
        self.body = [None, find_definition]

    @property
    def fields(self):
        if self.body[0] is None and self.body[1] is not None:
            find_definition, self.body[1] = self.body[1], None
            find_definition()
        return self.body[0]

    @property
    def defined(self):
        """Whether the fields are known already."""
        return self.body[0] is not None

    def complete(self, fields):
        """`fields`: list of syntax.Declarator; anonymous members have the name None."""
        self.body[0] = fields

    def field(self, name):
        """The field of that name as a syntax.Declarator, or None."""
        for field in self.fields or ():
            if field.name == name:
                return field
            if field.name is None:
                inner = resolve(field.type)
                found = inner.field(name) if isinstance(inner, Struct) else None
                if found:
                    return found
        return None


class Enum(Type):
    """`negative`: whether a constant is negative; gcc makes the others unsigned."""

    __slots__ = ("tag", "negative")

    def __init__(self, tag):
        super().__init__()
        self.tag = tag
        self.negative = False


class Typedef(Type):
    """A type under the name that a typedef gave it. `declaration` is the syntax.Declarator of the typedef."""

    __slots__ = ("name", "target", "declaration")

    def __init__(self, name, target, declaration=None):
        super().__init__()
        self.name = name
        self.target = target
        self.declaration = declaration


class TypeOf(Type):
    """`typeof(expression)`: `target` is the type found, `text` what was written."""

    __slots__ = ("text", "target")

    def __init__(self, text, target):
        super().__init__()
        self.text = text
        self.target = target


VOID, BOOL, CHAR, INT = Basic("void"), Basic("_Bool"), Basic("char"), Basic("int")
UNSIGNED, LONG, UNSIGNED_LONG = Basic("unsigned int"), Basic("long"), Basic("unsigned long")
FLOAT, DOUBLE, UNKNOWN = Basic("float"), Basic("double"), Unknown()

# name -> (bytes on LP64, rank in the usual conversions); floating types from 20
BASIC = {
    "_Bool": (1, 1), "char": (1, 2), "signed char": (1, 2), "unsigned char": (1, 2), "short": (2, 3), "unsigned short": (2, 3),
    "int": (4, 4), "unsigned int": (4, 5), "long": (8, 6), "unsigned long": (8, 7), "long long": (8, 8),
    "unsigned long long": (8, 9), "__int128": (16, 10), "unsigned __int128": (16, 11),
    "_Float16": (2, 20), "__bf16": (2, 20), "_Float32": (4, 21), "float": (4, 21), "_Float32x": (8, 22), "_Float64": (8, 22),
    "double": (8, 22), "_Float64x": (16, 23), "long double": (16, 23), "_Float128": (16, 24), "__float128": (16, 24),
    "void": (1, 0),
}  # fmt: skip


def basic(words):
    """The canonical Basic type of a list of specifier words in any order, e.g. ["long", "unsigned", "int"]."""
    known = _SPELLINGS.get(tuple(words))
    if known:
        return known
    plain = [w.strip("_") if w in ("__signed__", "__signed", "__complex__", "__complex") else w for w in words]
    is_complex = "_Complex" in plain or "complex" in plain
    unsigned, signed, longs = "unsigned" in plain, "signed" in plain, plain.count("long")
    rest = [w for w in plain if w not in ("unsigned", "signed", "long", "_Complex", "complex")]
    if "double" in rest:
        name = "long double" if longs else "double"
    elif "char" in rest:
        name = "unsigned char" if unsigned else "signed char" if signed else "char"
    elif rest in ([], ["int"], ["short"], ["short", "int"], ["int", "short"], ["__int128"]):
        name = "short" if "short" in rest else "__int128" if "__int128" in rest else ("int", "long", "long long")[min(longs, 2)]
        if not rest and not longs and is_complex and not unsigned and not signed:
            name = "double"  # GNU: plain `_Complex`
        elif unsigned:
            name = "unsigned int" if name == "int" else f"unsigned {name}"
    else:
        name = rest[0]
    return _SPELLINGS.setdefault(tuple(words), Basic(name + " _Complex" if is_complex else name))


_SPELLINGS = {
    ("void",): VOID, ("int",): INT, ("double",): DOUBLE, ("char",): CHAR, ("float",): FLOAT, ("long",): LONG,
    ("unsigned", "long"): UNSIGNED_LONG, ("unsigned",): UNSIGNED, ("unsigned", "int"): UNSIGNED, ("_Bool",): BOOL,
}  # fmt: skip


def resolve(type_):
    """Looks through typedefs and typeof."""
    while isinstance(type_, (Typedef, TypeOf)):
        type_ = type_.target
    return type_


def array_shape(type_):
    """(list of Array, outermost first; element type). The list is empty for what is no array."""
    dimensions = []
    inner = resolve(type_)
    while isinstance(inner, Array):
        dimensions.append(inner)
        type_ = inner.element
        inner = resolve(type_)
    return dimensions, type_


def element_type(type_):
    """The type of the elements of a (multi-dimensional) array, or the type itself."""
    return array_shape(type_)[1]


def decay(type_):
    """The type of an expression of this type where its value is used: arrays and functions become pointers."""
    inner = resolve(type_)
    if isinstance(inner, Array):
        return Pointer(inner.element)
    if isinstance(inner, Function):
        return Pointer(inner)
    return type_


def pointed(type_):
    """What a pointer or array leads to; UNKNOWN for everything else."""
    inner = resolve(type_)
    if isinstance(inner, Pointer):
        return inner.target
    return inner.element if isinstance(inner, Array) else UNKNOWN


def is_arithmetic(type_):
    inner = resolve(type_)
    return isinstance(inner, Enum) or isinstance(inner, Basic) and inner.name != "void"


def is_integer(type_):
    inner = resolve(type_)
    return isinstance(inner, Enum) or isinstance(inner, Basic) and 1 <= BASIC.get(inner.name, (0, 0))[1] < 20


def is_pointer_to_void(type_):
    inner = resolve(type_)
    return isinstance(inner, Pointer) and getattr(resolve(inner.target), "name", None) == "void"


def is_floating(type_):
    """Real floating or complex."""
    return is_arithmetic(type_) and not is_integer(type_)


def is_complex(type_):
    inner = resolve(type_)
    return isinstance(inner, Basic) and inner.name.endswith(" _Complex")


def is_unsigned(type_):
    inner = resolve(type_)
    return isinstance(inner, Basic) and (inner.name.startswith("unsigned") or inner.name == "_Bool")


def promote(type_):
    """Integer promotion."""
    inner = resolve(type_)
    if isinstance(inner, Enum):
        return INT if inner.negative else UNSIGNED
    if isinstance(inner, Basic) and 1 <= BASIC.get(inner.name, (0, 0))[1] < 4:
        return INT
    return inner


def arithmetic(left, right):
    """The usual arithmetic conversions: the type of left + right for arithmetic operands."""
    left, right = promote(left), promote(right)
    if not isinstance(left, Basic) or not isinstance(right, Basic):
        return left if isinstance(left, Basic) else right
    names = [t.name[: -len(" _Complex")] if t.name.endswith(" _Complex") else t.name for t in (left, right)]
    ranks = [BASIC.get(n, (0, 0))[1] for n in names]
    name, lower = names if ranks[0] >= ranks[1] else reversed(names)
    if lower.startswith("unsigned") and name in ("long long", "long") and BASIC[lower][0] == BASIC[name][0]:
        name = "unsigned " + name  # long long cannot hold every unsigned long
    return basic([name, "_Complex"]) if is_complex(left) or is_complex(right) else basic([name])


def size_of(type_):
    """Bytes of the type on this machine (LP64), or None where it is not a compile-time constant or not known."""
    layout = _layout(type_)
    return layout[0] if layout else None


def _layout(type_):
    """(size, alignment) or None."""
    if isinstance(type_, Typedef) and type_.declaration is not None and type_.declaration.attributes:
        return None
    inner = resolve(type_)
    if isinstance(inner, Basic):
        real = inner.name[: -len(" _Complex")] if is_complex(inner) else inner.name
        bytes_ = BASIC.get(real, (None,))[0]
        return bytes_ and (bytes_ * (2 if is_complex(inner) else 1), bytes_)
    if isinstance(inner, Pointer):
        return 8, 8
    if isinstance(inner, Enum):
        return 4, 4
    if isinstance(inner, Array):
        element = _layout(inner.element)
        count = inner.size.constant() if inner.size is not None else None
        return (element[0] * count, element[1]) if element and count is not None else None
    if isinstance(inner, Struct) and inner.fields is not None:
        return _struct_layout(inner)
    return None


def _struct_layout(struct):
    size, alignment = 0, 1
    for field in struct.fields:
        layout = _layout(field.type)
        if not layout or field.bit_width is not None or field.attributes:
            return None
        alignment = max(alignment, layout[1])
        if struct.keyword == "union":
            size = max(size, layout[0])
        else:
            size = (size + layout[1] - 1) // layout[1] * layout[1] + layout[0]
    return (size + alignment - 1) // alignment * alignment, alignment


def render(type_, declarator=""):
    """The type as C text, around a declarator: render(Pointer(Array(DOUBLE, n)), "row") is `double (*row)[n]`.
    Array sizes are written as the user wrote them (Expression.text())."""
    if isinstance(type_, Pointer):
        text = "*" + " ".join(type_.qualifiers) + (" " if type_.qualifiers and declarator else "") + declarator
        inner = type_.target
        return render(inner, f"({text})" if isinstance(inner, (Array, Function)) else text)
    if isinstance(type_, Array):
        size = "" if type_.size is None else type_.size.text()
        return render(type_.element, f"{declarator}[{size}]")
    if isinstance(type_, Function):
        return render(type_.result, f"{declarator}({_render_parameters(type_)})")
    words = list(type_.qualifiers) + [_specifier(type_)]
    if not declarator:
        return " ".join(words)
    return " ".join(words) + ("" if declarator.startswith("[") else " ") + declarator


def _render_parameters(function):
    if function.parameters is None:
        return ""
    texts = [render(p.type, p.name or "") for p in function.parameters]
    return ", ".join(texts + ["..."] * function.variadic) or "void"


def _specifier(type_):
    if isinstance(type_, (Basic, Typedef)):
        return type_.name
    if isinstance(type_, Struct):
        return f"{type_.keyword} {type_.tag or ''}".rstrip()
    if isinstance(type_, Enum):
        return f"enum {type_.tag}" if type_.tag else "int"
    return type_.text if isinstance(type_, TypeOf) else "?"


def same_type(left, right):
    """Whether two types are the same, qualifiers aside. Array sizes count only where both are constant."""
    left, right = resolve(left), resolve(right)
    if type(left) is not type(right):
        return False
    if isinstance(left, Basic):
        return left.name == right.name
    if isinstance(left, Pointer):
        return same_type(left.target, right.target)
    if isinstance(left, Array):
        sizes = [a.size.constant() if a.size is not None else None for a in (left, right)]
        return same_type(left.element, right.element) and (None in sizes or sizes[0] == sizes[1])
    if isinstance(left, Struct):
        return left.body is right.body
    if isinstance(left, Function):
        return same_type(left.result, right.result)
    return left is right or isinstance(left, Enum) and left.tag == right.tag
