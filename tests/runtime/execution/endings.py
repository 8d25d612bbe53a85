"""Runs ending.c on 3 nodes in every way a program can end, and compares what the user sees.

endings.py FAMILY MPIRUN-TEST PROGRAM
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

family, mpirun, program = sys.argv[1:4]
pool = ThreadPoolExecutor(4)  # most of their time they wait
expected = []


def run(arguments, environment=None, command=None):
    return pool.submit(outcome, arguments, environment, command)


def outcome(arguments, environment, command):
    """Exit status, output and errors; a hang is a failure of its own."""
    full = dict(os.environ, **(environment or {}))
    try:
        command = command or [mpirun, family, "3", program, *arguments]
        done = subprocess.run(command, env=full, text=True, timeout=120, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return "hang", "", ""
    return done.returncode, done.stdout, done.stderr


def expect(name, result, status, *messages):
    expected.append((name, result, status, messages))


def is_right(name, result, status, messages):
    """status: a number, or None for any but 0. Each message must stand in the errors exactly once."""
    code, _, errors = result.result()
    right = code == status if status is not None else code not in (0, "hang")
    wrong = [text for text in messages if errors.count(text) != 1]
    if not messages and "kumihimo: error" in errors:
        wrong.append("(no message expected)")
    if right and not wrong:
        print(f"ok   {name}")
        return True
    print(f"FAIL {name}: status {code}, expected {status}; not exactly once: {wrong}\n{errors}")
    return False


expect("a good end", run(["good"]), 0)
expect("all nodes end with the same status", run(["all-3"]), 3)
expect("xmp_exit", run(["exit-3"]), 3)
expect("one node ends with an error", run(["last-3"]), None, "kumihimo: error: this node ended with exit status 3")
expect("one node ends while others run", run(["last-3-others-run"]), None,
       "kumihimo: error: this node ended with exit status 3, others still run", "on node 2 of 3")  # fmt: skip
expect("one node ends while others wait for it", run(["last-4-others-allocate"]), None,
       "kumihimo: error: this node ended with exit status 4, others still run")  # fmt: skip
for when in ("while-a-thread-reads", "mpi", "mpi-first", "xmp-first"):
    expect(f"a good end: {when}", run([when]), 0)
for when in ("all-3-while-a-thread-reads", "signal-3", "atexit-3", "task-3"):
    expect(f"all end with 3: {when}", run([when]), 3)
expect("one ends with 3 while a thread reads, others run", run(["last-3-while-a-thread-reads"]), None,
       "kumihimo: error: this node ended with exit status 3, others still run")  # fmt: skip
expect("abort", run(["abort"]), None)
expect("xmp_init of a part in a program that runs on all nodes", run(["again"]), None,
       "kumihimo: error: XcalableMP runs on all nodes from the beginning of the program", "at xmp_init")  # fmt: skip
expect("a node array that does not fit", run(["nodes"]), None,
       "kumihimo: error: node array p[99] does not fit: it has 99 nodes, the program has 3", "#pragma xmp nodes p[n]",
       "ending.c:15:", "Run the program on 99 nodes (xmprun -n 99), or declare a size as `*`.")  # fmt: skip
expect("an allocation that does not fit", run(["large"]), None, "kumihimo: error: allocation too large: array u asks for")
expect("the first barrier of some nodes, an array of another", run(["different"]), None,
       "kumihimo: error: nodes wait for each other in different directives: nodes 0 and 1 allocate flags for barriers and"
       " reductions of a node set, node 2 allocates array u\n  at ",
       "All nodes of a set execute the same directives and declarations in the same order.")  # fmt: skip
expect("an element of another node", run(["element"]), None,
       "kumihimo: error: u[99] is not stored here: in dimension 1 this node stores", "of 3")  # fmt: skip
expect("a communicator without communication", run(["nocomm"]), None, "kumihimo: error: a task with nocomm has no communicator")
expect("a unit of another version", run(["old-unit"]), None, "kumihimo: error: old.c was compiled for version 3")
expect(
    "a wrong setting",
    run(["good"], {"KUMIHIMO_SHM": "sometimes"}),
    None,
    "setting KUMIHIMO_SHM=sometimes is not one of auto, memfd, posix, off",
)

# What another family's launcher looks like from inside.
foreign = (
    {"PMI_SIZE": "4", "PMI_RANK": "0"} if family == "openmpi" else {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"}
)
alone = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
expect("copies of node 0", run([], {**foreign, **alone}, [program, "good"]), None,
       "kumihimo: error: started as 4 copies of node 0 instead of 4 nodes")  # fmt: skip
expect("alone without a launcher", run([], alone, [program, "good"]), 0)
expect("a directive before XcalableMP runs", run([], alone, [program, "not-begun"]), None,
       "kumihimo: error: XcalableMP is not running", "#pragma xmp nodes p[n]",
       "Call xmp_init_mpi(&argc, &argv) first")  # fmt: skip

right = [is_right(*one) for one in expected]
sys.exit(0 if all(right) else 1)
