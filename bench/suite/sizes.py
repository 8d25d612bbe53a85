"""Sizes in bytes as people write them: 0, 4K, 256M; lists `0,1K,4M` and ranges `4-256M` of powers of two."""

import re

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
PAPER = "0,4-256M"  # what was measured on the K computer


class BadSize(Exception):
    pass


def number(text):
    digits = re.sub(r"i?b$", "", text.strip().lower())
    unit = digits[-1:] if digits[-1:].isalpha() else ""
    digits = digits[: len(digits) - len(unit)]
    if not re.fullmatch(r"[0-9]{1,18}", digits) or unit not in _UNITS:
        raise BadSize(f"'{text}' is no size: a number of bytes with or without K, M or G")
    return int(digits) * _UNITS[unit]


def parse(text):
    """Ascending sizes without repetition."""
    found = set()
    for part in text.split(","):
        low, dash, high = part.partition("-")
        if dash and not (low and high):
            raise BadSize(f"'{part}' are no sizes: from and to, as 4-256M")
        found.update(powers(number(low), number(high)) if dash else [number(part)])
    return sorted(found)


def powers(low, high):
    """The powers of two from low to high, and 0 if low is."""
    if low > high:
        raise BadSize(f"{low}-{high}: from the larger to the smaller")
    return [0] * (low == 0) + [1 << n for n in range(40) if max(low, 1) <= 1 << n <= high]


def text(size):
    """4, 1 KiB, 256 MiB."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"
