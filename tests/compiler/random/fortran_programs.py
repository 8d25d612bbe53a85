"""Random XMP/Fortran programs: a case declares nodes, templates and global arrays in a procedure, in a module, in the main
program or in COMMON, works on them and says the values of all elements."""

import copy
import random

import fortran_sections as sections
import fortran_statements as statements
from filled_shadows import Coverage
from fortran_loops import fortran_array
from fortran_text import source
from layouts import OuterNodes, draw_array, draw_template

PRELUDE = """module common_to_cases
implicit none
integer :: everybody = 1, myself = 1, unit = 6
type pair
sequence
real(8) :: weight
integer :: tag
end type
contains
subroutine find_nodes
{find_nodes}
end subroutine
subroutine say(node, name, value)
integer, intent(in) :: node
character(*), intent(in) :: name
integer(8), intent(in) :: value
if (node == myself) write (unit, '(a, ": ", i0)') name, value
end subroutine
integer(8) function hash(values)
integer(8), intent(in) :: values(:)
integer :: k
hash = 7
do k = 1, size(values)
hash = mod(hash * 31 + values(k), 1000000007_8)
end do
end function
elemental integer(8) function mixed(x)
integer(8), intent(in) :: x
mixed = mod(x * 13 + 5, 89_8)
end function
integer function split(count, rank, d, way)
integer, intent(in) :: count, rank, d, way
integer :: left, ways, at, found, k
left = count
ways = way
do at = 0, d
split = left
if (at == rank - 1) return
found = 0
do k = 1, left
if (mod(left, k) == 0) found = found + 1
end do
found = mod(ways, found) + 1
do split = 1, left
if (mod(left, split) == 0) found = found - 1
if (found == 0) exit
end do
left = left / split
ways = ways / 3
end do
end function
integer function part_count(way)
integer, intent(in) :: way
part_count = 1 + mod(way, everybody)
end function
integer function part_first(way)
integer, intent(in) :: way
part_first = 1 + mod(way / 7, everybody - part_count(way) + 1)
end function
function shared(nodes, extent, seed) result(sizes)
integer, intent(in) :: nodes, extent, seed
integer :: sizes(nodes), k, left
left = extent
do k = 1, nodes
sizes(k) = min(left, mod(seed * 7 + k * 5, 2 * extent / nodes + 2))
if (k == nodes) sizes(k) = left
left = left - sizes(k)
end do
end function
end module
"""
FIND_NODES = """integer, external :: xmp_all_num_nodes, xmp_all_node_num
character(20) :: name
everybody = xmp_all_num_nodes()
myself = xmp_all_node_num()
write (name, '(a, i0)') 'lines.', myself - 1
open (newunit=unit, file=name, status='replace')"""

KINDS = (
    (statements.assign, 8),
    (statements.reduce, 5),
    (statements.moved, 4),
    (statements.one_sided, 1),
    (statements.point, 1),
    (statements.widened, 1),
    (statements.peeled, 1),
    (statements.summed_shadows, 1),
    (sections.assigned, 4),
    (sections.transformed, 2),
    (sections.in_block, 1),
    (statements.reflected, 1),
    (statements.handed_on, 1),
    (statements.beside_each_other, 1),
    (statements.inside_task, 1),
    (statements.called, 2),
)
HOMES = ("procedure", "procedure", "module", "main", "common")


class Arguments:
    """What a procedure's declarations need of the number of nodes: (name, its declaration's shape, value)."""

    def __init__(self):
        self.names, self.values = {}, []

    def add(self, name, value, shape=""):
        if name not in self.names:
            self.names[name] = shape
            self.values.append(value)
        return name

    def declarations(self):
        return [f"integer, intent(in) :: {name}{shape}" for name, shape in self.names.items()]


