"""Nodes, templates and global arrays of random programs: what is drawn, and how it is declared in XMP/C.

Nothing here knows how many nodes will run the program: sizes of node arrays, blocks and gblock arrays are computed by the
program itself (the functions of prelude.h)."""

import dataclasses

LARGEST_TEMPLATE = {1: 40, 2: 12, 3: 7}  # extent of a dimension, by the template's rank
ELEMENT_TYPES = ("int", "long", "double", "float", "short", "signed char", "pair")
FORMATS = ("block", "block", "block", "block(n)", "cyclic", "cyclic(n)", "gblock", "*")


@dataclasses.dataclass
class Nodes:
    """`nodes name[..]`: all nodes, or a run of them. brackets: written [ ], else ( )."""

    name: str
    rank: int
    brackets: bool
    way: int  # how the number of nodes is split among the dimensions
    part: bool  # whether it is a part of all nodes

    def size(self, d):
        return f"{self.name}_{d}"

    @property
    def count(self):
        return f"{self.name}_count"

    @property
    def speaker(self):
        """The number of its first node."""
        return f"{self.name}_first"

    def declaration(self):
        lines = [
            f"int {self.speaker} = {f'part_first({self.way})' if self.part else '0'};",
            f"int {self.count} = {f'part_count({self.way})' if self.part else 'everybody'};",
        ]
        for d in range(self.rank):
            lines.append(f"int {self.size(d)} = side({self.count}, {self.rank}, {d}, {self.way});")
        whole = f" = all_{self.name}[{self.speaker}:{self.count}]" if self.part else ""
        if self.part:
            lines.append(f"#pragma xmp nodes all_{self.name}[*]")
        lines.append(f"#pragma xmp nodes {self.name}{self.subscripts([self.size(d) for d in range(self.rank)])}{whole}")
        return lines

    def subscripts(self, texts):
        return subscripts(texts, self.brackets)


class OuterNodes(Nodes):
    """All nodes, in a row, declared outside of functions."""

    speaker, count = "0", "everybody"

    def declaration(self):
        return [f"#pragma xmp nodes {self.name}{self.subscripts(['*'])}"]


@dataclasses.dataclass
class TemplateDimension:
    lower: int
    extent: int
    format: str
    node_dimension: int  # -1: not distributed
    number: int  # n of cyclic(n), what block(n) has beyond the least, the seed of gblock

    @property
    def upper(self):
        return self.lower + self.extent - 1

    @property
    def distributed(self):
        return self.node_dimension >= 0

    @property
    def runs(self):
        """Whether each node has one run of it: a shadow of some width is possible."""
        return self.format in ("block", "block(n)", "gblock", "*")


@dataclasses.dataclass
class Template:
    name: str
    nodes: Nodes
    dimensions: list

    @property
    def rank(self):
        return len(self.dimensions)

    @property
    def outer(self):
        return isinstance(self.nodes, OuterNodes)

    def subscripts(self, texts):
        return self.nodes.subscripts(texts)

    def sizes_name(self, d):
        return f"{self.name}_sizes{d}"

    def declaration(self):
        lines, bounds = [], []
        for d, dimension in enumerate(self.dimensions):
            bounds.append(str(dimension.extent) if self.nodes.brackets else f"{dimension.lower}:{dimension.upper}")
            if dimension.format == "gblock":
                size, name = self.nodes.size(dimension.node_dimension), self.sizes_name(d)
                lines.append(f"int {name}[{size}];")
                lines.append(f"share({name}, {size}, {dimension.extent}, {dimension.number});")
        lines.append(f"#pragma xmp template {self.name}{self.subscripts(bounds)}")
        formats = [self._format(d) for d in range(self.rank)]
        lines.append(f"#pragma xmp distribute {self.name}{self.subscripts(formats)} onto {self.nodes.name}")
        return lines

    def _format(self, d):
        dimension = self.dimensions[d]
        if dimension.format == "block(n)":
            return f"block(at_least({dimension.extent}, {self.nodes.size(dimension.node_dimension)}) + {dimension.number})"
        if dimension.format == "cyclic(n)":
            return f"cyclic({dimension.number})"
        if dimension.format == "gblock":
            return f"gblock({self.sizes_name(d)})"
        return dimension.format


@dataclasses.dataclass
class ArrayDimension:
    extent: int
    onto: int  # dimension of the template, -1: collapsed
    offset: int
    lower: int = 0  # shadow
    upper: int = 0
    full: bool = False


