"""Draws the pictures of the tutorial: python docs/images/tutorial.py [DIRECTORY]. They stand on a light card of their own, so
that they can be read in both colour schemes."""

import pathlib
import sys

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.patches import FancyBboxPatch, Rectangle  # noqa: E402

# Four nodes, told apart without colour vision as well: Okabe and Ito's colours, lightened.
NODES = ["#9ad0f5", "#f7c873", "#8fd9bf", "#e3b1d2"]
INK, PALE, CARD = "#1d2733", "#5b6673", "#fbfbf9"
pyplot.rcParams.update({"svg.hashsalt": "kumihimo", "font.size": 11, "text.color": INK})


def canvas(width, height):
    figure, axes = pyplot.subplots(figsize=(width, height), facecolor=CARD)
    axes.set_axis_off()
    axes.set_aspect("equal")
    return figure, axes


def save(figure, axes, directory, name):
    axes.autoscale_view()
    figure.savefig(directory / f"tutorial-{name}.svg", bbox_inches="tight", pad_inches=0.2, metadata={"Date": None})
    pyplot.close(figure)


def cell(axes, x, y, width, height, colour, **style):
    axes.add_patch(Rectangle((x, y), width, height, facecolor=colour, **{"edgecolor": INK, "linewidth": 0.8, **style}))


def write(axes, x, y, text, **style):
    axes.text(x, y, text, **{"ha": "center", "va": "center", **style})


def arrow(axes, start, end, **style):
    style = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.3, **style}
    axes.annotate("", xy=end, xytext=start, arrowprops=style, annotation_clip=False)


def nodes(directory):
    """Four copies of one program."""
    figure, axes = canvas(8, 2.2)
    for node in range(4):
        x = 3.2 * node
        axes.add_patch(FancyBboxPatch((x, 0), 2.4, 1.6, boxstyle="round,pad=0.1", facecolor=NODES[node], edgecolor=INK))
        write(axes, x + 1.2, 1.25, f"p[{node}]", weight="bold")
        write(axes, x + 1.2, 0.55, "main(),\nvariables of its own", fontsize=8)
    write(axes, 6, -0.6, "xmprun -n 4 ./heat starts the same program four times: four nodes", color=PALE)
    save(figure, axes, directory, "nodes")


def mapping(directory):
    """Template, distribute, align: 16 rows for the 512."""
    figure, axes = canvas(8.6, 4.6)
    for place in range(16):
        node, y = place // 4, 15 - place
        cell(axes, 4, y, 1.4, 1, NODES[node])
        for array, x in enumerate((10, 19)):
            cell(axes, x, y, 6, 1, NODES[node], linewidth=0.5)
            left = 5.4 if array == 0 else 16
            axes.plot([left, x], [y + 0.5, y + 0.5], color=PALE, linewidth=0.6, linestyle=":")
    for node in range(4):
        cell(axes, -2.6, 13 - 4 * node, 2.6, 2, NODES[node])
        write(axes, -1.3, 14 - 4 * node, f"p[{node}]", weight="bold")
        arrow(axes, (4, 14 - 4 * node), (0, 14 - 4 * node))
    for x, text in ((-1.3, "nodes p"), (4.7, "template t"), (13, "u[j][*]"), (22, "next[j][*]")):
        write(axes, x, 17, text)
    write(axes, 2, -0.8, "distribute", color=PALE, style="italic")
    write(axes, 7.7, -0.8, "align", color=PALE, style="italic")
    write(axes, 17.5, -0.8, "align", color=PALE, style="italic")
    save(figure, axes, directory, "mapping")


