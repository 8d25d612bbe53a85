"""An image that is killed in the midst of one-sided operations ends the job: soon, with a message that names it, and no process
of the job stays. killed.py FAMILY MPIRUN-TEST PROGRAM"""

import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from marked import Marked

family, mpirun, program = sys.argv[1:4]
SECONDS = 60  # far below the time that any library waits for a dead process


def killed(plan):
    settings = {
        "KUMIHIMO_TRANSPORT": "faulty",
        "KUMIHIMO_FAULTY_TRANSPORT": plan,
        "GTEST_FILTER": "Transfer.*:Accumulate.*:Atomics.*",
    }
    marked = Marked()
    environment = {**os.environ, **settings, **marked.environment}
    start = time.monotonic()
    try:
        done = subprocess.run(
            [mpirun, family, "3", program], env=environment, timeout=SECONDS, capture_output=True, text=True, check=False
        )
    except subprocess.TimeoutExpired:
        return [f"the job goes on for more than {SECONDS} s after an image was killed"]
    wrong = []
    if done.returncode == 0:
        wrong.append("the job ends with status 0")
    if not re.search(
        r"the transport faulty kills node 1 at call \d+ \((get|put|accumulate|atomic|fence|allocate|attach)\)", done.stderr
    ):
        wrong.append("no message says that node 1 was killed")
    launcher = {"openmpi": r"rank 1 .*signal 9", "mpich": r"EXIT CODE: 9|signal 9|Killed"}[family]
    if not re.search(launcher, done.stdout + done.stderr):
        wrong.append(f"the launcher's message does not match `{launcher}`")
    if left := marked.left():
        wrong.append(f"processes stay: {left}")
    print(f"{'FAIL' if wrong else 'ok  '} {plan}: {time.monotonic() - start:.1f} s, status {done.returncode}")
    return [*wrong, done.stdout[-2000:], done.stderr[-2000:]] if wrong else []


problems = [text for seed in (3, 4) for text in killed(f"mpi kill=20-60 node=1 seed={seed}")]
print("\n".join(problems))
sys.exit(bool(problems))
