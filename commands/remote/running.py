"""What these commands share: their ends, and what they ask people."""

import sys

from .. import failure


def performer(name, perform):
    """As failure.performer. People see ssh's last words, so they are also told that it was interrupted."""
    told = failure.performer(name, perform)

    def performed(options):
        try:
            return told(options)
        except KeyboardInterrupt:
            print(f"{name}: interrupted", file=sys.stderr)
            return 130

    return performed


def agreed(question, unasked):
    """Whether somebody at the terminal says yes. unasked: the Failure's text where there is nobody."""
    if not sys.stdin.isatty():
        raise failure.Failure(unasked)
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
