"""kumihimo-files, which does the work: started with words, it answers with objects (iod/errands/main.cpp)."""

import json
import os
import subprocess

from ... import configuration
from ..failure import Failure
from . import advice, names, spelling

PROGRAM = "kumihimo-files"


def ask(*words, questions=True, environment=None):
    """What the program answers, object by object. questions: whether ssh may ask the user something on the terminal."""
    program = os.path.join(configuration.LIBRARIES, PROGRAM)
    try:
        process = subprocess.Popen(
            [program, *words],
            stdin=None if questions else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
            encoding="utf-8",
            errors="surrogateescape",
        )
    except OSError as error:
        raise Failure(f"{program}: {error.strerror}: build or install Kumihimo again") from None
    try:
        yield from _events(process, words)
    finally:
        process.stdout.close()
        if process.poll() is None:
            process.terminate()
        process.wait()


def _events(process, words):
    for line in process.stdout:
        event = json.loads(line)
        if event["event"] == "failed":
            raise Failure(told(event["text"], words))
        yield event
    if process.wait() != 0:
        raise Failure(f"{PROGRAM} ended with exit code {process.returncode}")


def answer(*words, **options):
    """The last object."""
    return list(ask(*words, **options))[-1]


def told(text, words):
    machine = next((names.machine_of(word) for word in words if names.is_elsewhere(word)), None)
    text = spelling.printable(" ".join(text.split()))
    next_step = advice.for_message(text, machine) if machine else None
    if not next_step and ("No such file" in text or "there is no directory" in text):
        meant = next(filter(None, map(names.as_scp_writes, words)), None)
        next_step = meant and f"name files of other machines as {spelling.printable(meant)}"
    return f"{text.removesuffix('.')}. Next: {next_step}" if next_step else text