def mapping(template, arguments, fixed_later=False):
    """The directives of a template and its nodes. Sizes are arguments; where there are none (arguments None): all nodes.
    fixed_later: template_fix gives bounds, and the sizes of gblock."""
    nodes, lines, n = template.nodes, [], template.nodes.name
    if arguments is None:
        lines.append(f"!$xmp nodes {n}(*)")
    else:
        if nodes.part:
            first = arguments.add(f"{n}_first", f"part_first({nodes.way})")
            total = arguments.add(f"{n}_count", f"part_count({nodes.way})")
        sizes = [arguments.add(f"{n}_{d}", size_of(nodes, d)) for d in range(nodes.rank)]
        part = f" = {n}_all({first}:{first} + {total} - 1)" if nodes.part else ""
        lines += [f"!$xmp nodes {n}_all(*)"] if nodes.part else []
        lines.append(f"!$xmp nodes {n}({', '.join(sizes)}){part}")
    bounds = ", ".join(f"{d.lower}:{d.upper}" for d in template.dimensions)
    formats = [format_of(template, d, arguments) for d in template.dimensions]
    if fixed_later:
        template.fix.text = f"!$xmp template_fix ({', '.join(formats)}) {template.name}({bounds})"
        bounds = ", ".join(":" * template.rank)
        formats = ["gblock(*)" if f.startswith("gblock") else f for f in formats]
    declared = f"!$xmp template {template.name}({bounds})"
    return [*lines, declared, f"!$xmp distribute {template.name}({', '.join(formats)}) onto {n}"]


class Fix(statements.Statement):
    """template_fix; its text is known when the template is declared."""

    text = None

    def __init__(self):
        super().__init__([])

    def lines(self, parallel):
        return [self.text]


def size_of(nodes, d):
    """The expression for a dimension's number of nodes."""
    count = f"part_count({nodes.way})" if nodes.part else "everybody"
    return f"split({count}, {nodes.rank}, {d}, {nodes.way})"


def format_of(template, d, arguments):
    if d.format == "cyclic(n)":
        return f"cyclic({d.number})"
    if d.format not in ("block(n)", "gblock"):
        return d.format
    n, along = template.nodes.name, d.node_dimension
    size = size_of(template.nodes, along)
    name = f"{template.name}_{along}"
    if d.format == "gblock":
        return f"gblock({arguments.add(name, f'shared({size}, {d.extent}, {d.number})', f'({n}_{along})')})"
    return f"block({arguments.add(name, f'({d.extent} + {size} - 1) / {size} + {d.number}')})"


