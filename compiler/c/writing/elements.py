"""The C types of arrays and their elements, as the runtime knows them."""

from ..reading import types


def shape(type_):
    """(element type, [dimension sizes as Expression or None], whether a pointer) of an array's declared type."""
    pointer = isinstance(types.resolve(type_), types.Pointer)
    arrays, element = types.array_shape(types.resolve(type_).target if pointer else type_)
    return element, [None] * pointer + [array.size for array in arrays], pointer


_TYPE_CODES = {
    "_Bool": "BOOL",
    "char": "CHAR",
    "signed char": "SCHAR",
    "unsigned char": "UCHAR",
    "short": "SHORT",
    "unsigned short": "USHORT",
    "int": "INT",
    "unsigned int": "UINT",
    "long": "LONG",
    "unsigned long": "ULONG",
    "long long": "LONGLONG",
    "unsigned long long": "ULONGLONG",
    "float": "FLOAT",
    "double": "DOUBLE",
    "long double": "LONGDOUBLE",
    "_Float32": "FLOAT",
    "_Float64": "DOUBLE",
    "float _Complex": "FLOAT_COMPLEX",
    "double _Complex": "DOUBLE_COMPLEX",
    "long double _Complex": "LONGDOUBLE_COMPLEX",
}


def type_code(type_):
    inner = types.resolve(type_)
    if isinstance(inner, types.Enum):
        return "XMP_TYPE_INT"
    return "XMP_TYPE_" + _TYPE_CODES.get(getattr(inner, "name", None), "OTHER")


def kind_of(type_):
    """What the planner calls a type: integer, real, complex or other."""
    code = type_code(type_)
    if code == "XMP_TYPE_OTHER":
        return "other"
    return "complex" if code.endswith("COMPLEX") else "real" if is_floating(type_) else "integer"


def is_integer(type_):
    return kind_of(type_) == "integer"


def is_floating(type_):
    return "FLOAT" in type_code(type_) or "DOUBLE" in type_code(type_)


def is_unsigned(type_):
    return type_code(type_).startswith(("XMP_TYPE_U", "XMP_TYPE_BOOL"))


def type_text(type_, declarator=""):
    return types.render(type_, declarator)
