"""Array sections `x[base:length:step]` and array assignment statements (specification 3.1, 3.2), on local arrays and coarrays.

    x[1:n:2][:] = y[:][0] + s;
becomes loops around the user's own text:
    { for (XMP_Index i_xmp = 0; i_xmp < n; i_xmp++) for (...) x[1 + i_xmp * 2][j_xmp] = y[...][0] + s; }

The right side counts as evaluated first: where the target may overlap what is read, it goes through memory of its own, as do
sections of other images, which are fetched before the loops. Plain copies to and from other images are one call."""

from ...directives.words import parenthesised
from ...plan.coarrays import OPERATIONS, at_image
from ..reading import syntax, types
from .context import Place
from .elements import type_code
from .lvalues import converts, has_sections, quoted_text
from .once import Once
from .operands import Failed, OperandReader, contiguous, subscript

_ELEMENTAL = (syntax.Binary, syntax.Unary, syntax.Cast, syntax.Conditional, syntax.Call, syntax.Parenthesized)
_INDICES = "ijklmno"


class Sections:
    """Part of the walk."""

    def __init__(self, lowering):
        self.lowering = lowering
        self.context = lowering.context
        self.edits = lowering.context.edits

    def misplaced(self, node):
        """A section that stands in no array assignment."""
        self.context.error(
            "XMP-E205",
            "an array section can stand in an array assignment statement only",
            Place(node.token, node.text()),
            (),
            "write: x[0:n] = ...;",
        )

    def statement(self, node):
        """An ExpressionStatement; False if it is no array assignment."""
        assign = node.expression
        if not isinstance(assign, syntax.Assign) or not (has_sections(assign.target) or has_sections(assign.value)):
            return False
        self.context.local_view = True
        ArrayAssignment(self, node, assign).lower()
        return True


class ArrayAssignment:
    """One statement on its way to C."""

    def __init__(self, sections, node, assign):
        self.lowering, self.context, self.edits = sections.lowering, sections.context, sections.edits
        self.node, self.assign = node, assign
        self.site = quoted_text(self.context, assign)
        self.once = Once(sections.lowering)
        self.reader = OperandReader(sections.lowering, self.once)

    def lower(self):
        try:
            with self.edits.isolated(self.node):
                self.target = self.reader.operand(self.assign.target)
                self.operands, self.scalars = [], []
                if not self.target.rank:
                    self._no_section()
                self._collect(self.assign.value)
                self._conform()
                self._translate()
        except Failed:
            return

    def _no_section(self):
        self.reader.fail(
            "XMP-E206",
            "the right side has the shape of an array section, and the left side is one element",
            self.assign.target,
            "write a section on the left side",
        )

    # ---- reading ----
    def _collect(self, node):
        """Operands and the largest expressions without sections below the right side."""
        if not has_sections(node):
            self.scalars.append(node)
        elif isinstance(node, (syntax.Section, syntax.Subscript, syntax.Member, syntax.CoarrayReference)):
            self.operands.append(self.reader.operand(node))
        elif isinstance(node, syntax.Parenthesized) and is_lvalue(node):
            self._collect(node.operand)
        elif isinstance(node, _ELEMENTAL) and not (isinstance(node, syntax.Unary) and node.operator in ("&", "++", "--", "*")):
            if isinstance(node, syntax.Call) and has_sections(node.function):
                self.reader.fail("XMP-E205", "an array section cannot be called", node.function)
            for child in node.children():
                if not isinstance(child, syntax.TypeName) and not (isinstance(node, syntax.Call) and child is node.function):
                    self._collect(child)
        else:
            section = next(part for part in node.walk() if isinstance(part, syntax.Section))
            self.lowering.sections.misplaced(section)
            raise Failed

    def _conform(self):
        """Ranks and constant lengths (3.2)."""
        rank = self.target.rank
        for operand in self.operands:
            if operand.rank != rank:
                self.reader.fail(
                    "XMP-E206",
                    f"'{operand.node.text()}' has rank {operand.rank}, and the left side has rank {rank}",
                    operand.node,
                    notes=[("the left side is here", Place(self.target.node.token, self.target.node.text()))],
                )
        self.target.dimensions = self.reader.dimensions(self.target, True)
        for operand in self.operands:
            operand.dimensions = self.reader.dimensions(operand, self.context.check)
            for d, (mine, left) in enumerate(zip(operand.dimensions, self.target.dimensions)):
                given, wanted = mine.number, left.number
                if self.context.check and mine.count != left.count:
                    at = f"XMP_CODE({self.site}), {d + 1}, {left.count}, {mine.count}"
                    self.once.prefix.append(f"XMP_Check_counts({at});")
                if given is not None and wanted is not None and given != wanted:
                    self.reader.fail(
                        "XMP-E206",
                        f"dimension {d + 1} of '{operand.node.text()}' has {_counted(given)}; the left side has {wanted}",
                        operand.node,
                        notes=[("the left side is here", Place(self.target.node.token, self.target.node.text()))],
                    )

    # ---- texts ----
    def _element(self, operand):
        """The operand's element of this turn of the loops."""
        return operand.at([subscript(d, index) for d, index in zip(operand.dimensions, self._indices())])

    def _bytes(self, operand):
        """Of a contiguous operand."""
        row = operand.at(["0"] * operand.rank, operand.dimensions[0].section)
        return f"{parenthesised(self._counts()[0])} * sizeof {row}"

    def _indices(self):
        return [self.context.name(f"{letter}_xmp") for letter in _INDICES[: self.target.rank]]

    def _counts(self):
        return [d.count for d in self.target.dimensions]

    def _section(self, operand):
        """`&(const XMP_Section){address, rank, {counts}, {strides}}`"""
        zeros = ["0"] * operand.rank
        strides = []
        for d in operand.dimensions:
            row = f"sizeof {operand.at(zeros, d.section.base)}[0]"
            strides.append(row if d.step == "1" else f"{parenthesised(d.step)} * (XMP_Index){row}")
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

    # ---- the translation ----
    def _translate(self):
        target, remote = self.target, self.target.reference is not None
        for scalar in self.scalars:
            if remote and not self.operands:
                self.lowering.visit(scalar)
            else:
                self.once.in_place(scalar)
        source = self._whole_source()
        direct = source is not None and types.same_type(source.node.type, target.node.type)
        if direct and self.assign.operator == "=" and (source.reference is None) == remote:
            self._transfer(source)
        elif remote and direct and self._accumulates() and source.reference is None and self._separate(source):
            self._accumulate(self._section(source))
        elif remote and not self.operands:
            self._scalar_to_remote()
        elif remote:
            self._remote_target()
        else:
            self._local_target()

    def _whole_source(self):
        """The Operand that is all of the right side, or None."""
        value = self.assign.value
        while isinstance(value, syntax.Parenthesized):
            value = value.operand
        return next((operand for operand in self.operands if operand.node is value), None)

    def _separate(self, operand):
        """Whether writing the target cannot change what is still to be read of an operand, when both are in one place."""
        keys = [self._declarator(o) for o in (self.target, operand)]
        if None not in keys and keys[0] is not keys[1]:
            return all(is_object(key) for key in keys) or self._different_types(operand) or any(map(_restricted, keys))
        if self._element(operand) == self._element(self.target):
            return True
        return None in keys and self._different_types(operand)

    def _declarator(self, operand):
        root = operand.root
        return self.context.key(root.declaration) if isinstance(root, syntax.Identifier) and root.declaration else None

    def _different_types(self, operand):
        """Whether C itself forbids that the two overlap."""
        codes = [type_code(o.node.type) for o in (self.target, operand)]
        known = all(not code.endswith(("OTHER", "CHAR")) for code in codes)
        return known and codes[0].replace("_U", "_") != codes[1].replace("_U", "_")

    def _accumulates(self):
        assign = self.assign
        return at_image(assign.operator, converts(self.target.node.type, assign.value.type, assign.operator))

    def _transfer(self, source):
        """A copy between this image and another: one call."""
        remote, local = (self.target, source) if self.target.reference is not None else (source, self.target)
        call = "XMP_Put" if remote is self.target else "XMP_Get"
        head = f"XMP_CODE({self.site}), {remote.coarray.descriptor}, {remote.image}"
        if contiguous(remote) and contiguous(local):
            self._replace(f"{call}_run({head}, {remote.first()}, {local.first()}, {self._bytes(remote)});")
        else:
            size = f"sizeof {remote.begin()}"
            self._replace(f"{call}({head}, {self._section(remote)}, {self._section(local)}, {size});")

    def _accumulate(self, source):
        target = self.target
        operation, type_ = OPERATIONS[self.assign.operator], type_code(target.node.type)
        head = f"XMP_CODE({self.site}), {target.coarray.descriptor}, {target.image}"
        self._replace(f"XMP_Accumulate({head}, {self._section(target)}, {source}, {operation}, {type_});")

    def _scalar_to_remote(self):
        """One value for every element there."""
        target, name = self.target, self.once.name("value")
        if self.assign.operator != "=" and not self._accumulates():
            self._remote_target()
            return
        value = self.context.spelling(self.assign.value)
        self.once.prefix.append(f"{self._type(target)} {name} = {value};")
        source = f"&(const XMP_Section){{.address = (void *)&{name}}}"
        if self.assign.operator == "=":
            self._put(source)
        else:
            self._accumulate(source)

    def _put(self, source, name=None):
        """name: of the temporary that the source is."""
        target = self.target
        head = f"XMP_CODE({self.site}), {target.coarray.descriptor}, {target.image}"
        if name is not None and contiguous(target):
            self._replace(f"XMP_Put_run({head}, {target.first()}, {name}, {self._bytes(target)});")
        else:
            self._replace(f"XMP_Put({head}, {self._section(target)}, {source}, sizeof {target.begin()});")

    def _remote_target(self):
        """The right side is computed here first. An update that the runtime does not do is a get and a put around it."""
        name, declaration = self._temporary("result", self._type(self.target))
        self.once.prefix.append(declaration)
        operator = self.assign.operator
        modify = operator != "=" and not self._accumulates()
        if modify:
            self.lowering.coindexed.warn_of_races(self.assign, self.target.node)
            self._fetch(self.target, name)
        self._fetch_operands()
        value = self._value()
        assignment = operator if modify else "="
        self.once.prefix.append(f"{self._loops()}{self._in_temporary(name)} {assignment} {value};")
        if operator == "=" or modify:
            self._put(self._temporary_section(name), name)
        else:
            self._accumulate(self._temporary_section(name))

    def _local_target(self):
        self._fetch_operands()
        if all(operand.reference is not None or self._separate(operand) for operand in self.operands):
            self._in_loops()
            return
        source = self._whole_source()
        if self.assign.operator == "=" and source is not None and self._moves(source):
            self._replace(f"__builtin_memmove({self.target.first()}, {source.first()}, {self._bytes(source)});")
            return
        name, declaration = self._temporary("result", self._type(self.target))
        value, target = self._value(), self._element(self.target)
        self.once.prefix.append(declaration)
        self.once.prefix.append(f"{self._loops()}{self._in_temporary(name)} = {value};")
        self._replace(f"{self._loops()}{target} {self.assign.operator} {self._in_temporary(name)};")

    def _moves(self, source):
        """Whether memmove can copy an operand, overlap or not."""
        alike = types.same_type(source.node.type, self.target.node.type)
        return alike and source.reference is None and contiguous(source) and contiguous(self.target)

    def _in_loops(self):
        """The user's statement itself, inside loops."""
        edits, node = self.edits, self.node
        for operand in [self.target, *self.operands]:
            self._subscribe(operand)
        edits.before(node.first, "{ " + " ".join([*self.once.prefix, self._loops()]))
        edits.after(node.last, " }")

    def _subscribe(self, operand):
        """Sections become subscripts in the user's text; operands that were fetched are replaced already."""
        if operand.reference is not None:
            return
        for d, index in zip(operand.dimensions, self._indices()):
            section = d.section
            self.edits.override(section.base.last + 2, section.last - 1, subscript(d, index))

    def _fetch_operands(self):
        for operand in self.operands:
            if operand.reference is None:
                continue
            name, declaration = self._temporary("remote", self._type(operand))
            self.once.prefix.append(declaration)
            self._fetch(operand, name)
            self.edits.override(operand.node.first, operand.node.last, self._in_temporary(name))

    def _fetch(self, operand, name):
        head = f"XMP_CODE({self.site}), {operand.coarray.descriptor}, {operand.image}"
        if contiguous(operand):
            text = f"XMP_Get_run({head}, {operand.first()}, {name}, {self._bytes(operand)});"
        else:
            text = f"XMP_Get({head}, {self._section(operand)}, {self._temporary_section(name)}, sizeof *{name});"
        self.once.prefix.append(text)

    def _value(self):
        """The right side for one turn of the loops."""
        for operand in self.operands:
            self._subscribe(operand)
        return self.context.spelling(self.assign.value)

    def _replace(self, text):
        whole = " ".join([*self.once.prefix, text])
        self.edits.override(self.node.first, self.node.last, f"{{ {whole} }}" if self.once.prefix else whole)


def _counted(number):
    return f"{number} element{'s' * (number != 1)}"


def is_lvalue(node):
    """Whether parentheses hold an lvalue with sections and no more."""
    while isinstance(node, syntax.Parenthesized):
        node = node.operand
    return isinstance(node, (syntax.Section, syntax.Subscript, syntax.Member, syntax.CoarrayReference))


def section_text(address, counts, strides):
    return f"&(const XMP_Section){{{address}, {len(counts)}, {{{', '.join(counts)}}}, {{{', '.join(strides)}}}}}"


def is_object(declarator):
    """Whether a name is an object of its own, not a pointer to one."""
    return declarator.kind == "variable" and not isinstance(types.resolve(declarator.type), types.Pointer)


def _restricted(declarator):
    return "restrict" in types.resolve(declarator.type).qualifiers
