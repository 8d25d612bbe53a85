"""Compares XMP-IO with MPI-IO by hand and with gathering, and xmpnc with PnetCDF, over layouts (bench/layouts.cpp).

    python3 bench/layouts.py [--family openmpi] [--nodes 1 2 4] [--elements 8000000] [--launches 5] [--repetitions 5]
                             [--directory DIRECTORY] [--library romio]
    python3 bench/layouts.py --outside [--nodes 1 2]
    python3 bench/layouts.py --kept DIRECTORY... --plot FILE

by hand: MPI-IO of the MPI library (--library: Open MPI has two) with a darray view; A/A is it against itself in the same
launch. gathered: one node collects the array and moves the file alone. Ratios below 1: XMP-IO is faster. Times include opening
and closing the file. --plot draws bandwidths over nodes, as figures 10 and 11 of the paper. --outside: what opening, writing
and closing a cyclic(4) array of 10^8 doubles takes besides copies and the file system. --kept: measures nothing, but draws what
runs with --output DIRECTORY left, which may have been of one number of nodes each.
"""

import json
import sys
import tempfile
from pathlib import Path

from developers import runner
from kumihimo import configuration
from kumihimo.bench.suite import quantiles
from kumihimo.bench.suite.runner import FileCalls, Ratio, Start, Time

from mpiio import LIBRARIES

LAYOUTS = {"block": "block", "cyclic": "cyclic", "cyclic4": "cyclic(4)", "gblock": "gblock", "plane": "2-D", "box": "3-D"}
COLUMNS = [
    Time("by hand", "ms", ".1f"),
    Time("xmp", "ms", ".1f"),
    Time("gathered", "ms", ".1f"),
    Ratio("xmp", "by hand"),
    Ratio("by hand again", "by hand", "A/A"),
    Ratio("xmp by MPI", "by hand"),
    Ratio("xmp", "gathered"),
]
NETCDF_COLUMNS = [
    Time("PnetCDF", "ms", ".1f"),
    Time("xmpnc", "ms", ".1f"),
    Ratio("xmpnc", "PnetCDF"),
    Ratio("xmpnc on the engine", "PnetCDF"),
    Ratio("PnetCDF again", "PnetCDF", "A/A"),
]
SHOWN = {"by hand": "MPI-IO", "PnetCDF": "PnetCDF", "xmp": "XMP-IO", "xmpnc": "xmpnc", "gathered": "gathered to one"}


def parse_options():
    quick = {"launches": 2, "repetitions": 2, "nodes": [2], "elements": 100_000}
    parser = runner.parser(__doc__, launches=5, nodes=(1, 2, 4), quick=quick)
    parser.add_argument("--layouts", nargs="+", default=list(LAYOUTS), choices=list(LAYOUTS))
    parser.add_argument("--elements", type=int, help="doubles of the array, about; default 8,000,000, with --outside 10^8")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--directory", help="where the files are (default: a temporary one)")
    parser.add_argument("--library", choices=["ompio", "romio"], help="whose MPI-IO, with Open MPI (default: OMPIO)")
    parser.add_argument("--plot", metavar="FILE", help="draws bandwidths, as FILE says: SVG, PNG; needs Matplotlib")
    parser.add_argument("--kept", nargs="+", metavar="DIRECTORY", help="draws what runs with --output left there")
    parser.add_argument("--outside", action="store_true", help="tells the time outside of copies and the file system")
    options = parser.parse_args()
    if options.library and options.family != "openmpi":
        parser.error("--library chooses among those of Open MPI: --family openmpi")
    if options.kept and not options.plot:
        parser.error("--kept goes with --plot FILE")
    return options


def start(layout, options, ranks, directory, *variants, **settings):
    program = runner.program("layouts", options.family)
    elements = options.elements or (10**8 if options.outside else 8_000_000)
    words = [program, layout, elements, options.repetitions, directory, *variants]
    if options.library:
        settings |= LIBRARIES[options.library][1]
    return Start(layout, words, family=options.family, ranks=ranks, subject=layout, settings=settings)