@dataclasses.dataclass
class Array:
    name: str
    type: str
    template: Template
    dimensions: list
    parameter: bool = False

    @property
    def rank(self):
        return len(self.dimensions)

    @property
    def has_shadow(self):
        return any(d.full or d.lower or d.upper for d in self.dimensions)

    @property
    def replicated(self):
        """Dimensions of the template that no dimension of the array lies on."""
        return [d for d in range(self.template.rank) if all(own.onto != d for own in self.dimensions)]

    def place(self, k):
        """The TemplateDimension of dimension k, or None."""
        onto = self.dimensions[k].onto
        return None if onto < 0 else self.template.dimensions[onto]

    def distributed(self, k):
        return self.place(k) is not None and self.place(k).distributed

    @property
    def member(self):
        return ".weight" if self.type == "pair" else ""

    def element(self, indices):
        return self.name + "".join(f"[{index}]" for index in indices) + self.member

    def declarator(self):
        return f"{self.type} {self.name.rpartition('.')[2]}" + "".join(f"[{d.extent}]" for d in self.dimensions)

    def directives(self):
        variables = "abcdefg"
        sources = [variables[k] if d.onto >= 0 else "*" for k, d in enumerate(self.dimensions)]
        targets = ["*"] * self.template.rank
        for k, d in enumerate(self.dimensions):
            if d.onto >= 0:
                targets[d.onto] = plus(variables[k], d.offset)
        lines = [
            f"#pragma xmp align {self.name}{subscripts(sources, True)} with {self.template.name}"
            + self.template.subscripts(targets)
        ]
        if self.has_shadow:
            lines.append(f"#pragma xmp shadow {self.name}" + subscripts([width_text(d) for d in self.dimensions], True))
        return lines


def width_text(d):
    if d.full:
        return "*"
    return str(d.lower) if d.lower == d.upper else f"{d.lower}:{d.upper}"


def subscripts(texts, brackets):
    return "".join(f"[{text}]" for text in texts) if brackets else f"({', '.join(texts)})"


def plus(text, number):
    return text if number == 0 else f"{text} + {number}" if number > 0 else f"{text} - {-number}"


# ---- drawing ----


def draw_template(draw, name, parts=True, brackets=None):
    """A Template with Nodes of its own. brackets: whether subscripts are written in [ ]; None: either."""
    rank = draw.choice((1, 1, 2, 2, 3))
    formats = [draw.choice(FORMATS) for _ in range(rank)]
    if all(format_ == "*" for format_ in formats):
        formats[draw.randrange(rank)] = "block"
    nodes = Nodes(
        name="p" + name,
        rank=sum(format_ != "*" for format_ in formats),
        brackets=draw.random() < 0.6 if brackets is None else brackets,
        way=draw.randrange(100),
        part=parts and draw.random() < 0.15,
    )
    if nodes.part and brackets is None:
        nodes.brackets = True  # so that [first:count] is meant
    dimensions, along = [], 0
    for format_ in formats:
        dimensions.append(
            TemplateDimension(
                lower=0 if nodes.brackets else draw.randint(-5, 5),
                extent=draw.randint(3, LARGEST_TEMPLATE[rank]),
                format=format_,
                node_dimension=-1 if format_ == "*" else along,
                number=draw.randint(1, 4),
            )
        )
        along += format_ != "*"
    return Template("t" + name, nodes, dimensions)


def draw_outer_template(draw, number):
    """A Template outside of functions, whose bounds and formats are constants."""
    rank = draw.choice((1, 2, 2, 3))
    nodes = OuterNodes(f"outer_nodes{number}", 1, draw.random() < 0.6, 0, False)
    distributed = draw.randrange(rank)
    dimensions = [
        TemplateDimension(
            lower=0 if nodes.brackets else draw.randint(-5, 5),
            extent=draw.randint(3, LARGEST_TEMPLATE[rank]),
            format=draw.choice(("block", "cyclic", "cyclic(n)")) if d == distributed else "*",
            node_dimension=0 if d == distributed else -1,
            number=draw.randint(1, 4),
        )
        for d in range(rank)
    ]
    return Template(f"outer{number}", nodes, dimensions)


def draw_array(draw, name, template, type_=None):
    """An Array on the template: some of its dimensions, in any order, and collapsed ones."""
    targets = [d for d in range(template.rank) if draw.random() < 0.9] or [draw.randrange(template.rank)]
    if draw.random() < 0.25 and len(targets) < 3:
        targets.append(-1)
    if draw.random() < 0.4:
        draw.shuffle(targets)
    dimensions = []
    for onto in targets:
        if onto < 0:
            dimensions.append(ArrayDimension(draw.randint(1, 5), -1, 0))
            continue
        place = template.dimensions[onto]
        extent = place.extent if draw.random() < 0.6 else draw.randint(max(1, place.extent - 3), place.extent)
        offset = place.lower + draw.randint(0, place.extent - extent)
        dimensions.append(ArrayDimension(extent, onto, offset))
    array = Array(name, type_ or draw.choice(ELEMENT_TYPES), template, dimensions)
    if draw.random() < 0.7:
        for k, dimension in enumerate(dimensions):
            draw_shadow(draw, dimension, array.place(k))
    return array


def draw_shadow(draw, dimension, place):
    if place is not None and place.distributed and draw.random() < (0.1 if place.runs else 0.5):
        dimension.full = True
    elif (place is None or place.runs) and draw.random() < 0.8:
        dimension.lower, dimension.upper = draw.choice(((1, 1), (1, 1), (2, 2), (0, 1), (1, 0), (2, 1), (0, 3), (1, 2)))
