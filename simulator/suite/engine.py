"""The engine, kumihimo-simulate, from Python: one process that answers one question after the other."""

import json
import os
import subprocess

from ... import configuration

INTERRUPTED = "interrupted"  # what the engine says then
MACHINES = os.path.join(os.path.dirname(__file__), os.pardir, "machines")


class Refused(Exception):
    """What the engine says is wrong with a question."""


class Engine:
    def __init__(self):
        program = os.path.join(configuration.LIBRARIES, "kumihimo-simulate")
        try:
            self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as error:
            raise Refused(f"cannot start {program}: {error.strerror} (make build)") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def ask(self, what, **question):
        """Raises Refused; KeyboardInterrupt where the engine was interrupted."""
        print(json.dumps({"ask": what, **question}), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise Refused(f"the engine ended with code {self._process.wait()}: more memory than there is?")
        answer = json.loads(line)
        if answer.get("error") == INTERRUPTED:
            raise KeyboardInterrupt
        if "error" in answer:
            raise Refused("; ".join(filter(None, (answer["error"], answer.get("advice")))))
        return answer

    def algorithms(self):
        """{operation: names of its algorithms}; [""] where there is only one way."""
        known = {}
        for program in self.ask("list")["programs"]:
            known.setdefault(program["operation"], []).append(program["algorithm"])
        return known


def machine_path(word):
    """Of a machine that comes with Kumihimo, by its name; or the path itself."""
    if os.path.exists(word) or os.sep in word:
        return word
    path = os.path.join(MACHINES, f"{word}.toml")
    if os.path.exists(path):
        return path
    raise Refused(unknown_machine(word))


def machines():
    return sorted(name[:-5] for name in os.listdir(MACHINES) if name.endswith(".toml"))


def unknown_machine(word):
    from ...compiler.spelling import nearest

    found = nearest(word, machines())
    return f"there is no machine '{word}'; " + (f"did you mean '{found}'?" if found else f"there are: {', '.join(machines())}")
