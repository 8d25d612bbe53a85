"""What a comment says about a function: its purpose, who calls it, and its errors."""

import re
import textwrap
from typing import NamedTuple

CALLERS = re.compile(r"(?<![^\s.])(Local\.|Collective over [^.]*\.)")
ERRORS = re.compile(r"(?<![^\s.])Errors: (.*)\Z", re.S)


class Docstring(NamedTuple):
    purpose: str
    callers: str
    errors: str

    def completed_by(self, section):
        """With what the section's comment says of all its functions."""
        return Docstring(self.purpose, self.callers or section.callers, self.errors or section.errors)

    def markdown(self):
        """Paragraphs."""
        contract = " ".join(filter(None, [bold(self.callers), self.errors and f"**Errors:** {self.errors}"]))
        return "\n\n".join(wrapped(escaped(part)) for part in (self.purpose, contract) if part)


def bold(sentence):
    return re.sub(r"^(Local|Collective)", r"**\1**", sentence)


def escaped(text):
    """A `*` before a name, or in a pattern, is no emphasis. (Code between backticks stays.)"""
    return re.sub(r"(`[^`]*`)|(?<!\*)\*(?!\*)", lambda found: found[1] or r"\*", text)


def wrapped(text):
    return textwrap.fill(text, 128, break_long_words=False, break_on_hyphens=False)


def read(comment):
    """A Docstring of the comment's text, without the marks of the language."""
    text = " ".join(comment.split())
    errors = ERRORS.search(text)
    text = ERRORS.sub("", text)
    callers = CALLERS.search(text)
    return Docstring(CALLERS.sub("", text).strip(), callers[0] if callers else "", errors[1].strip() if errors else "")
