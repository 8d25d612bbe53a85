"""What C answers when the planner asks about loops, tasks and what is in them (plan/questions.py). A block is a statement."""

from ...plan.language import Variable
from ...plan.nest import NestedLoop
from ...plan.questions import Blocks, Elements, Loops, Reductions
from ..reading import syntax, types
from ..reading.places import Place
from ..reading.syntax import text_of
from . import copies, dependence, pragmas
from .canonical import NotCanonical, canonical, first_for, loop_variable
from .elements import kind_of, type_text
from .executing import needs_set
from .jumps import leaving
from .references import references, variable_plus
from .variables import Memory, in_a_row, visible_variables


class BlockAnswers(Blocks, Loops, Reductions, Elements):
    """Base of Context."""

    positions = True

    @property
    def global_subscripts(self):
        return self.check

    # ---- blocks ----
    def block(self, place):
        return place.parent.statement

    def contains(self, block, place):
        return block.first <= place.first <= block.last

    def jumps(self, block, loops):
        bodies = [loop.body for loop in loops] or [block]
        return [found for body in bodies for found in leaving(body, bool(loops))]

    def asks_for_set(self, block):
        return needs_set(self, block)

    def tasks_inside(self, place):
        block = self.block(place)
        return [self._task(item) for item in block.items] if isinstance(block, syntax.Compound) else None

    def _task(self, item):
        parsed = None
        if isinstance(item, syntax.DirectiveStatement) and item.directive.language == "xmp" and item.directive.name == "task":
            parsed = self.parsed.get(item.directive.first)
        return (parsed[0], item.directive, None) if parsed else (None, None, item)

    # ---- loops ----
    def nest(self, place):
        found, node = [], first_for(self.block(place))
        while node is not None:
            variable, body = loop_variable(node), node.body
            found.append(NestedLoop(variable.name if variable else None, variable, Place(node.token), node, body))
            xmp = isinstance(body, syntax.DirectiveStatement) and body.directive.language == "xmp"
            node = None if xmp else first_for(body)
        return found

    def counting(self, loop, directive):
        try:
            return canonical(loop.block, self.spelling)
        except NotCanonical as wrong:
            self.error("XMP-E162", wrong.message, wrong.node, [("the loop is distributed here", directive.word)])
            return None

    def changed(self, loop):
        for node in loop.body.walk():
            target = None
            if isinstance(node, syntax.Assign):
                target = node.target
            elif isinstance(node, (syntax.Unary, syntax.Postfix)) and node.operator in ("++", "--"):
                target = node.operand
            if isinstance(target, syntax.Identifier) and target.declaration is loop.declarator:
                return node
        return None

    def uses_value(self, loop, besides):
        used, covered = False, [(subscript.index.first, subscript.index.last) for subscript in besides]
        for part in loop.body.walk():
            if isinstance(part, syntax.Identifier) and part.declaration is loop.declarator:
                if not any(first <= part.first <= last for first, last in covered):
                    return True
            elif isinstance(part, syntax.Directive):
                if any(token.text == loop.name for token in part.tokens[part.first : part.last]):
                    used = "perhaps"
        return used

    def copies(self, place, loops, around):
        return [] if self.check else copies.find(self, self.block(place), loops, around)

    def independent(self, place):
        return [] if self.check else dependence.independent(self, self.block(place))

    def refuses(self, feature, word, notes=()):
        if feature != "dependent bounds":
            return False
        loop = next(ancestor for ancestor in word.ancestors() if isinstance(ancestor, syntax.For))
        collapsed = pragmas.inside_collapsed(loop)
        if collapsed:
            message = "collapse needs distributed loops whose bounds do not depend on each other"
            self.error("XMP-E190", message, word, notes, "leave out the collapse clause")
        return collapsed

    def among_threads(self, loop):
        return pragmas.among_threads(loop.node)

    def in_any_order(self, loop):
        return pragmas.shared_by(loop.node)

    def collapsed_around(self, place):
        return pragmas.collapsing(place.parent)

    def reduced(self, expression, place, location):
        """more: the Declarator."""
        name, (scope, position) = expression.name, self.scope(place)
        declarator = scope.lookup(name, position)
        if not isinstance(declarator, syntax.Declarator) or declarator.kind not in ("variable", "parameter"):
            self.undeclared("XMP-E180", "variable", name, expression.word, visible_variables(scope, position))
            return None
        if self.model.array(self.key(declarator)) is not None:
            message = f"'{name}' is a global array; a reduction clause takes local variables"
            self.error("XMP-E184", message, expression.word)
            return None
        type_ = types.resolve(declarator.type)
        pointer = isinstance(type_, types.Pointer) or declarator.kind == "parameter" and isinstance(type_, types.Array)
        if pointer and not location:
            self.error("XMP-E182", f"'{name}' is a pointer; its number of elements is not known", expression.word)
            return None
        element = types.element_type(declarator.type)
        return Variable(expression, kind_of(element), type_text(element), declarator)

    reduces_parts = True

    def reduced_part(self, expression, place):
        """more: its Memory."""
        variable = self.variable(expression, place)
        if variable is None or isinstance(variable.more, Memory):
            return variable
        memory = in_a_row(self, variable.more)
        if memory is not None:
            return Variable(expression, variable.kind, variable.type, memory)
        message = f"'{expression.text}' is no variable of this node with all its elements in a row"
        help = "name elements, members, or a section of a local array with step 1"
        self.error("XMP-E181", message, expression.word, help=help)
        return None

    # ---- elements ----
    def references(self, block, nested=True):
        return references(self, block, nested)

    def affine(self, subscript):
        return variable_plus(subscript.index)

    def element(self, reference, d):
        identifier, subscript = reference.identifier, reference.subscripts[d]
        text = f"{reference.array.name}[{subscript.index.text()}]"
        return text, Place(identifier.token, text_of(identifier.tokens, identifier.first, subscript.last))

    def shadow_proposal(self, array, widths):
        texts = [
            "[*]" if pair is None else f"[{pair[0]}]" if pair[0] == pair[1] else f"[{pair[0]}:{pair[1]}]" for pair in widths
        ]
        shadow = f"#pragma xmp shadow {array.name}{''.join(texts)}"
        return f"write: {shadow}, and before the loop: #pragma xmp reflect ({array.name})"
