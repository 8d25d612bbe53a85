"""What is wrong with a file or with what was asked of it: one message, exit code 2."""

import sys


class Failure(Exception):
    """Why it failed, in one line, with what to do next."""


def performer(name, perform):
    """perform(options), with a Failure told in one line and exit code 2."""

    def performed(options):
        try:
            return perform(options)
        except Failure as failure:
            print(f"{name}: {failure}", file=sys.stderr)
            return 2

    return performed
