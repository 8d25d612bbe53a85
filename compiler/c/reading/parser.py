"""The parser: from a preprocessed source to its syntax tree. Recursive descent; declarations, statements and expressions have
files of their own. It knows XMP's additions to C's syntax and nothing of their meaning."""

from ...unforeseen import located
from . import syntax, types
from .declarations import Declarations
from .errors import InvalidSyntax, PreprocessingFailed
from .expressions import Expressions
from .lexer import Lexer
from .preprocess import as_system_headers, run
from .specifiers import Specifiers
from .statements import Statements
from .system_headers import FileScope, SystemHeaders, separate
from .tokens import END, IDENTIFIER, PRAGMA, PRAGMA_END

_KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register"
    " restrict return short signed sizeof static struct switch typedef union unsigned void volatile while".split()
)


class Parser(Specifiers, Declarations, Statements, Expressions):
    """A position in a list of tokens, and the scope there. `system`: it reads a declaration of a system header."""

    def __init__(self, tokens, scope, system=False):
        self.tokens = tokens
        self.texts = [token.text for token in tokens] + ["", "", ""]  # enough to look ahead
        self.position = 0
        self.scope = scope
        self.system = system
        self.saw_attributes = False
        self.directives = []
        self.typeofs = []
        self.end = None  # where an expression ends even if an operator follows: the `/` of a reduction clause

    # -- tokens

    def fail(self, message, token=None):
        token = token or self.tokens[min(self.position, len(self.tokens) - 1)]
        found = "the end of the file" if token.kind is END else f"'{token.text}'" if token.text else "the end of the directive"
        raise InvalidSyntax(token.file, token.line, token.column, f"{message}; found {found}")

    def expect(self, text):
        if self.texts[self.position] != text:
            self.fail(f"'{text}' is expected")
        self.position += 1

    def accept(self, text):
        if self.texts[self.position] != text:
            return False
        self.position += 1
        return True

    def identifier(self):
        if self.tokens[self.position].kind is not IDENTIFIER or self.texts[self.position] in _KEYWORDS:
            self.fail("a name is expected")
        self.position += 1
        return self.texts[self.position - 1]

    def optional_identifier(self):
        return self.identifier() if self.tokens[self.position].kind is IDENTIFIER else None

    def skip_parentheses(self):
        """Skips `( ... )`."""
        self.skip_brackets("(", ")")

    def skip_brackets(self, opening, closing):
        """Skips from one bracket to its partner."""
        first = self.tokens[min(self.position, len(self.tokens) - 1)]
        if self.texts[self.position] != opening:
            self.fail(f"'{opening}' is expected")
        depth = 0
        while True:
            text = self.texts[self.position]
            if text == opening:
                depth += 1
            elif text == closing:
                depth -= 1
            elif self.position >= len(self.tokens) - 1:
                self.fail(f"'{closing}' is missing", first)
            self.position += 1
            if not depth:
                return

    # -- nodes and scopes

    def make(self, cls, first, *values):
        """A node from token `first` to the last one read; values in the order of the class's own slots."""
        node = cls()
        node.tokens = self.tokens
        node.first = first
        node.last = self.position - 1
        node.parent = None
        for name, value in zip(cls.__slots__, values):
            setattr(node, name, value)
        for child in node.children():
            child.parent = node
        return node

    def make_expression(self, cls, first, type_, *values):
        node = self.make(cls, first, *values)
        node.type = type_
        return node

    def make_declarator(self, kind, first, name_index, type_, storage):
        name = None if name_index is None else self.texts[name_index]
        return self.make(
            syntax.Declarator, first, kind, name, name_index, type_, storage, None, self.scope, None, None, False, None,
            self.system, None,
        )  # fmt: skip

    def attach(self, declarator, initializer):
        declarator.initializer = initializer
        if initializer is not None:
            initializer.parent = declarator

    def declare(self, declarator):
        scope = self.scope
        names = scope.system_names if self.system and scope.kind == "file" else scope.names
        declarator.previous = names.get(declarator.name)
        names[declarator.name] = declarator

    def open_scope(self, kind, scope=None):
        if scope is None:
            scope = syntax.Scope(kind, self.scope)
        self.scopes_above = (self.scope, getattr(self, "scopes_above", None))
        self.scope = scope
        return scope

    def close_scope(self):
        self.scope, self.scopes_above = self.scopes_above

    # -- directives and the unit

    def directive(self):
        """A directive of its own; its operands are for others to read."""
        first = self.position
        self.position += 1
        name = self.texts[self.position] if self.tokens[self.position].kind is IDENTIFIER else ""
        while self.tokens[self.position].kind is not PRAGMA_END:
            self.position += 1
        self.position += 1
        directive = self.make(syntax.Directive, first, self.texts[first].split()[1], name, self.scope)
        self.directives.append(directive)
        return directive

    def unit(self):
        items = []
        while self.tokens[self.position].kind is not END:
            item = self._item()
            if item is not None:
                items.append(item)
        unit = self.make(syntax.TranslationUnit, 0, items, self.directives, self.scope, None, self.typeofs)
        unit.last = len(self.tokens) - 1
        return unit

    def _item(self):
        text, first = self.texts[self.position], self.position
        if self.tokens[first].kind is PRAGMA:
            return self.directive()
        if text == ";":
            self.position += 1
            return None
        if text in ("asm", "__asm__", "__asm"):
            self.assembly()
            self.accept(";")
            return self.make(syntax.AssemblyDeclaration, first)
        return self.declaration()

    def system_declaration(self):
        """One declaration of a system header; of a function definition only what stands before its body."""
        self.saw_attributes = False
        if self.texts[0] in (";", "asm", "__asm__", "_Static_assert"):
            return
        storage, base, _ = self.specifiers()
        base = base or types.INT
        while self.tokens[self.position].kind is not END and self.texts[self.position] != ";":
            self._init_declarator(base, storage)
            self._after_declarator()
            if not self.accept(","):
                break


