"""Where an expression of a directive cannot go on: two operands side by side, an operator without its operand.

The languages' own parsers read expressions in full, but only some directives need that, and none of them knows that the `]`
is missing in `t[i reduction(+:s)`. This check is about operands and operators alone."""

import re

_POSTFIX = ("++", "--")
_PREFIX = ("+", "-", "!", "~", "*", "&", "++", "--", ".not.")
_PREFIX_OF_FORTRAN = ("+", "-", ".not.")
_MEMBER = (".", "->")  # Fortran's `%` is an operator of C, behind which both have a name
_PAIRS = {"(": ")", "[": "]", "{": "}"}
# Words of C after which a name may follow: parts of types, and operators that are words.
_TYPES = frozenset(
    "void char short int long float double signed unsigned struct union enum const volatile _Bool _Complex".split()
)
_WORD_OPERATORS = frozenset("sizeof _Alignof alignof __alignof__ __extension__".split())
# Names of clauses: behind a complete operand they begin something new, whatever stands in brackets around.
CLAUSES = frozenset(
    "on from onto with async width orthogonal reduction expand margin peel_and_wait nocomm stat acquired_lock".split()
)

# A number of C or Fortran, and not `0nocomm`.
_NUMBER = re.compile(r"0[xXbB][\da-fA-F.]+(?:[pP][+-]?\d+)?[uUlLfF]*|[\d.][\d.']*(?:[eEdD][+-]?\d+)?(?:[uUlLfFzZ]*|_\w+)")

_OPERAND, _OPERATOR, _EITHER, _MEMBER_NAME = range(4)


def first_wrong(words, fortran=False):
    """(the number of the first word that cannot stand where it does, what should stand there), or None. The number of all
    words means: the end of the expression."""
    check = _Check(words, _PREFIX_OF_FORTRAN if fortran else _PREFIX)
    while check.at < len(words):
        expected = check.step()
        if expected:
            return check.at, expected
        check.at += 1
    if check.state == _MEMBER_NAME:
        return check.at, "a member"
    return (check.at, "an operand") if check.state == _OPERAND else None


class _Check:
    """state: what may come next; brackets: the state in which each open bracket was met, with where it stands."""

    def __init__(self, words, prefix):
        self.words, self.prefix = words, prefix
        self.at = 0
        self.state = _OPERAND
        self.brackets = []

    def step(self):
        """Takes one word; what was expected instead if it is wrong there."""
        word = self.words[self.at]
        text = word.text
        if text in ("(", "{"):
            return self._open(text)
        if text == "[":
            return self._subscript()
        if text in (")", "]", "}"):
            return self._close(text)
        if word.kind in ("identifier", "number", "string", "character"):
            return self._operand(word)
        return self._operator(text)

    def _open(self, text):
        if text == "{" and self.state == _OPERATOR:
            return "an operator"
        self.brackets.append((text, self.at, self.state))
        self.state = _EITHER if self._closes_at_once() else _OPERAND
        return None

    def _subscript(self):
        """Of an array, an image (behind a colon), or a designator in braces."""
        image = self.at and self.words[self.at - 1].text == ":" and self.state == _OPERAND
        if self.state == _OPERAND and not image and not self._in_braces():
            return "an operand"
        self.brackets.append(("[", self.at, _OPERATOR))
        self.state = _OPERAND
        return None

    def _close(self, text):
        opened, start, before = self.brackets.pop() if self.brackets else ("", 0, _OPERATOR)
        if _PAIRS.get(opened) != text:
            return f"'{_PAIRS[opened]}'" if opened else "an operator"
        if self.state in (_OPERAND, _MEMBER_NAME) and not self._may_be_empty(opened):
            return "an operand"
        self.state = _EITHER if opened == "(" and before in (_OPERAND, _EITHER) and self._may_be_type(start) else _OPERATOR
        return None

    def _operand(self, word):
        if self.state == _MEMBER_NAME:
            self.state = _OPERATOR
            return None
        strings = word.kind == "string" and self.at and self.words[self.at - 1].kind == "string"
        if self.state == _OPERATOR and not strings or self.state == _EITHER and word.text in CLAUSES:
            return self._closing_or_operator()
        if word.kind == "number" and not _NUMBER.fullmatch(word.text):
            return "a number"
        if word.text in _WORD_OPERATORS:
            self.state = _OPERAND
        else:
            self.state = _EITHER if word.text in _TYPES else _OPERATOR
        return None

    def _operator(self, text):
        if self.state == _OPERAND:
            if text in _POSTFIX and self.at + 1 < len(self.words) and self.words[self.at + 1].kind == "number":
                return "an operand"  # `--1`
            return None if text in self.prefix or self._stands_without_operand(text) else "an operand"
        if self.state == _MEMBER_NAME:
            return "a member"
        if text in _MEMBER:
            self.state = _MEMBER_NAME
        elif text == "*" and self.state == _EITHER or text in _POSTFIX:
            pass  # of a pointer type; behind its operand
        elif self._closes_array_of_fortran(text):
            pass
        else:
            self.state = _OPERAND
        return None

    def _stands_without_operand(self, text):
        """`[:3]`, `a(:3)`, `a ?: b`, `{.x = 1}`, `(/ 1 /)`."""
        opened, _, state = self.brackets[-1] if self.brackets else ("", 0, None)
        before = self.words[self.at - 1].text if self.at else ""
        if text in (":", "::"):
            subscripts = opened == "[" or opened == "(" and state == _OPERATOR
            return before == "?" or subscripts and before in (opened, ":", ",")
        return text == "." and opened == "{" or text == "/" and before == "("

    def _closing_or_operator(self):
        return f"'{_PAIRS[self.brackets[-1][0]]}' or an operator" if self.brackets else "an operator"

    def _closes_at_once(self):
        """`f()`."""
        return self.at + 1 < len(self.words) and self.words[self.at + 1].text == ")"

    def _may_be_empty(self, opened):
        """`[:]`, `[2:]`, `{1, }`, `(/ 1 /)`."""
        before = self.words[self.at - 1].text
        return before in (":", "::", "/") or before in (",", "{") and opened == "{" or before == "*"

    def _may_be_type(self, start):
        """Whether the group from there to here may be the head of a cast."""
        return all(word.kind == "identifier" or word.text == "*" for word in self.words[start + 1 : self.at])

    def _in_braces(self):
        return bool(self.brackets) and self.brackets[-1][0] == "{"

    def _closes_array_of_fortran(self, text):
        return text == "/" and self.at + 1 < len(self.words) and self.words[self.at + 1].text == ")"
