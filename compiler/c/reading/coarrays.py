"""The coarrays of one translation unit (specification 5.7.1): what declares them, and the checks of their declarations. Coarray
pointers and containers, structures with such members, are those of the draft chapter (decisions COA-26 to COA-29)."""

from . import syntax, types


class Coarray:
    """One coarray. declarator: what declares it first; codimensions: texts, the last one None for `*`; kind: "file",
    "static" (inside a function), "parameter"; holder: the name of the pointer to this image's block (of a parameter, its
    own); pinned: the word of the node array of `coarray on`."""

    __slots__ = ("name", "declarator", "word", "codimensions", "kind", "holder", "pinned")

    def __init__(self, declarator, word, codimensions, kind, holder):
        self.name = declarator.name
        self.declarator = declarator
        self.word = word
        self.codimensions = codimensions
        self.kind = kind
        self.holder = holder
        self.pinned = None

    @property
    def descriptor(self):
        return f"{self.holder}_xmp"

    @property
    def initial(self):
        """The object that holds the initial value."""
        return f"{self.holder}_initial"


class CoarrayPointer:
    """A variable, parameter or member `(*y)[10]:[][]`, which points to memory of xmp_comalloc. declarator, word: as in Coarray;
    codimensions: as many DEFERREDs as it has."""

    __slots__ = ("name", "declarator", "word", "codimensions")
    kind = "pointer"

    def __init__(self, declarator):
        self.name, self.declarator, self.word = declarator.name, declarator, declarator.word
        self.codimensions = declarator.codimensions


class Coarrays:
    """key of a declarator -> Coarray. pointers: the same for CoarrayPointers. error(code, message, place, notes, help);
    fresh(stem): a name of no other object."""

    def __init__(self, error, fresh):
        self._error = error
        self._fresh = fresh
        self._table = {}
        self.pointers = {}

    def __len__(self):
        return len(self._table) + len(self.pointers)

    def __iter__(self):
        return iter(self._table.values())

    def get(self, key):
        return self._table.get(key)

    def declare(self, key, declarator, codimensions, function=None, word=None):
        """Enters the coarray that a declarator with codimensions, or a directive, declares; a repeated one is the same."""
        name = declarator.word
        if not self._well_formed(declarator, name, codimensions, word or name):
            return
        known = self._table.get(key)
        if known is None:
            kind = _kind(declarator)
            holder = self._fresh(f"{function}_{declarator.name}") if kind == "static" else declarator.name
            self._table[key] = Coarray(declarator, name, codimensions, kind, holder)
        elif len(known.codimensions) != len(codimensions):
            self._other_rank(known, word or name, codimensions)

    def _other_rank(self, known, word, codimensions):
        here, elsewhere = _counted(len(codimensions)), _counted(len(known.codimensions))
        notes = [("the other declaration is here", known.word)]
        self._error("XMP-E201", f"'{known.name}' has {here} here and {elsewhere} elsewhere", word, notes)

    def declare_pointer(self, key, declarator):
        """Enters the CoarrayPointer that a declarator with codimensions without sizes declares."""
        type_, name = types.resolve(declarator.type), declarator.name
        pointee = types.resolve(type_.target) if isinstance(type_, types.Pointer) else None
        sized = [size for size in declarator.codimensions if size != syntax.DEFERRED]
        known = self.pointers.get(key)
        message = help = None
        if declarator.kind not in ("variable", "parameter", "field"):
            message = f"'{name}' is no variable: it cannot be a coarray"
        elif pointee is None:
            message = f"the codimensions of '{name}' have no size, but it is no pointer"
            help = f"declare it as a pointer: *{name}, or with the sizes of its codimensions, of which the last is *"
        elif isinstance(pointee, types.Function):
            message = f"'{name}' points to a function, which is no coarray"
        elif sized:
            message = f"the codimensions of the coarray pointer '{name}' get their sizes from xmp_comalloc"
        if message:
            self._error("XMP-E203", message, declarator.word, (), help)
        elif known is not None and len(known.codimensions) != len(declarator.codimensions):
            self._other_rank(known, declarator.word, declarator.codimensions)
        else:
            self.pointers.setdefault(key, CoarrayPointer(declarator))

    def _well_formed(self, declarator, name, codimensions, word):
        from_directive = word is not name
        if declarator.kind == "field":
            help = f"declare it as a pointer: (*{declarator.name}):[]"
            self._error("XMP-E203", f"the member '{declarator.name}' cannot be a coarray, but point to one", word, (), help)
        elif declarator.kind not in ("variable", "parameter"):
            self._error("XMP-E203", f"'{declarator.name}' is no variable: it cannot be a coarray", word)
        elif any(text is None for text in codimensions[:-1]):
            self._error("XMP-E202", f"only the last codimension of '{declarator.name}' can be '*'", word)
        elif not from_directive and codimensions[-1] is not None:
            brackets = "".join(f"[{text}]" for text in codimensions[:-1])
            message = f"the last codimension of '{declarator.name}' must be '*'"
            self._error("XMP-E202", message, word, (), f"write: {declarator.name}:{brackets}[*]")
        elif len(codimensions) > 7:
            self._error("XMP-E114", f"'{declarator.name}' has {len(codimensions)} codimensions; at most 7 are supported", word)
        elif len(types.array_shape(declarator.type)[0]) > 7:
            self._error("XMP-E114", f"the coarray '{declarator.name}' has more than 7 dimensions", word)
        elif declarator.kind == "parameter":
            return self._parameter(declarator, word)
        elif declarator.scope.kind != "file" and declarator.storage not in ("static", "extern"):
            message = f"the coarray '{declarator.name}' is automatic: each image would have it at another time"
            self._error("XMP-E203", message, word, (), "declare it static, or outside the function")
        elif declarator.storage == "extern" and declarator.initializer is not None:
            message = f"'{declarator.name}' is extern and has an initialiser"
            self._error("XMP-E204", message, declarator.initializer.token, (), "leave out extern where it is defined")
        else:
            return True
        return False

    def _parameter(self, declarator, word):
        if isinstance(types.resolve(declarator.type), (types.Array, types.Pointer)):
            return True
        message = f"the parameter '{declarator.name}' is a copy and no coarray"
        self._error("XMP-E203", message, word, (), f"declare it as a pointer: *{declarator.name}")
        return False

    def pin(self, coarray, nodes, word):
        """`coarray on nodes :: a` (5.3)."""
        if coarray.pinned is not None:
            message = f"'{coarray.name}' stands in two coarray directives"
            self._error("XMP-E213", message, word, [("the first is here", coarray.pinned)])
            return
        coarray.pinned = nodes


def container_member(type_):
    """The coarray pointer that makes a structure a container: its declarator, or None."""
    inner = types.resolve(type_)
    while isinstance(inner, types.Array):
        inner = types.resolve(types.pointed(inner))
    for field in inner.fields or () if isinstance(inner, types.Struct) else ():
        found = field if syntax.DEFERRED in (field.codimensions or ()) else container_member(field.type)
        if found is not None:
            return found
    return None


def _kind(declarator):
    if declarator.kind == "parameter":
        return "parameter"
    return "static" if declarator.scope.kind != "file" and declarator.storage == "static" else "file"


def _counted(number):
    return f"{number} codimension{'s' * (number != 1)}"
