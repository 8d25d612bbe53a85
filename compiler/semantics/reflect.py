"""What a reflect directive asks of an array's shadow (specification 4.5.1)."""

from ..directives.words import integer


def check_reflect(model, directive, array, word):
    """Messages for one array of a reflect; whether its widths have the array's rank."""
    if not array.shadow:
        model.diagnostics.warning(
            "XMP-W145",
            f"'{array.name}' has no shadow; reflect does nothing",
            word,
            [("it is declared here", array.word)],
        )
    if directive.widths and len(directive.widths) != array.rank:
        model.wrong_rank(array, len(directive.widths), word, "reflect widths")
        return False
    for d, width in enumerate(directive.widths or ()):
        _check_width(model, array, d, width)
    return True


def _check_width(model, array, d, width):
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
            f"reflect width {asked} exceeds the {side}{' ' * bool(side)}shadow {there} of dimension {d + 1} of '{array.name}'",
            width.word,
            [("the shadow is declared here", shadow.word if shadow else array.word)],
        )
