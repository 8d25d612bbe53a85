"""A result of `kumihimo simulate run` as one HTML file, complete in itself: times beside their bounds, curves with the paper's
points, and for one cell of each operation the links' loads in the course of time and the critical path."""

import base64
import html
import json
import os
import re
import zlib

from ...bench.suite import drawing, report, sizes
from . import results
from .planes import Planes, rule_of_legend

SLICES = 32
MOST_BYTES = 9_000_000  # of all loads in a page
MOST_STEPS = 300
BUSIEST = 20
STYLES = 12  # of lines


class Detail:
    """What is shown of one cell besides its times: answer is the engine's, asked for its path and timeline."""

    def __init__(self, cell, answer):
        self.cell, self.answer = cell, answer


def chosen(cells):
    """Of each operation the fastest way of its largest size."""
    best = {}
    for cell in cells:
        old = best.get(cell["operation"])
        if old is None or (-cell["bytes"], cell["time_us"]) < (-old["bytes"], old["time_us"]):
            best[cell["operation"]] = cell
    return list(best.values())


def page(result, machine, details, points):
    """machine: as the engine shows it, with the extents of all axes. points: {operation: {size: GiB/s}}, published ones."""
    body = [
        f'<p class="above">kumihimo simulate: simulated, not measured</p><h1>{_escape(results.describe(result))}</h1>',
        f"<p>{_escape(machine['explanation'])}.</p>",
    ]
    for name in dict.fromkeys(cell["operation"] for cell in result["cells"]):
        cells = [cell for cell in result["cells"] if cell["operation"] == name]
        body.append(f"<section><h2>{_escape(name)}</h2>{_table(cells)}{_charts(cells, points.get(name, {}))}")
        body += [_detail(one, machine, len(details)) for one in details if one.cell["operation"] == name]
        body.append("</section>")
    note = re.sub("`(.*?)`", r"<code>\1</code>", _escape(f"{results.NOTE} {results.limits(result['cannot_know'])}"))
    body += [f'<p class="note">{note}</p>']
    style = _file("report.css") + rule_of_legend()
    return report.document(f"kumihimo simulate: {result['machine']}", "\n".join(body), style, _file("report.js"))


def _file(name):
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def _escape(words):
    return html.escape(str(words), quote=True)


# ---- Times and bounds ----


def _table(cells):
    heads = ["size", "algorithm", "time us", "GiB/s", *(f"{name} us" for name in results.BINDING.values()), "binds", "reached"]
    heads.append("any way us")
    numbers = [name not in ("algorithm", "binds") for name in heads]
    body = ""
    for cell in cells:
        rate = "-" if cell["throughput_gib_s"] is None else f"{cell['throughput_gib_s']:.4g}"
        row = [sizes.text(cell["bytes"]), cell["algorithm"] or "-", f"{cell['time_us']:.2f}", rate]
        row += [f"{cell['bounds_us'][which]:.2f}" if which in cell["bounds_us"] else "-" for which in results.BINDING]
        row += [f"{results.BINDING[cell['binding']]} {cell['where']}".strip(), f"{100 * cell['share']:.0f} %"]
        row.append(f"{cell['any_us']:.2f}" if cell.get("any_us") else "-")
        body += _row("td", row, numbers, heads)
    return f"<table><thead>{_row('th', heads, numbers)}</thead><tbody>{body}</tbody></table>"


def _row(tag, words, numbers, heads=None):
    cells = ""
    for i, word in enumerate(words):
        style = ' class="number"' if numbers[i] else ""
        head = f' data-head="{_escape(heads[i])}"' if heads else ""
        cells += f"<{tag}{style}{head}>{_escape(word)}</{tag}>"
    return f"<tr>{cells}</tr>"


def _charts(cells, points):
    if len({cell["bytes"] for cell in cells}) < 2:
        return ""
    names = list(dict.fromkeys(cell["algorithm"] for cell in cells))
    styles = {name: f"s{i % STYLES}" for i, name in enumerate(names)}
    keys = "".join(f"<span>{_key(styles[name])}{_escape(name or 'time')}</span>" for name in names)
    keys += f"<span>{_key('bound')}the least bound of all</span>"
    keys += '<span><i class="key paper"></i>published</span>' if points else ""
    charts = _time(cells, styles).svg()
    rates = _rates(cells, styles, points)
    charts = (rates.svg() if rates.series else "") + charts
    return f'<p class="soft keys">{keys}</p><div class="charts">{charts}</div>'


def _key(style):
    return f'<svg viewBox="0 0 30 8" aria-hidden="true"><polyline class="line {style}" points="0,4 30,4"/></svg>'


def _time(cells, styles):
    lines = [_line(cells, name, style, "us", lambda cell: cell["time_us"]) for name, style in styles.items()]
    least = {}
    for cell in cells:
        bound = cell["bounds_us"][cell["binding"]]
        least[cell["bytes"]] = min(bound, least.get(cell["bytes"], bound))
    words = {size: (value, f"at least: {sizes.text(size)}, {value:.4g} us") for size, value in least.items() if value > 0}
    return drawing.Chart("Time", "us", [*lines, *([drawing.Line(words, "bound")] if words else [])], logarithmic=True)


