"""What reflect and reduce_shadow ask of an array's shadow (specification 4.5.1, 4.5.8)."""

from ..directives.words import integer


def check_reflect(model, directive, array, word):
    """Messages for one array of the directive; whether its widths have the array's rank."""
    if not array.shadow:
        message = f"'{array.name}' has no shadow; {directive.kind} does nothing"
        model.diagnostics.warning("XMP-W145", message, word, [("it is declared here", array.word)])
    if directive.widths and len(directive.widths) != array.rank:
        model.wrong_rank(array, len(directive.widths), word, f"{directive.kind} widths")
        return False
    for d, width in enumerate(directive.widths or ()):
        _check_width(model, directive.kind, array, d, width)
    return True


def _check_width(model, kind, array, d, width):
    shadow = array.shadow[d] if array.shadow else None
    if shadow is not None and shadow.full:
        return
    given = (shadow.lower, shadow.upper) if shadow else ("0", "0")
    for side, text, limit in (("lower", width.lower, given[0]), ("upper", width.upper, given[1])):
        asked, there = integer(text.text), integer(limit)
        if asked is None or there is None or asked <= there:
            continue
        if width.lower is width.upper and given[0] == given[1]:
            side = ""  # both
        model.diagnostics.error(
            "XMP-E144",
            f"{kind} width {asked} exceeds the {side}{' ' * bool(side)}shadow {there} of dimension {d + 1} of '{array.name}'",
            width.word,
            [("the shadow is declared here", shadow.word if shadow else array.word)],
        )
