"""What these commands share: their ends."""

import sys

from .tool import Failure


def performer(name, perform):
    """perform(options), with a Failure told in one line and exit code 2."""

    def performed(options):
        try:
            return perform(options)
        except Failure as failure:
            print(f"{name}: {failure}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print(f"{name}: interrupted", file=sys.stderr)
            return 130

    return performed
