"""A campaign: launches in turn, each one's samples in a file of its own, so that an interruption costs one launch at most."""

import contextlib
import fcntl
import os
import signal

from . import launch, plan

FAILURES_IN_A_ROW = 3  # then something is wrong that more launches will not cure


class Stopped(Exception):
    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class Campaign:
    def __init__(self, directory):
        self.directory = directory
        self.plan = plan.load(os.path.join(directory, "campaign.json"))

    @classmethod
    def create(cls, directory, new_plan):
        if os.path.exists(os.path.join(directory, "campaign.json")):
            raise Stopped(f"{directory} holds a campaign already; go on with it: kumihimo bench run --resume {directory}", 2)
        os.makedirs(os.path.join(directory, "launches"), exist_ok=True)
        new_plan.save(os.path.join(directory, "campaign.json"))
        return cls(directory)

    def path(self, number, variant):
        return os.path.join(self.directory, "launches", f"{variant['name']}-{number:03d}.jsonl")

    def missing(self):
        return [(number, variant) for number, variant in self.plan.rounds() if not os.path.exists(self.path(number, variant))]

    def launches(self, variant):
        """(number, path) of the complete launches."""
        found = ((number, self.path(number, variant)) for number in range(1, self.plan.launches + 1))
        return [(number, path) for number, path in found if os.path.exists(path)]

    def run(self, progress):
        """Runs what is missing. Returns what failed: ["launch 3 of openmpi ...", ...]."""
        with self._alone(), _signals():
            return self._run(progress)

    def _run(self, progress):
        failures, in_a_row = [], 0
        for number, variant in self.missing():
            try:
                progress.launch(number, variant["name"])
                launch.run(self.plan, number, variant, self.path(number, variant), progress.cells)
                in_a_row = 0
            except launch.Failed as failure:
                failures.append(f"launch {number} of {variant['name']} {failure}")
                progress.failed(failures[-1])
                in_a_row += 1
                if in_a_row == FAILURES_IN_A_ROW:
                    raise Stopped(f"{in_a_row} launches failed one after the other. {failures[-1]}", 1) from None
            progress.done()
        return failures

    @contextlib.contextmanager
    def _alone(self):
        with open(os.path.join(self.directory, "lock"), "w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise Stopped(f"another process runs the campaign {self.directory}", 2) from None
            yield


@contextlib.contextmanager
def _signals():
    """An interruption ends the launch under way, and says how to go on."""

    def stop(number, _):
        raise Stopped("interrupted", 128 + number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