class Case:
    """templates, arrays; statements: what is done with them; home: where the arrays are declared."""

    def __init__(self, seed, number, kinds=KINDS):
        self.number = number
        draw = random.Random(f"Fortran {seed} {number}")
        self._names, self._labels = [0], [10]
        self.home = draw.choice(HOMES)
        self.templates = [self._template(draw, "a")]
        if draw.random() < 0.4:
            self.templates.append(self._template(draw, "b"))
        for template in self.templates:
            later = self.home in ("procedure", "module") and draw.random() < 0.2
            template.fix = Fix() if later else None
        self.arrays = []
        for name in "uvw"[: draw.randint(1, 3)]:
            array = fortran_array(draw, draw_array(draw, f"{name}{number}", draw.choice(self.templates)), self.home == "common")
            array.allocatable = self.home != "common" and draw.random() < 0.3
            plain = self.home == "procedure" and not array.allocatable and not array.template.fix
            if plain and draw.random() < 0.15:
                array.holder = f"holder_{array.name}"
                array.name = f"{array.holder}%{array.name}"
            array.coverage = Coverage()
            self.arrays.append(array)
        self.templates = [t for t in self.templates if any(a.template is t for a in self.arrays)]
        self.variables, self.procedures, self.contained, self.in_module = [], [], [], []
        self.implicit = self.home != "main" and draw.random() < 0.2
        self.statements = [template.fix for template in self.templates if template.fix]
        self.statements += [statements.allocate(array) for array in self.arrays if array.allocatable]
        self.statements += [statements.fill(draw, self, array) for array in self.arrays]
        makers, weights = zip(*kinds)
        for make in draw.choices(makers, weights, k=draw.randint(3, 8)):
            self.statements += make(draw, self)
        self.second = draw.randint(len(self.arrays), len(self.statements)) if self.home == "common" else None
        self.statements += [statements.whole(draw, self, array) for array in self.arrays]

    def _template(self, draw, name):
        template = draw_template(draw, f"{name}{self.number}", parts=self.home == "procedure", brackets=False)
        if self.home != "procedure":  # sizes are constants: one dimension is distributed onto all nodes
            nodes = template.nodes = OuterNodes(template.nodes.name, 1, False, 0, False)
            distributed = draw.choice([d for d in template.dimensions if d.distributed])
            for d in template.dimensions:
                d.node_dimension = 0 if d is distributed else -1
                d.format = d.format if d is distributed else "*"
            if distributed.format in ("block(n)", "gblock"):
                distributed.format = "block"
            nodes.rank = 1
        return template

    # ---- what statements ask for ----
    def fresh(self, stem):
        self._names[0] += 1
        return f"{stem}{self.number}_{self._names[0]}"

    def variable(self, type_, shape=""):
        name = self.fresh("x")
        self.variables.append(f"{type_} :: {name}{shape}")
        return name

    def nodes(self):
        """A name for all nodes."""
        name = self.fresh("nodes")
        self.variables.append(f"!$xmp nodes {name}(*)")
        return name

    def label(self):
        self._labels[0] += 10
        return self._labels[0]

    def say(self, template, what, value, speaker="1"):
        self._names[0] += 1
        speaker = f"{template.nodes.name}_first" if template and template.nodes.part else speaker
        return f"call say({speaker}, 'case {self.number}, {self._names[0]}, {what}', int({value}, 8))"

    def on_template(self, template):
        """This case with the arrays of one template only."""
        inner = copy.copy(self)
        inner.arrays = [array for array in self.arrays if array.template is template]
        return inner

    def call(self, draw, array, kinds):
        """A procedure with the array as a dummy argument: its own mapping, or inside of this one with its host's; explicit or
        assumed shape."""
        inner = self.on_template(array.template)
        inside = draw.random() < 0.5
        known = inside or self.home != "main" and draw.random() < 0.5  # in a module
        parameter = copy.copy(array)
        parameter.name, parameter.holder = "argument", None
        parameter.allocatable = array.allocatable and known and draw.random() < 0.6
        if not parameter.allocatable:
            parameter.firsts = [draw.choice((1, 0, -2, 5)) for _ in array.firsts]
        inner.arrays, inner.variables, inner.procedures, inner.contained = [parameter], [], [], []
        body = [s for make in draw.choices(kinds, k=draw.randint(1, 3)) for s in make(draw, inner)]
        if parameter.allocatable and draw.random() < 0.4:  # other memory
            again = [statements.Statement(["deallocate (argument)"]), statements.allocate(parameter)]
            body = [*again, statements.fill(draw, inner, parameter), *body]
        assumed = known and draw.random() < 0.6
        shape = ", ".join(f"{first}:" for first in parameter.firsts)
        declared = [f"{array.type}, intent(inout) :: {f'argument({shape})' if assumed else parameter.declarator()}"]
        if parameter.allocatable:
            declared = [f"{array.type}, allocatable, intent(inout) :: argument({', '.join(':' * array.rank)})"]
        name = self.fresh("part")
        procedure = Procedure(name, [] if inside else [array.template], [parameter], declared, inner.variables, body, self)
        (self.contained if inside else self.in_module if known else self.procedures).append(procedure)
        return procedure.call(["argument"], [array.name])


