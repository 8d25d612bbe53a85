"""Small texts of generated C: names, strings, references to nodes and templates."""

INDICES = "ijklmno"  # of the loops over sections, the outermost first


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def object_name(entity):
    return entity.name.replace(".", "_") + "_xmp"


def list_text(type_, items):
    """An array of constants, as an argument."""
    return f"(const {type_}[]){{{', '.join(items)}}}"


def range_text(reference, d):
    """The XMP_Range initialiser of a subscript of a resolved reference."""
    s = reference.subscripts[d]
    if s.kind == "all":
        return "XMP_ALL"
    if s.kind == "own":
        return "XMP_OWN"
    if s.kind == "scalar":
        return f"XMP_AT({s.first})"
    first, last = ("XMP_OPEN" if end is None else end for end in (s.first, s.last))
    return f"XMP_FROM_TO({first}, {last}, {s.step})"


def on_text(reference, running=()):
    """A resolved reference as an argument `const XMP_On *`. running: the dimensions that loop variables run along, in full."""
    if reference is None or reference.executing_set:
        return "NULL"
    if not reference.subscripts and not running:
        return f"XMP_ON_WHOLE({object_name(reference.entity)})"
    if not reference.subscripts:
        running = range(reference.entity.rank)
        return f"XMP_ON({object_name(reference.entity)}, {len(running)}, {', '.join(['XMP_ALL'] * len(running))})"
    ranges = ["XMP_ALL" if d in running else range_text(reference, d) for d in range(len(reference.subscripts))]
    return f"XMP_ON({object_name(reference.entity)}, {len(ranges)}, {', '.join(ranges)})"
