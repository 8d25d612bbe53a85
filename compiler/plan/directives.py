"""The Step of each executable directive: which module plans it, and what the language must answer for that."""

from . import coarrays, communication, gmove, loop, mapping, task

_MODULES = (coarrays, communication, gmove, loop, mapping, task)
PLANNERS = {kind: (planner, module.QUESTIONS) for module in _MODULES for kind, planner in module.PLANNERS.items()}


def plan(language, directive, place):
    """The Step of an executable directive; None after an error, also that the language has no answers for it yet."""
    planner, questions = PLANNERS.get(directive.kind, (None, ()))
    if planner is None or not all(isinstance(language, subject) for subject in questions):
        language.unplanned(directive)
        return None
    step = planner(language, directive, place)
    return None if step is None else language.planned(step)
