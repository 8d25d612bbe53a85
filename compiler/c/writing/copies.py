"""Copies of one global array to another become memcpy. gcc finds such loops itself where it can prove that the arrays do not
overlap; behind our pointers it cannot, and we know it: declared arrays are different memory. Inner dimensions that the loops
run through completely join the copy, so that a block of whole rows is copied at once."""

from ...directives.words import parenthesised, plus
from ...plan.loop import giving_position
from ..reading import syntax, types
from .canonical import NotCanonical, canonical, first_for
from .elements import is_unsigned, shape, type_text
from .loop_variables import plain_local, read_after_loop
from .pragmas import taken
from .references import Reference, mentions, variable_plus

_HARMLESS = (syntax.Identifier, syntax.Number, syntax.Binary, syntax.Parenthesized)


def find(context, statement, loops, around):
    """The Copies below the statement of a loop directive. loops: its DistributedLoops; around: those around it."""
    outer, found = first_for(statement), {}
    distributed, moved = {loop.counting.node: loop for loop in loops}, moved_arrays(context, outer)
    for node in outer.walk():
        if isinstance(node, syntax.For) and _nearest_directive(node) is _nearest_directive(outer):
            copy = Copy(context, moved, distributed, [*around, *loops], outer)
            if copy.read(node):
                found[copy.outermost] = copy
    return list(found.values())


def _nearest_directive(node):
    """The directive that a statement stands under."""
    return next((ancestor for ancestor in node.ancestors() if isinstance(ancestor, syntax.DirectiveStatement)), None)


def moved_arrays(context, statement):
    """Arrays whose memory may move inside a statement: allocated there, or a template is fixed there."""
    moved = set()
    for part in statement.walk():
        if isinstance(part, syntax.Call) and getattr(part.function, "name", None) == "xmp_malloc":
            moved |= {context.array_of(inner) for inner in part.walk() if isinstance(inner, syntax.Identifier)}
        elif isinstance(part, syntax.Assign) and isinstance(part.target, syntax.Identifier):
            moved.add(context.array_of(part.target))
        elif isinstance(part, syntax.Directive) and part.name == "template_fix":
            moved |= set(context.model.arrays)
    return moved


class _Level:
    """One loop of a copy. distributed: its DistributedLoop, or None; certain: whether it is known to have iterations; whole:
    whether it runs from 0 to a constant; start, end, last: texts, once they are written."""

    __slots__ = ("loop", "distributed", "certain", "whole", "start", "end", "last")

    def write(self, context, local):
        """local: the LocalLoop of a distributed one."""
        if local is not None:
            self.start, self.end = local.start, local.end if local.ends_before else f"{local.final} + 1"
            return
        loop = self.loop
        self.start, self.last = context.spelling(loop.first), loop.last(context.spelling)
        self.end = plus(context.spelling(loop.bound), 1 if loop.relation == "<=" else 0)


