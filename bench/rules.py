"""The rules of `kumihimo simulate tune` beside this machine: what the algorithms that it would choose cost here.

    python3 bench/rules.py [-n 2] [--launches 16] [--seconds 0.003] [--sizes 8,...] [--limit 0] [--keep DIRECTORY] [--cells]

A machine is fitted to point-to-point times (`kumihimo bench run`, `kumihimo simulate fit`). All algorithms of all operations
are simulated on it, and measured in launches that take turns; each has the point-to-point operations, too. Messages go by MPICH
(KUMIHIMO_SHM=off), as those that were fitted. Of each cell the machine's best counts (measured.best): the host of a virtual
machine moves its processors while it is measured. Measurements are kept in DIRECTORY: with it, the tables are made again, or
a campaign goes on that --limit seconds ended."""

import argparse
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

import developers  # noqa: F401  (finds the package)
from kumihimo import configuration
from kumihimo.bench.suite import quantiles, records, runner, sizes
from kumihimo.simulator.suite import engine, libraries, measured
from predicted import Cell, algorithms, chosen, errors, every_cell, pairs, row, share, simulated

OPERATIONS = ("Bcast", "Reduce", "Allreduce", "Reduce_scatter", "Allgather", "Gather", "Scatter", "Alltoall")
SIZES, NATIVE = "8,64,512,4K,8K,16K,64K,256K,1M,4M", "native"


def bench(directory, options, *words):
    """The result of a campaign, as far as it has come; where the directory has all of it, that."""
    command = [pathlib.Path(configuration.LIBRARIES).parent / "bin/kumihimo", "bench", "run"]
    if (directory / "campaign.json").exists():
        command += ["--resume", directory]
    else:
        command += ["-n", options.n, "--sizes", options.sizes, "--launches", options.launches, "--seconds", options.seconds]
        command += ["--launcher-options=-bind-to core", "--output", directory, *words]
    campaign = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL)
    try:
        campaign.wait(options.limit or None)
    except subprocess.TimeoutExpired:
        campaign.send_signal(signal.SIGINT)
        campaign.wait()
    return json.loads((directory / "result.json").read_text())


def fitted(directory, result):
    """The path of the machine, that of the same to the MPI library's own operations, and the microseconds that every call has
    besides."""
    found = measured.fit(records.of_variant(result, result["variants"][0], "messages"))
    ours, of_library = directory / "machine.toml", directory / "machine-of-library.toml"
    kept = directory / "local.json"
    if not kept.exists():
        kept.write_text(json.dumps(list(measured.local(found).values())))
    local = measured.local(found, kept)
    ours.write_text(measured.machine_text(found, local))
    of_library.write_text(measured.machine_of_library(found, local))
    return ours, of_library, found.start


def usable(one, question, sizes_):
    """{operation: {algorithm: {size: microseconds}}} on a machine."""
    found = {}
    for operation, names in algorithms(one).items():
        for name in names if operation in OPERATIONS else ():
            times = {size: simulated(one, question, operation, name, size) for size in sizes_}
            if all(times.values()):
                found.setdefault(operation, {})[name] = times
    return found


def rounds(known):
    """One algorithm of each operation in each: [{operation: algorithm}]."""
    most = max(map(len, known.values()))
    return [{operation: list(names)[i] for operation, names in known.items() if i < len(names)} for i in range(most)]


def variant(directory, number, of_operations):
    table = directory / f"rules-{number}"
    table.write_text("".join(f"{operation.lower()}:0-inf:2-inf:@{name}=900\n" for operation, name in of_operations.items()))
    settings = {"KUMIHIMO_COLL_TABLE": table, "KUMIHIMO_SHM": "off", "LD_PRELOAD": runner.library("kumihimo_coll", "mpich")}
    return f"rules-{number}:mpich," + ",".join(f"{name}={value}" for name, value in settings.items())


