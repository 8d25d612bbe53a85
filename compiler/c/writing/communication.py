"""barrier, reduction, bcast, reflect, wait_async (specification 4.5): one call each, or one for each variable."""

from ...semantics.reflect import check_reflect
from ..reading import syntax, types
from ..reading.parser import Parser
from ..reading.tokens import END, Token
from .context import object_name, on_text, shape, type_code, type_text
from .reduction import OPERATORS, reducible, visible_variables


class Communication:
    def __init__(self, lowering):
        self.lowering = lowering
        self.context = lowering.context
        self._statements = {
            "barrier": self._barrier,
            "bcast": self._bcast,
            "reduction": self._reduction,
            "reflect": self._reflect,
            "wait_async": self._wait_async,
        }

    def statement(self, node, directive):
        """The C statements for a stand-alone directive, or None if it is none of these."""
        handler = self._statements.get(directive.kind)
        if handler is None:
            return None
        statements = handler(node, directive)
        if len(statements) == 1:
            return statements[0]
        return "{ " + " ".join(statements) + " }" if statements else ";"

    # ---- clauses ----
    def _on(self, node, reference):
        """(text, whether it is well-formed)"""
        if reference is None:
            return "NULL", True
        resolved = self.context.reference(reference, node.scope, node.first)
        return (on_text(resolved), True) if resolved is not None else ("NULL", False)

    def _async(self, node, expression):
        if expression is None:
            return "NULL"
        return f"&(const int){{{self._value(node, expression)}}}"

    def _value(self, node, expression):
        return expression.text

    # ---- directives ----
    def _barrier(self, node, directive):
        on, _ = self._on(node, directive.on)
        return [f"XMP_Barrier({self.context.site_of(directive)}, {on});"]

    def _wait_async(self, node, directive):
        on, _ = self._on(node, directive.on)
        ids = ", ".join(self._value(node, e) for e in directive.ids)
        return [f"XMP_Wait_async({self.context.site_of(directive)}, {len(directive.ids)}, (const int[]){{{ids}}}, {on});"]

    def _reduction(self, node, directive):
        on, _ = self._on(node, directive.on)
        site, async_id = self.context.site_of(directive), self._async(node, directive.async_id)
        statements = []
        for expression in directive.variables:
            found = self._variable(node, expression)
            if found is None or not reducible(self.context, directive.operator, found.element, expression.word):
                continue
            operator, type_ = OPERATORS[directive.operator], type_code(found.element)
            statements.append(f"XMP_Reduction({site}, {on}, {operator}, {type_}, {found.count}, {found.address}, {async_id});")
        return statements

    def _bcast(self, node, directive):
        source, _ = self._on(node, directive.source)
        on, _ = self._on(node, directive.on)
        site, async_id = self.context.site_of(directive), self._async(node, directive.async_id)
        statements = []
        for expression in directive.variables:
            found = self._variable(node, expression)
            if found is not None:
                statements.append(f"XMP_Bcast({site}, {found.address}, {found.bytes}, {source}, {on}, {async_id});")
        return statements

    def _reflect(self, node, directive):
        context, arrays = self.context, []
        for word in directive.arrays:
            array = self._array(node, word)
            if array is None:
                continue
            arrays.append(array)
            check_reflect(context.model, directive, array, word)
        if not arrays:
            return []
        names = ", ".join(object_name(array) for array in arrays)
        flags = "XMP_REFLECT_ORTHOGONAL" if directive.orthogonal else "0"
        return [
            f"XMP_Reflect({context.site_of(directive)}, {len(arrays)}, (XMP_Array *const[]){{{names}}}, "
            f"{_widths_text(directive.widths)}, {flags}, {self._async(node, directive.async_id)});"
        ]

    def _array(self, node, word):
        """The global array of that name, or None after an error."""
        from ...directives.reader import nearest

        context = self.context
        declarator = node.scope.lookup(word.text, node.first)
        array = context.model.array(context.key(declarator)) if declarator is not None else None
        if array is not None and array.dimensions is not None:
            return array
        if declarator is not None:
            context.error(
                "XMP-E146",
                f"'{word.text}' is no global array",
                word,
                [("it is declared here", declarator.word)] if not declarator.system else (),
                f"add an align directive for '{word.text}'",
            )
            return None
        meant = nearest(word.text, [a.name for a in context.model.arrays])
        context.error(
            "XMP-E119", f"the array '{word.text}' is not declared", word, (), f"did you mean '{meant}'?" if meant else None
        )
        return None

    # ---- variables ----
    def _variable(self, node, expression):
        """A Variable for what a bcast or reduction names, or None after an error."""
        context = self.context
        tree = parse_expression(context, expression, node.scope)
        if tree is None:
            return None
        unknown = next((p for p in tree.walk() if isinstance(p, syntax.Identifier) and p.declaration is None), None)
        if unknown is not None:
            from ...directives.reader import nearest

            meant = nearest(unknown.name, visible_variables(node.scope, node.first))
            context.error(
                "XMP-E180",
                f"the variable '{unknown.name}' is not declared",
                expression.word,
                (),
                f"did you mean '{meant}'?" if meant else None,
            )
            return None
        if any(isinstance(p, (syntax.Section, syntax.CoarrayReference)) for p in tree.walk()):
            context.error("XMP-E190", "array sections and coarrays in a directive are not supported yet", expression.word)
            return None
        if isinstance(tree, syntax.Identifier):
            array = context.array_of(tree)
            if array is not None:
                return _of_array(array)
        if any(isinstance(p, syntax.Identifier) and context.array_of(p) is not None for p in tree.walk()):
            context.error(
                "XMP-E184",
                f"'{expression.text}' is part of a global array; only local variables and whole arrays can be given",
                expression.word,
            )
            return None
        return _of_local(context, tree, expression)


