"""Places in the user's text."""


class Place:
    """Where a token of the unit stands; what diagnostics take. The column is looked up when a message is printed."""

    __slots__ = ("file", "line", "column", "text")

    def __init__(self, token, text=None):
        self.file = token.file
        self.line = token.line
        self.column = token.column
        self.text = text or token.text
