#!/usr/bin/env python3
"""Draws the pictures of the gallery: compiles life, mandelbrot and heat2d, runs them on 4 nodes, colours what they write.

usage: examples.py [DIRECTORY]     (default: where this file is; xmpcc and xmprun are found in PATH; needs netCDF4 and Pillow)
"""

import pathlib
import subprocess
import sys
import tempfile

import netCDF4
import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
WIDTH = 640


def main():
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        run(scratch, "life")
        run(scratch, "mandelbrot", str(3 * WIDTH), str(2 * WIDTH))
        run(scratch, "heat2d")
        life, escaped, plate = grey(scratch / "life.pgm"), grey(scratch / "mandelbrot.pgm"), heat(scratch / "heat2d.nc")
    steep = (255 * np.sqrt(1 - escaped / 255)).astype(np.uint8)  # most points leave the circle after few iterations
    for name, levels, colours, smooth in (
        ("life", life, ["#10131c", "#3a4a7a", "#e9c46a", "#ffffff"], Image.NEAREST),
        ("mandelbrot", steep, ["#10131c", "#23527c", "#e9c46a", "#ffffff", "#000000"], Image.LANCZOS),
        ("heat2d", plate, ["#10131c", "#7b2d5b", "#e76f51", "#ffe8a3"], Image.BICUBIC),
    ):
        picture = coloured(levels, colours)
        height = round(picture.height * WIDTH / picture.width)
        picture = picture.resize((WIDTH, height), smooth).quantize(256)
        picture.save(target / f"example-{name}.png", optimize=True)


def run(directory, example, *arguments):
    source = EXAMPLES / example / f"{example}.c"
    subprocess.run(["xmpcc", "-O3", "-o", example, source], cwd=directory, check=True)
    subprocess.run(["xmprun", "-n", "4", f"./{example}", *arguments], cwd=directory, check=True, stdout=subprocess.DEVNULL)


def grey(path):
    return np.asarray(Image.open(path))


def heat(path):
    """Records 0, 1, 3 and 8 beside each other, 100 degrees as 255; the square root shows also what is lukewarm."""
    with netCDF4.Dataset(path) as data:
        records = [data["temperature"][record].filled() for record in (0, 1, 3, 8)]
    border = np.zeros((records[0].shape[0], 2))
    row = np.hstack([part for record in records for part in (record, border)][:-1])
    return (255 * np.sqrt(np.clip(row / 100, 0, 1))).astype(np.uint8)


def coloured(levels, colours):
    """Grey levels by colours that stand evenly between 0 and 255."""
    stops = np.array([[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in colours])
    places = np.linspace(0, 255, len(stops))
    table = np.stack([np.interp(np.arange(256), places, stops[:, k]) for k in range(3)], axis=1)
    return Image.fromarray(table.round().astype(np.uint8)[levels])


if __name__ == "__main__":
    main()
