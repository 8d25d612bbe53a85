"""What gcc and gfortran made of the loops: their own reports (-fopt-info), told by the user's lines."""

import re

OPTION = "-fopt-info-vec-optimized-missed="
_REPORT = re.compile(r"(?P<file>.*?):(?P<line>\d+):\d+: (?P<kind>optimized|missed): +(?P<text>.*)")
_VECTORS = re.compile(r"loop vectorized using (\d+) byte vectors")


class LoopReport:
    """line: of the loop statement; vectors: bytes in a vector, 0 where there are none; reason: why not; versioned: whether
    there is a slow copy for arrays that overlap."""

    def __init__(self, line):
        self.line, self.vectors, self.reason, self.versioned = line, 0, None, False

    def sentence(self):
        if not self.vectors:
            return f"line {self.line}: not vectorised" + (f": {self.reason}" if self.reason else "")
        versioned = ", with a slow copy for arrays that overlap" if self.versioned else ""
        return f"line {self.line}: vectorised, {self.vectors} bytes at once{versioned}"


def read(text, path):
    """line -> LoopReport, of the compiler's report on a file."""
    found, waiting = {}, None
    for line in text.splitlines():
        match = _REPORT.match(line)
        if match is None or match["file"] != path:
            continue
        number, said = int(match["line"]), match["text"]
        vectors = _VECTORS.match(said)
        if vectors:
            found.setdefault(number, LoopReport(number)).vectors = int(vectors[1])
        elif said.startswith("loop versioned") and number in found:
            found[number].versioned = True
        elif said.startswith("couldn't vectorize loop"):
            waiting = found.setdefault(number, LoopReport(number))
        elif waiting is not None:
            waiting.reason = waiting.reason or _reason(said)
    return found


def _reason(said):
    """In words for the program's author, without the compiler's inner statements; None where it is no reason."""
    if said.startswith("statement clobbers memory"):
        return "it calls a function that may change memory"
    if said.startswith("not vectorized: "):
        return said[len("not vectorized: ") :].split(" for stmt:")[0].split(" in stmt:")[0].rstrip(".:")
    return None
