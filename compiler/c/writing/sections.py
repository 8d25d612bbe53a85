"""Array sections `x[base:length:step]` and array assignment statements (specification 3.1, 3.2), on local arrays and coarrays.

    x[1:n:2][:] = y[:][0] + s;
becomes loops around the user's own text:
    { for (XMP_Index i_xmp = 0; i_xmp < n; i_xmp++) for (...) x[1 + i_xmp * 2][j_xmp] = y[...][0] + s; }

The right side counts as evaluated first: where the target may overlap what is read, it goes through memory of its own, as do
sections of other images, which are fetched before the loops. Plain copies to and from other images are one call."""

from contextlib import suppress
from functools import partial

from ...directives.words import parenthesised
from ...plan.array_assignment import misfit, way
from ...plan.coarrays import OPERATIONS, at_image
from ..reading import syntax, types
from ..reading.operands import Failed, OperandReader
from .elements import type_code
from .lvalues import converts, quoted_text
from .once import Once
from .operands import Lvalue, OperandWriter
from .part import Part
from .texts import INDICES

_ELEMENTAL = (syntax.Binary, syntax.Unary, syntax.Cast, syntax.Conditional, syntax.Call, syntax.Parenthesized)


class Sections(Part):
    """Part of the walk."""

    def reader(self, distributed=False):
        return OperandReader(self.context, partial(Lvalue, self.context), self.lowering.coindexed.coarray_of, distributed)

    def misplaced(self, node):
        """A section that stands in no array assignment."""
        with suppress(Failed):
            self.reader().misplaced(node)

    def statement(self, node):
        """An ExpressionStatement; False if it is no array assignment."""
        assign = node.expression
        if not isinstance(assign, syntax.Assign) or not (
            syntax.has_sections(assign.target) or syntax.has_sections(assign.value)
        ):
            return False
        self.context.local_view = True
        ArrayAssignment(self.lowering, node, assign).lower()
        return True


