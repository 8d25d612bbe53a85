"""The end of xmprun and kumihimo files: this process becomes the launcher, or shows what it would run."""

import os
import sys


def shown(command, settings):
    """The command line as a shell takes it."""
    from shlex import quote

    return " ".join([*(f"{name}={quote(value)}" for name, value in settings.items()), *map(quote, command)])


def show(command, settings):
    print(shown(command, settings))


def become(command, settings):
    """Does not return, but for an OSError if there is no such command."""
    os.environ.update(settings)
    sys.stdout.flush()
    os.execvp(command[0], command)
