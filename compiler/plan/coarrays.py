"""Coarrays: by which access an element of another image is read or changed (specification 5.7.2), and the directives of the
local view (5.4, 5.8.2 to 5.8.4)."""

from ..directives.words import integer
from ..semantics.entities import NodesEntity
from .questions import Expressions, Names
from .step import Step

QUESTIONS = (Names, Expressions)

# Assignments that the runtime carries out at the image -> its names of the operations.
OPERATIONS = {
    "+=": "XMP_SUM",
    "-=": "XMP_DIFFERENCE",
    "*=": "XMP_PRODUCT",
    "/=": "XMP_QUOTIENT",
    "&=": "XMP_BAND",
    "|=": "XMP_BOR",
    "^=": "XMP_BXOR",
}


def at_image(operator, converts):
    """Whether the runtime carries out an update. converts: whether it may convert the value to the target's type before."""
    return operator in OPERATIONS and converts


def access(operator, converts, unused, countable, before=False):
    """How an element of another image is assigned to: put; update, there, atomically; add_fetch and fetch_add, the same with a
    result; modify: get, the operation here, put. unused: whether nobody needs the result; countable: whether networks add to
    it; before: whether the result is the value before."""
    if operator == "=":
        return "put"
    if unused and at_image(operator, converts):
        return "update"
    if countable and operator in ("+=", "-="):
        return "fetch_add" if before else "add_fetch"
    return "modify"


class Declaration(Step):
    """5.7.1. name; type: text of one image's; rank: of it; codimensions: texts, None for `*`; initial: whether it
    has an initial value."""

    fields = ("name", "type", "rank", "codimensions", "initial")

    def validate(self):
        self.require(self.codimensions, "has no codimension")
        self.require(None not in self.codimensions[:-1], "has a `*` before the last codimension")
        self.require(max(self.rank, len(self.codimensions)) <= 7, "has more than 7 dimensions")


class Allocation(Step):
    """xmp_comalloc of the draft chapter (COA-27). name: of the coarray pointer, None where it is not known; codimensions: their
    number, None likewise; bytes, coextents: texts."""

    fields = ("name", "codimensions", "bytes", "coextents")

    def validate(self):
        self.require(self.codimensions in (None, len(self.coextents) + 1), "has too many or few sizes of codimensions")


class Image(Step):
    """5.4. nodes: the NodesEntity, None after an error."""

    fields = ("nodes",)

    def validate(self):
        self.require(self.nodes is not None, "has no nodes")


class Post(Step):
    """5.8.2. node: the ResolvedReference of one node; tag: an expression of the language."""

    fields = ("node", "tag")

    def validate(self):
        self.require(_is_one(self.node), "posts to no node")
        self.require(self.tag is not None, "has no tag")


class Wait(Step):
    """5.8.3. node, tag: as in Post; None for any."""

    fields = ("node", "tag")

    def validate(self):
        self.require(self.node is None or _is_one(self.node), "waits for no node")
        self.require(self.node is not None or self.tag is None, "waits for a tag of any node")


class Lock(Step):
    """5.8.4. variable: a coarray's element; acquired, status: variables or None."""

    fields = ("variable", "acquired", "status")

    def validate(self):
        self.require(self.variable is not None, "has no lock")


class Unlock(Step):
    fields = ("variable", "status")
    validate = Lock.validate


class SyncMemory(Step):
    pass


def _planner(step, **clauses):
    """clauses: name -> what reads it."""

    def plan(language, directive, place):
        values = {name: read(language, getattr(directive, name), place) for name, read in clauses.items()}
        return step(directive, place, **values)

    return plan


def _nodes(language, name, place):
    return language.model.named(name, *language.scope(place), NodesEntity)


def _node(language, reference, place):
    """One node of a node array."""
    resolved = language.reference(reference, place)
    if resolved is not None and not isinstance(resolved.entity, NodesEntity):
        what = "the executing set" if resolved.entity is None else f"the template '{resolved.entity.name}'"
        language.error("XMP-E217", f"post and wait name one node, not {what}", reference.word)
    elif resolved is not None and not _is_one(resolved):
        what = "a section" if resolved.subscripts else f"all of '{resolved.entity.name}'"
        language.error("XMP-E217", f"post and wait name one node, not {what}", reference.word)
    return resolved


def _is_one(reference):
    """Whether a reference names one node: by scalar subscripts, or as a node array of one."""
    if reference is None:
        return False
    if not reference.subscripts:
        return all(size is not None and integer(size) == 1 for size in reference.entity.sizes)
    return all(subscript.kind == "scalar" for subscript in reference.subscripts)


def _lock_variable(language, expression, place):
    variable = language.expression(expression, place)
    if variable is not None and not language.is_lock(variable):
        help_ = "declare a coarray of type xmp_lock_t, and name one element of it"
        language.error("XMP-E207", f"'{expression.text}' is no lock", expression.word, help=help_)
        return None
    return variable


def _expression(language, expression, place):
    return None if expression is None else language.expression(expression, place)


PLANNERS = {
    "image": _planner(Image, nodes=_nodes),
    "lock": _planner(Lock, variable=_lock_variable, acquired=_expression, status=_expression),
    "post": _planner(Post, node=_node, tag=_expression),
    "sync_memory": _planner(SyncMemory),
    "unlock": _planner(Unlock, variable=_lock_variable, status=_expression),
    "wait": _planner(Wait, node=_node, tag=_expression),
}
