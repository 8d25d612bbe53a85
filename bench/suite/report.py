"""A record as one HTML file, complete in itself: an overview, and the curves of each operation, the reference as a band."""

import html
import os
import re

from . import compare, comparison_text, drawing, operations, plan, sizes, switches


def page(record, comparison=None):
    """comparison: of the record (B) with its reference (A), or None."""
    done = {one.name: one for one in comparison.operations} if comparison else {}
    reference = comparison.a if comparison else None
    sections = [Section(record, name, reference, done.get(name)) for name in record.operations()]
    body = [*_head(record, comparison), *_findings(record, comparison), _table(sections), *_legend(reference)]
    body += [section.html() for section in sections]
    return document(f"kumihimo bench: {record.name}", "\n".join(body))


def document(title, body, style="", script=""):
    """A page, complete in itself. style: more than all pages have."""
    scripts = f"<script>\n{script}</script>\n" if script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_escape(title)}</title>\n<style>\n{_style()}{style}</style></head>\n<body>\n{body}\n{scripts}</body></html>\n"
    )


def _style():
    with open(os.path.join(os.path.dirname(__file__), "report.css"), encoding="utf-8") as file:
        return file.read()


def _escape(words):
    return html.escape(str(words), quote=True)


# ---- What was measured, and what was found ----


def _head(record, comparison):
    yield f'<p class="above">kumihimo bench: MPI communication</p><h1>{_escape(record.name)}</h1>'
    sides = [("measured", f"{record.describe()}; {record.launches_text}, {record.created[:10]}")]
    if comparison:
        sides.append(("reference", f"{comparison.a.describe()}; {_launches(comparison.a)}"))
        sides += [(f"differs: {name}", f"{old} → {new}") for name, (old, new) in comparison.differences.items()]
    yield f'<dl class="sides">{"".join(f"<dt>{_escape(name)}</dt><dd>{_escape(words)}</dd>" for name, words in sides)}</dl>'


def _launches(record):
    if record.published:
        return f"{record.kind}: {record.note}"
    return f"{record.launches_text}, {record.created[:10]}"


def _findings(record, comparison):
    notes = []
    if comparison and comparison.a.published:
        yield f"<p>{comparison.a.kind.capitalize()} numbers are shown, not tested: they come without their launches.</p>"
    elif comparison:
        yield _counts(comparison)
        yield f"<p>{_escape(comparison_text.conclusion(comparison))}.</p>"
        notes += comparison_text.notes(comparison)
    if not notes and (record.quick or record.launches < plan.LEAST_LAUNCHES):
        notes.append(FIRST_LOOK.format(record.launches_text, plan.LEAST_LAUNCHES))
    yield from (f'<p class="note">{_escape(note)}</p>' for note in notes)
    yield f"<details><summary>How to read this page</summary>{''.join(f'<p>{_escape(one)}</p>' for one in MEANING)}</details>"


def _counts(comparison):
    cards = ""
    for verdict, word in comparison_text.WORDS.items():
        count = sum(operation.verdict == verdict for operation in comparison.operations)
        cards += f'<li class="{verdict if count else "none"}"><b>{count}</b>{word.lower()}</li>'
    return f'<ul class="counts">{cards}</ul>'


FIRST_LOOK = "A first look at {}: it says little about a change. Statistics begin at {} launches."
MEANING = (
    "A launch is one start of the MPI program. Launches differ by more than the calls in each of them, so they are compared.",
    "A time is that of the slowest rank. A point is the median over the launches of each launch's median; its band holds the "
    "middle 80 % of the launches.",
    "Throughput counts messages as the measurements on the K computer do.",
    "A dotted line marks a switch point: from this size on the MPI library takes another algorithm, or data comes from slower "
    "memory.",
    "A comparison gives the change of time with its 95 % interval. Slower and faster are told only where chance is ruled out "
    "for all operations together: one comparison in 1,000 errs.",
    "The smallest detectable change is what these launches show in 95 of 100 cases, if all sizes change by it.",
)


def _legend(reference):
    keys = [("now", "this record")]
    if reference:
        keys.append(("paper", reference.kind) if reference.published else ("past", "reference"))
    shown = "".join(f'<span><i class="key {style}"></i>{words}</span>' for style, words in keys)
    yield f'<p class="soft keys">{shown}</p>'


# ---- Operations ----


def _table(sections):
    rows = [section.row() for section in sections]
    heads = [name for name in COLUMNS if any(row.get(name) for row in rows)]  # a column that says nothing is left out
    head = "".join(f'<th class="{COLUMNS[name]}">{name}</th>' for name in heads)
    body = ""
    for section, row in zip(sections, rows):
        cells = (f'<td class="{COLUMNS[name]}" data-head="{name}">{row.get(name) or "-"}</td>' for name in heads)
        body += f'<tr class="{section.verdict}">{"".join(cells)}</tr>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


COLUMNS = {
    "operation": "",
    "verdict": "",
    "time against reference": "number",
    "smallest detectable change": "number",
    "published": "number",
    "smallest message": "number",
    "best throughput": "number",
    "launches differ by": "number",
}


