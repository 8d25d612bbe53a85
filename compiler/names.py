"""Names of generated code that read like the user's and are none of them."""


class FreshNames:
    """taken: all words of the user's file."""

    def __init__(self, taken):
        self._taken = set(taken)
        self._numbers = {}

    def name(self, stem):
        """A name that reads like `stem`. The same for every call: blocks may hide it."""
        name = stem
        while name in self._taken:
            self._numbers[stem] = self._numbers.get(stem, 1) + 1
            name = f"{stem}{self._numbers[stem]}"
        return name

    def numbered(self, stem):
        """A name that no later call returns again."""
        name = self.name(stem)
        self._taken.add(name)
        return name