class Procedure:
    """implicit: whether i, j and k have their types by default."""

    def __init__(self, name, templates, arrays, declared, variables, body, case, outermost=False):
        self.name, self.body, self.case = name, body, case
        self.implicit = outermost and case.implicit
        self.arguments = Arguments() if case.home == "procedure" else None
        later = [outermost and template.fix is not None for template in templates]
        mapped = [line for template, fixed in zip(templates, later) for line in mapping(template, self.arguments, fixed)]
        self.dummies = []
        self.specification = [
            *(self.arguments.declarations() if self.arguments else []),
            *declared,
            *variables,
            *([] if self.implicit else ["integer :: i, j, k"]),
            *mapped,
            *(line for array in arrays for line in array.directives()),
        ]

    def call(self, dummies, actual):
        self.dummies = dummies
        values = [*actual, *(self.arguments.values if self.arguments else [])]
        return f"call {self.name}({', '.join(values)})"

    def lines(self, parallel, uses=None, contained=()):
        """uses: None for an internal procedure, which has its host's."""
        names = [*self.dummies, *(self.arguments.names if self.arguments else [])]
        inside = [line for procedure in contained for line in procedure.lines(parallel)]
        return [
            f"subroutine {self.name}({', '.join(names)})",
            *([] if uses is None else ["use common_to_cases", *uses, *([] if self.implicit else ["implicit none"])]),
            *self.specification,
            *(line for statement in self.body for line in statement.lines(parallel)),
            *(["contains", *inside] if inside else []),
            "end subroutine",
        ]


class Written:
    """The texts of a case: units (outside), what the main program declares, executes and contains."""

    def __init__(self, case, parallel):
        arrays = [line for a in case.arrays for line in a.declaration()]
        outside = case.home != "procedure"
        directives = [line for t in case.templates for line in mapping(t, None, t.fix is not None)] if outside else []
        directives += [line for a in case.arrays for line in a.directives()] if case.home != "procedure" else []
        self.units = [line for procedure in case.procedures for line in procedure.lines(parallel, [])]
        self.declared, self.contained, uses = [], [], []
        name = f"case{case.number}"
        here = case.templates, case.arrays, arrays
        parts = [(name, case.statements)]
        if case.home == "module":
            module = f"module data{case.number}"
            self.units += [module, "use common_to_cases", "implicit none", *arrays, *directives, "end module"]
            uses, here = [f"use data{case.number}"], ([], [], [])
        elif case.home == "main":
            self.declared, here = [*arrays, *directives], ([], [], [])
        elif case.home == "common":
            here = (
                case.templates,
                case.arrays,
                [*arrays, f"common /store{case.number}/ {', '.join(a.name for a in case.arrays)}"],
            )
            parts = [(name, case.statements[: case.second]), (f"{name}_again", case.statements[case.second :])]
        self.calls = []
        if case.in_module:
            inside = [line for procedure in case.in_module for line in procedure.lines(parallel, [])]
            self.units += [f"module parts{case.number}", "implicit none", "contains", *inside, "end module"]
            uses = [*uses, f"use parts{case.number}"]
        for part, body in parts:
            procedure = Procedure(part, *here, case.variables, body, case, outermost=True)
            self.calls.append(procedure.call([], []))
            if case.home == "main":
                # An internal procedure cannot contain others: they are the main program's too.
                self.contained += procedure.lines(parallel)
                self.contained += [line for p in case.contained for line in p.lines(parallel)]
            else:
                self.units += procedure.lines(parallel, uses, case.contained)


def program(cases, parallel, form="free"):
    written = [Written(case, parallel) for case in cases]
    gather = lambda what: [line for one in written for line in getattr(one, what)]  # noqa: E731
    contained = gather("contained")
    lines = [
        *PRELUDE.format(find_nodes=FIND_NODES if parallel else "unit = 6").splitlines(),
        *gather("units"),
        "program cases",
        "use common_to_cases",
        "implicit none",
        *gather("declared"),
        "call find_nodes",
        *gather("calls"),
        *(["contains", *contained] if contained else []),
        "end program",
    ]
    return source(lines, form)
