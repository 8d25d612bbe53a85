"""reflect, gmove, barrier, reduction, bcast, wait_async, reduce_shadow (specification 4.5)."""

from . import tree
from .work import reduction_clause


def _shadow_clauses(reader):
    arrays = reader.names("an array")
    clauses = reader.clauses(
        {"width": lambda: reader.widths(("periodic",)), "orthogonal": lambda: True, "async": reader.async_id}
    )
    return arrays, clauses.get("width"), clauses.get("orthogonal", False), clauses.get("async")


def reflect(reader, word):
    return tree.Reflect(word, *_shadow_clauses(reader))


def reduce_shadow(reader, word):
    return tree.ReduceShadow(word, *_shadow_clauses(reader))


def gmove(reader, word):
    mode = reader.take() if reader.at("in", "out") else None
    clauses = reader.clauses({"async": reader.async_id})
    return tree.Gmove(word, reader.key(mode) if mode else None, clauses.get("async"))


def barrier(reader, word):
    return tree.Barrier(word, reader.clauses({"on": reader.reference}).get("on"))


def reduction(reader, word):
    clause = reduction_clause(reader, word, False)
    clauses = reader.clauses({"on": reader.reference, "async": reader.async_id})
    variables, locations = [s.variable for s in clause.specs], [s.locations for s in clause.specs]
    return tree.Reduction(word, clause.operator, variables, locations, clauses.get("on"), clauses.get("async"))


def bcast(reader, word):
    variables = reader.variables()
    clauses = reader.clauses({"from": reader.reference, "on": reader.reference, "async": reader.async_id})
    return tree.Bcast(word, variables, clauses.get("from"), clauses.get("on"), clauses.get("async"))


def wait_async(reader, word):
    ids = reader.variables()
    return tree.WaitAsync(word, ids, reader.clauses({"on": reader.reference}).get("on"))
