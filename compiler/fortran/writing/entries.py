"""ENTRY statements. Each begins the procedure anew with arguments of its own, so that the lines at the procedure's beginning
stand behind each, for these arguments. What comes from above jumps over them."""

from .arrays import created_anew


class Entries:
    """Of one Unit. begin: position of the first statement that does something."""

    def __init__(self, context, unit, begin):
        self.context, self.unit, self.begin = context, unit, begin
        self.items = context.scopes.of(unit).entries
        self._labels = {item.label for item in context.items}

    def write(self, lines):
        """Lines that stand before the first statement that does something: those of entries above it, which move there.
        lines(entry): of an entry's beginning."""
        early = [entry for entry in self.items if self.context.items.index(entry) < self.begin]
        for entry in (entry for entry in self.items if entry not in early):
            self._insert(entry, lines(entry))
        found = []
        label = self._label() if early else None
        for entry in early:
            first, last = entry.words[0], entry.words[-1]
            found += [f"goto {label}", self.context.edits.moved(entry.statement, first, last), *lines(entry)]
            self.context.edits.statement(entry.statement, "")
        return [*found, self._target(label)] if early else []

    def _insert(self, entry, lines):
        context = self.context
        behind = [context.indented(entry, line) for line in lines]
        if not self._leaves(entry):
            label = self._label()
            context.lines_before(entry, [f"goto {label}"])
            behind.append(self._target(label))
        context.edits.lines_behind(entry.statement.last_line, behind)

    def _leaves(self, entry):
        """Whether no statement above an entry leads to it."""
        items = self.context.items
        above = next(items[at] for at in range(items.index(entry) - 1, -1, -1) if not items[at].statement.directive)
        jumps = above.kind == "goto" and above.words[-1].kind == "number"
        return above.kind in ("return", "stop") or jumps

    def _label(self):
        """One that no statement has."""
        label = next(text for text in map(str, range(99999, 0, -1)) if text not in self._labels)
        self._labels.add(label)
        return label

    def _target(self, label):
        return f"{label:<5} continue"


def given(context, unit, entry=None):
    """The names of the arguments that a procedure has when it begins with an ENTRY statement, or with its first one."""
    declarations = context.scopes.of(unit)
    dummies = {name for name, variable in declarations.variables.items() if variable.dummy}
    if not declarations.entries:
        return dummies
    item = entry or context.items[unit.first]
    return dummies.intersection(word.text for word in item.words[1:])


def missing_values(context, unit, creation, entry=None):
    """The arguments of other entries that have the values by which the directives of a procedure declare."""
    names, declarations = given(context, unit, entry), context.scopes.of(unit)
    used = {word.text for text in (creation.values if creation is not None else ()) for word in context.words(text)}
    return sorted(name for name, variable in declarations.variables.items() if variable.dummy and name in used - names)


def check(context, creations):
    """Where arguments lack such values, the procedure's objects stay as they are: that must do for its arguments."""
    for unit, creation in creations.items():
        arrays = {array.name for array in context.model.arrays if array.symbol.scope is unit}
        for entry in (None, *context.scopes.of(unit).entries):
            missing = missing_values(context, unit, creation, entry)
            if missing and (arrays & given(context, unit, entry) or created_anew(context, unit)):
                item = entry or context.items[unit.first]
                name = next(word for word in item.words if word.text == item.name)
                message = f"'{name.text}' needs the argument '{missing[0]}', by which the directives declare its arrays"
                context.error("XMP-E134", message, name, (), "pass it to all entries of the procedure")
