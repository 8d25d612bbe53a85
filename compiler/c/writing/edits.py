"""Edits of a unit's tokens. What is not edited stays as the user wrote it (weave.py)."""


class Edits:
    """Texts that replace tokens or stand before and after them; all without newlines.

    Where several edits meet at one token, the enclosing construct's text must be recorded first: it stays outside."""

    def __init__(self, tokens):
        self.tokens = tokens
        self.replaced = {}
        self._before = {}
        self._after = {}
        self.epilogue = []  # lines after the last one of the file

    def before(self, index, text):
        self._before.setdefault(index, []).append(text)

    def after(self, index, text):
        self._after.setdefault(index, []).insert(0, text)

    def replace(self, first, last, text):
        """Tokens first..last become text."""
        for index in range(first, last + 1):
            self.replaced[index] = ""
        self.replaced[first] = text

    def delete(self, first, last):
        self.replace(first, last, "")

    def touched(self):
        """Indices of edited tokens, in order."""
        return sorted({*self.replaced, *self._before, *self._after})

    def prefix(self, index):
        """What stands before a token."""
        return "".join(self._before.get(index, ()))

    def suffix(self, index):
        """What stands behind a token."""
        return "".join(self._after.get(index, ()))

    def token(self, index):
        """A token's text after its edits."""
        text = self.replaced.get(index, self.tokens[index].text)
        if index in self._before:
            text = self.prefix(index) + text
        if index in self._after:
            text += self.suffix(index)
        return text

    def text(self, node):
        """A node's text after its edits, on one line."""
        return node.text(self.token).strip()