def work(directory):
    """The iterations of a loop: each node takes those of its places."""
    figure, axes = canvas(8, 2.4)
    for j in range(16):
        cell(axes, j, 1.6, 1, 1, NODES[j // 4])
    write(axes, 8, 3.2, "for (int j = 0; j < N; j++)      with      loop on t[j]", family="monospace", fontsize=10)
    for node in range(4):
        arrow(axes, (4 * node + 2, 1.6), (4 * node + 2, 0.4), shrinkA=0, shrinkB=0)
        write(axes, 4 * node + 2, 0, f"p[{node}]: j = {128 * node} ... {128 * node + 127}", fontsize=9)
    save(figure, axes, directory, "loop")


def shadow(directory):
    """Two neighbours with their shadow rows, before and after reflect."""
    figure, axes = canvas(8.4, 4)
    for node, x in ((1, 0), (2, 11)):
        first = 128 * node
        for row, (label, own) in enumerate(
            [(f"u[{first - 1}]", False), (f"u[{first}]", True), ("...", True), (f"u[{first + 127}]", True)]
            + [(f"u[{first + 128}]", False)]
        ):
            colour = NODES[node] if own else NODES[node - 1 if row == 0 else node + 1]
            hatch = {} if own else {"hatch": "///", "linestyle": "--"}
            cell(axes, x, -1.2 * row, 7, 1, colour, **hatch)
            box = {"facecolor": colour, "edgecolor": "none", "pad": 1.5}
            write(axes, x + 3.5, -1.2 * row + 0.5, label, family="monospace", fontsize=10, bbox=box)
        write(axes, x + 3.5, 1.6, f"stored on p[{node}]", weight="bold")
    arrow(axes, (7.1, -3.1), (10.9, 0.5))
    arrow(axes, (10.9, -0.7), (7.1, -4.3))
    write(axes, 9, 1.0, "reflect (u)", style="italic", color=PALE)
    write(axes, 9, -5.6, "hatched: shadow, copies of rows that the neighbours own", color=PALE)
    save(figure, axes, directory, "shadow")


def reduction(directory):
    """Parts of a sum, and the sum on all nodes."""
    figure, axes = canvas(8, 2.8)
    for node in range(4):
        x = 4 * node
        cell(axes, x, 3, 3, 1, NODES[node])
        write(axes, x + 1.5, 3.5, f"p[{node}]: its part", fontsize=9)
        arrow(axes, (x + 1.5, 2.9), (7.5 + 0.5 * (node - 1.5), 2.05))
        arrow(axes, (7.5 + 0.5 * (node - 1.5), 1.25), (x + 1.5, 0.6))
        cell(axes, x, -0.5, 3, 1, NODES[node])
        write(axes, x + 1.5, 0, "sum", fontsize=10, family="monospace")
    write(axes, 7.5, 1.65, "reduction(+:sum)", style="italic")
    save(figure, axes, directory, "reduction")


def gmove(directory):
    """A column that lies on all nodes comes to each of them."""
    figure, axes = canvas(8, 3.4)
    for row in range(8):
        for column in range(8):
            cell(axes, column, 7 - row, 1, 1, "#c8442e" if column == 3 else NODES[row // 2], linewidth=0.4)
    for node in range(4):
        write(axes, -1, 7 - 2 * node, f"p[{node}]", weight="bold", fontsize=10)
        for row in range(8):
            cell(axes, 12 + 2.4 * node, 7 - row, 1, 1, "#c8442e", linewidth=0.4)
        write(axes, 12.5 + 2.4 * node, 8.6, f"p[{node}]", weight="bold", fontsize=10)
    arrow(axes, (8.3, 4), (11.6, 4))
    write(axes, 9.9, 4.8, "gmove", style="italic")
    write(axes, 4, -0.8, "u[:][200]", family="monospace", fontsize=10)
    write(axes, 16.1, -0.8, "line[:], each node's own", family="monospace", fontsize=10)
    save(figure, axes, directory, "gmove")


def blocks(directory):
    """Blocks in two dimensions: each node has a rectangle with a shadow all around."""
    figure, axes = canvas(6, 4)
    for row in range(8):
        for column in range(8):
            cell(axes, column, 7 - row, 1, 1, NODES[2 * (row // 4) + column // 4], linewidth=0.4)
    for row in range(2):
        for column in range(2):
            box = {"facecolor": NODES[2 * row + column], "edgecolor": "none", "pad": 1.5}
            write(axes, 4 * column + 2, 6 - 4 * row, f"p[{row}][{column}]", weight="bold", bbox=box)
            x, y = 11 + 6.4 * column, 4.4 - 6.4 * row + 2
            cell(axes, x - 0.6, y - 0.6, 5.2, 5.2, "#e8e8e4", hatch="///", linestyle="--", linewidth=0.6)
            cell(axes, x, y, 4, 4, NODES[2 * row + column])
            write(axes, x + 2, y + 2, f"p[{row}][{column}]", weight="bold")
    write(axes, 4, 9, "t[block][block] onto p")
    write(axes, 16.2, 12, "with shadow u[1][1]")
    save(figure, axes, directory, "blocks")


def main():
    directory = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    for draw in (nodes, mapping, work, shadow, reduction, gmove, blocks):
        draw(directory)


if __name__ == "__main__":
    main()