class Copy:
    """Loops that are one memcpy. outermost: its For; target, source: References."""

    def __init__(self, context, moved, distributed, covering, statement):
        self.context, self.moved, self.covering = context, moved, covering
        self.distributed, self.statement = distributed, statement
        self.levels = []  # from the innermost outwards
        self.outermost = None

    # ---- recognition ----
    def read(self, node):
        """Whether a For and perhaps its parents are a copy."""
        assignment = _only_assignment(node.body)
        if assignment is None:
            return False
        self.target, self.source = self._array(assignment.target), self._array(assignment.value)
        if self.target is None or self.source is None or not _different(self.target.array, self.source.array):
            return False
        while node is not None and self._take(node):
            self.outermost = node
            node = self._parent(node) if self._complete() else None
        return bool(self.levels) and self._outer_subscripts()

    def _array(self, expression):
        """The Reference that an expression is: an element of a declared global array, with simple subscripts."""
        whole = expression
        while isinstance(expression, (syntax.Subscript, syntax.Parenthesized)):
            expression = expression.base if isinstance(expression, syntax.Subscript) else expression.operand
        array = self.context.array_of(expression) if isinstance(expression, syntax.Identifier) else None
        if array is None or array.dimensions is None or array in self.moved:
            return None
        declaration = array.symbol.declaration
        reference = Reference(expression, array)
        simple = all(_simple(subscript.index) for subscript in reference.subscripts)
        declared = declaration.kind == "variable" and not shape(declaration.type)[2]
        ends_here = reference.complete and syntax.bare(whole) is reference.subscripts[-1]
        return reference if simple and declared and ends_here else None

    def _take(self, node):
        """Whether a loop runs along the next dimension of both arrays; it becomes a level then."""
        level = self._level(node)
        number = len(self.levels) + 1
        if level is None or number > min(self.target.array.rank, self.source.array.rank):
            return False
        for reference in (self.target, self.source):
            d = reference.array.rank - number
            moved = variable_plus(reference.subscripts[d].index)
            others = [s.index for k, s in enumerate(reference.subscripts) if k != d]
            if moved is None or moved[0] is not level.loop.declarator or reference.array.positional(d):
                return False
            if any(mentions(index, level.loop.declarator) for index in others):
                return False
        self.levels.append(level)
        return True

    def _level(self, node):
        distributed = self.distributed.get(node)
        try:
            loop = distributed.counting if distributed else canonical(node, self.context.spelling)
        except NotCanonical:
            return None
        if taken(node) or not loop.up or loop.step_value != 1 or not (_simple(loop.first) and _simple(loop.bound)):
            return None
        bounds = (loop.first, loop.bound)
        if any(mentions(expression, inner.loop.declarator) for inner in self.levels for expression in bounds):
            return None
        level = _Level()
        level.loop, level.distributed, level.certain, level.whole = loop, distributed, False, False
        if distributed:
            return None if distributed.cyclic or distributed.depends or loop.unsigned else level
        first, bound = loop.first.constant(), loop.bound.constant()
        constant = first is not None and bound is not None
        unsigned = loop.unsigned or is_unsigned(loop.bound.type) or is_unsigned(loop.first.type)
        if not constant and unsigned or loop.outside and not plain_local(self.context, loop, self.statement):
            return None
        level.certain = constant and first < _end(loop)
        level.whole = first == 0 and level.certain
        return level

    def _complete(self):
        """Whether the loops so far run through the whole of their dimensions, so that the next outer one can join."""
        level, number = self.levels[-1], len(self.levels)
        if not level.whole:
            return False
        for reference in (self.target, self.source):
            array, d = reference.array, reference.array.rank - number
            size = shape(array.symbol.declaration.type)[1][d]
            shadow = array.shadow[d] if array.shadow else None
            if array.format(d) != "*" or shadow is not None and (shadow.full or (shadow.lower, shadow.upper) != ("0", "0")):
                return False
            if size is None or size.constant() != _end(level.loop) or variable_plus(reference.subscripts[d].index)[1] != 0:
                return False
        return True

    def _parent(self, node):
        """The For whose body is just this one."""
        parent = node.parent
        while isinstance(parent, syntax.Compound):
            parent = parent.parent
        inside = node is not self.statement and isinstance(parent, syntax.For) and first_for(parent.body) is node
        return parent if inside and not isinstance(parent.body, syntax.DirectiveStatement) else None

    def _outer_subscripts(self):
        """Whether loops give the positions of all other subscripts of cyclic dimensions."""
        return all(
            not reference.array.positional(d)
            or giving_position(self.covering, reference.array, d, variable_plus(reference.subscripts[d].index)) is not None
            for reference in (self.target, self.source)
            for d in range(reference.array.rank - len(self.levels))
        )

    # ---- the text ----
    def text(self, position_for, locals_):
        """position_for(array, d, index): the name of the position that is a subscript in a cyclic dimension; locals_: the
        LocalLoops of the nest."""
        self.position_for, locals_ = position_for, {local.loop: local for local in locals_}
        for level in self.levels:
            level.write(self.context, locals_.get(level.distributed))
        level = self.levels[-1]
        target, source = self._address(self.target), self._address(self.source)
        count = level.end if level.start == "0" else f"{parenthesised(level.end)} - {parenthesised(level.start)}"
        if not (level.certain or level.distributed):  # gcc -O0 may know them, and warns of a length below zero behind an `if`
            count = f"{level.start} < {level.end} ? {count} : 0"
        call = f"__builtin_memcpy({target}, {source}, (size_t){parenthesised(count)} * sizeof {self._element(self.target)});"
        inner, outer = "".join(self._final(level) for level in self.levels[:-1]), self._final(level)
        text = call + inner
        if not level.certain:
            text = f"if ({level.start} < {level.end}) " + (f"{{ {text} }}" if inner else text)
        several = inner or outer or not level.certain and isinstance(self.outermost.parent, syntax.If)
        return f"{{ {text}{outer} }}" if several else text

    def _address(self, reference):
        return "&" + self._prefix(reference) + f"[{self._start(reference)}]"

    def _element(self, reference):
        """What one iteration of the outermost loop copies."""
        prefix = self._prefix(reference)
        return f"*{prefix}" if prefix == reference.array.identifier else f"{prefix}[0]"

    def _prefix(self, reference):
        """The array with the subscripts outside the copy."""
        outer = range(reference.array.rank - len(self.levels))
        return reference.array.identifier + "".join(f"[{self._subscript(reference, d)}]" for d in outer)

    def _subscript(self, reference, d):
        index = reference.subscripts[d].index
        position = self.position_for(reference.array, d, index) if reference.array.positional(d) else None
        return position or self.context.spelling(index)

    def _start(self, reference):
        index = reference.subscripts[reference.array.rank - len(self.levels)].index
        return plus(self.levels[-1].start, variable_plus(index)[1])

    def _final(self, level):
        """The user's variable after a serial loop."""
        loop = level.loop
        if not loop.outside or level.distributed:
            return ""
        if not read_after_loop(self.context, loop.declarator):
            return f" (void){loop.name};"
        return f" {loop.name} = ({type_text(loop.type)})XMP_Loop_final({level.start}, {level.last}, 1);"


def _end(loop):
    """The value behind the last one, where it is constant."""
    return loop.bound.constant() + (loop.relation == "<=")


def _only_assignment(body):
    """The Assign that is all of a loop's body, else None."""
    while isinstance(body, syntax.Compound) and len(body.items) == 1:
        body = body.items[0]
    expression = syntax.bare(body.expression) if isinstance(body, syntax.ExpressionStatement) else None
    return expression if isinstance(expression, syntax.Assign) and expression.operator == "=" else None


def _simple(expression):
    """Whether an expression has the same value in all iterations that do not change its scalar variables."""
    return all(
        isinstance(part, _HARMLESS) and (not isinstance(part, syntax.Identifier) or _plain_variable(part))
        for part in expression.walk()
    )


def _plain_variable(identifier):
    declarator = identifier.declaration
    if declarator is None:
        return False
    return "volatile" not in types.render(declarator.type) and not isinstance(
        types.resolve(declarator.type), (types.Array, types.Pointer)
    )


def _different(one, other):
    elements = [shape(array.symbol.declaration.type)[0] for array in (one, other)]
    texts = [types.render(element) for element in elements]
    same = types.resolve(elements[0]) is types.resolve(elements[1]) or texts[0] == texts[1]
    return one is not other and same and "volatile" not in texts[0] + texts[1] and "_Atomic" not in texts[0] + texts[1]
