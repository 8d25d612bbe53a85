"""expand, margin and peel_and_wait: iterations beyond or at the rim of a node's own (specification 4.4.3)."""

from ...semantics.entities import in_order


class Ranges:
    """The clause of a loop directive that changes the local ranges; `given` is false where there is none."""

    def __init__(self, context, directive, reference, locals_, site):
        self.context, self.directive, self.locals, self.site = context, directive, locals_, site
        self.peel = directive.peel
        self.is_margin = bool(directive.margin or directive.peel)
        widths = directive.expand or directive.margin or (directive.peel[1] if directive.peel else None)
        self.given = widths is not None
        if not self.given:
            return
        if len(widths) != len(reference.subscripts):
            context.model.wrong_rank(reference.entity, len(widths), directive.word, "widths")
            self.given = False
            return
        self.widths = in_order(widths, directive.on.bracket, reference.entity.bracket)
        for local in locals_:
            self._check(local)

    def _check(self, local):
        if local.cyclic:
            local.two_level = local.positional = False
            self.context.error(
                "XMP-E164",
                f"the widths have no meaning for '{local.loop.name}': its dimension is cyclic",
                self.directive.word,
                help="expand, margin and peel_and_wait need block or gblock",
            )
        elif not local.unit_step:
            self.context.error(
                "XMP-E164",
                f"expand, margin and peel_and_wait need step 1; '{local.loop.name}' has {local.loop.step}",
                self.directive.word,
            )

    def head(self, closers):
        """Declares the ranges; for margins opens a loop over the pieces of the rim."""
        name = self.context.name
        texts = [local.own_iterations() for local in self.locals]
        if not self.is_margin:
            for local in self.locals:
                local.range = name(local.loop.name + "_wide")
                texts.append(f"const XMP_Iterations {local.range} = XMP_Expand({self._arguments(local)});")
        else:
            texts.append(self._pieces(closers))
        return " ".join(texts + [local.constants() for local in self.locals])

    def _pieces(self, closers):
        piece = self.context.numbered("piece")
        first = -1 if self.peel else 0
        texts = [f"for (int {piece} = {first}; {piece} < {2 * len(self.locals)}; {piece}++) {{"]
        closers.append(" }")
        if self.peel:
            texts.append(f"if ({piece} == 0) XMP_Wait_async({self.site}, 1, (const int[]){{{self.peel[0].text}}}, NULL);")
        for number, local in enumerate(self.locals):
            local.range = self.context.name(local.loop.name + "_piece")
            texts.append(f"const XMP_Iterations {local.range} = XMP_Margin({piece}, {number}, {self._arguments(local)});")
        return " ".join(texts)

    def _arguments(self, local):
        width = self.widths[local.index.dimension]
        low, high = width.lower.text, width.upper.text
        if not local.loop.up:
            low, high = high, low
        unbound = 1 if width.modifier == "unbound" else 0
        return f"{local.iterations}, {local.first}, {local.last}, {low}, {high}, {unbound}"
