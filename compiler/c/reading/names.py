"""Names in the expressions of directives that nothing declares: told at the directive, in our words, before gcc finds them in
what becomes of it."""

from ...directives import tree
from ...spelling import did_you_mean
from . import syntax

# Words that need no declaration; our own functions come with the translation.
_WORDS = frozenset(
    "sizeof _Alignof alignof __alignof__ __extension__ void char short int long float double signed unsigned struct union enum"
    " const volatile restrict _Bool _Complex _Atomic bool true false nullptr NULL typeof __typeof__ _Generic default".split()
)
_OURS = ("xmp_", "XMP_", "__builtin_", "__")


def undeclared(node, directive):
    """(word, help) of the names of nothing in the directive's expressions. node: the syntax.Directive."""
    counted = _loop_variables(node, directive)
    if counted is None:
        return
    loops = f"the loop variables are {', '.join(counted)}" if counted else None
    for expression in tree.expressions(directive):
        for word in _names(expression):
            if word.text not in counted and node.scope.lookup(word.text, node.first) is None:
                candidates = [*counted, *(name for name, _ in node.scope.visible(node.first))]
                yield word, did_you_mean(word.text, candidates, loops)


def _names(expression):
    """The words that must be declared: no members, tags, labels of types, calls (C allows calls of what nobody declares)."""
    words = expression.words
    for number, word in enumerate(words):
        before = words[number - 1].text if number else ""
        after = words[number + 1].text if number + 1 < len(words) else ""
        if word.kind != "identifier" or before in (".", "->", "struct", "union", "enum") or after == "(":
            continue
        if word.text not in _WORDS and not word.text.startswith(_OURS):
            yield word


def _loop_variables(node, directive):
    """The variables that the for statements behind a directive declare, for its on clause names them; None if a loop
    directive has no for statement, which is said elsewhere."""
    governed = node.parent if isinstance(node.parent, syntax.DirectiveStatement) else None
    loops = [part for part in governed.walk() if isinstance(part, syntax.For)] if governed else []
    if isinstance(directive, tree.Loop) and not loops:
        return None
    declarations = [loop.init for loop in loops if isinstance(loop.init, syntax.Declaration)]
    return dict.fromkeys(declarator.name for declaration in declarations for declarator in declaration.declarators)
