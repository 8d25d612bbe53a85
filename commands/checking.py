"""What checks of the doctor are made of: their result, and commands that they run."""

import os
import shutil
import signal
import subprocess
import sys

RUN_SECONDS = 120
END_SECONDS = 5  # so long a launcher may take to end what it started on other machines


class Check:
    """status: ok, warning or failed. advice: what to do, where something is to be done; command: what to type first for it."""

    def __init__(self, name, status, found, advice=None, command=None):
        self.name, self.status, self.found, self.advice, self.command = name, status, found, advice, command

    def as_json(self):
        return {"name": self.name, "status": self.status, "found": self.found, "advice": self.advice}


def install(*packages):
    """The command that installs Debian packages, where there is such a command; else nothing to type."""
    return f"apt-get install {' '.join(packages)}" if shutil.which("apt-get") else "kumihimo info"


def own_command(name):
    """The command that belongs to this installation: beside the one that is running."""
    return os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name)


def run(command, seconds=RUN_SECONDS, **options):
    """(exit code, output, errors); never hangs."""
    try:
        process = start(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    except OSError as error:
        return 127, "", f"{command[0]}: {error.strerror}"
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        end(process)
        output, errors = process.communicate()
        said = (errors + output).decode(errors="replace")
        return 124, "", f"{said}no end after {seconds} s: {' '.join(command)}"
    finally:
        end(process)
    return process.returncode, output.decode(errors="replace"), errors.decode(errors="replace")


def start(command, **options):
    """A process with its own group, so that all that it starts can be ended together."""
    return subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, **options)


def end(process):
    """Ends it if it runs. A launcher gets the time to end what it started elsewhere."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, number)
        try:
            process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            continue
