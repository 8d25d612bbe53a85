"""What the directive parser returns. `word` is always the place that a message should point at; every directive also
has `text`, the directive as the user wrote it on one line, and `words`."""

from .words import Expression


class Node:
    """A record: fields from `fields`, given by position or name; missing ones are None."""

    __slots__ = ("word",)
    fields = ()

    def __init__(self, word, *values, **named):
        self.word = word
        names = self.fields
        for name, value in zip(names, values):
            setattr(self, name, value)
        for name in names[len(values) :]:
            setattr(self, name, named.get(name))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in self.fields)})"


def expressions(part):
    """The Expressions in a directive's tree, in no order."""
    if isinstance(part, Expression):
        yield part
    elif isinstance(part, Node):
        for name in part.fields:
            yield from expressions(getattr(part, name))
    elif isinstance(part, (list, tuple)):
        for one in part:
            yield from expressions(one)


def _node(name, fields, documentation, base=Node):
    names = tuple(fields.split())
    return type(name, (base,), {"__slots__": names, "fields": names, "__doc__": documentation})


class Directive(Node):
    __slots__ = ("text", "words", "language")
    kind = ""
    executable = False


def _directive(name, kind, fields, documentation, executable=False):
    made = _node(name, fields, documentation, Directive)
    made.kind = kind
    made.executable = executable
    return made


# ---- parts ----
# How a subscript is written: SCALAR `i`, RANGE `first:last:step`, ALL `:`, OWN `*`.
SCALAR, RANGE, ALL, OWN = "scalar", "range", "all", "own"

Subscript = _node(
    "Subscript",
    "kind first last step",
    "One subscript of a reference. base:length:step of the [ ] form has become first:last:step. A missing first or last (None) "
    "is the end of the dimension; step is an Expression or None.",
)
Reference = _node(
    "Reference",
    "name bracket subscripts",
    "Nodes or a template, in on, from, onto. name `*`: the executing set. bracket: `[`, `(` or None (no subscripts).",
)
NodesDeclaration = _node(
    "NodesDeclaration",
    "name bracket sizes of",
    "sizes: Expressions, None for `*`. of: None, or a Reference (`= *` has the name `*`, `= **` the name `**`).",
)
TemplateDeclaration = _node(
    "TemplateDeclaration", "name bracket bounds", "bounds: pairs (lower or None, upper), or None for a deferred dimension `:`."
)
Format = _node("Format", "kind argument", "kind `*`, `block`, `cyclic`, `gblock`; argument an Expression, `*` or None.")
AlignSource = _node("AlignSource", "kind", "kind: `*`, `:`, or the name of the align dummy variable.")
AlignSubscript = _node(
    "AlignSubscript",
    "kind offset expression",
    "kind as in AlignSource; offset: text of the offset, `0` if none; expression: what it is made of, or None.",
)
Width = _node(
    "Width",
    "lower upper full modifier",
    "Of shadow, reflect, expand, margin. full: shadow `*`. modifier: None, `periodic`, `unbound`.",
)
ReductionSpec = _node("ReductionSpec", "variable locations", "variable: an Expression; locations: Expressions.")
ReductionClause = _node("ReductionClause", "operator specs", "operator: as written, lower case in Fortran.")

# ---- declarative directives ----
Nodes = _directive("Nodes", "nodes", "declarations", "4.2")
Template = _directive("Template", "template", "declarations", "4.3.1")
Distribute = _directive("Distribute", "distribute", "template bracket formats onto", "4.3.3; template and onto are words")
Align = _directive("Align", "align", "array bracket sources template template_bracket subscripts", "4.3.4")
Shadow = _directive("Shadow", "shadow", "array bracket widths", "4.3.5")
LocalAlias = _directive("LocalAlias", "local_alias", "local array", "5.8.1")
Coarray = _directive(
    "Coarray", "coarray", "on names codimensions", "5.3; on None: the old declaration `coarray a:[*]`, with its codimensions"
)
StaticDescriptor = _directive("StaticDescriptor", "static_desc", "names", "Omni's extension: accepted, needs nothing")

# ---- executable directives ----
TemplateFix = _directive("TemplateFix", "template_fix", "template bracket formats bounds", "4.3.6", True)
Task = _directive("Task", "task", "on nocomm", "4.4.1", True)
Tasks = _directive("Tasks", "tasks", "", "4.4.2", True)
Loop = _directive("Loop", "loop", "indices on expand margin peel reductions", "4.4.3; peel: (async id, widths)", True)
ArrayConstruct = _directive("ArrayConstruct", "array", "on", "4.4.4", True)
Reflect = _directive("Reflect", "reflect", "arrays widths orthogonal async_id", "4.5.1", True)
Gmove = _directive("Gmove", "gmove", "mode async_id", "4.5.2; mode None, `in`, `out`", True)
Barrier = _directive("Barrier", "barrier", "on", "4.5.3", True)
Reduction = _directive(
    "Reduction", "reduction", "operator variables locations on async_id", "4.5.4; locations: of each variable", True
)
Bcast = _directive("Bcast", "bcast", "variables source on async_id", "4.5.5", True)
WaitAsync = _directive("WaitAsync", "wait_async", "ids on", "4.5.6", True)
ReduceShadow = _directive("ReduceShadow", "reduce_shadow", "arrays widths orthogonal async_id", "4.5.8", True)
Image = _directive("Image", "image", "nodes", "5.4", True)
Post = _directive("Post", "post", "node tag", "5.8.2", True)
Wait = _directive("Wait", "wait", "node tag", "5.8.3", True)
Lock = _directive("Lock", "lock", "variable acquired status", "5.8.4", True)
Unlock = _directive("Unlock", "unlock", "variable status", "5.8.4", True)
SyncMemory = _directive("SyncMemory", "sync_memory", "", "specification 1.0", True)
MasterIo = _directive("MasterIo", "master_io", "begin", "D.3; begin: whether it opens a block", True)
GlobalIo = _directive("GlobalIo", "global_io", "access begin", "D.4; access: collective, atomic, direct; begin: as above", True)
FileSyncAll = _directive("FileSyncAll", "file_sync_all", "unit", "D.4.1", True)
End = _directive("End", "end", "what", "Fortran: what is `task`, `tasks`, `master_io`, `global_io`", True)
