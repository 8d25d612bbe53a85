"""Local-view directives (specification chapter 5) and those of XMP-IO (appendix D): read and checked here, so that a
program gets precise messages; which of them can be translated is the semantic model's business."""

from . import tree


def local_alias(reader, word):
    local = reader.name("the name of a local array")
    if reader.at("=") and reader.peek().text == ">":  # as C divides it into words
        reader.take()
        reader.take()
    else:
        reader.expect("=>", "and the name of a global array")
    array = reader.name("the name of a global array")
    return tree.LocalAlias(word, local, array)


def coarray(reader, word):
    """`coarray on p :: a` is a combined form; here `coarray a:[*], b:[2][*]` and `coarray a, b:[*]` of specification 1.0."""
    names, codimensions = [], []
    while True:
        names.append(reader.name("the name of a coarray"))
        if not reader.at(","):
            reader.expect(":", "and the codimensions")
            sizes = _codimensions(reader)
            codimensions += [sizes] * (len(names) - len(codimensions))
        if not reader.accept(","):
            break
    return tree.Coarray(word, None, names, codimensions)


def _codimensions(reader):
    """`[2][*]`: Expressions, None for `*`."""
    sizes = []
    while not sizes or reader.at("["):
        reader.expect("[")
        sizes.append(None if reader.accept("*") else reader.expression(("]",), "a codimension"))
        reader.expect("]")
    return sizes


def static_descriptor(reader, word):
    return tree.StaticDescriptor(word, reader.listed(lambda: reader.name("a name")))


def image(reader, word):
    return tree.Image(word, reader.enclosed(lambda: reader.name("the name of a node array")))


def post(reader, word):
    reader.expect("(")
    node = reader.reference("a node array")
    reader.expect(",", "and the tag")
    tag = reader.expression((")",), "a tag")
    reader.expect(")")
    return tree.Post(word, node, tag)


def wait(reader, word):
    node, tag = None, None
    if reader.accept("("):
        node = reader.reference("a node array")
        if reader.accept(","):
            tag = reader.expression((")",), "a tag")
        reader.expect(")")
    return tree.Wait(word, node, tag)


def _one(reader, what):
    return reader.enclosed(lambda: reader.expression((")",), what))


def lock(reader, word):
    variable = _one(reader, "a lock")
    clauses = reader.clauses({name: lambda: _one(reader, "a variable") for name in ("acquired_lock", "stat")})
    return tree.Lock(word, variable, clauses.get("acquired_lock"), clauses.get("stat"))


def unlock(reader, word):
    variable = _one(reader, "a lock")
    return tree.Unlock(word, variable, reader.clauses({"stat": lambda: _one(reader, "a variable")}).get("stat"))


def master_io(reader, word):
    if reader.accept("end"):
        return tree.End(word, "master_io")
    return tree.MasterIo(word, bool(reader.fortran and reader.accept("begin")))


def global_io(reader, word):
    if reader.accept("end"):
        return tree.End(word, "global_io")
    clauses = reader.clauses({name: lambda: True for name in ("atomic", "direct", "begin")})
    if "atomic" in clauses and "direct" in clauses:
        reader.fail("global_io is atomic or direct, not both", word, code="XMP-E102")
    access = next((name for name in ("atomic", "direct") if name in clauses), "collective")
    return tree.GlobalIo(word, access, "begin" in clauses)


def file_sync_all(reader, word):
    reader.expect("(", "and the number of a unit")
    if reader.at("unit") and reader.peek().text == "=":
        reader.take()
        reader.take()
    unit = reader.expression((")", ","), "the number of a unit")
    reader.expect(")")
    return tree.FileSyncAll(word, unit)