class ArrayAssignment(Part):
    """One statement on its way to C."""

    distributed = False  # whether sections of global arrays may stand in it

    def __init__(self, lowering, node, assign):
        super().__init__(lowering)
        self.node, self.assign = node, assign
        self.site = quoted_text(self.context, assign)
        self.once = Once(lowering)
        self.reader = lowering.sections.reader(self.distributed)

    def lower(self):
        try:
            with self.edits.isolated(self.node):
                self._read()
                self._write_operands()
                self._write()
        except Failed:
            return

    def _read(self):
        self.target = self.reader.operand(self.assign.target)
        self.operands, self.scalars = [], []
        if not self.target.rank:
            self._no_section()
        self._collect(self.assign.value)
        self._measure()

    def _no_section(self):
        message = "the right side has the shape of an array section, and the left side is one element"
        self.reader.fail("XMP-E206", message, self.assign.target, "write a section on the left side")

    # ---- reading ----
    def _collect(self, node):
        """Operands and the largest expressions without sections below the right side."""
        if not syntax.has_sections(node):
            self.scalars.append(node)
        elif isinstance(node, (syntax.Section, syntax.Subscript, syntax.Member, syntax.CoarrayReference)):
            self.operands.append(self.reader.operand(node))
        elif isinstance(node, syntax.Parenthesized) and is_lvalue(node):
            self._collect(node.operand)
        elif isinstance(node, _ELEMENTAL) and not (isinstance(node, syntax.Unary) and node.operator in ("&", "++", "--", "*")):
            if isinstance(node, syntax.Call) and syntax.has_sections(node.function):
                self.reader.fail("XMP-E205", "an array section cannot be called", node.function)
            for child in node.children():
                if not isinstance(child, syntax.TypeName) and not (isinstance(node, syntax.Call) and child is node.function):
                    self._collect(child)
        else:
            self.reader.misplaced(next(part for part in node.walk() if isinstance(part, syntax.Section)))

    def _measure(self):
        """Ranks, dimensions and their lengths."""
        for operand in self.operands:
            self._check_shape(operand)
        self.reader.measure(self.target)
        for operand in self.operands:
            self.reader.measure(operand)
            self._check_shape(operand)

    def _check_shape(self, operand):
        wrong = misfit(self.target, operand)
        if wrong is not None:
            self.reader.fail("XMP-E206", wrong, operand.node, notes=[("the left side is here", self.target.word)])

    # ---- texts ----
    def _write_operands(self):
        writer = OperandWriter(self.lowering, self.once)
        writer.write(self.target, True)
        for operand in self.operands:
            writer.write(operand, self.context.check)
            for d, (mine, left) in enumerate(zip(operand.dimensions, self.target.dimensions)):
                if self.context.check and mine.count != left.count:
                    at = f"XMP_CODE({self.site}), {d + 1}, {left.count}, {mine.count}"
                    self.once.prefix.append(f"XMP_Check_counts({at});")
        for scalar in self.scalars:
            if self.target.remote and not self.operands:
                self.lowering.visit(scalar)
            else:
                self.once.in_place(scalar)

    def _bytes(self, operand):
        """Of a contiguous operand."""
        row = operand.at(["0"] * operand.rank, operand.dimensions[0].node)
        return f"(size_t){parenthesised(self._counts()[0])} * sizeof {row}"

    def _indices(self):
        return [self.context.name(f"{letter}_xmp") for letter in INDICES[: self.target.rank]]

    def _counts(self):
        return [d.count for d in self.target.dimensions]

    def _section(self, operand):
        """`&(const XMP_Section){address, rank, {counts}, {strides}}`"""
        zeros = ["0"] * operand.rank
        strides = []
        for d in operand.dimensions:
            row = f"sizeof {operand.at(zeros, d.node.base)}[0]"
            strides.append(row if d.pace == "1" else f"{parenthesised(d.pace)} * (XMP_Index){row}")
        return section_text(f"(void *){operand.first()}", self._counts(), strides)

    def _temporary_section(self, name):
        """The section that a temporary is: all its elements in order."""
        counts, strides = self._counts(), []
        for d in range(len(counts)):
            inner = [parenthesised(count) for count in counts[d + 1 :]]
            strides.append(" * ".join([*inner, f"sizeof *{name}"]))
        return section_text(f"(void *){name}", counts, strides)

    def _temporary(self, stem, type_of):
        """Memory for one value for each element. type_of: text of an expression of the element's type."""
        name = self.once.name(stem)
        product = " * ".join(parenthesised(count) for count in self._counts())
        memory = f"XMP_Temporary((size_t){product} * sizeof *{name})"
        return name, f"{type_of} *const {name} XMP_SCOPED(XMP_Temporary_free) = {memory};"

    def _type(self, operand):
        """The element's type as text."""
        inner = types.resolve(operand.node.type)
        if isinstance(inner, types.Basic):
            return inner.name
        return f"__typeof__({operand.begin()})"

    def _in_temporary(self, name):
        """The temporary's element of this turn of the loops."""
        text = None
        for index, count in zip(self._indices(), self._counts()):
            text = index if text is None else f"{parenthesised(text)} * {parenthesised(count)} + {index}"
        return f"{name}[{text}]"

    def _loops(self):
        return "".join(
            f"for (XMP_Index {index} = 0; {index} < {parenthesised(count)}; {index}++) "
            for index, count in zip(self._indices(), self._counts())
        )

    # ---- the ways ----
    def _write(self):
        value, assign = syntax.bare(self.assign.value), self.assign
        self.source = next((operand for operand in self.operands if operand.node is value), None)
        self.plain = assign.operator == "="
        self.at_image = at_image(assign.operator, converts(self.target.node.type, assign.value.type, assign.operator))
        _WRITERS[way(self.target, self.operands, self.source, self.plain, self.at_image)](self)

    def _transfer(self):
        target, source = self.target, self.source
        if target.remote:
            self._replace(self._copy("XMP_Put", target, source.first(), self._section(source), source.contiguous()))
        else:
            self._replace(self._copy("XMP_Get", source, target.first(), self._section(target), target.contiguous()))

    def _copy(self, call, remote, address, section, contiguous, element=None):
        """Between a remote operand and as many elements here, of which address and section are given."""
        head = f"XMP_CODE({self.site}), {remote.descriptor}, {remote.image}"
        if contiguous and remote.contiguous():
            return f"{call}_run({head}, {remote.first()}, {address}, {self._bytes(remote)});"
        return f"{call}({head}, {self._section(remote)}, {section}, sizeof {element or remote.begin()});"

    def _accumulate(self, source=None):
        """source: text of a section, the plan's if none is given."""
        target = self.target
        operation, type_ = OPERATIONS[self.assign.operator], type_code(target.node.type)
        head = f"XMP_CODE({self.site}), {target.descriptor}, {target.image}"
        source = source or self._section(self.source)
        self._replace(f"XMP_Accumulate({head}, {self._section(target)}, {source}, {operation}, {type_});")

    def _scalar(self):
        name, value = self.once.name("value"), self.context.spelling(self.assign.value)
        self.once.prefix.append(f"{self._type(self.target)} {name} = {value};")
        source = f"&(const XMP_Section){{.address = (void *)&{name}}}"
        if self.plain:
            self._replace(self._copy("XMP_Put", self.target, None, source, False))
        else:
            self._accumulate(source)

    def _remote(self, modify=False):
        name, declaration = self._temporary("result", self._type(self.target))
        self.once.prefix.append(declaration)
        if modify:
            self.lowering.coindexed.warn_of_races(self.assign, self.target.node)
            self._fetch(self.target, name)
        self._fetch_operands()
        self._compute(name, self.assign.operator if modify else "=")
        section = self._temporary_section(name)
        if self.plain or modify:
            self._replace(self._copy("XMP_Put", self.target, name, section, True))
        else:
            self._accumulate(section)

    def _modify(self):
        self._remote(modify=True)

    def _move(self):
        self._replace(f"__builtin_memmove({self.target.first()}, {self.source.first()}, {self._bytes(self.source)});")

    def _through_temporary(self):
        self._fetch_operands()
        name, declaration = self._temporary("result", self._type(self.target))
        self.once.prefix.append(declaration)
        self._compute(name)
        target = self.target.element(self._indices())
        self._replace(f"{self._loops()}{target} {self.assign.operator} {self._in_temporary(name)};")

    def _in_loops(self):
        """The user's statement itself, inside loops."""
        edits, node = self.edits, self.node
        self._fetch_operands()
        for operand in [self.target, *self.operands]:
            self._subscribe(operand)
        edits.before(node.first, "{ " + " ".join([*self.once.prefix, self._loops()]))
        edits.after(node.last, " }")

    def _subscribe(self, operand):
        """Sections become subscripts in the user's text; operands that were fetched are replaced already."""
        if not operand.remote:
            for d, index in zip(operand.dimensions, self._indices()):
                self.edits.override(d.node.base.last + 2, d.node.last - 1, d.subscript(index))

    def _fetch_operands(self):
        for operand in self.operands:
            if operand.remote:
                name, declaration = self._temporary("remote", self._type(operand))
                self.once.prefix.append(declaration)
                self._fetch(operand, name)
                self.edits.override(operand.node.first, operand.node.last, self._in_temporary(name))

    def _fetch(self, operand, name):
        self.once.prefix.append(self._copy("XMP_Get", operand, name, self._temporary_section(name), True, f"*{name}"))

    def _compute(self, name, operator="="):
        """The right side into a temporary."""
        for operand in self.operands:
            self._subscribe(operand)
        value = self.context.spelling(self.assign.value)
        self.once.prefix.append(f"{self._loops()}{self._in_temporary(name)} {operator} {value};")

    def _replace(self, text):
        whole = " ".join([*self.once.prefix, text])
        self.edits.override(self.node.first, self.node.last, f"{{ {whole} }}" if self.once.prefix else whole)


def is_lvalue(node):
    """Whether parentheses hold an lvalue with sections and no more."""
    return isinstance(syntax.bare(node), (syntax.Section, syntax.Subscript, syntax.Member, syntax.CoarrayReference))


def section_text(address, counts, strides):
    return f"&(const XMP_Section){{{address}, {len(counts)}, {{{', '.join(counts)}}}, {{{', '.join(strides)}}}}}"


_WRITERS = {
    "transfer": ArrayAssignment._transfer,
    "accumulate": ArrayAssignment._accumulate,
    "scalar": ArrayAssignment._scalar,
    "remote": ArrayAssignment._remote,
    "modify": ArrayAssignment._modify,
    "loops": ArrayAssignment._in_loops,
    "move": ArrayAssignment._move,
    "temporary": ArrayAssignment._through_temporary,
}
