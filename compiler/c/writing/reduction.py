"""Reduction clauses of loops in C: inside the loop a variable of the same name, started at the identity, hides the user's;
after it the partial results are combined (specification 4.4.3, decisions WRK-01 to WRK-05). A coarray, which is a pointer to
this image's block, is hidden by a pointer to such a variable."""

from ...directives.work import LOCATED
from ...plan.reduction import operation
from ..reading import syntax, types
from .elements import is_floating, is_unsigned, type_code, type_text
from .variables import Memory

_LIMITS = {
    "XMP_TYPE_CHAR": ("CHAR_MIN", "CHAR_MAX"),
    "XMP_TYPE_SCHAR": ("SCHAR_MIN", "SCHAR_MAX"),
    "XMP_TYPE_SHORT": ("SHRT_MIN", "SHRT_MAX"),
    "XMP_TYPE_INT": ("INT_MIN", "INT_MAX"),
    "XMP_TYPE_LONG": ("LONG_MIN", "LONG_MAX"),
    "XMP_TYPE_LONGLONG": ("LLONG_MIN", "LLONG_MAX"),
    "XMP_TYPE_BOOL": ("0", "1"),
}
_ORDERED = ("max", "min", *LOCATED)


def identity(operator, type_):
    """The identity of an operator as a C expression of the type."""
    if operator in ("*", "&&"):
        return "1"
    if operator == "&":
        return f"({type_text(_plain(type_))})~0ULL"
    if operator not in _ORDERED:
        return "0"
    low, high = _range(type_)
    return low if operator.endswith("max") else high


def _range(type_):
    if is_floating(type_):
        return "-XMP_INFINITY", "XMP_INFINITY"
    if is_unsigned(type_) and type_code(type_) != "XMP_TYPE_BOOL":
        return "0", f"({type_text(_plain(type_))})-1"
    return _LIMITS.get(type_code(type_), ("0", "0"))


def _plain(type_):
    """The type without qualifiers."""
    inner = types.resolve(type_)
    return types.Basic(inner.name) if isinstance(inner, types.Basic) else type_


class Reduced:
    """One LoopReduction. declarator: of its variable; locations: Declarators; name: of the variable inside the loop; outer: of
    a pointer to the user's."""

    def __init__(self, context, reduction):
        self.context = context
        self.operator, self.located = reduction.operator, reduction.located
        self.declarator = reduction.variable.more
        self.locations = [location.more for location in reduction.locations]
        self.name = self._inner(self.declarator)
        self.type = self.declarator.type
        self.outer = self._outer(self.declarator)
        self.is_array = isinstance(types.resolve(self.type), types.Array)
        self.element = types.element_type(self.type)

    # ---- names ----
    def coarray(self, declarator):
        return self.context.coarrays.get(self.context.key(declarator))

    def _inner(self, declarator):
        """The variable inside the loop."""
        return declarator.name if self.coarray(declarator) is None else self.context.name(declarator.name + "_part")

    def _outer(self, declarator):
        """The pointer to the user's variable."""
        return self.context.name(declarator.name + ("_xmp" if self.coarray(declarator) is None else "_whole"))

    def _found(self, location):
        return self.context.name(location.name + "_found")

    # ---- before the loop ----

    def head(self):
        """Pointers to the user's variables; stands outside the block of `shadows`."""
        return " ".join(self._outer_pointer(variable) for variable in (self.declarator, *self.locations))

    def _outer_pointer(self, declarator):
        coarray = self.coarray(declarator)
        user = declarator.name if coarray is None else f"(*{coarray.holder})"
        return self._pointer(user, self._outer(declarator), declarator.type)

    def _hidden(self, declarator):
        """What hides a coarray, which is a pointer, behind the variable inside the loop."""
        coarray = self.coarray(declarator)
        return "" if coarray is None else " " + self._pointer(self._inner(declarator), coarray.holder, declarator.type)

    @staticmethod
    def _pointer(name, outer, type_):
        return f"{_pointer_declaration(type_, outer)} = &{name};"

    def shadows(self):
        """The variables that hide the user's inside the loop."""
        text = self._started() + self._hidden(self.declarator)
        return text + (" " + self._located_shadows() if self.located else "")

    def _started(self):
        start = identity(self.operator, self.element)
        plain = _plain(self.type)
        if self.is_array:
            element = type_text(_plain(self.element))
            k = self.context.name(self.name + "_k")
            return (
                f"{type_text(self.type, self.name)}; "
                f"for (size_t {k} = 0; {k} < sizeof({self.name}) / sizeof({element}); {k}++) "
                f"(({element} *){self.name})[{k}] = {start};"
            )
        return f"{type_text(plain, self.name)} = {start};"

    # ---- firstmax, firstmin, lastmax, lastmin ----
    def _names(self):
        name = self.context.name
        return name(self.name + "_before"), name(self.name + "_iteration")

    def _located_shadows(self):
        before, iteration = self._names()
        plain = type_text(_plain(self.type), before)
        texts = [f"{plain} = {self.name}; XMP_Index {iteration} = -1;"]
        for location in self.locations:
            inner, declared = self._inner(location), type_text(_plain(location.type), self._inner(location))
            texts.append(f"{declared} = *{self._outer(location)}, {self._found(location)} = {inner};" + self._hidden(location))
        return " ".join(texts)

    def track(self, number):
        """Statement for the end of an iteration: remembers its number and locations where the variable took a new value.
        The last variants also see an equal value, by the location variables that the iteration set."""
        before, iteration = self._names()
        changed = [f"{self.name} != {before}"]
        pairs = [(self._found(location), self._inner(location)) for location in self.locations]
        if self.operator.startswith("last"):
            changed += [f"{inner} != {found}" for found, inner in pairs]
        moves = [f"{before} = {self.name};", f"{iteration} = {number};"]
        moves += [f"{found} = {inner};" for found, inner in pairs]
        return f"if ({' || '.join(changed)}) {{ {' '.join(moves)} }}"

    # ---- after the loop ----
    def combine(self, site, on, mask):
        operator, type_ = operation(self.operator), type_code(self.element)
        if not self.located:
            count = f"sizeof({self.name}) / sizeof({type_text(_plain(self.element))})" if self.is_array else "1"
            address = self.name if self.is_array else f"&{self.name}"
            return f"XMP_Loop_reduction({site}, {on}, {mask}, {operator}, {type_}, {count}, {address}, {self.outer});"
        _, iteration = self._names()
        records = ", ".join(f"{{&{self._found(v)}, {self._outer(v)}, sizeof({self._inner(v)})}}" for v in self.locations)
        return (
            f"XMP_Loop_reduction_located({site}, {on}, {mask}, {operator}, {type_}, &{self.name}, {self.outer}, {iteration}, "
            f"{len(self.locations)}, (const XMP_Location[]){{{records}}});"
        )


