"""Reads a public C header: sections, and in them groups of declarations with the comment above them. The layout that it
relies on is that of our headers (clang-format): a comment of its own begins a line, a blank line ends a group."""

import re
from typing import NamedTuple

import docstrings

# What may begin at the start of a line. Anything else (the end of extern "C") is passed over.
PIECE = re.compile(
    r"/\* ---- (?P<title>.*?) ----\s*(?P<about>.*?)\*/"
    r"|/\*(?P<comment>.*?)\*/"
    r"|(?P<directive>#(?:[^\n]*\\\n)*[^\n]*)"
    r"|(?P<declaration>(?:typedef|enum|int|void|double|long long|ssize_t|size_t|const char|xmp_file_t|xmp_range_t|MPI_Comm)\b"
    r"(?:[^;{}]|\{[^}]*\})*;(?:[ ]*/\*[^\n]*\*/)?)"
    r"|(?P<blank>\s*\n)",
    re.S,
)
SHOWN = 2  # declarations of a family, of which the others are named only


class Group(NamedTuple):
    """Declarations under one comment."""

    docstring: docstrings.Docstring
    declarations: list

    @property
    def functions(self):
        return [name for name in map(function_name, self.declarations) if name]


class Section(NamedTuple):
    title: str
    about: docstrings.Docstring
    groups: list


def function_name(declaration):
    """None for a type or constants."""
    found = re.match(r"(?!typedef|enum)[^({]*?(\w+)\(", declaration)
    return found[1] if found else None


def sections(header):
    """The Sections of a header, from its first one on."""
    found, group = [], None
    position = header.index("/* ---- ")
    while position < len(header):
        piece = PIECE.match(header, position)
        if piece is None:
            position = header.find("\n", position) + 1 or len(header)
            continue
        position = piece.end()
        if piece["title"]:
            found.append(Section(piece["title"], docstrings.read(plain(piece["about"])), []))
        if piece["declaration"]:
            if group is None:
                group = Group(docstrings.read(""), [])
            if not group.declarations:
                found[-1].groups.append(group)
            group.declarations.append(piece["declaration"])
        elif piece["comment"]:
            group = Group(docstrings.read(plain(piece["comment"])), [])
        elif not (piece["blank"] == "\n" and header[piece.start() - 1] != "\n"):
            group = None
    return [section for section in found if section.groups]


def plain(comment):
    return re.sub(r"^\s*\* ?", "", comment, flags=re.M)


def page(header, path):
    return "\n".join(f"## {section.title}\n\n{section_text(section, path)}" for section in sections(header))


def section_text(section, path):
    about = docstrings.wrapped(docstrings.escaped(section.about.purpose))
    return "\n".join(filter(None, [paragraph(about), *(group_text(group, section, path) for group in section.groups)]))


def group_text(group, section, path):
    names = group.functions
    heading = f"### `{names[0]}`\n\n" if names else ""
    block = f"<!-- test: excerpt of={path} -->\n```c\n{shown(group.declarations)}\n```\n"
    others = f"Likewise: {', '.join(f'`{name}`' for name in names[SHOWN:])}." if len(names) > SHOWN else ""
    docstring = group.docstring.completed_by(section.about) if names else group.docstring
    return heading + "\n".join(filter(None, [block, paragraph(docstring.markdown()), paragraph(docstrings.wrapped(others))]))


def paragraph(text):
    return text and text + "\n"


def shown(declarations):
    return "\n".join(declarations if len(declarations) <= SHOWN else [*declarations[:SHOWN], "..."])