class Variable:
    __slots__ = ("address", "bytes", "count", "element")


def _of_array(array):
    """A whole global array: this node's block of it."""
    found = Variable()
    element, _, _ = shape(array.symbol.declaration.type)
    found.element, found.address = element, f"{object_name(array)}->base"
    product = " * ".join(f"{object_name(array)}->dimension[{d}].length" for d in range(array.rank))
    found.count = f"(size_t)({product})"
    found.bytes = f"{found.count} * sizeof({type_text(element)})"
    return found


def _of_local(context, tree, expression):
    found = Variable()
    type_, sizes = tree.type, []
    parameter = isinstance(tree, syntax.Identifier) and tree.declaration.kind == "parameter"
    inner = types.resolve(type_)
    is_array = isinstance(inner, types.Array)
    while isinstance(types.resolve(type_), types.Array):
        sizes.append(types.resolve(type_).size)
        type_ = types.resolve(type_).element
    found.element = type_
    text = _local_text(context, tree)
    if not is_array:
        found.address, found.count, found.bytes = f"&{text}", "1", f"sizeof({text})"
        return found
    found.address = text
    if not parameter:
        found.bytes, found.count = f"sizeof({text})", f"sizeof({text}) / sizeof({type_text(type_)})"
        return found
    if any(size is None for size in sizes):
        context.error(
            "XMP-E185",
            f"the number of elements of '{text}' is not known",
            expression.word,
            (),
            "declare the parameter with its size",
        )
        return None
    product = " * ".join(f"({size.text()})" for size in sizes)
    found.count = f"(size_t){product}"
    found.bytes = f"(size_t){product} * sizeof({type_text(type_)})"
    return found


def _local_text(context, tree):
    """The expression with coarrays as they are called here."""
    coarrays = {part.first: context.coarray_of(part) for part in tree.walk() if isinstance(part, syntax.Identifier)}

    def edited(index):
        coarray = coarrays.get(index)
        plain = coarray is None or coarray.kind == "parameter"
        return tree.tokens[index].text if plain else f"(*{coarray.holder})"

    return tree.text(edited)


def _widths_text(widths):
    if not widths:
        return "NULL"
    texts = []
    for width in widths:
        modifier = "XMP_WIDTH_PERIODIC" if width.modifier == "periodic" else "XMP_WIDTH_PLAIN"
        texts.append(f"{{{width.lower.text}, {width.upper.text}, {modifier}}}")
    return "(const XMP_Width[]){" + ", ".join(texts) + "}"


def parse_expression(context, expression, scope):
    """The syntax tree of an expression of a directive, or None after an error."""
    from ..reading.errors import InvalidSyntax

    last = expression.words[-1]
    end = Token(END, "", last.file, last.line, last.end, last.end, False)
    parser = Parser(list(expression.words) + [end], scope)
    try:
        tree = parser.expression()
        if parser.position != len(expression.words):
            parser.fail("the expression ends here")
        return tree
    except InvalidSyntax as wrong:
        context.error("XMP-E103", f"'{expression.text}' is no expression: {wrong.message}", expression.word)
        return None