def compare(options, directory):
    netcdf = not configuration.FAMILIES[options.family]["netcdf_missing"]
    with runner.Report("layouts", "XMP-IO over layouts", options) as report:
        found = {}
        for ranks in options.nodes:
            measurement = report.measurement(ranks)
            measurement.take_turns([start(layout, options, ranks, directory) for layout in options.layouts])
            found[ranks] = report.table(measurement, COLUMNS + NETCDF_COLUMNS * netcdf)
            report.table(measurement, [FileCalls(variant) for variant in SHOWN])
        if options.plot:
            plot(found, options)


def draw_kept(options):
    files = [path for directory in options.kept for path in Path(directory).glob("layouts-*.json")]
    kept = {int(path.stem.rpartition("-")[2]): runner.Found(json.loads(path.read_text())) for path in files}
    if not kept:
        sys.exit(f"layouts.py: no layouts-*.json in {', '.join(options.kept)}: run with --output DIRECTORY first")
    plot(dict(sorted(kept.items())), options)


def plot(found, options):
    """A panel for each layout and direction: bandwidth over the number of nodes."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "layouts", "font.size": 8})
    figure, panels = pyplot.subplots(
        2, len(options.layouts), figsize=(1.9 * len(options.layouts) + 0.6, 4.2), sharex=True, squeeze=False
    )
    for row, direction in zip(panels, ("write", "read")):
        for axes, layout in zip(row, options.layouts):
            for number, (variant, name) in enumerate(SHOWN.items()):
                points = {ranks: _bandwidth(one, variant, f"{layout} {direction}") for ranks, one in found.items()}
                if None not in points.values():
                    style = {"marker": "os^Dv"[number], "markersize": 3, "color": f"C{number}"}
                    axes.plot(points.keys(), points.values(), label=name, **style)
            axes.set(title=f"{LAYOUTS[layout]}, {direction}", xticks=list(found))
            axes.set_yscale("log")
        row[0].set_ylabel("MB/s")
    for axes in panels[1]:
        axes.set_xlabel("nodes")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="lower center", ncols=len(SHOWN), frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(options.plot, metadata={"Date": None} if options.plot.endswith(".svg") else None)
    pyplot.close(figure)


def _bandwidth(found, variant, operation):
    for case in found.cases():
        if case[0] == operation and found.median(variant, case):
            return case[1] / found.median(variant, case)
    return None


def outside(options, directory):
    """Of each call: its time, less what KUMIHIMO_IO_REPORT tells of copies and of the file system. The nodes' waiting for each
    other is in it."""
    with runner.Report("layouts", "Outside of copies and the file system", options) as report:
        rows = []
        for ranks in options.nodes:
            told = Path(directory) / f"report-{ranks}"
            measurement = report.measurement(ranks)
            measurement.take_turns([start("cyclic4", options, ranks, directory, "xmp", KUMIHIMO_IO_REPORT=str(told))])
            entries = [json.loads(line) for line in told.read_text().splitlines()]
            entries = [one for one in entries if one["bytes"]["written"]]
            count = options.repetitions
            for _, _, line in measurement.records("cell"):
                if line["operation"] != "cyclic4 write":
                    continue
                _, *counted = entries[: count + 1]  # the first call is not counted
                del entries[: count + 1]
                rows += [(ranks, *_parts(us * 1e-3, one)) for us, one in zip(line["slowest_us"], counted)]
        medians = [[str(ranks)] + [_median(rows, ranks, place) for place in (1, 2, 3, 4)] for ranks in options.nodes]
        report.add(runner.rows(["nodes", "all, ms", "file system, ms", "copies, ms", "outside, ms"], medians))


def _parts(all_ms, entry):
    system, copies = 1e3 * entry["file_system"]["seconds"], 1e3 * entry["engine_counters"]["copying seconds"]
    return all_ms, system, copies, all_ms - system - copies


def _median(rows, ranks, place):
    return f"{quantiles.median([row[place] for row in rows if row[0] == ranks]):.2f}"


def main():
    options = parse_options()
    if options.kept:
        return draw_kept(options)
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        (outside if options.outside else compare)(options, directory)


if __name__ == "__main__":
    main()
