"""xmpcc --check: what is said of the elements that a for statement uses in front of it, once for all iterations, so that it
need not be said of each element."""

from ...record import Record
from .canonical import NotCanonical, canonical
from .plain import Plain
from .unchanging import Unchanging
from .used_rows import UsedRows


class Header(Record):
    """A for statement whose bounds are known in front of it. variable: its Declarator; first, last, step, count: texts; known:
    the Unchanging of the statement."""

    fields = ("node", "variable", "first", "last", "step", "count", "known")


class InFront:
    """references, coarrays: the parts of the walk that write the elements."""

    def __init__(self, context, references, coarrays):
        self.context = context
        self.parts = (Plain(context, references), UsedRows(context, coarrays))

    def serial(self, node):
        """The statements in front of a for statement that is not distributed; empty: there is nothing to say."""
        try:
            loop = canonical(node, self.context.spelling)
        except NotCanonical:
            return ""
        known, written = Unchanging(self.context, node), self.context.written
        if loop.step_value is None or not known.counts(loop) or self.context.asks_for_set(node):
            return ""  # where it asks for the set, memory may be another's inside, and images may synchronise
        first, last, step = written(loop.first), loop.last(written), loop.step
        return self._texts(Header(node, loop.declarator, first, last, step, f"XMP_Trips({first}, {last}, {step})", known))

    def distributed(self, local):
        """The same of a LocalLoop, behind the declaration of its iterations."""
        node, iterations = local.counting.node, local.range
        ends = (f"{iterations}.{name}" for name in ("first", "last", "step", "count"))
        return self._texts(Header(node, local.counting.declarator, *ends, Unchanging(self.context, node)))

    def _texts(self, header):
        return "".join(part.in_front(header) for part in self.parts)
