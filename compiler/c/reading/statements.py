"""Statements of C11 and GNU C, and directives among them."""

from . import syntax
from .tokens import END, IDENTIFIER, PRAGMA

# Directives that apply to the statement that follows.
_BINDING = {
    "xmp": frozenset("loop task tasks array gmove master_io global_io tasklet tasklets".split()),
    "omp": frozenset(
        "parallel for sections section single master masked critical atomic ordered task taskgroup taskloop simd target"
        " teams distribute loop scope".split()
    ),
    "GCC": frozenset(("ivdep", "unroll", "novector")),
}
# ... except in these forms. `target` has forms that stand alone.
_STANDING = ("omp target update", "omp target enter", "omp target exit", "omp ordered depend", "omp ordered doacross")


class Statements:
    """Part of Parser."""

    def compound(self, scope=None):
        """`{ ... }`; scope: one that exists already (a function's parameters)."""
        first = self.position
        self.expect("{")
        scope = self.open_scope("block", scope)
        items = []
        while self.texts[self.position] != "}":
            if self.tokens[self.position].kind is END:
                self.fail("'}' is missing", self.tokens[first])
            items.append(self.statement())
        self.position += 1
        self.close_scope()
        node = self.make(syntax.Compound, first, items, scope)
        scope.node = scope.node or node
        return node

    def statement(self):
        first = self.position
        text, kind = self.texts[first], self.tokens[first].kind
        if kind is IDENTIFIER:
            method = _KEYWORDS.get(text)
            if method:
                self.position += 1
                return method(self, first)
            if self.texts[first + 1] == ":" and (self.texts[first + 2] != "[" or self.at_attribute(first + 2)):
                return self._label(first, text)
            if self.starts_type(first) or text == "_Static_assert" or text == "__label__":
                return self.declaration()
            if text == "__extension__" and self.starts_type(first + 1):
                return self.declaration()
        elif text == "{":
            return self.compound()
        elif text == ";":
            self.position += 1
            return self.make(syntax.ExpressionStatement, first, None)
        elif kind is PRAGMA:
            return self.directive_statement()
        elif self.at_attribute(first):
            return self._attributed(first)
        expression = self.expression()
        self.expect(";")
        return self.make(syntax.ExpressionStatement, first, expression)

    def _attributed(self, first):
        """A statement or declaration behind `[[...]]`."""
        self.attributes()
        node = self.statement()
        node.first = first
        return node

    def directive_statement(self):
        """A directive, with the statement it applies to if it is of that kind."""
        directive = self.directive()
        if not binds(directive):
            return directive
        if self.texts[self.position] == "}" or self.tokens[self.position].kind is END:
            self.fail(f"a statement is expected after '#pragma {directive.language} {directive.name}'", directive.token)
        statement = self.statement()
        return self.make(syntax.DirectiveStatement, directive.first, directive, statement)

    def _label(self, first, name):
        self.position += 2
        self.attributes()
        return self.make(syntax.Label, first, name, self._labelled())

    def _labelled(self):
        return None if self.texts[self.position] == "}" else self.statement()

    def _condition(self):
        self.expect("(")
        condition = self.expression()
        self.expect(")")
        return condition

    def _if(self, first):
        condition, then = self._condition(), self.statement()
        otherwise = None
        if self.texts[self.position] == "else":
            self.position += 1
            otherwise = self.statement()
        return self.make(syntax.If, first, condition, then, otherwise)

    def _while(self, first):
        condition = self._condition()
        return self.make(syntax.While, first, condition, self.statement())

    def _switch(self, first):
        value = self._condition()
        return self.make(syntax.Switch, first, value, self.statement())

    def _do(self, first):
        body = self.statement()
        self.expect("while")
        condition = self._condition()
        self.expect(";")
        return self.make(syntax.DoWhile, first, body, condition)

    def _for(self, first):
        self.expect("(")
        scope = self.open_scope("block")
        if self.starts_type(self.position):
            init = self.declaration()
        else:
            init = self._optional(";")
        condition = self._optional(";")
        step = self._optional(")")
        body = self.statement()
        self.close_scope()
        scope.node = self.make(syntax.For, first, init, condition, step, body, scope)
        return scope.node

    def _optional(self, end):
        expression = None if self.texts[self.position] == end else self.expression()
        self.expect(end)
        return expression

    def _return(self, first):
        return self.make(syntax.Return, first, self._optional(";"))

    def _goto(self, first):
        label = target = None
        if self.texts[self.position] == "*":
            self.position += 1
            target = self.expression()
        else:
            label = self.identifier()
        self.expect(";")
        return self.make(syntax.Goto, first, label, target)

    def _break(self, first):
        self.expect(";")
        return self.make(syntax.Break, first)

    def _continue(self, first):
        self.expect(";")
        return self.make(syntax.Continue, first)

    def _case(self, first):
        value, upper = self.conditional(), None
        if self.texts[self.position] == "...":
            self.position += 1
            upper = self.conditional()
        self.expect(":")
        return self.make(syntax.Case, first, value, upper, self._labelled())

    def _default(self, first):
        self.expect(":")
        return self.make(syntax.Case, first, None, None, self._labelled())

    def _assembly(self, first):
        self.position = first
        self.assembly()
        self.expect(";")
        return self.make(syntax.Assembly, first)


def binds(directive):
    """Whether a directive applies to the statement that follows it."""
    if directive.name not in _BINDING[directive.language]:
        return False
    words = [token.text for token in directive.tokens[directive.first + 1 : directive.first + 3]]
    return " ".join([directive.language] + words) not in _STANDING


_KEYWORDS = {
    "if": Statements._if, "for": Statements._for, "while": Statements._while, "do": Statements._do,
    "switch": Statements._switch, "return": Statements._return, "goto": Statements._goto, "break": Statements._break,
    "continue": Statements._continue, "case": Statements._case, "default": Statements._default,
    "asm": Statements._assembly, "__asm__": Statements._assembly, "__asm": Statements._assembly,
}  # fmt: skip
