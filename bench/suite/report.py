"""A record as one HTML file, complete in itself: for each operation its curves, the reference as a band, a verdict in words."""

import html
import os

from . import compare, comparison_text, drawing, operations, plan, sizes, switches


def page(record, comparison=None):
    """comparison: of the record (B) with its reference (A), or None."""
    done = {one.name: one for one in comparison.operations} if comparison else {}
    reference = comparison.a if comparison else None
    sections = [Section(record, name, reference, done.get(name)) for name in record.operations()]
    body = [*_head(record, comparison), _table(sections), *(section.html() for section in sections)]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
        f"<title>kumihimo bench: {_escape(record.name)}</title>\n<style>\n{_style()}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _style():
    with open(os.path.join(os.path.dirname(__file__), "report.css"), encoding="utf-8") as file:
        return file.read()


def _escape(words):
    return html.escape(str(words), quote=True)


def _head(record, comparison):
    yield f"<h1>MPI communication: {_escape(record.name)}</h1>"
    yield f"<p>{_escape(record.describe())}; {record.launches_text}, {_escape(record.created[:10])}</p>"
    yield f'<p class="soft">{_escape(MEANING)}</p>'
    if record.quick or record.launches < plan.LEAST_LAUNCHES:
        yield f'<p class="note">{_escape(FIRST_LOOK.format(record.launches, plan.LEAST_LAUNCHES))}</p>'
    if comparison:
        yield f"<p>Reference: {_escape(comparison.a.describe())}; {_launches(comparison.a)}</p>"
        yield f"<p><b>{_escape(_conclusion(comparison))}.</b></p>"
        yield from (
            f'<p class="soft">differs: {_escape(name)}: {_escape(old)} → {_escape(new)}</p>'
            for name, (old, new) in comparison.differences.items()
        )
    yield f'<p class="soft"><span class="key now"></span>this record{_reference_key(comparison)}</p>'


def _conclusion(comparison):
    if comparison.a.published:
        return "Published numbers are shown, not tested: they come without their launches"
    return comparison_text.conclusion(comparison)


MEANING = (
    "Times are those of the slowest rank; a point is the median over launches of each launch's median, a band holds the middle "
    "80 % of the launches. Throughput counts messages as the measurements on the K computer do. Dotted lines are switch points."
)
FIRST_LOOK = "A first look at {} launches: it says little about a change. Statistics begin at {} launches."


def _launches(record):
    return f"published: {record.note}" if record.published else f"{record.launches_text}, {record.created[:10]}"


def _reference_key(comparison):
    if not comparison:
        return ""
    style, words = ("paper", "published") if comparison.a.published else ("past", "reference")
    return f'<span class="key {style}"></span>{words}'


def _table(sections):
    names = (("operation", ""), ("smallest message", "number"), ("best throughput", "number"), ("launches differ by", "number"))
    heads = "".join(f'<th class="{style}">{name}</th>' for name, style in (*names, ("verdict", "")))
    rows = "".join(f"<tr>{''.join(section.cells())}</tr>" for section in sections)
    return f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'


class Section:
    """One operation. done: its part of the comparison, if there is one."""

    def __init__(self, record, name, reference, done):
        self.record, self.name, self.reference, self.done = record, name, reference, done
        self.curve = record.curve(name)
        self.switches = switches.find(record.times(name))

    # ---- Words ----

    def verdict(self):
        """(style, one sentence)."""
        if self.done:
            return self.done.verdict, comparison_text.verdict(self.done)
        if self.reference and self.reference.points.get(self.name):
            return "", "; ".join(self._published()) or "the published sizes were not measured here"
        return "", "no reference" if self.reference is None else "the reference has no numbers of it"

    def _published(self):
        for size, rate in self.reference.points[self.name].items():
            here = self.curve.get(size, {}).get("throughput_gib_s")
            if here:
                yield f"{here:.3g} GiB/s at {sizes.text(size)}, published {rate:.3g} (shown, not tested)"

    def cells(self):
        style, words = self.verdict()
        yield f'<td><a href="#{self.name}">{self.name}</a></td>'
        yield from (f'<td class="number">{_escape(text)}</td>' for text in (self._smallest(), self._best(), self._noise()))
        yield f'<td class="{style}">{_escape(words)}</td>'

    def _smallest(self):
        if not self.curve:
            return "-"
        size = min(self.curve)
        return f"{self.curve[size]['median_us']:.2f} us ({sizes.text(size)})"

    def _best(self):
        rates = {size: cell["throughput_gib_s"] for size, cell in self.curve.items() if cell["throughput_gib_s"]}
        if not rates:
            return "-"
        size = max(rates, key=rates.get)
        return f"{rates[size]:.3g} GiB/s ({sizes.text(size)})"

    def _noise(self):
        return f"±{100 * compare.typical_noise(self.record, self.name):.0f} %" if self.curve else "-"

    # ---- Charts ----

    def html(self):
        style, words = self.verdict()
        told = operations.OPERATIONS[self.name].explanation
        found = f"Switch points: {', '.join(map(sizes.text, self.switches))}." if self.switches else ""
        charts = "".join(chart.svg() for chart in self._charts()) if len(self.curve) > 1 else self._single()
        return (
            f'<h2 id="{self.name}">{self.name}</h2><p class="soft">{_escape(told)}. {found}</p>'
            f'<p class="{style}">{_escape(words)}</p><div class="charts">{charts}</div>'
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
