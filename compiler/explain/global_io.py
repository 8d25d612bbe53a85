"""Statements under global_io, and file_sync_all, in words."""

from ..plan.global_io import Synchronisation, Transfer


def _transfer(language, step):
    if step.statement in ("open", "close"):
        return ["all nodes of the file agree on whether it worked"]
    verb = "read" if step.statement == "read" else "written"
    if step.access != "collective":
        return [f"this node's data is {verb} in one piece, without the others"]
    if not step.arrays:
        return [f"the first node's data is {verb}" + (", and goes to all" if step.statement == "read" else "")]
    names = ", ".join(array.name for array in step.arrays)
    if step.statement == "write":
        return [f"{names}: elements go from their owners to nodes that write long pieces of the file"]
    return [f"{names}: nodes read long pieces of the file; elements go from there to their owners"]


def _synchronisation(language, step):
    return [f"all nodes of unit {step.unit.text} wait for each other, and for the storage device"]


SENTENCES = {Transfer: _transfer, Synchronisation: _synchronisation}