class ReducedPart:
    """One LoopReduction of an element or a member. Nothing can hide it: inside the loop it holds this node's partial result,
    and what it held before waits."""

    declarator, locations, located = None, (), False

    def __init__(self, context, reduction):
        memory = reduction.variable.more
        self.operator, self.element, self.count, self.address = (
            reduction.operator,
            memory.element,
            memory.count,
            memory.address,
        )
        name = context.numbered("reduced_xmp")
        self.part, self.before, self.index = name, f"{name}_before", f"{name}_k"
        self.counted = ""
        if memory.varies:
            self.counted, self.count = f"const size_t {name}_count = {self.count}; ", f"{name}_count"

    def coarray(self, declarator):
        return None

    def head(self):
        type_ = type_text(_plain(self.element))
        return (
            f"{self.counted}{type_} *const {self.part} = ({type_} *){self.address}; {type_} {self.before}[{self.count}]; "
            f"__builtin_memcpy({self.before}, {self.part}, sizeof {self.before});"
        )

    def shadows(self):
        start, k = identity(self.operator, self.element), self.index
        return f"for (size_t {k} = 0; {k} < {self.count}; {k}++) {self.part}[{k}] = {start};"

    def combine(self, site, on, mask):
        """The partial results change places with what was there before."""
        k, type_ = self.index, type_text(_plain(self.element))
        swap = f"{{ const {type_} {self.part}_sum = {self.part}[{k}]; {self.part}[{k}] = {self.before}[{k}]; "
        swap += f"{self.before}[{k}] = {self.part}_sum; }}"
        call = f"XMP_Loop_reduction({site}, {on}, {mask}, {operation(self.operator)}, {type_code(self.element)}, "
        return f"for (size_t {k} = 0; {k} < {self.count}; {k}++) {swap} {call}{self.count}, {self.before}, {self.part});"


def reduced(context, reduction):
    """The writer of a LoopReduction."""
    return (ReducedPart if isinstance(reduction.variable.more, Memory) else Reduced)(context, reduction)


def _pointer_declaration(type_, name):
    pointer = types.Pointer(type_)
    pointer.qualifiers = ("const",)
    return type_text(pointer, name)


def check_images(context, reductions, statement):
    """Inside the loop a coarray of a reduction clause is this image's partial result, which other images have not."""
    taken = {one.coarray(variable) for one in reductions for variable in (one.declarator, *one.locations)} - {None}
    for reference in statement.walk():
        if not isinstance(reference, syntax.CoarrayReference):
            continue
        for part in reference.base.walk():
            if isinstance(part, syntax.Identifier) and context.coarray_of(part) in taken:
                message = f"'{part.name}' of another image inside the loop that reduces '{part.name}'"
                context.error("XMP-E219", message, part, help="use it before or after the loop")
