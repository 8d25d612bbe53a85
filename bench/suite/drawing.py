"""A chart over message sizes as inline SVG: lines, bands and single points. Colours are classes, so that the page's style
sheet decides about light and dark."""

import html
import math

from . import sizes

WIDTH, HEIGHT = 460, 270
LEFT, RIGHT, TOP, BOTTOM = 52, 26, 34, 34
ZERO_BYTES = 0.5  # where size 0 stands on a logarithmic axis that begins with 1


class Chart:
    """series: Series, drawn in order. unit: of the y axis. logarithmic: the y axis."""

    def __init__(self, title, unit, series, logarithmic=False, marks=()):
        self.title, self.unit, self.series, self.logarithmic = title, unit, series, logarithmic
        self.marks = marks  # sizes with a vertical line
        values = [y for one in series for y in one.values() if y > 0 or not logarithmic]
        places = [_place(x) for one in series for x in one.sizes()]
        self.first, self.last = min(places, default=0), max(places, default=1)
        if self.first == self.last:
            self.first, self.last = self.first - 1, self.last + 1
        self.low, self.high = self._range(values or [1])

    def _range(self, values):
        if self.logarithmic:
            return 10 ** math.floor(math.log10(min(values)) + 1e-9), 10 ** math.ceil(math.log10(max(values)) - 1e-9)
        return 0, _steps(max(values) or 1)[-1]

    def x(self, size):
        return LEFT + (_place(size) - self.first) / (self.last - self.first) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        low, high = self.low, self.high
        if self.logarithmic:
            value, low, high = (math.log10(max(one, self.low)) for one in (value, low, high))
        share = (value - low) / (high - low) if high > low else 0.5
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def svg(self):
        parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(self.title, quote=True)}">']
        parts += [_text(14, 20, self.title, "title"), *self._vertical_axis(), *self._horizontal_axis()]
        parts += [_line(self.x(size), TOP, self.x(size), HEIGHT - BOTTOM, "mark") for size in self.marks]
        parts += [part for one in self.series for part in one.draw(self)]
        return "".join(parts) + "</svg>"

    def _vertical_axis(self):
        ticks = _powers(self.low, self.high) if self.logarithmic else _steps(self.high)
        for tick in ticks:
            y = self.y(tick)
            yield _line(LEFT, y, WIDTH - RIGHT, y, "grid")
            yield _text(LEFT - 6, y + 4, _tick_text(tick), "tick end")
        yield _text(WIDTH - RIGHT, 20, self.unit, "tick end")

    def _horizontal_axis(self):
        exponents = range(math.ceil(self.first), math.floor(self.last) + 1)
        every = max(1, math.ceil(len(exponents) / 7))
        for exponent in exponents:
            size = 0 if exponent < 0 else 1 << exponent
            if (exponent - math.floor(self.last)) % every == 0:
                yield _text(self.x(size), HEIGHT - BOTTOM + 18, sizes.text(size), "tick middle")
        yield _line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis")


class Line:
    """points: {size: (value, text shown when one points at it)}."""

    def __init__(self, points, style):
        self.points, self.style = points, style

    def sizes(self):
        return list(self.points)

    def values(self):
        return [value for value, _ in self.points.values()]

    def draw(self, chart):
        path = " ".join(f"{chart.x(size):.1f},{chart.y(value):.1f}" for size, (value, _) in sorted(self.points.items()))
        yield f'<polyline class="line {self.style}" points="{path}"/>'
        for size, (value, words) in sorted(self.points.items()):
            circle = f'<circle class="dot {self.style}" cx="{chart.x(size):.1f}" cy="{chart.y(value):.1f}" r="3">'
            yield f"{circle}<title>{html.escape(words)}</title></circle>"


class Band:
    """points: {size: (low, high)}."""

    def __init__(self, points, style):
        self.points, self.style = points, style

    def sizes(self):
        return list(self.points)

    def values(self):
        return [value for pair in self.points.values() for value in pair]

    def draw(self, chart):
        ordered = sorted(self.points.items())
        there = [(size, high) for size, (_, high) in ordered]
        back = [(size, low) for size, (low, _) in reversed(ordered)]
        path = " ".join(f"{chart.x(size):.1f},{chart.y(value):.1f}" for size, value in there + back)
        yield f'<polygon class="band {self.style}" points="{path}"/>'


class Points(Line):
    """Single values without a line between them."""

    def draw(self, chart):
        for size, (value, words) in sorted(self.points.items()):
            x, y = chart.x(size), chart.y(value)
            shape = f"{x:.1f},{y - 6:.1f} {x + 6:.1f},{y:.1f} {x:.1f},{y + 6:.1f} {x - 6:.1f},{y:.1f}"
            yield f'<polygon class="point {self.style}" points="{shape}"><title>{html.escape(words)}</title></polygon>'


def _place(size):
    return math.log2(size or ZERO_BYTES)


def _steps(highest):
    """0, ... up to highest or a little more, in steps of 1, 2 or 5 times a power of ten."""
    rough = highest / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    return [round(step * i, 10) for i in range(math.ceil(highest / step - 1e-9) + 1)]


def _powers(low, high):
    return [10.0**exponent for exponent in range(round(math.log10(low)), round(math.log10(high)) + 1)]


def _tick_text(value):
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g} {name}"
    return f"{value:g}"


def _line(x1, y1, x2, y2, style):
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x, y, words, style):
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{html.escape(words)}</text>'
