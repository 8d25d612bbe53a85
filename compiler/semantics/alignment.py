"""align: which template dimension each array dimension lies on (specification 4.3.4)."""

from .entities import AlignedDimension, in_order


def aligned_dimensions(directive, array, template, declared_bracket, error):
    """AlignedDimensions of the array, in its order; None after an error, told to error(code, message, word, notes, help)."""
    sources, subscripts = directive.sources, directive.subscripts
    if len(sources) != array.rank:
        message = f"'{array.name}' has {counted_dimensions(array.rank)}, but {counted(len(sources), 'align source')} given"
        notes = [("the array is declared here", array.word)]
        error("XMP-E122", message, directive.array, notes, array.symbol.proposal and array.symbol.proposal(len(sources)))
        return None
    if len(subscripts) != template.rank:
        error(
            "XMP-E122",
            f"'{template.name}' has {counted_dimensions(template.rank)}, "
            f"but {counted(len(subscripts), 'align subscript')} given",
            directive.template,
            [("the template is declared here", template.word)],
        )
        return None
    if not _well_formed(sources, subscripts, error):
        return None
    reverse = directive.template_bracket != template.bracket
    rank = template.rank

    def onto(subscript_number):
        return rank - 1 - subscript_number if reverse else subscript_number

    colons = [number for number, s in enumerate(subscripts) if s.kind == ":"]
    if declared_bracket == "[" and directive.template_bracket == "(":
        colons.reverse()  # MAP-10: sources from right to left, ( ) subscripts from left to right
    dimensions = []
    for source in in_order(sources, directive.bracket, declared_bracket):
        if source.kind == "*":
            dimensions.append(AlignedDimension(None))
        elif source.kind == ":":
            dimensions.append(AlignedDimension(onto(colons.pop(0))))
        else:
            dimensions.append(_named(source, subscripts, onto))
    return dimensions


def counted_dimensions(number):
    return f"{number} dimension{'s' * (number != 1)}"


def counted(number, noun):
    return f"{number} {noun} is" if number == 1 else f"{number} {noun}s are"


def _named(source, subscripts, onto):
    for number, subscript in enumerate(subscripts):
        if subscript.kind == source.kind:
            return AlignedDimension(onto(number), subscript.offset)
    return AlignedDimension(None)  # a dummy that no subscript uses collapses the dimension, as `*` does


def _well_formed(sources, subscripts, error):
    known = {}
    for source in sources:
        if source.kind in ("*", ":"):
            continue
        if source.kind in known:
            error("XMP-E133", f"the align dummy variable '{source.kind}' stands for two dimensions", source.word)
            return False
        known[source.kind] = source
    seen = set()
    for subscript in subscripts:
        if subscript.kind in ("*", ":"):
            continue
        if subscript.kind not in known:
            name = subscript.kind or subscript.offset
            message = f"'{name}' is no align dummy variable of the array"
            help = f"the dummy variables are {', '.join(known)}" if known else "use ':' on both sides or name the dimensions"
            used = {other.kind for other in subscripts}
            unused = next((source for source in sources if source.kind not in used), sources[0])
            error("XMP-E134", message, subscript.word, [("the dummy variables are here", unused.word)], help=help)
            return False
        if subscript.kind in seen:
            error("XMP-E133", f"the align dummy variable '{subscript.kind}' is used twice", subscript.word)
            return False
        seen.add(subscript.kind)
    left, right = (sum(1 for x in side if x.kind == ":") for side in (sources, subscripts))
    if left != right:
        error("XMP-E135", f"{left} ':' on the array's side, but {right} on the template's", (subscripts or sources)[0].word)
        return False
    return True
