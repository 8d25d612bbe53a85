#!/usr/bin/env python3
"""Draws a run of the tsunami: highest sea surface with hourly arrival lines, animation, gauges.

usage: draw.py [--result tsunami.nc] [--gauges gauges.csv] [--output DIRECTORY]
writes highest.png, gauges.png and animation.gif into the directory (needs matplotlib, netCDF4 and Pillow).
"""

import argparse
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import netCDF4
import numpy as np
from matplotlib import colors
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent))
from measured import CRESTS, FIRST_RISES, first_crest, first_rise, read_gauges  # noqa: E402

WEST, EAST, SOUTH, NORTH = 112.0, 294.0, -46.0, 62.0  # the Pacific, degrees
EPICENTRE = (38.297, 142.373)  # U.S. Geological Survey
LAND, SHORE, INK, MEASURED = "#3b3b42", "#85858f", "#1c1c22", "#d1495b"
BESIDE = {"DART 21401": (-6, 5, "right"), "DART 51407": (6, -11, "left"), "Crescent City": (6, -3, "left")}  # where names fit


def map_axes(axes):
    """A map of the Pacific in degrees, drawn in the proportions of 25 degrees of latitude."""
    meridians, parallels = range(120, 300, 30), range(-30, 61, 30)
    east = [f"{m}°E" if m < 180 else "180°" if m == 180 else f"{360 - m}°W" for m in meridians]
    axes.set_xticks(list(meridians), east)
    axes.set_yticks(list(parallels), [f"{abs(p)}°{'S' if p < 0 else 'N'}" if p else "0°" for p in parallels])
    axes.set(xlim=(WEST, EAST), ylim=(SOUTH, NORTH), aspect=1.1, facecolor=LAND)
    axes.autoscale(False)
    axes.tick_params(length=3, color=SHORE, labelsize=8, labelcolor=INK)
    for spine in axes.spines.values():
        spine.set_color(SHORE)


def window(data, name, prefix=""):
    """(slices, longitudes, latitudes, extent for imshow) of the part of a field that the map shows."""
    latitude, longitude = data[prefix + "latitude"][:], data[prefix + "longitude"][:]
    rows = np.flatnonzero((latitude >= SOUTH - 1) & (latitude <= NORTH + 1))
    columns = np.flatnonzero((longitude >= WEST - 1) & (longitude <= EAST + 1))
    half = 0.5 * (latitude[1] - latitude[0])
    x, y = longitude[columns], latitude[rows]
    part = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
    return part, x, y, (x[0] - half, x[-1] + half, y[0] - half, y[-1] + half)


def draw_highest(data, places, series, path):
    """Highest sea surface in logarithmic colours, with a line for each hour of arrival."""
    part, x, y, extent = window(data, "highest_sea_surface")
    highest = data["highest_sea_surface"][part]
    arrival = data["arrival_time"][part].filled(np.nan) / 60.0
    wet = ~np.ma.getmaskarray(data["depth"][part])

    figure, axes = plt.subplots(figsize=(11.0, 6.6), layout="constrained")
    map_axes(axes)
    norm = colors.LogNorm(0.01, 5.0)
    picture = axes.imshow(
        np.ma.clip(highest, 0.0101, None), extent=extent, origin="lower", cmap="inferno", norm=norm, aspect=1.1
    )
    axes.contour(x, y, wet, levels=[0.5], colors=SHORE, linewidths=0.35)
    duration = float(data["time"][-1]) / 3600.0
    thin = slice(None, None, 4)  # lines from every 20 minutes of arc: smooth, and quick to draw
    hours = np.arange(1, max(2, np.ceil(duration)))
    lines = axes.contour(x[thin], y[thin], arrival[thin, thin], levels=hours, colors="white", linewidths=0.7, alpha=0.85)
    axes.clabel(lines, fmt="%d h", fontsize=8, inline_spacing=3)
    axes.plot(EPICENTRE[1], EPICENTRE[0], marker="*", markersize=13, color="white", markeredgecolor=INK, markeredgewidth=0.7)
    for name, (latitude, longitude, _) in places.items():
        right, up, side = BESIDE.get(name, (5, 4, "left"))
        axes.plot(longitude, latitude, "o", markersize=4, color="white", markeredgecolor=INK, markeredgewidth=0.7)
        axes.annotate(
            name.removeprefix("DART "),
            (longitude, latitude),
            xytext=(right, up),
            textcoords="offset points",
            ha=side,
            fontsize=8,
            color="white",
            path_effects=[outline()],
        )
    bar = figure.colorbar(picture, ax=axes, shrink=0.9, pad=0.015, extend="both", ticks=[0.01, 0.03, 0.1, 0.3, 1, 3])
    bar.ax.set_yticklabels(["1 cm", "3 cm", "10 cm", "30 cm", "1 m", "3 m"], fontsize=8)
    bar.ax.minorticks_off()
    for number, name in enumerate(CRESTS):
        inset(axes.inset_axes([0.645, 0.235 - 0.19 * number, 0.2, 0.13]), name, series[name])
    axes.set_title(
        f"Tsunami of 11 March 2011: highest sea surface within {duration:g} hours, and hourly arrival", fontsize=12, color=INK
    )
    figure.savefig(path, dpi=120)
    plt.close(figure)
    shrink(path)


