"""Draws a section: in the terminal by characters, or as PNG by Matplotlib. Of large sections every n-th element is drawn."""

import os
import shutil
import sys

from ..failure import Failure
from . import packages

_SHADES = " .:-=+*#%@"
_MOST_PIXELS = 2000  # along one axis of a picture


def draw(numpy, values, path, title):
    if values.ndim not in (1, 2) or values.size == 0:
        what = "no elements" if values.size == 0 else f"{values.ndim} dimensions"
        raise Failure(f"a plot needs a section of one or two dimensions, --slice leaves {what}")
    if values.dtype.kind in "VS":
        raise Failure("a plot needs numbers")
    if path == "-":
        _draw_text(numpy, values, title)
    else:
        _draw_picture(numpy, values, path, title)


def _thinned(numpy, values, most):
    """(every n-th element as real numbers, what to tell of it)"""
    steps = [-(-length // limit) for length, limit in zip(values.shape, most)]
    thin = values[tuple(slice(None, None, step) for step in steps)]
    real = numpy.abs(thin) if thin.dtype.kind == "c" else thin
    told = [f"one of {step} along dimension {number + 1}" for number, step in enumerate(steps) if step > 1]
    if thin.dtype.kind == "c":
        told.insert(0, "absolute values")
    return real.astype("f8"), ", ".join(told)


def _draw_text(numpy, values, title):
    width, height = shutil.get_terminal_size((80, 24))
    room = (height - 3, width - 1) if values.ndim == 2 else (width - 1,)
    thin, told = _thinned(numpy, values, [max(1, length) for length in room])
    finite = thin[numpy.isfinite(thin)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    print(f"{title}: {low:g} to {high:g}" + (f", {told}" if told else ""))
    levels = len(_SHADES) if values.ndim == 2 else max(1, min(height - 3, 20))
    with numpy.errstate(invalid="ignore", divide="ignore"):
        level = numpy.clip((thin - low) / (high - low) * levels, 0, levels - 1) if high > low else thin * 0
    level = numpy.where(numpy.isfinite(thin), level, -1).astype(int)
    if values.ndim == 2:
        for row in level:
            print("".join(_SHADES[one] if one >= 0 else "?" for one in row))
    else:
        for height in range(levels - 1, -1, -1):
            print("".join("?" if one < 0 and height == 0 else "#" if one >= height else " " for one in level).rstrip())


def _draw_picture(numpy, values, path, title):
    os.environ["MPLBACKEND"] = "Agg"
    pyplot = packages.need("matplotlib.pyplot", "--plot=FILE")
    thin, told = _thinned(numpy, values, [_MOST_PIXELS] * values.ndim)
    figure, axes = pyplot.subplots(figsize=(8, 6), layout="constrained")
    if values.ndim == 2:
        extent = (-0.5, values.shape[1] - 0.5, values.shape[0] - 0.5, -0.5)
        figure.colorbar(axes.imshow(thin, extent=extent, aspect="auto", interpolation="nearest"))
    else:
        axes.plot(range(0, values.shape[0], -(-values.shape[0] // _MOST_PIXELS)), thin)
    axes.set_title(title + (f"\n{told}" if told else ""))
    try:
        figure.savefig(path, format="png", dpi=150)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    finally:
        pyplot.close(figure)
    print(f"{path} written", file=sys.stderr)
