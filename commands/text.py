"""Colours on a terminal. None when the output is a file, TERM is dumb, or NO_COLOR is set (no-color.org)."""

import os
import sys


def _coloured(code, words):
    wanted = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"
    return f"\033[{code}m{words}\033[0m" if wanted else words


def bold(words):
    return _coloured("1", words)


def red(words):
    return _coloured("31", words)


def green(words):
    return _coloured("32", words)


def yellow(words):
    return _coloured("33", words)
