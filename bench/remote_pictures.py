"""What bench/remote.py has found, as pictures and tables."""

import json
from pathlib import Path

import developers  # noqa: F401  (finds the package)
from kumihimo.bench.suite import sizes

LINES = {
    "ours": ("o-", "Kumihimo"),
    "network": ("s--", "ssh alone"),
    "file": ("^:", "ssh, and a file there"),
    "disk": (":", "disk"),
    "paper": ("-.", "the paper's model"),
    "direct calls": ("s--", "direct calls"),
    "again": (".:", "direct calls again"),
    "library": ("o-", "passed on by the library"),
    "stampi://localhost": ("x-", "stampi://localhost"),
}
NUMBERS = {"processes": "I/O processes", "gateways": "gateways"}


def rows_of(names):
    return [json.loads(line) for name in names for line in Path(name).read_text().splitlines()]


def link(row):
    return f"{said('rate', row['rate'])}, {row['delay']} ms"


def panels_of(rows):
    """A line of panels for each pattern: (title, rows in the order of messages)."""
    links = [(rate, delay) for rate in ("21mbit", "800mbit", "none") for delay in (0, 10, 100)]
    for pattern in ("write", "write_all", "read", "read_all"):
        of_pattern = [row for row in rows if row.get("pattern") == pattern]
        line = []
        for one in links:
            points = [row for row in of_pattern if (row["rate"], row["delay"]) == one]
            if points:
                points.sort(key=lambda row: row["message"])
                line.append((pattern if points[0].get("here") else f"{pattern}, {link(points[0])}", points))
        if line:
            yield line


def plot(path, names):
    """MB/s against the size of the messages, or against the number of I/O processes or gateways."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "remote", "font.size": 8})
    rows = rows_of(names)
    rows = [row for row in rows if row["part"] == rows[0]["part"]]
    number = next((name for name in NUMBERS if name in rows[0]), None)
    figure = by_number(pyplot, rows, number) if number else by_message(pyplot, rows)
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)


def by_message(pyplot, rows):
    """Both logarithmic."""
    lines = list(panels_of(rows))
    columns = max(map(len, lines))
    if len(lines[0]) == 1:  # one link: the patterns stand side by side
        lines, columns = [[panel for line in lines for panel in line]], len(lines)
    figure, axes = pyplot.subplots(
        len(lines), columns, figsize=(2.2 * columns, 0.5 + 1.7 * len(lines)), squeeze=False, sharey="row"
    )
    for line, places in zip(lines, axes):
        for (title, points), place in zip(line, places):
            for name, (style, label) in LINES.items():
                known = [row for row in points if name in row]
                place.loglog([row["message"] for row in known], [row[name] for row in known], style, ms=3, lw=1, label=label)
            place.set_title(title, fontsize=7)
            place.grid(alpha=0.3)
        places[0].set_ylabel("MB/s")
    for place in axes[-1]:
        place.set_xlabel("bytes of a message")
    handles = (pair for place in axes.flat for pair in zip(*place.get_legend_handles_labels()))
    labels = {label: handle for handle, label in handles if len(handle.get_xdata())}
    figure.legend(labels.values(), labels.keys(), loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0.12 / len(lines), 1, 1))
    return figure


def by_number(pyplot, rows, number):
    """A panel for each pattern and size of messages, a line for each link."""
    panels = sorted({(row["pattern"], row["message"]) for row in rows}, reverse=True)
    figure, axes = pyplot.subplots(1, len(panels), figsize=(2.6 * len(panels), 2.6), squeeze=False)
    for panel, place in zip(panels, axes[0]):
        points = [row for row in rows if (row["pattern"], row["message"]) == panel]
        for one in sorted({link(row) for row in points}):
            known = sorted((row[number], row["ours"]) for row in points if link(row) == one)
            place.loglog(*zip(*known), "o-", ms=3, lw=1, label=one)
        place.set_title(f"{panel[0]}, {panel[1] >> 10} KiB", fontsize=7)
        counts = sorted({row[number] for row in points})
        place.set_xticks(counts, counts)
        place.set_xticks([], minor=True)
        place.set_xlabel(NUMBERS[number])
        place.grid(alpha=0.3)
    axes[0][0].set_ylabel("MB/s")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncols=3, frameon=False)
    figure.tight_layout(rect=(0, 0.16, 1, 1))
    return figure


HEADS = {name: label for name, (_, label) in LINES.items()} | NUMBERS | {"rate": "link", "of min": "of the slower one"}
PATTERNS = {"write_all": "writes", "read_all": "reads", "write": "independent writes", "read": "independent reads"}


def said(name, value):
    """A value as a page says it."""
    if name == "rate":
        return "not limited" if value == "none" else value.replace("mbit", " Mbit/s")
    if name in ("message", "bytes"):
        return sizes.text(value)
    if name == "pattern":
        return PATTERNS.get(value, value)
    return f"{value:#.3g}".rstrip(".") if isinstance(value, float) else str(value)


def table(names):
    """Tables for a page, one for each part. What is the same in all rows stands above."""
    by_part = {}
    for row in rows_of(names):
        if "paper" in row:
            row["of the model"] = row["ours"] / row["paper"]
        by_part.setdefault(row.pop("part"), []).append(row)
    for part, rows in by_part.items():
        same = [name for name, value in rows[0].items() if len(rows) > 1 and all(row.get(name) == value for row in rows)]
        columns = [name for name in rows[0] if name not in same]
        print(f"{part}:", ", ".join(f"{HEADS.get(name, name)} {said(name, rows[0][name])}" for name in same))
        print()
        print("|", " | ".join(HEADS.get(name, name) for name in columns), "|")
        print("|---" * len(columns) + "|")
        for row in rows:
            print("|", " | ".join(said(name, row[name]) if name in row else "" for name in columns), "|")
        print()
