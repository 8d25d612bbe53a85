"""gmove (specification 4.5.2): the assignment behind the directive becomes one call with both sides as sections."""

from ...semantics.alignment import counted, counted_dimensions
from ..reading import syntax, types
from .context import Place
from .elements import shape, type_code, type_text
from .operands import COUNTS_DOWN, downwards, lacks_base
from .texts import object_name, quoted


class Gmove:
    def __init__(self, lowering):
        self.lowering = lowering
        self.context = lowering.context

    def gmove(self, node, directive):
        context, statement = self.context, node.statement
        if directive.mode is not None:
            context.error("XMP-E190", f"gmove {directive.mode} is not supported yet", directive.word)
            return
        assignment = statement.expression if isinstance(statement, syntax.ExpressionStatement) else None
        while isinstance(assignment, syntax.Parenthesized):
            assignment = assignment.operand
        if not isinstance(assignment, syntax.Assign) or assignment.operator != "=":
            context.error(
                "XMP-E186",
                "gmove must be followed by an assignment",
                directive.word,
                [("this follows", Place(statement.token))],
                "write `left = right;` behind it",
            )
            return
        left, right = self._side(assignment.target, True), self._side(assignment.value, False)
        if left is None or right is None or not self._conform(assignment, left, right):
            return
        async_id = f"&(const int){{{directive.async_id.text}}}" if directive.async_id is not None else "NULL"
        site = context.site_of(directive, node.directive.token.line)
        call = f"XMP_Gmove({site}, {left.text()}, {right.text()}, {async_id});"
        context.edits.delete(node.directive.first, node.directive.last)
        context.edits.override(statement.first, statement.last, call)

    # ---- sides ----
    def _side(self, expression, is_left):
        """A _Side, or None after an error."""
        base, subscripts = _taken_apart(expression)
        array = self.context.array_of(base) if isinstance(base, syntax.Identifier) else None
        if array is not None and array.dimensions is not None:
            return self._global(expression, base, array, subscripts)
        if not self._plain(expression, is_left):
            return None
        return self._local(expression, base, subscripts)

    def _global(self, expression, base, array, subscripts):
        context = self.context
        if len(subscripts) != array.rank:
            context.error(
                "XMP-E122",
                f"'{array.name}' has {counted_dimensions(array.rank)}, but {counted(len(subscripts), 'subscript')} given",
                base,
                [("the array is declared here", array.word)],
                f"write {array.name}{'[:]' * array.rank} for all of it" if not subscripts else None,
            )
            return None
        side = _Side(context.written(expression), shape(array.symbol.declaration.type)[0])
        side.array = object_name(array)
        return side if self._take_subscripts(side, subscripts) else None

    def _local(self, expression, base, subscripts):
        """Memory of this node: what stands before the first section is its base, the rest its dimensions."""
        context = self.context
        first = next((n for n, s in enumerate(subscripts) if isinstance(s, syntax.Section)), len(subscripts))
        side = _Side(context.written(expression), expression.type)
        if isinstance(types.resolve(expression.type), types.Array):
            context.error(
                "XMP-E122",
                f"'{side.written}' is an array: each of its dimensions needs a subscript",
                expression,
                help=f"write {side.written}{'[:]' * len(types.array_shape(expression.type)[0])} for all of it",
            )
            return None
        if first == len(subscripts):
            self.lowering.visit(expression)
            spelled = context.spelling(expression)
            is_value = expression.constant() is not None or _is_number(expression)
            side.address = f"(const {type_text(expression.type)}[]){{{spelled}}}" if is_value else f"&({spelled})"
            return side
        start = subscripts[first].base
        self.lowering.visit(start)
        side.address = context.spelling(start)
        if not self._take_dimensions(side, start, subscripts[first:]):
            return None
        return side if self._take_subscripts(side, subscripts[first:]) else None

    def _take_dimensions(self, side, start, subscripts):
        """Extents and strides, as the types tell them."""
        element = f"({side.address})"
        for number, subscript in enumerate(subscripts):
            whole, type_ = element, types.resolve(subscript.base.type)
            element += "[0]"
            if isinstance(type_, types.Array):
                parameter = number == 0 and isinstance(start, syntax.Identifier) and start.declaration.kind == "parameter"
                if not parameter:
                    side.extents.append(f"sizeof({whole}) / sizeof({element})")
                else:
                    side.extents.append("XMP_OPEN" if type_.size is None else type_.size.text())
            elif number == 0:
                side.extents.append("XMP_OPEN")
            else:
                self.context.error(
                    "XMP-E187",
                    f"the rows of '{side.written}' are pointers: they may lie anywhere",
                    subscript,
                    help="copy row by row, or declare an array",
                )
                return False
            side.strides.append(f"sizeof({element})")
        return True

    def _take_subscripts(self, side, subscripts):
        for subscript in subscripts:
            is_section = isinstance(subscript, syntax.Section)
            parts = (subscript.begin, subscript.length, subscript.step) if is_section else (subscript.index,)
            texts = []
            for part in parts:
                if part is not None and not self._index(part):
                    return False
                texts.append(None if part is None else self.context.spelling(part))
            if not is_section:
                side.triplets.append(f"XMP_INDEX({texts[0]})")
                continue
            if subscript.step is not None and subscript.step.constant() == 0:
                self.context.error("XMP-E104", "the step of a section cannot be 0", subscript.step)
                return False
            if lacks_base(subscript):
                self.context.error("XMP-E210", COUNTS_DOWN, subscript, help=downwards(subscript))
                return False
            begin, length = (text or "XMP_OPEN" for text in texts[:2])
            side.triplets.append(f"XMP_TRIPLET({begin}, {length}, {texts[2] or '1'})")
            side.sections += 1
        return True

    def _index(self, expression):
        """Checks and lowers an expression that must have the same value on all nodes."""
        for part in expression.walk():
            array = self.context.array_of(part) if isinstance(part, syntax.Identifier) else None
            if array is not None:
                self.context.error(
                    "XMP-E184",
                    f"'{array.name}' is a global array; a subscript of a gmove must have the same value on all nodes",
                    part,
                    help="copy the element to a local variable first, with a gmove of its own",
                )
                return False
        if not types.is_integer(expression.type):
            self.context.error("XMP-E187", f"'{self.context.written(expression)}' is no integer", expression)
            return False
        self.lowering.visit(expression)
        return True

    def _plain(self, expression, is_left):
        """Whether a side is a variable, or a constant on the right: no operators, no calls (4.5.2)."""
        context, part = self.context, expression
        while True:
            if isinstance(part, syntax.CoarrayReference):
                context.error("XMP-E187", "a coarray of another image cannot stand in a gmove", part, help="copy it first")
                return False
            if isinstance(part, (syntax.Subscript, syntax.Section, syntax.Member)):
                part = part.base
            elif isinstance(part, syntax.Parenthesized) or isinstance(part, syntax.Unary) and part.operator == "*":
                part = part.operand
            else:
                break
        value = part is expression and not is_left and (expression.constant() is not None or _is_number(expression))
        if not isinstance(part, syntax.Identifier) and not value:
            context.error(
                "XMP-E187",
                f"'{context.written(expression)}' is no variable: a gmove copies without operators and calls",
                expression,
                help="compute it in a loop" if not is_left else None,
            )
            return False
        array = context.array_of(part) if isinstance(part, syntax.Identifier) else None
        if array is not None and array.dimensions is not None:
            context.error("XMP-E190", f"members of elements of '{array.name}' in a gmove are not supported yet", part)
            return False
        return True

    # ---- both ----
    def _conform(self, assignment, left, right):
        if right.sections not in (0, left.sections):
            self.context.error(
                "XMP-E188",
                f"'{left.written}' has {_sections(left)}, but '{right.written}' has {_sections(right)}",
                assignment.value,
                help="the sections of both sides, from the left, belong together",
            )
            return False
        if not _convertible(left.type, right.type):
            self.context.error(
                "XMP-E188",
                f"'{right.written}' ({type_text(right.type)}) cannot be assigned to '{left.written}' ({type_text(left.type)})",
                assignment.value,
            )
            return False
        return True


