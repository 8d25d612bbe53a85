"""The torus as planes of squares, one for each node, as dark as its busiest link is busy: where each lies, and which colour it
has. The report's page and the pictures both follow it."""

LEVELS = 16  # as the engine's digits
# From the ground away, in light and in dark: the more, the farther, so that brightness alone tells it.
GROUNDS = {"light": ((232, 236, 240), (10, 40, 96)), "dark": ((38, 44, 52), (255, 226, 120))}


class Planes:
    """Axes in turn go to the columns of a plane, its rows, and the planes: x and a, y and b, z and c."""

    def __init__(self, axes):
        self.axes = []  # (name, extent, which of the three it goes to, how far one step goes there)
        extents = [1, 1, 1]
        for number, axis in enumerate(axes):
            group = number % 3
            self.axes.append((axis["name"], axis["extent"], group, extents[group]))
            extents[group] *= axis["extent"]
        self.wide, self.high, self.planes = extents
        self.nodes = self.wide * self.high * self.planes
        self.across = max(1, min(self.planes, round((self.planes * self.high * 1.6 / self.wide) ** 0.5)))

    def place(self, node):
        """(column, row, plane)."""
        at = [0, 0, 0]
        for _, extent, group, step in self.axes:
            at[group] += node % extent * step
            node //= extent
        return at

    def name(self, plane):
        words = ""
        for name, extent, group, _ in self.axes:
            if group == 2:
                words += f"{name}{plane % extent}"
                plane //= extent
        return words

    def told(self):
        """For the page."""
        return {
            "axes": [dict(zip(("name", "extent", "group", "step"), one)) for one in self.axes],
            "wide": self.wide,
            "high": self.high,
            "across": self.across,
            "planes": [self.name(plane) for plane in range(self.planes)],
            "grounds": GROUNDS,
        }


def rule_of_legend():
    """The style of the page's legend."""

    def of(ground):
        ends = ", ".join(f"rgb({' '.join(map(str, colour))})" for colour in GROUNDS[ground])
        return f".legend {{ background: linear-gradient(to right, {ends}); }}"

    return f"{of('light')}\n@media (prefers-color-scheme: dark) {{ {of('dark')} }}\n"
