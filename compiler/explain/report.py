"""The explanations of a file as text for people and as JSON for programs."""

from ..plan.loop import Loop
from . import arrays, communication, global_io, gmove, localview, loops, mapping, master_io

_PARTS = (mapping, loops, communication, gmove, localview, arrays, master_io, global_io)
_SENTENCES = {kind: words for part in _PARTS for kind, words in part.SENTENCES.items()}


class Explanation:
    """Of one directive or call. does: sentences; loops: LoopReports of the compiler; checked: what `--check` looks at."""

    def __init__(self, file, line, directive):
        self.file, self.line, self.directive = file, line, directive
        self.does, self.loops, self.checked = [], [], []

    def text(self):
        lines = [f"{self.file}:{self.line}: {self.directive}", *self.does]
        lines += [report.sentence() for report in self.loops]
        lines += [f"--check: {what}" for what in self.checked]
        return "\n    ".join(lines)

    def record(self):
        loops = [{"line": r.line, "vector_bytes": r.vectors, "reason": r.reason, "versioned": r.versioned} for r in self.loops]
        return {
            "file": self.file,
            "line": self.line,
            "directive": self.directive,
            "does": self.does,
            "loops": loops,
            "checked": self.checked,
        }


def explanations(language, vectorisation):
    """Of a translated file, in the order of its lines. language: the plan.Language; vectorisation: line -> LoopReport."""
    found = {}
    for step in language.plan:
        file, line = language.location(step.place)
        text = language.heading(step)
        one = found.setdefault((line, text), Explanation(file, line, text))
        one.does += [sentence for sentence in _SENTENCES[type(step)](language, step) if sentence not in one.does]
        if isinstance(step, Loop):
            one.loops = _loops(language, step, vectorisation)
            one.checked = _checked(language, step)
    return [found[key] for key in sorted(found)]


def _loops(language, step, vectorisation):
    """What the compiler made of the loops behind a directive; loops around others are told only if they have vectors."""
    first, last = language.extent(step.place)
    innermost = language.innermost(step.place)
    found = [report for number, report in sorted(vectorisation.items()) if first < number <= last]
    return [report for report in found if report.vectors or report.line in innermost]


def _checked(language, step):
    names = sorted({reference.array.name for reference in language.references(step.block) if reference.subscripts})
    return [f"each subscript of {', '.join(names)} is one that this node stores"] if names else []


def printed(explanations_, as_json):
    if as_json:
        import json

        return json.dumps({"directives": [one.record() for one in explanations_]}, indent=1)
    return "\n\n".join(one.text() for one in explanations_) or "no directives"