class _Side:
    """written: as the user wrote it; array: name of the descriptor, or address, extents and strides of memory."""

    def __init__(self, written, type_):
        self.written, self.type = written, type_
        self.array = self.address = None
        self.triplets, self.extents, self.strides, self.sections = [], [], [], 0

    def text(self):
        fields = [f".text = {quoted(self.written)}"]
        if self.array is not None:
            fields.append(f".array = {self.array}")
        else:
            fields.append(f".address = (void *){self.address}")
            fields.append(f".type = {type_code(self.type)}, .element_bytes = sizeof({type_text(self.type)})")
        if self.triplets:
            fields.append(f".rank = {len(self.triplets)}, .subscripts = {_list('XMP_Triplet', self.triplets)}")
        if self.extents:
            fields.append(f".extents = {_list('XMP_Index', self.extents)}, .strides = {_list('XMP_Index', self.strides)}")
        return f"&(const XMP_Side){{{', '.join(fields)}}}"


def _list(type_, items):
    return f"(const {type_}[]){{{', '.join(items)}}}"


def _taken_apart(expression):
    """(what is subscripted, the Subscripts and Sections from the left)"""
    subscripts = []
    while isinstance(expression, (syntax.Parenthesized, syntax.Subscript, syntax.Section)):
        if isinstance(expression, syntax.Parenthesized):
            expression = expression.operand
        else:
            subscripts.insert(0, expression)
            expression = expression.base
    return expression, subscripts


def _is_number(expression):
    """`1.5`, `-1.5`, `'c'`"""
    while isinstance(expression, syntax.Parenthesized) or isinstance(expression, syntax.Unary) and expression.operator in "+-":
        expression = expression.operand
    return isinstance(expression, (syntax.Number, syntax.Character))


def _convertible(left, right):
    if types.is_arithmetic(left) and types.is_arithmetic(right):
        return True
    return types.same_type(left, right) or types.UNKNOWN in (types.resolve(left), types.resolve(right))


def _sections(side):
    return f"{side.sections} section{'s' * (side.sections != 1)}"
