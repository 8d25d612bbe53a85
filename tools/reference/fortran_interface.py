"""Reads the public procedures of a Fortran module, with the comment above each."""

import re

import docstrings

PROCEDURE = re.compile(
    r"(?P<comment>(?:^ *! .*\n)+)^ *(?P<head>[^!\n]*\b(?:function|subroutine) +(?P<name>xmp_\w+)\(.*)$", re.M
)
HEADS = re.compile(r"^(?! *end)[^!\n]*\b(?:function|subroutine) +(xmp_\w+)\(", re.M)


def procedures(module):
    """[(name, head, Docstring)], in the order of the file."""
    documented = {found["name"]: found for found in PROCEDURE.finditer(module)}
    return [(name, *_described(documented.get(name))) for name in HEADS.findall(module)]


def _described(found):
    if found is None:
        return "", docstrings.read("")
    return found["head"], docstrings.read(re.sub(r"^ *! ?", "", found["comment"], flags=re.M))


def page(module, path):
    blocks = (
        f"## `{name}`\n\n<!-- test: excerpt of={path} -->\n```fortran\n{head}\n```\n\n{docstring.markdown()}\n"
        for name, head, docstring in procedures(module)
    )
    return "\n".join(blocks)