def parse(source):
    """The TranslationUnit of a Source. Raises InvalidSyntax; gcc's own message is in it where gcc has one."""
    user, system = separate(source)
    lexer = Lexer(source.text)
    file, line = source.path, 1
    for start, end, file, line in user:
        file, line = lexer.run(start, end, file, line)
    tokens = lexer.finish(file, line)
    _make_locatable(source, tokens)
    scope = FileScope()
    scope.headers = SystemHeaders(system, scope, lambda declaration: Parser(declaration, scope, system=True))
    parser = Parser(tokens, scope)
    _declare_builtin(parser, scope)
    try:
        with located(lambda: tokens[min(parser.position, len(tokens) - 1)]):
            unit = parser.unit()
    except InvalidSyntax as failure:
        failure.compiler_output = _compiler_opinion(source, tokens, failure)
        raise
    unit.source = source
    return unit


def _make_locatable(source, tokens):
    """Tokens find their columns when they are asked for."""

    def locate(token):
        from .alignment import alignment_of

        return alignment_of(source, tokens).column(token)

    for token in tokens:
        token.locate = locate


def _declare_builtin(parser, scope):
    declarator = parser.make_declarator("typedef", 0, None, types.Pointer(types.VOID), "typedef")
    declarator.name, declarator.system = "__builtin_va_list", True
    scope.system_names[declarator.name] = declarator


def parse_expression(unit, begin, end, scope, comma=False):
    """The Expression that the tokens begin..end (exclusive) of the unit are, e.g. a part of a directive's operands; names mean
    what they mean in `scope` at that place. Raises InvalidSyntax where they are no expression."""
    parser = Parser.__new__(Parser)
    parser.__dict__.update(unit_parser(unit).__dict__)
    parser.position, parser.end = begin, end
    parser.scope = _Before(scope, begin)
    expression = parser.expression() if comma else parser.assignment()
    if parser.position != end:
        parser.fail("the expression should end here")
    return expression


def unit_parser(unit):
    """A parser of the unit's tokens, kept with its source so that their texts are collected once."""
    if unit.source.parser is None:
        unit.source.parser = Parser(unit.tokens, unit.scope)
    return unit.source.parser


class _Before(syntax.Scope):
    """A scope as it was before token `position`."""

    __slots__ = ("position",)

    def __init__(self, scope, position):
        super().__init__("block", scope)
        self.position = position

    def lookup(self, name, before=None):
        return self.parent.lookup(name, self.position)


def _compiler_opinion(source, tokens, failure):
    """gcc's messages if it finds an error in the same place; None if it accepts the text there, or if the text has sections or
    coindices, of which gcc knows nothing."""
    if _has_xmp_syntax(tokens):
        return None
    try:
        run([*as_system_headers(source.command), *source.options, "-w", "-fsyntax-only", "-x", "c", source.path])
    except PreprocessingFailed as refusal:
        place = f"{failure.file}:{failure.line}:"
        later = any(f"{failure.file}:{line}:" in refusal.output for line in range(max(failure.line - 2, 1), failure.line + 1))
        if place in refusal.output or later:
            return refusal.output
    return None


def _has_xmp_syntax(tokens):
    """Whether sections or coindices, which gcc does not know, may stand in the unit."""
    depth, conditionals = 0, [0]
    for index, token in enumerate(tokens):
        text = token.text
        if text == "[":
            depth += 1
            conditionals.append(0)
        elif text == "]" and depth:
            depth -= 1
            conditionals.pop()
        elif text == "?":
            conditionals[-1] += 1
        elif text == ":":
            if tokens[index + 1].text == "[" or depth and not conditionals[-1]:
                return True
            conditionals[-1] = max(0, conditionals[-1] - 1)
    return False
