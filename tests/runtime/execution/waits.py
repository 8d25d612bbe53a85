"""Runs waits.cpp with KUMIHIMO_TIMEOUT in every way in which nodes can wait in vain, and compares what the watchdog tells.

waits.py FAMILY MPIRUN-TEST PROGRAM
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

family, mpirun, program = sys.argv[1:4]
patience = 1
no_netcdf = 77  # the program's word for it
at = r"\S*waits\.cpp:\d+: #pragma xmp "
far = {"KUMIHIMO_NODES_PER_MACHINE": "2"}
long = {"KUMIHIMO_TIMEOUT": "4"}  # where nobody may be late, on a busy machine neither

# The way, nodes, settings; then what each line of the table says, in order. None: the program ends well.
barrier = "at " + at + "barrier"
last_declared = r"the last directive was lock_object, after " + at + r"nodes p\[\*\]"
stopped = "node 0 (has not come|waits at )"  # what it showed before it was stopped, a moment ago
CASES = [
    ("often", 3, long, None),
    ("length", 2, long, None),
    ("barrier", 4, {}, [f"nodes 0, 1 and 2 wait {barrier}", f"node 3 has not come; {last_declared}"]),
    ("barrier", 7, far, [f"nodes 0, 1, 2, 3, 4 and 5 wait {barrier}", f"node 6 has not come; {last_declared}"]),
    ("allocation", 3, {}, [f"nodes 0 and 1 wait at {at}align a\\[i\\] with t\\[i\\]", f"node 2 has not come; {last_declared}"]),
    ("mismatch", 2, {}, [f"node 0 waits {barrier}", f"node 1 waits at {at}align a"]),
    ("stopped", 3, {}, [stopped, f"nodes 1 and 2 wait {barrier}"]),
    ("task", 4, far, [f"node 0 waits {barrier}", f"nodes 1, 2 and 3 wait {barrier}"]),
    ("lock", 3, {}, [f"node 0 waits {barrier}", rf"nodes 1 and 2 wait at {at}lock\(lock_object:\[0\]\)"]),
    ("lock", 4, far, [f"node 0 waits {barrier}", r"nodes 1, 2 and 3 wait at .*lock\(lock_object:\[0\]\)"]),
    ("post", 3, far, [f"nodes 0 and 1 wait {barrier}", rf"node 2 waits at {at}wait\(p\[0\], 5\)"]),
    ("images", 2, {}, ["node 0 has not come; the last directive was xmp_sync_all, after",
                       r"node 1 waits at \S*waits\.cpp:\d+: `xmp_sync_image`"]),
    ("file", 2, {}, ["node 0 waits at xmp_fopen_all, after", "node 1 has ended; the last directive was lock_object"]),
    ("netcdf", 2, {}, ["node 0 waits at xmpnc_open_all, after", "node 1 has ended; the last directive was lock_object"]),
]  # fmt: skip


def complaint(way, nodes, settings, lines):
    """What is wrong with what the program did; empty: nothing."""
    environment = {**os.environ, "KUMIHIMO_TIMEOUT": str(patience), **settings}
    command = [mpirun, family, str(nodes), program, way]
    try:
        done = subprocess.run(command, env=environment, text=True, timeout=60, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return "hangs"
    errors = done.stderr
    if done.returncode == no_netcdf:
        return ""
    if lines is None:
        return "" if done.returncode == 0 and "kumihimo" not in errors else f"status {done.returncode}\n{errors}"
    table = errors.partition(f"kumihimo: error: waited for other nodes for {patience} s (KUMIHIMO_TIMEOUT); the job ends\n")[2]
    wrong = [line for line, text in zip(lines, table.splitlines() + [""] * 9) if not re.match("  " + line, text)]
    # A machine that the abort of the first one does not reach within half a second tells it, too.
    machines = -(-nodes // int(settings.get("KUMIHIMO_NODES_PER_MACHINE", nodes)))
    if done.returncode == 0 or wrong or not 1 <= errors.count("kumihimo: error") <= machines:
        return f"status {done.returncode}, not as expected: {wrong}\n{errors}"
    return ""


with ThreadPoolExecutor(7) as pool:  # most of their time they wait
    complaints = list(pool.map(lambda case: complaint(*case), CASES))
for (way, nodes, settings, _), wrong in zip(CASES, complaints):
    print(f"{'FAIL' if wrong else 'ok  '} {way} on {nodes} nodes {settings or ''} {wrong}")
sys.exit(1 if any(complaints) else 0)
