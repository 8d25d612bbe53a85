"""All processes of a job, or one of them, are killed while they save a checkpoint: at a random moment, or at a random call of
the file system. The next job, on other nodes, restores the newest one, no older than the last that was reported as saved.
killed.py FAMILY MPIRUN-TEST PROGRAM INJECTOR; KUMIHIMO_TEST_SEED repeats a run, KUMIHIMO_TEST_LONG makes many."""

import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from long_form import LONG_FORM
from marked import Marked, kill

family, mpirun, program, injector = sys.argv[1:5]
SEED = int(os.environ.get("KUMIHIMO_TEST_SEED") or time.time_ns() % 1000000)
TRIALS = 100 if LONG_FORM else 4
CALLS = ("open", "write", "sync", "close", "rename", "unlink")
LIMIT = 120
chance = random.Random(SEED)
print(f"repeat with KUMIHIMO_TEST_SEED={SEED}")


def started(nodes, directory, saves, plan):
    """The job, whose ranks have a mark. plan: of the injector."""
    marked = Marked()
    environment = {**os.environ, **marked.environment, "GTEST_FILTER": "Killed.GoesOnAfterAKill"}
    environment |= {"KUMIHIMO_TEST_CHECKPOINT": str(directory / "c"), "KUMIHIMO_TEST_SAVES": str(saves)}
    words = ["env", f"LD_PRELOAD={injector}", f"KUMIHIMO_FAULTS={plan}", program]
    process = subprocess.Popen(
        [mpirun, family, str(nodes), *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return process, marked


def trial(number, directory, last):
    """Kills a job in the midst; returns the numbers that it said, and what it printed."""
    nodes = chance.choice([1, 2, 3, 4])
    victims = "all" if number % 2 == 0 or nodes == 1 else "one"
    by_call = number % 4 >= 2
    plan = ""
    if by_call:
        rank = chance.randrange(nodes)
        plan = f"path={directory}/c.*,rank={rank},call={chance.choice(CALLS)},k={chance.randint(1, 40)},action=kill"
    process, marked = started(nodes, directory, 10 if by_call else 1000000, plan)
    lines = []
    moment = chance.uniform(0, 0.15)
    for line in process.stdout:
        lines.append(line)
        if by_call or not line.startswith("saved"):
            continue
        time.sleep(moment)
        processes = marked.processes(pathlib.Path(program).name)
        for one in processes if victims == "all" else [chance.choice(processes)]:
            kill(one)
        break
    rest, _ = process.communicate(timeout=LIMIT)
    marked.end()
    text = "".join(lines) + rest
    print(f"trial {number}: {nodes} nodes, {plan or f'{victims} killed after {moment:.3f} s'}, ended with {process.returncode}")
    return check(text, last)


def check(text, last):
    """The newest number that this job said; what it restored is none that was older than `last`."""
    restored = re.search(r"^restored (\d+) step (\d+)$", text, re.M)
    if not restored and "kumihimo-faults: rank" in text:
        return last  # killed while it restored
    assert restored, text[-3000:]
    assert int(restored[1]) >= last, f"restored {restored[1]}, but {last} had been saved\n{text[-3000:]}"
    assert "FAILED" not in text, text[-3000:]
    return max(int(found) for found in re.findall(r"^(?:saved|restored) (\d+)", text, re.M))


with tempfile.TemporaryDirectory() as scratch:
    newest = 0
    for number in range(TRIALS):
        newest = trial(number, pathlib.Path(scratch), newest)
    process, marked = started(3, pathlib.Path(scratch), 1, "")
    out, _ = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, out
    check(out, newest)
    # Nothing stays but two checkpoints, and a description that was not finished.
    left = {path.name for path in pathlib.Path(scratch).iterdir() if not path.name.endswith(".json.new")}
    assert len(left) == 4, left
    assert left == {name for one in left if not one.endswith(".json") for name in (one, f"{one}.json")}, left
