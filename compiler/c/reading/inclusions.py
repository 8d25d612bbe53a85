"""Which stretches of a preprocessed text come from which inclusion of which file.

A header that is included twice is two inclusions: its active lines may differ, and so may the edits of its tokens."""

import bisect


class Inclusion:
    """One inclusion of one file. The first of a unit is the file itself (parent None).

    line      of the #include in the parent's file; 0 where it is not known (-include)
    spans     (start, end, line) in the preprocessed text
    tokens    (first, end) ranges of indices in the unit's tokens"""

    __slots__ = ("file", "parent", "line", "spans", "tokens")

    def __init__(self, file, parent):
        self.file = file
        self.parent = parent
        self.line = 0
        self.spans = []
        self.tokens = []

    def indices(self):
        for first, end in self.tokens:
            yield from range(first, end)

    def __contains__(self, index):
        return any(first <= index < end for first, end in self.tokens)


def find_inclusions(source):
    """The Inclusions of a source, in the order of their beginning."""
    found = [Inclusion(source.path, None)]
    current = found[0]
    for start, end, file, line, flags in source.regions(empty=True):
        if "1" in flags:
            current = Inclusion(file, current)
            found.append(current)
        elif "2" in flags and current.parent is not None:
            current.line = line - 1
            current = current.parent
        if file == current.file and start < end:
            current.spans.append((start, end, line))
    return found


def find_tokens(inclusions, tokens):
    """Tells each inclusion which tokens are its own."""
    starts = [token.start for token in tokens]
    for inclusion in inclusions:
        for start, end, _ in inclusion.spans:
            first, last = bisect.bisect_left(starts, start), bisect.bisect_left(starts, end)
            if first < last:
                inclusion.tokens.append((first, last))