class Section:
    """One operation. done: its part of the comparison, if there is one."""

    def __init__(self, record, name, reference, done):
        self.record, self.name, self.reference, self.done = record, name, reference, done
        self.anchor = re.sub(r"\W+", "-", name)
        self.curve = record.curve(name)
        self.switches = switches.find(record.times(name))
        self.verdict = done.verdict if done else ""

    # ---- Words ----

    def row(self):
        """{column: HTML}."""
        row = {
            "operation": f'<a href="#{self.anchor}">{_escape(self.name)}</a>',
            "published": _escape("; ".join(self._published())),
        }
        row.update({"smallest message": self._smallest(), "best throughput": self._best(), "launches differ by": self._noise()})
        if self.done:
            row["verdict"] = self._chip()
            row["time against reference"] = _escape(comparison_text.change(self.done.whole))
            row["smallest detectable change"] = comparison_text.detectable(self.done)
        return row

    def _chip(self):
        return f'<span class="chip {self.verdict}">{comparison_text.WORDS[self.verdict].lower()}</span>'

    def _published(self):
        points = self.reference.points.get(self.name, {}) if self.reference else {}
        for size, rate in points.items():
            here = self.curve.get(size, {}).get("throughput_gib_s")
            if here:
                yield f"{rate:.3g} GiB/s ({sizes.text(size)}), here {here:.3g}"

    def _smallest(self):
        if not self.curve:
            return ""
        size = min(self.curve)
        return f"{self.curve[size]['median_us']:.2f} us ({sizes.text(size)})"

    def _best(self):
        rates = {size: cell["throughput_gib_s"] for size, cell in self.curve.items() if cell["throughput_gib_s"]}
        if not rates:
            return ""
        size = max(rates, key=rates.get)
        return f"{rates[size]:.3g} GiB/s ({sizes.text(size)})"

    def _noise(self):
        noise = compare.typical_noise(self.record, self.name)
        return "" if noise is None else f"±{100 * noise:.1f} %"

    def _sentences(self):
        explained = operations.OPERATIONS.get(self.name)
        if explained:
            yield f"{explained.explanation[0].upper()}{explained.explanation[1:]}."
        if self.done:
            where = comparison_text.where(self.done)
            changed = f"; {self.verdict} {where}" if where else ""
            yield f"Time against the reference: {comparison_text.change(self.done.whole)}{changed}."
        if self.done and self.done.switches[0] != self.done.switches[1]:
            words = comparison_text.switch_points(self.done, ("reference", "here"))
            yield f"{words[0].upper()}{words[1:]}."
        elif self.switches:
            yield f"Switch points: {', '.join(map(sizes.text, self.switches))}."

    # ---- Charts ----

    def html(self):
        charts = "".join(chart.svg() for chart in self._charts()) if len(self.curve) > 1 else self._single()
        return (
            f'<section><h2 id="{self.anchor}">{_escape(self.name)}{self._chip() if self.done else ""}</h2>'
            f'<p class="soft">{_escape(" ".join(self._sentences()))}</p><div class="charts">{charts}</div></section>'
        )

    def _single(self):
        """In words what needs no curve."""
        return "".join(f"<p>{_escape(_words(self.record, size, _times(cell), 'us'))}</p>" for size, cell in self.curve.items())

    def _charts(self):
        right = self._overlap() if self._has("overlap_percent") else self._throughput()
        return [chart for chart in (right, self._time()) if chart.series]

    def _has(self, field):
        return any(cell[field] is not None for cell in self.curve.values())

    def _time(self):
        series = self._sides(_times, "us")
        return drawing.Chart("Time", "us", series, logarithmic=True, marks=self.switches)

    def _throughput(self):
        def rates(cell):
            rate = cell["throughput_gib_s"]
            return rate and (rate, rate * cell["median_us"] / cell["q90_us"], rate * cell["median_us"] / cell["q10_us"])

        series = self._sides(rates, "GiB/s")
        points = self.reference.points.get(self.name, {}) if self.reference else {}
        if points:
            words = {size: (rate, f"published: {sizes.text(size)}, {rate:.3g} GiB/s") for size, rate in points.items()}
            series.append(drawing.Points(words, "paper"))
        return drawing.Chart("Throughput", "GiB/s", series, marks=self.switches)

    def _overlap(self):
        def percent(cell):
            share = cell["overlap_percent"]
            return None if share is None else (share, share, share)

        return drawing.Chart("Communication hidden by the computation", "%", self._sides(percent, "%"))

    def _sides(self, values, unit):
        """Reference and record, each as a band and a line. values: of a cell (middle, low, high), or nothing."""
        series = []
        for record, style in ((self.reference, "past"), (self.record, "now")):
            known = {size: values(cell) for size, cell in record.curve(self.name).items()} if record else {}
            known = {size: three for size, three in known.items() if three}
            if known:
                series.append(drawing.Band({size: (low, high) for size, (_, low, high) in known.items()}, style))
                words = {size: (three[0], _words(record, size, three, unit)) for size, three in known.items()}
                series.append(drawing.Line(words, style))
        return series


def _times(cell):
    return cell["median_us"], cell["q10_us"], cell["q90_us"]


def _words(record, size, three, unit):
    middle, low, high = (f"{value:.4g}" for value in three)
    return f"{record.name}: {sizes.text(size)}, {middle} {unit} ({low} to {high})"