def inset(axes, name, values):
    """A gauge's first hours in the corner that the wave has not reached, with the measured crest."""
    minutes, metres = CRESTS[name]
    axes.patch.set_alpha(0)
    axes.plot(np.arange(len(values)), values, color="white", linewidth=0.9)
    axes.plot(minutes, metres, "D", markersize=5, color=MEASURED, markeredgecolor="white", markeredgewidth=0.6)
    axes.annotate(
        f"measured {metres} m", (minutes, metres), xytext=(7, -3), textcoords="offset points", fontsize=7, color="white"
    )
    axes.set_xlim(0, 150)
    axes.set_xticks([0, 30, 60, 90, 120, 150])
    axes.set_title(f"{name}: metres, minutes", fontsize=7.5, color="white", loc="left", pad=3)
    axes.tick_params(labelsize=7, colors="white", length=2)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["bottom", "left"]].set_color(SHORE)


def outline():
    """Dark edges that keep white letters legible on bright colours."""
    from matplotlib import patheffects

    return patheffects.withStroke(linewidth=1.6, foreground=INK)


def shrink(path):
    """A map needs the colours of its scale, greys and little else: a palette of them makes the file a third as large."""
    shades = [plt.get_cmap("inferno")(v)[:3] for v in np.linspace(0, 1, 212)]
    shades += [(v, v, v) for v in np.linspace(0, 1, 40)] + [colors.to_rgb(c) for c in (LAND, SHORE, INK, MEASURED)]
    palette = Image.new("P", (1, 1))
    palette.putpalette([round(255 * channel) for shade in shades for channel in shade])
    with Image.open(path) as image:
        small = image.convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def draw_gauges(places, series, path):
    """Sea surface at the gauges; diamonds and dashed lines are what was measured."""
    names = list(series)
    rows = (len(names) + 2) // 3
    figure, all_axes = plt.subplots(rows, 3, figsize=(11.0, 2.1 * rows), sharex=True, layout="constrained", squeeze=False)
    for axes in all_axes.flat[len(names) :]:
        axes.remove()
    for axes, name in zip(all_axes.flat, names):
        values = np.array(series[name])
        hours = np.arange(len(values)) / 60.0
        axes.axhline(0, color=SHORE, linewidth=0.6)
        axes.fill_between(hours, values, color="#2f6f9f", alpha=0.25, linewidth=0)
        axes.plot(hours, values, color="#1f4e79", linewidth=0.9)
        if name in CRESTS and CRESTS[name][0] < len(values):
            minutes, metres = CRESTS[name]
            axes.plot(
                minutes / 60.0, metres, "D", markersize=6, color=MEASURED, markeredgecolor="white", label="measured crest"
            )
            crest = first_crest(series[name])
            note = f"computed {crest[0]:.1f} min, {crest[1]:.2f} m\nmeasured {minutes} min, {metres} m"
            axes.text(0.97, 0.93, note, transform=axes.transAxes, ha="right", va="top", fontsize=8)
        if name in FIRST_RISES and FIRST_RISES[name] < len(values):
            minutes = FIRST_RISES[name]
            axes.axvline(minutes / 60.0, color=MEASURED, linestyle="--", linewidth=1.2)
            rise = first_rise(series[name])
            note = f"first rise\ncomputed {rise // 60} h {rise % 60:02d}\nmeasured {minutes // 60} h {minutes % 60:02d}"
            axes.text(0.03, 0.93, note, transform=axes.transAxes, va="top", fontsize=8)
        axes.set_title(f"{name}  ({places[name][2]:,.0f} m deep)", fontsize=9, loc="left", color=INK)
        axes.set_xlim(0, hours[-1])
        axes.margins(y=0.12)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in all_axes[:, 0]:
        axes.set_ylabel("m", fontsize=9)
    for axes in all_axes[-1]:
        axes.set_xlabel("hours after the earthquake", fontsize=9)
    figure.suptitle("Sea surface at the gauges; measured values in red", fontsize=12, color=INK)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def wave_colours():
    """Few colours, so that frames stay small: blue troughs, still water, red crests, each from 1 cm to 2 m."""
    steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0]
    levels = [-s for s in reversed(steps)] + steps
    table = plt.get_cmap("RdBu_r")
    half = np.linspace(0.06, 0.46, len(steps))
    shades = [table(v) for v in half] + ["#f4f4f0"] + [table(1.0 - v) for v in reversed(half)]
    palette = colors.ListedColormap(shades[1:-1], name="waves")
    palette.set_extremes(under=shades[0], over=shades[-1], bad=LAND)
    return palette, colors.BoundaryNorm(levels, len(levels) - 1), levels


