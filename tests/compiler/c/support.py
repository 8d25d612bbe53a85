"""What the tests of the C front end share."""

import subprocess

from kumihimo.compiler.c.reading import syntax
from kumihimo.compiler.c.reading.parser import parse
from kumihimo.compiler.c.reading.preprocess import preprocess

COMPILER = ["gcc"]


def source_of(directory, text, name="program.c", options=(), command=COMPILER):
    path = directory / name
    path.write_text(text)
    return preprocess(str(path), command, options)


def unit_of(directory, text, name="program.c", options=(), command=COMPILER):
    return parse(source_of(directory, text, name, options, command))


def nodes(unit, cls):
    return [node for node in unit.walk() if isinstance(node, cls)]


def named(unit, name):
    return [node for node in nodes(unit, syntax.Identifier) if node.name == name]


def compile_text(directory, text, name="woven.c", options=()):
    """Compiles a text in a directory of its own, as xmpcc does, and returns what the program prints."""
    folder = directory / "elsewhere"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    binary = folder / "program"
    subprocess.run(
        [*COMPILER, "-w", "-iquote", str(directory), *options, "-o", str(binary), str(folder / name)], check=True, text=True
    )
    return subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout
