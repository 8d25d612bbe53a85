"""Array sections `x[base:length:step]` and array assignment statements (specification 3.1, 3.2), on local arrays and coarrays.

    x[1:n:2][:] = y[:][0] + s;
becomes loops around the user's own text:
    { for (XMP_Index i_xmp = 0; i_xmp < n; i_xmp++) for (...) x[1 + i_xmp * 2][j_xmp] = y[...][0] + s; }

The right side counts as evaluated first: where the target may overlap what is read, it goes through memory of its own, as do
sections of other images, which are fetched before the loops. Plain copies to and from other images are one call."""

from ..c import syntax, types
from ..directives.words import integer, parenthesised
from .coindexed import OPERATIONS, combined, converts, has_sections, not_atomic, quoted_text
from .context import Place, type_code, type_text

_ELEMENTAL = (syntax.Binary, syntax.Unary, syntax.Cast, syntax.Conditional, syntax.Call, syntax.Parenthesized)
_INDICES = "ijklmno"


class Dimension:
    """One section of an operand, as texts. count: of elements; number: the same as int, where known; full: written `[:]`."""

    __slots__ = ("section", "begin", "step", "count", "number", "full")


class Operand:
    """An lvalue with sections: `a[0:n].m:[k]`. node: the whole; dimensions in the order of the text; reference:
    its CoarrayReference or None; coarray: that one's Coarray; root: what the lvalue is a part of."""

    __slots__ = ("node", "dimensions", "reference", "coarray", "root", "image")

    @property
    def rank(self):
        return len(self.dimensions)


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


class Failed(Exception):
    """An error was reported."""


class ArrayAssignment:
    """One statement on its way to C."""

    def __init__(self, sections, node, assign):
        self.lowering, self.context, self.edits = sections.lowering, sections.context, sections.edits
        self.node, self.assign = node, assign
        self.site = quoted_text(self.context, assign)
        self.prefix = []  # statements before the loops
        self._names = {}

    def lower(self):
        try:
            with self.edits.isolated(self.node):
                self.target = self._operand(self.assign.target)
                self.operands, self.scalars = [], []
                if not self.target.rank:
                    self._no_section()
                self._collect(self.assign.value)
                self._conform()
                self._translate()
        except Failed:
            return

    def _fail(self, code, message, node, help=None, notes=()):
        self.context.error(code, message, Place(node.token, node.text()), notes, help)
        raise Failed

    def _no_section(self):
        self._fail(
            "XMP-E206",
            "the right side has the shape of an array section, and the left side is one element",
            self.assign.target,
            "write a section on the left side",
        )

    # ---- reading ----
    def _operand(self, node):
        """The Operand that an lvalue is."""
        found = Operand()
        found.node, found.dimensions, found.reference, found.coarray = node, [], None, None
        part = node
        while True:
            if isinstance(part, syntax.Section):
                found.dimensions.insert(0, part)
                part = part.base
            elif isinstance(part, syntax.Subscript) or isinstance(part, syntax.Member) and not part.arrow:
                if isinstance(part, syntax.Subscript) and has_sections(part.index):
                    self._fail("XMP-E205", "an array section is no subscript", part.index)
                part = part.base
            elif isinstance(part, syntax.Parenthesized):
                part = part.operand
            elif isinstance(part, syntax.CoarrayReference):
                found.reference, part = part, part.base
            else:
                break
        found.root = part
        if has_sections(part):
            self.lowering.sections.misplaced(next(p for p in part.walk() if isinstance(p, syntax.Section)))
            raise Failed
        if found.reference is not None:
            found.coarray = self.lowering.coindexed.coarray_of(found.reference)
            if found.coarray is None:
                raise Failed
        if found.dimensions:
            self._check_operand(found)
        return found

    def _check_operand(self, operand):
        array = self.context.array_of(operand.root) if isinstance(operand.root, syntax.Identifier) else None
        if array is not None and array.dimensions is not None:
            self._fail("XMP-E190", f"sections of the global array '{array.name}' need the array directive", operand.node)
        if isinstance(types.resolve(operand.node.type), types.Array):
            missing = len(types.array_shape(operand.node.type)[0])
            self._fail(
                "XMP-E206",
                f"'{operand.node.text()}' has fewer subscripts than the array has dimensions",
                operand.node,
                f"write all of them: {operand.node.text() + '[:]' * missing}" if operand.reference is None else None,
            )
        if any(isinstance(part, (syntax.Call, syntax.Postfix, syntax.Assign)) for part in operand.root.walk()):
            self._fail("XMP-E190", "an array section of the value of an expression is not supported", operand.root)
        if len(operand.dimensions) > 7:
            self._fail("XMP-E114", "an array section has at most 7 dimensions", operand.node)

    def _collect(self, node):
        """Operands and the largest expressions without sections below the right side."""
        if not has_sections(node):
            self.scalars.append(node)
        elif isinstance(node, (syntax.Section, syntax.Subscript, syntax.Member, syntax.CoarrayReference)):
            self.operands.append(self._operand(node))
        elif isinstance(node, syntax.Parenthesized) and is_lvalue(node):
            self._collect(node.operand)
        elif isinstance(node, _ELEMENTAL) and not (isinstance(node, syntax.Unary) and node.operator in ("&", "++", "--", "*")):
            if isinstance(node, syntax.Call) and has_sections(node.function):
                self._fail("XMP-E205", "an array section cannot be called", node.function)
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
                self._fail(
                    "XMP-E206",
                    f"'{operand.node.text()}' has rank {operand.rank}, and the left side has rank {rank}",
                    operand.node,
                    notes=[("the left side is here", Place(self.target.node.token, self.target.node.text()))],
                )
        self.target.dimensions = self._dimensions(self.target)
        for operand in self.operands:
            operand.dimensions = self._dimensions(operand)
            for d, (mine, left) in enumerate(zip(operand.dimensions, self.target.dimensions)):
                given, wanted = mine.number, left.number
                if self.context.check and mine.count != left.count:
                    at = f"XMP_CODE({self.site}), {d + 1}, {left.count}, {mine.count}"
                    self.prefix.append(f"XMP_Check_counts({at});")
                if given is not None and wanted is not None and given != wanted:
                    self._fail(
                        "XMP-E206",
                        f"dimension {d + 1} of '{operand.node.text()}' has {_counted(given)}; the left side has {wanted}",
                        operand.node,
                        notes=[("the left side is here", Place(self.target.node.token, self.target.node.text()))],
                    )

    def _dimensions(self, operand):
        for part in _chain(operand.node):
            if isinstance(part, syntax.Subscript):
                self._in_place(part.index)
        operand.image = None
        if operand.reference is not None:
            for image in operand.reference.images:
                self.lowering.visit(image)
            indices = [self.context.spelling(image) for image in operand.reference.images]
            operand.image = combined(indices, operand.coarray.codimensions, self.context.coindex_base)
        self.lowering.visit(operand.root)
        zeros = {id(section): "0" for section in operand.dimensions}
        counted = operand is self.target or self.context.check
        return [self._dimension(section, zeros, counted) for section in operand.dimensions]

    def _dimension(self, section, zeros, counted):
        """counted: whether the number of elements is needed, which is the left side's."""
        made = Dimension()
        made.section = section
        made.full = section.begin is None and section.length is None and section.step is None
        made.step = "1" if section.step is None else self._index(section.step)
        step = section.step.constant() if section.step is not None else 1
        if step == 0:
            self._fail("XMP-E104", "the step of a section cannot be 0", section.step)
        made.begin = "0" if section.begin is None else self._index(section.begin)
        if section.length is not None:
            made.number = section.length.constant()
            made.count = self._length(section, made.number, counted)
        else:
            made.number = self._number(section, made, step)
            made.count = self._rest(section, made, step, zeros) if counted or made.number is not None else ""
        self._check_bounds(section, made)
        if self.context.check:
            self._check_at_run_time(made, zeros)
        return made

    def _length(self, section, number, counted):
        if number is not None and number < 1:
            self._fail("XMP-E206", f"the length of a section must be positive, not {number}", section.length)
        return self._index(section.length) if counted or number is not None else ""

    def _number(self, section, made, step):
        """The number of elements up to the end of the dimension, or down to 0, if it is constant."""
        if section.begin is None and (step is None or step < 0):
            self._fail("XMP-E210", "a section with a negative step needs its base", section, "write: [base:length:step]")
        array, begin = types.resolve(section.base.type), section.begin.constant() if section.begin is not None else 0
        known = isinstance(array, types.Array) and array.size is not None
        if not known and (step is None or step > 0):
            self._fail("XMP-E210", f"the length of '{section.text()}' is not known", section, "write: [base:length]")
        size = array.size.constant() if known else 0
        if None in (size, begin, step):
            return None
        return (size - begin + step - 1) // step if step > 0 else begin // -step + 1

    def _rest(self, section, made, step, zeros):
        """The same as text; that of a whole dimension as the user wrote it."""
        if made.number is not None and not (made.begin == "0" and step == 1):
            return str(made.number)
        size = self._size(section.base, zeros) or "0"
        if step == 1:
            return size if made.begin == "0" else f"{parenthesised(size)} - {parenthesised(made.begin)}"
        return self._constant("count", f"XMP_Rest({size}, {made.begin}, {made.step})")

    def _size(self, base, zeros):
        """The number of elements of an array's outermost dimension as text, or None. zeros: for `_compose`."""
        inner = types.resolve(base.type)
        if not isinstance(inner, types.Array) or inner.size is None:
            return None
        constant = inner.size.constant()
        if constant is None and isinstance(base, syntax.Identifier) and base.declaration.kind == "parameter":
            return self.context.written(inner.size)
        if constant is None:
            text = self._compose(base, zeros)
            return self._constant("size", f"sizeof {text} / sizeof {text}[0]")
        named = any(token.kind == "identifier" for token in inner.size.tokens[inner.size.first : inner.size.last + 1])
        return str(constant) if named else self.context.lasting_spelling(inner.size)

    def _check_bounds(self, section, made):
        size = types.resolve(section.base.type)
        size = size.size.constant() if isinstance(size, types.Array) and size.size is not None else None
        begin = 0 if section.begin is None else section.begin.constant()
        step = 1 if section.step is None else section.step.constant()
        count = made.number
        if None in (size, begin):
            return
        last = begin if None in (step, count) else begin + (count - 1) * step
        if count is not None and count < 1 or not (0 <= begin < size and 0 <= last < size):
            outside = last if 0 <= begin < size else begin
            self._fail("XMP-E215", f"'{section.text()}' reaches element {outside} of a dimension of {size} elements", section)

    def _check_at_run_time(self, made, zeros):
        size = self._size(made.section.base, zeros)
        if size is not None:
            site = f"XMP_CODE({quoted_text(self.context, made.section)})"
            self.prefix.append(f"XMP_Check_section({site}, {size}, {made.begin}, {made.count}, {made.step});")

    # ---- what is evaluated once ----
    def _index(self, expression):
        """The text of a bound; it is a constant of its own unless it is simple."""
        self.lowering.visit(expression)
        text = self.context.spelling(expression)
        value = expression.constant()
        if value is not None:
            return str(value) if integer(text) is not None or text.startswith("-") else text
        return text if self._is_simple(expression) else self._constant("index", text)

    def _constant(self, stem, text):
        name = self._name(stem)
        self.prefix.append(f"const XMP_Index {name} = {text};")
        return name

    def _name(self, stem):
        number = self._names[stem] = self._names.get(stem, 0) + 1
        return self.context.name(f"{stem}{number if number > 1 else ''}_xmp")

    def _in_place(self, expression):
        """An expression without sections that stays where it is, by its value before the loops."""
        self.lowering.visit(expression)
        if expression.constant() is not None or self._is_simple(expression) or not types.is_arithmetic(expression.type):
            return
        name = self._name("value")
        self.prefix.append(f"const __auto_type {name} = {self.context.spelling(expression)};")
        self.edits.override(expression.first, expression.last, name)

    def _is_simple(self, expression):
        """Whether the value cannot change in the loops: literals and local variables that no pointer leads to."""
        for part in expression.walk():
            if isinstance(part, syntax.Identifier):
                if not self._is_register(part):
                    return False
            elif not isinstance(part, (syntax.Number, syntax.Character, syntax.Binary, syntax.Parenthesized)):
                if not isinstance(part, syntax.Unary) or part.operator not in ("+", "-", "~", "!"):
                    return False
        return True

    def _is_register(self, identifier):
        declarator = identifier.declaration
        if declarator is None or self.context.key(declarator) in self.context.addressed:
            return False
        if declarator.kind == "enumerator":
            return True
        local = declarator.scope.kind != "file" and declarator.storage not in ("static", "extern")
        return local and types.is_arithmetic(declarator.type) and "volatile" not in type_text(declarator.type)

    # ---- texts of operands ----
    def _at(self, operand, indices, end=None):
        """The operand's element at subscripts (texts, one for each dimension); end: only what stands inside this node."""
        texts = {id(d.section): text for d, text in zip(operand.dimensions, indices)}
        return self._compose(end or operand.node, texts)

    def _compose(self, node, texts):
        if isinstance(node, syntax.Section):
            return f"{self._compose(node.base, texts)}[{texts[id(node)]}]"
        if isinstance(node, syntax.Subscript):
            return f"{self._compose(node.base, texts)}[{self.context.spelling(node.index)}]"
        if isinstance(node, syntax.Member) and not node.arrow:
            return f"{self._compose(node.base, texts)}.{node.name}"
        if isinstance(node, syntax.Parenthesized):
            return f"({self._compose(node.operand, texts)})"
        if isinstance(node, syntax.CoarrayReference):
            return self._compose(node.base, texts)
        return self.context.spelling(node)

    def _element(self, operand):
        """The operand's element of this turn of the loops."""
        return self._at(operand, [subscript(d, index) for d, index in zip(operand.dimensions, self._indices())])

    def _begin(self, operand):
        """The operand's first element."""
        return self._at(operand, [d.begin for d in operand.dimensions])

    def _first(self, operand):
        return "&" + self._begin(operand)

    def _bytes(self, operand):
        """Of a contiguous operand."""
        row = self._at(operand, ["0"] * operand.rank, operand.dimensions[0].section)
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
            row = f"sizeof {self._at(operand, zeros, d.section.base)}[0]"
            strides.append(row if d.step == "1" else f"{parenthesised(d.step)} * (XMP_Index){row}")
        return section_text(f"(void *){self._first(operand)}", self._counts(), strides)

    def _temporary_section(self, name):
        """The section that a temporary is: all its elements in order."""
        counts, strides = self._counts(), []
        for d in range(len(counts)):
            inner = [parenthesised(count) for count in counts[d + 1 :]]
            strides.append(" * ".join([*inner, f"sizeof *{name}"]))
        return section_text(f"(void *){name}", counts, strides)

    def _temporary(self, stem, type_of):
        """Memory for one value for each element. type_of: text of an expression of the element's type."""
        name = self._name(stem)
        product = " * ".join(parenthesised(count) for count in self._counts())
        memory = f"XMP_Temporary((size_t){product} * sizeof *{name})"
        return name, f"{type_of} *const {name} XMP_SCOPED(XMP_Temporary_free) = {memory};"

    def _type(self, operand):
        """The element's type as text."""
        inner = types.resolve(operand.node.type)
        if isinstance(inner, types.Basic):
            return inner.name
        return f"__typeof__({self._begin(operand)})"

    def _in_temporary(self, name):
        """The temporary's element of this turn of the loops."""
        text = None
        for index, count in zip(self._indices(), self._counts()):
            text = index if text is None else f"({text}) * {parenthesised(count)} + {index}"
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
                self._in_place(scalar)
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
        return assign.operator in OPERATIONS and converts(self.target.node.type, assign.value.type, assign.operator)

    def _transfer(self, source):
        """A copy between this image and another: one call."""
        remote, local = (self.target, source) if self.target.reference is not None else (source, self.target)
        call = "XMP_Put" if remote is self.target else "XMP_Get"
        head = f"XMP_CODE({self.site}), {remote.coarray.descriptor}, {remote.image}"
        if _contiguous(remote) and _contiguous(local):
            self._replace(f"{call}_run({head}, {self._first(remote)}, {self._first(local)}, {self._bytes(remote)});")
        else:
            size = f"sizeof {self._begin(remote)}"
            self._replace(f"{call}({head}, {self._section(remote)}, {self._section(local)}, {size});")

    def _accumulate(self, source):
        target = self.target
        operation, type_ = OPERATIONS[self.assign.operator], type_code(target.node.type)
        head = f"XMP_CODE({self.site}), {target.coarray.descriptor}, {target.image}"
        self._replace(f"XMP_Accumulate({head}, {self._section(target)}, {source}, {operation}, {type_});")

    def _scalar_to_remote(self):
        """One value for every element there."""
        target, name = self.target, self._name("value")
        if self.assign.operator != "=" and not self._accumulates():
            self._remote_target()
            return
        value = self.context.spelling(self.assign.value)
        self.prefix.append(f"{self._type(target)} {name} = {value};")
        source = f"&(const XMP_Section){{.address = (void *)&{name}}}"
        if self.assign.operator == "=":
            self._put(source)
        else:
            self._accumulate(source)

    def _put(self, source, name=None):
        """name: of the temporary that the source is."""
        target = self.target
        head = f"XMP_CODE({self.site}), {target.coarray.descriptor}, {target.image}"
        if name is not None and _contiguous(target):
            self._replace(f"XMP_Put_run({head}, {self._first(target)}, {name}, {self._bytes(target)});")
        else:
            self._replace(f"XMP_Put({head}, {self._section(target)}, {source}, sizeof {self._begin(target)});")

    def _remote_target(self):
        """The right side is computed here first. An update that the runtime does not do is a get and a put around it."""
        name, declaration = self._temporary("result", self._type(self.target))
        self.prefix.append(declaration)
        operator = self.assign.operator
        modify = operator != "=" and not self._accumulates()
        if modify:
            self._warn()
            self._fetch(self.target, name)
        self._fetch_operands()
        value = self._value()
        assignment = operator if modify else "="
        self.prefix.append(f"{self._loops()}{self._in_temporary(name)} {assignment} {value};")
        if operator == "=" or modify:
            self._put(self._temporary_section(name), name)
        else:
            self._accumulate(self._temporary_section(name))

    def _warn(self):
        self.context.diagnostics.warning(
            "XMP-W220",
            not_atomic(self.assign.operator, self.target.node),
            Place(self.assign.token, self.assign.text()),
            (),
            "between lock and unlock it is safe",
        )

    def _local_target(self):
        self._fetch_operands()
        if all(operand.reference is not None or self._separate(operand) for operand in self.operands):
            self._in_loops()
            return
        source = self._whole_source()
        if self.assign.operator == "=" and source is not None and self._moves(source):
            self._replace(f"__builtin_memmove({self._first(self.target)}, {self._first(source)}, {self._bytes(source)});")
            return
        name, declaration = self._temporary("result", self._type(self.target))
        value, target = self._value(), self._element(self.target)
        self.prefix.append(declaration)
        self.prefix.append(f"{self._loops()}{self._in_temporary(name)} = {value};")
        self._replace(f"{self._loops()}{target} {self.assign.operator} {self._in_temporary(name)};")

    def _moves(self, source):
        """Whether memmove can copy an operand, overlap or not."""
        alike = types.same_type(source.node.type, self.target.node.type)
        return alike and source.reference is None and _contiguous(source) and _contiguous(self.target)

    def _in_loops(self):
        """The user's statement itself, inside loops."""
        edits, node = self.edits, self.node
        for operand in [self.target, *self.operands]:
            self._subscribe(operand)
        edits.before(node.first, "{ " + " ".join([*self.prefix, self._loops()]))
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
            self.prefix.append(declaration)
            self._fetch(operand, name)
            self.edits.override(operand.node.first, operand.node.last, self._in_temporary(name))

    def _fetch(self, operand, name):
        head = f"XMP_CODE({self.site}), {operand.coarray.descriptor}, {operand.image}"
        if _contiguous(operand):
            text = f"XMP_Get_run({head}, {self._first(operand)}, {name}, {self._bytes(operand)});"
        else:
            text = f"XMP_Get({head}, {self._section(operand)}, {self._temporary_section(name)}, sizeof *{name});"
        self.prefix.append(text)

    def _value(self):
        """The right side for one turn of the loops."""
        for operand in self.operands:
            self._subscribe(operand)
        return self.context.spelling(self.assign.value)

    def _replace(self, text):
        whole = " ".join([*self.prefix, text])
        self.edits.override(self.node.first, self.node.last, f"{{ {whole} }}" if self.prefix else whole)


def _counted(number):
    return f"{number} element{'s' * (number != 1)}"


def is_lvalue(node):
    """Whether parentheses hold an lvalue with sections and no more."""
    while isinstance(node, syntax.Parenthesized):
        node = node.operand
    return isinstance(node, (syntax.Section, syntax.Subscript, syntax.Member, syntax.CoarrayReference))


def _chain(node):
    """The parts of an lvalue, from the outside inwards."""
    while isinstance(node, (syntax.Section, syntax.Subscript, syntax.Member, syntax.Parenthesized, syntax.CoarrayReference)):
        yield node
        if isinstance(node, syntax.Member) and node.arrow:
            return
        node = node.operand if isinstance(node, syntax.Parenthesized) else node.base


def subscript(dimension, index):
    """The subscript that belongs to an index from 0."""
    begin, step = dimension.begin, integer(dimension.step)
    moved = index if step in (1, -1) else f"{index} * {parenthesised(dimension.step) if step is None else abs(step)}"
    if step is not None and step < 0:
        return f"{parenthesised(begin)} - {moved}"
    return moved if begin == "0" else f"{parenthesised(begin)} + {moved}"


def section_text(address, counts, strides):
    return f"&(const XMP_Section){{{address}, {len(counts)}, {{{', '.join(counts)}}}, {{{', '.join(strides)}}}}}"


def _contiguous(operand):
    """Whether the elements follow each other in memory as far as the text says."""
    first, *inner = operand.dimensions
    if first.step != "1" or not all(d.full for d in inner):
        return False
    node = operand.node
    while node is not first.section:
        if isinstance(node, syntax.Parenthesized):
            node = node.operand
        elif isinstance(node, (syntax.CoarrayReference, syntax.Section)):
            node = node.base
        else:
            return False
    return True


def is_object(declarator):
    """Whether a name is an object of its own, not a pointer to one."""
    return declarator.kind == "variable" and not isinstance(types.resolve(declarator.type), types.Pointer)


def _restricted(declarator):
    return "restrict" in types.resolve(declarator.type).qualifiers