def _rates(cells, styles, points):
    lines = [_line(cells, name, style, "GiB/s", lambda cell: cell["throughput_gib_s"]) for name, style in styles.items()]
    series = [line for line in lines if line.points]
    if points and series:
        words = {int(size): (rate, f"published: {sizes.text(int(size))}, {rate:.3g} GiB/s") for size, rate in points.items()}
        series.append(drawing.Points(words, "paper"))
    return drawing.Chart("Throughput", "GiB/s", series)


def _line(cells, name, style, unit, value):
    known = {cell["bytes"]: value(cell) for cell in cells if cell["algorithm"] == name and value(cell)}
    return drawing.Line({size: (one, f"{name} {sizes.text(size)}: {one:.4g} {unit}") for size, one in known.items()}, style)


# ---- One cell: links and path ----


def _detail(one, machine, count):
    cell = one.cell
    name = " ".join(filter(None, (cell["operation"], cell["algorithm"], sizes.text(cell["bytes"]))))
    return f"<h3>{_escape(name)}</h3>" + _busiest(one) + _planes(one, machine, MOST_BYTES // count) + _path(one)


def _busiest(one):
    timeline = one.answer["timeline"]
    blocks = " ▁▂▃▄▅▆▇█"
    rows = ""
    heads = ["link", "bytes", "busy", "from the begin to the end"]
    for link in one.answer["links"]:
        loads = timeline["loads"][link["number"] * timeline["slices"] : (link["number"] + 1) * timeline["slices"]]
        levels = [int(digit, 16) for digit in loads]
        spark = "".join(blocks[(8 * level + 14) // 15] for level in levels)
        busy = f"{sum(levels) / 15 / max(1, len(levels)):.0%}".replace("%", " %")
        rows += (
            f'<tr><td data-head="link">{_escape(link["link"])}</td><td class="number" data-head="bytes">{link["bytes"]:,}</td>'
            f'<td class="number" data-head="busy">{busy}</td><td class="spark" data-head="in time">{_escape(spark)}</td></tr>'
        )
    head = _row("th", heads, [False, True, True, False])
    return f"<p>The busiest links:</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>"


def _planes(one, machine, room):
    """The torus unrolled: every node with the load of its links, for each slice of time."""
    if not machine["axes"]:
        return ""
    timeline = one.answer["timeline"]
    slices, length, loads = timeline["slices"], timeline["slice_us"], timeline["loads"]
    packed = _packed(loads)
    while len(packed) > room and slices > 1:
        loads, slices, length = _coarser(loads, slices), (slices + 1) // 2, 2 * length
        packed = _packed(loads)
    data = {**Planes(machine["axes"]).told(), "slices": slices, "slice_us": length, "loads": packed}
    sides = [f"{sign}{axis['name']}" for axis in machine["axes"] for sign in "+-"]
    choices = "".join(f'<option value="{i}">{_escape(side)}</option>' for i, side in enumerate(sides))
    return (
        '<figure class="torus"><figcaption>Planes of the torus: each square is a node, as dark (light, on dark ground) as the '
        'busiest of its links is busy. <span class="legend"></span> 0 to 100 %</figcaption>'
        '<div class="controls"><button type="button">Play</button>'
        f'<input type="range" min="0" max="{slices - 1}" value="0" aria-label="time">'
        f'<label>links <select><option value="all">all</option>{choices}</select></label></div>'
        '<p><output></output></p><canvas role="img" aria-label="load of the links of each node"></canvas><p class="hint"></p>'
        f'<script type="application/json">{json.dumps(data)}</script></figure>'
    )


def _packed(loads):
    return base64.b64encode(zlib.compress(loads.encode("ascii"), 9)).decode("ascii")


def _coarser(loads, slices):
    """Half as many slices, each as busy as the busier of two."""
    found = []
    for begin in range(0, len(loads), slices):
        row = loads[begin : begin + slices]
        found.append("".join(max(row[i : i + 2]) for i in range(0, slices, 2)))
    return "".join(found)


def _path(one):
    steps = one.answer["path"]
    heads = ["begins us", "takes us", "rank", "", "bytes"]
    numbers = [True, True, True, False, True]
    shown = steps if len(steps) <= MOST_STEPS else steps[: MOST_STEPS // 2] + [None] + steps[-MOST_STEPS // 2 :]
    body = ""
    for step in shown:
        if step is None:
            left_out = f"{len(steps) - MOST_STEPS} steps more (kumihimo simulate run --path --json has all)"
            body += f'<tr><td colspan="5">{left_out}</td></tr>'
        else:
            kind, rank, peer, size, begin, end, waits = step
            row = [f"{begin:.2f}", f"{end - begin:.2f}", rank, results.step_words(kind, peer, waits), f"{size:,}"]
            body += _row("td", row, numbers, heads)
    summary = _escape(results.path_text(results.path_summary(steps)))
    return (
        f"<p>{summary}</p><details><summary>The critical path: {len(steps)} steps, "
        f"each of which begins when the one before it ends</summary><table><thead>{_row('th', heads, numbers)}</thead>"
        f"<tbody>{body}</tbody></table></details>"
    )
