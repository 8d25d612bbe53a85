"""master_io in words."""

from ..plan.master_io import MasterIo
from .sizes import counted, length, product


def _master_io(language, step):
    sentences = [f"master I/O: the first executing node executes the {step.kind} statement"]
    ways = {"read": "from the first executing node to their owners"}
    way = ways.get(step.kind, "from their owners to the first executing node")
    for array in step.arrays if step.kind != "inquire" else ():
        number = counted(product([length(language, array, d) for d in range(array.rank)]), language.element_type(array))
        sentences.append(f"{array.name}: {number} {way}, in pieces of 1 MiB")
    if step.elements and step.kind != "inquire":
        names = ", ".join(array.name for array in step.elements)
        sentences.append(f"elements of {names}, one by one: {way}")
    if step.replicated:
        sentences.append(f"{', '.join(step.replicated)}: one to all executing nodes")
    return sentences


SENTENCES = {MasterIo: _master_io}
