"""expand, margin and peel_and_wait: iterations beyond or at the rim of a node's own (specification 4.4.3)."""

from .context import indices


class Rim:
    """The Ranges of a loop directive; locals_: the LocalLoops of the nest."""

    def __init__(self, context, ranges, locals_, site):
        self.ranges, self.locals, self.site = ranges, locals_, site
        self.piece = context.numbered("piece") if ranges.margin else None
        for local in locals_:
            local.range = context.name(local.name + ("_piece" if ranges.margin else "_wide"))

    def declarations(self):
        ranges = f"type(XMP_Iterations) :: {', '.join(local.range for local in self.locals)}"
        return [ranges, *([f"integer :: {self.piece}"] if self.piece else [])]

    def setup(self):
        return [text for local in self.locals for text in local.own_iterations()]

    def enter(self):
        """Finds the ranges; for margins in a loop over the pieces of the rim."""
        if not self.piece:
            return self._ranges("XMP_Expand")
        waited = self.ranges.async_id
        texts = [f"do {self.piece} = {-1 if waited else 0}, {2 * len(self.locals) - 1}"]
        if waited:
            texts.append(f"if ({self.piece} == 0) call XMP_Wait_async({self.site}, [{waited.text}])")
        return [*texts, *self._ranges("XMP_Margin")]

    def leave(self):
        return ["end do"] if self.piece else []

    def _ranges(self, function):
        texts = []
        for number, local in enumerate(self.locals):
            piece = f"{self.piece}, {number}, " if self.piece else ""
            arguments = f"{piece}{local.n_xmp}, {indices(*local.global_range())}, {self._widths(local)}"
            texts += [f"call {function}({local.range}, {arguments})", *local.assigned()]
        return texts

    def _widths(self, local):
        """On the side where the loop begins first."""
        width = self.ranges.widths[local.loop.index.dimension]
        low, high = width.lower.text, width.upper.text
        return indices(*((low, high) if local.up else (high, low)), "1" if width.modifier == "unbound" else "0")
