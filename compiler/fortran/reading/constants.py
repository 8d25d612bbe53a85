"""The values of integer expressions that are constant: literals and named constants."""

from .lexer import closing, split

_FUNCTIONS = {"max": max, "min": min, "abs": lambda x: abs(x), "mod": lambda a, b: a - int(a / b) * b}
_DEEPEST = 30


def value(words, declarations, depth=0):
    """The value of a list of words, None if it is not a constant integer."""
    try:
        return _Evaluator(words, declarations, depth).all()
    except (ValueError, ZeroDivisionError, IndexError, OverflowError):
        return None


class _Evaluator:
    """By recursive descent; ValueError where something is not constant."""

    def __init__(self, words, declarations, depth):
        self.words, self.declarations, self.depth, self.at = words, declarations, depth, 0

    def all(self):
        found = self._sum()
        if self.at != len(self.words):
            raise ValueError
        return found

    def _next(self, *texts):
        if self.at < len(self.words) and self.words[self.at].text in texts:
            self.at += 1
            return self.words[self.at - 1].text
        return None

    def _sum(self):
        sign = self._next("+", "-")
        found = self._product() * (-1 if sign == "-" else 1)
        while operator := self._next("+", "-"):
            found += self._product() * (-1 if operator == "-" else 1)
        return found

    def _product(self):
        found = self._power()
        while operator := self._next("*", "/"):
            factor = self._power()
            if operator == "*":
                found *= factor
            else:  # towards zero
                found = abs(found) // abs(factor) * (1 if (found < 0) == (factor < 0) else -1)
        return found

    def _power(self):
        base = self._primary()
        if not self._next("**"):
            return base
        exponent = self._power()
        if not 0 <= exponent < 64:
            raise ValueError
        return base**exponent

    def _primary(self):
        if self.at >= len(self.words):
            raise ValueError
        word = self.words[self.at]
        self.at += 1
        if word.text == "(":
            end = closing(self.words, self.at - 1)
            inner = _Evaluator(self.words[self.at : end], self.declarations, self.depth).all()
            self.at = end + 1
            return inner
        if word.kind == "number":
            return int(word.text.split("_")[0])
        if word.kind != "identifier":
            raise ValueError
        if self.at < len(self.words) and self.words[self.at].text == "(":
            return self._function(word)
        return self._named(word)

    def _function(self, word):
        end = closing(self.words, self.at)
        arguments = [_Evaluator(part, self.declarations, self.depth).all() for part in split(self.words[self.at + 1 : end])]
        self.at = end + 1
        if word.text not in _FUNCTIONS or not arguments:
            raise ValueError
        try:
            return _FUNCTIONS[word.text](*arguments)
        except TypeError:
            raise ValueError from None

    def _named(self, word):
        variable = self.declarations.lookup(word.text)
        if variable is None or not variable.has("parameter") or variable.initial is None or self.depth > _DEEPEST:
            raise ValueError
        words = (
            variable.attributes["parameter"] if variable.attributes["parameter"][0].text == variable.name else variable.entity
        )
        start = next(n for n, w in enumerate(words) if w is variable.initial)
        found = value(words[start + 1 :], variable.declarations, self.depth + 1)
        if found is None:
            raise ValueError
        return found
