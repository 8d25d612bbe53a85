"""expand, margin and peel_and_wait: iterations beyond or at the rim of a node's own (specification 4.4.3)."""


class Rim:
    """The Ranges of a loop directive as text; locals_: the LocalLoops of the nest."""

    def __init__(self, context, ranges, locals_, site):
        self.context, self.ranges, self.locals, self.site = context, ranges, locals_, site

    def head(self, closers):
        """Declares the ranges; for margins opens a loop over the pieces of the rim."""
        texts = [local.own_iterations() for local in self.locals]
        texts.append(self._pieces(closers) if self.ranges.margin else self._ranges("_wide", "XMP_Expand("))
        return " ".join(texts + [local.declared() for local in self.locals])

    def _ranges(self, suffix, call):
        texts = []
        for number, local in enumerate(self.locals):
            local.range = self.context.name(local.loop.name + suffix)
            texts.append(f"const XMP_Iterations {local.range} = {call.format(number)}{self._arguments(local)});")
        return " ".join(texts)

    def _pieces(self, closers):
        piece, waited = self.context.numbered("piece"), self.ranges.async_id
        closers.append(" }")
        texts = [f"for (int {piece} = {-1 if waited else 0}; {piece} < {2 * len(self.locals)}; {piece}++) {{"]
        if waited:
            texts.append(f"if ({piece} == 0) XMP_Wait_async({self.site}, 1, (const int[]){{{waited.text}}}, NULL);")
        return " ".join([*texts, self._ranges("_piece", f"XMP_Margin({piece}, {{}}, ")])

    def _arguments(self, local):
        width = self.ranges.widths[local.loop.index.dimension]
        low, high = width.lower.text, width.upper.text
        if not local.counting.up:
            low, high = high, low
        unbound = 1 if width.modifier == "unbound" else 0
        return f"{local.iterations}, {local.first}, {local.last}, {low}, {high}, {unbound}"