def measurements(directory, options, known):
    """The result, and {(operation, size, algorithm): [microseconds of each launch]}, the MPI library's among them."""
    in_turn = rounds(known)
    words = ["--variant", f"{NATIVE}:mpich"]
    for number, of_operations in enumerate(in_turn):
        words += ["--variant", variant(directory, number, of_operations)]
    result = bench(directory / "launches", options, *words, *measured.FITTED, *known)
    found = {}
    for one, of_operations in zip(result["variants"], [dict.fromkeys(known, NATIVE), *in_turn]):
        for cell in one["cells"]:
            if cell["operation"] in of_operations:
                times = [launch["median"] for launch in cell["launches"]]
                found[cell["operation"], cell["bytes"], of_operations[cell["operation"]]] = times
    return result, found


def of_the_library(known, native, ranks, start):
    """Cells of the MPI library's own operations, by the algorithm that it is taken to have run."""
    for (operation, size), us in native.items():
        candidates = libraries.candidates("mpich", operation, size, ranks, known[operation])
        name = min(next(filter(None, candidates)), key=lambda one: known[operation][one][size])
        yield Cell(operation, size, name, known[operation][name][size] + start, [us])


def control(times):
    """How far every other launch is off the others (A/A)."""
    halves = [[measured.best(of[half::2]) for of in times.values() if len(of) > 1] for half in (0, 1)]
    return quantiles.median([abs(one / other - 1) for one, other in zip(*halves)])


def tables(cells, native, library):
    yield "| operation | cells | median error | median, signed | within 25 % | worst |\n|---|---|---|---|---|---|"
    for operation in dict.fromkeys(one.operation for one in cells):
        yield row(operation, errors([one for one in cells if one.operation == operation]))
    yield row("**all**", errors(cells))
    for operation in dict.fromkeys(one.operation for one in library):
        yield row(f"{operation}, the library's own", errors([one for one in library if one.operation == operation]))
    yield row("**all of the library's own**", errors(library))
    right, clear = pairs(cells)
    choices = chosen(cells, native)
    yield f"\nfaster of two right: {share(right / clear if clear else 1, clear)}"
    yield f"choice within 1.10 of the best: {share(sum(one[3] <= 1.10 for one in choices) / len(choices), len(choices))}"
    yield f"the worst: {max(one[3] for one in choices):.2f} of the best"
    rules = [one for one in choices if one[5]]
    yield f"rules: {len(rules)}"
    for operation, size, name, of_best, of_library, _ in rules:
        yield f"  {operation} {sizes.text(size)} by {name}: {of_best:.2f} of the best, {of_library:.2f} of the MPI library"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=2, help="ranks; default 2")
    parser.add_argument("--launches", type=int, default=16, help="default 16")
    parser.add_argument("--seconds", type=float, default=0.003, help="of samples in a cell; default 0.003")
    parser.add_argument("--limit", type=float, default=0, help="seconds, after which a campaign is interrupted")
    parser.add_argument("--sizes", default=SIZES, help=f"default {SIZES}")
    parser.add_argument("--keep", metavar="DIRECTORY", help="of measurements; default: a new one")
    parser.add_argument("--cells", action="store_true", help="print every cell")
    parser.add_argument("--build", help="build directory")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, engine.Engine() as one:
        directory = pathlib.Path(options.keep or scratch)
        directory.mkdir(parents=True, exist_ok=True)
        shape, all_sizes = str(options.n), sizes.parse(options.sizes)
        by_name = usable(one, {"machine": engine.machine_path("fat-tree"), "shape": shape}, all_sizes)
        result, times = measurements(directory, options, by_name)
        ours, of_library, start = fitted(directory, result)
        known, known_of_library = (
            usable(one, {"machine": str(machine), "shape": shape}, all_sizes) for machine in (ours, of_library)
        )
        best = {cell: measured.best(of) for cell, of in times.items()}
        native = {(operation, size): us for (operation, size, name), us in best.items() if name == NATIVE}
        cells = [
            Cell(operation, size, name, us + start, [best[operation, size, name]])
            for operation, names in known.items()
            for name, of_sizes in names.items()
            for size, us in of_sizes.items()
        ]
        library = list(of_the_library(known_of_library, native, options.n, start))
        print("\n".join([*tables(cells, native, library), *(every_cell(cells, native) if options.cells else ())]))
        print(f"launches of odd and of even numbers differ by {100 * control(times):.1f} % (median)")


if __name__ == "__main__":
    sys.exit(main())
