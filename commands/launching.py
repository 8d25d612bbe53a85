"""The end of xmprun and kumihimo files: this process becomes the launcher, or shows what it would run."""

import os
import sys


def show(command, settings):
    """Prints the command line as a shell takes it."""
    from shlex import quote

    print(" ".join([*(f"{name}={quote(value)}" for name, value in settings.items()), *map(quote, command)]))


def become(command, settings):
    """Does not return, but for an OSError if there is no such command."""
    os.environ.update(settings)
    sys.stdout.flush()
    os.execvp(command[0], command)