def draw_animation(data, path):
    """All records of the sea surface, six to a second."""
    part, _, _, extent = window(data, "sea_surface_height", "coarse_")
    palette, norm, levels = wave_colours()
    figure, axes = plt.subplots(figsize=(6.4, 3.9), layout="constrained")
    map_axes(axes)
    picture = axes.imshow(
        data["sea_surface_height"][0][part],
        extent=extent,
        origin="lower",
        cmap=palette,
        norm=norm,
        aspect=1.1,
        interpolation="nearest",
    )
    shown = [-1, -0.1, -0.01, 0.01, 0.1, 1]
    bar = figure.colorbar(picture, ax=axes, shrink=0.8, pad=0.015, extend="both", ticks=shown, spacing="uniform")
    bar.ax.set_yticklabels(["-1 m", "-10 cm", "-1 cm", "1 cm", "10 cm", "1 m"], fontsize=7)
    axes.tick_params(labelsize=7)
    title = axes.set_title(" ", fontsize=10, color=INK)
    frames = []
    for record, seconds in enumerate(data["time"][:]):
        minutes = round(float(seconds) / 60.0)
        picture.set_data(data["sea_surface_height"][record][part])
        title.set_text(f"Sea surface {minutes // 60} h {minutes % 60:02d} min after the earthquake")
        figure.canvas.draw()
        frames.append(Image.fromarray(np.asarray(figure.canvas.buffer_rgba())[..., :3]))
    plt.close(figure)
    common = frames[min(12, len(frames) - 1)].quantize(48, dither=Image.Dither.NONE)
    small = [frame.quantize(palette=common, dither=Image.Dither.NONE) for frame in frames]
    small[0].save(
        path, save_all=True, append_images=small[1:], duration=[165] * (len(small) - 1) + [2000], loop=0, optimize=True
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--result", default="tsunami.nc")
    parser.add_argument("--gauges", default="gauges.csv")
    parser.add_argument("--output", default=".", type=Path)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    places, series = read_gauges(options.gauges)
    with netCDF4.Dataset(options.result) as data:
        draw_highest(data, places, series, options.output / "highest.png")
        draw_gauges(places, series, options.output / "gauges.png")
        draw_animation(data, options.output / "animation.gif")
    for name in ("highest.png", "gauges.png", "animation.gif"):
        print(f"{options.output / name}: {(options.output / name).stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
