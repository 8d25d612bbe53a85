"""The load of a torus in the course of time as SVG pictures, one for each slice: the report's planes, for films and papers."""

import html
import os
import re

from ...bench.suite import sizes
from .planes import GROUNDS, LEVELS, Planes

CELL, LABEL, WIDE = 10, 14, 1150


def write(directory, details, machine):
    """Files NAME-000.svg and on for each detail; their number. machine: with the extents of all axes."""
    os.makedirs(directory, exist_ok=True)
    count = 0
    for one in details:
        cell, timeline = one.cell, one.answer["timeline"]
        name = " ".join(filter(None, (cell["operation"], cell["algorithm"], sizes.text(cell["bytes"]))))
        for slice_ in range(timeline["slices"]):
            path = os.path.join(directory, f"{re.sub(r'[^A-Za-z0-9]+', '-', name)}-{slice_:03}.svg")
            with open(path + ".part", "w", encoding="utf-8") as file:
                file.write(picture(machine["axes"], timeline, slice_, name))
            os.replace(path + ".part", path)
            count += 1
    return count


class Layout(Planes):
    """Where planes lie in a picture."""

    def corner(self, plane):
        return plane % self.across * (self.wide + 1) * CELL, plane // self.across * ((self.high + 1) * CELL + LABEL)

    def size(self):
        rows = -(-self.planes // self.across)
        return self.across * (self.wide + 1) * CELL, rows * ((self.high + 1) * CELL + LABEL)


def picture(axes, timeline, slice_, name):
    layout, slices, loads = Layout(axes), timeline["slices"], timeline["loads"]
    sides = 2 * len(axes)
    squares = [[] for _ in range(LEVELS)]
    for node in range(layout.nodes):
        level = max(int(loads[(node * sides + side) * slices + slice_], 16) for side in range(sides))
        column, row, plane = layout.place(node)
        x, y = layout.corner(plane)
        squares[level].append(f"M{x + column * CELL} {y + LABEL + row * CELL}h{CELL - 1}v{CELL - 1}h{1 - CELL}z")
    paths = "\n".join(f'<path class="l{level}" d="{"".join(one)}"/>' for level, one in enumerate(squares) if one)
    words = "\n".join(
        f'<text x="{x}" y="{y + LABEL - 3}">{html.escape(layout.name(plane))}</text>'
        for plane in range(layout.planes)
        for x, y in [layout.corner(plane)]
        if layout.name(plane)
    )
    begin, end = slice_ * timeline["slice_us"], (slice_ + 1) * timeline["slice_us"]
    when = f"{begin:.2f} to {end:.2f} us"
    title = f"{name}, {when}: each square is a node, as far from the ground as the busiest of its links is busy"
    width, height = layout.size()
    head = f'viewBox="0 -18 {width} {height + 18}" width="{min(width, WIDE)}" role="img"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {head}>\n'
        f"<title>{html.escape(title)}</title>\n<style>{_style()}</style>\n"
        f'<rect class="ground" y="-18" width="{width}" height="{height + 18}"/>\n'
        f'<text y="-5">{html.escape(f"{name}, {when}")}</text>\n{words}\n{paths}\n</svg>\n'
    )


def _style():
    def of(ground):
        low, high = GROUNDS[ground]
        for level in range(LEVELS):
            mixed = (round(a + level / (LEVELS - 1) * (b - a)) for a, b in zip(low, high))
            yield f".l{level}{{fill:rgb({' '.join(map(str, mixed))})}}"

    light = "text{font:11px sans-serif;fill:#222}.ground{fill:#fff}" + "".join(of("light"))
    dark = "text{fill:#ddd}.ground{fill:#14181d}" + "".join(of("dark"))
    return f"{light}@media (prefers-color-scheme: dark){{{dark}}}"
