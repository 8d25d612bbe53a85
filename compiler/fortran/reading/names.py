"""Names in the expressions of directives that nothing declares: told at the directive, in our words, before the compiler finds
them in what becomes of it."""

from ...directives.tree import expressions


def undeclared(directive, declarations):
    """The words of a directive's expressions that have no type here."""
    if declarations.is_foreign():
        return
    for expression in expressions(directive):
        for before, word, after in zip([None, *expression.words], expression.words, [*expression.words[1:], None]):
            called = after is not None and after.text in ("(", "=")  # a function, a keyword
            component = before is not None and before.text == "%"
            if word.kind == "identifier" and not called and not component and not _known(declarations, word.text):
                yield word


def _known(declarations, name):
    return declarations.lookup(name) is not None or declarations.implicit.get(name[0]) is not None
