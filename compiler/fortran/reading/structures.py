"""Components of derived types as global arrays: `align b%a(i) with t(i)` makes the component of each variable of type b a
global array (decision MAP-18). After this pass such a component is a variable of its own, so that everything behind knows
plain names only. The component's own storage in the variable stays unused."""

from .declarations import Variable, read
from .lexer import FortranWord, closing, find, split

_MAPPING = ("align", "shadow")


class Structures:
    """error(code, message, word, notes, help). shown: name of a new variable -> `c%a`, as the user knows it; merged:
    (Statement, first word, last word, name) of all uses that are no directives."""

    def __init__(self, file, scopes, error):
        self.file, self.scopes, self.error = file, scopes, error
        self.shown, self.merged = {}, []
        self._variables = {}  # (Variable of a derived type, component) -> the new Variable
        self._taken = {word.text for item in file.items for word in item.words}

    def separate(self):
        wanted = [found for unit in self.file.units for position in unit.items for found in self._named(unit, position)]
        for unit, name, component, word in wanted:
            self._find(unit, name.text, component.text, word)
        if not self._variables:
            return
        for item in self.file.items:
            if item.unit is not None:
                self._replace(item)

    def _named(self, unit, position):
        """(unit, name, component, word) of `name%component` in a directive that maps arrays."""
        item = self.file.items[position]
        words = item.words
        if item.kind == "directive" and words and words[0].text in _MAPPING:
            for number in range(2, len(words) - 1):
                if words[number].text == "%":
                    yield unit, words[number - 1], words[number + 1], words[number - 1]

    def _find(self, unit, name, component, word):
        """Makes variables of the component of all variables of a type, or of one variable."""
        variable = self.scopes.of(unit).lookup(name)
        type_ = variable.type if variable is not None and variable.typed else f"type({name})"
        declared = _component(self.file, type_[type_.index("(") + 1 : -1].strip() if "(" in type_ else "", component)
        if declared is None:
            message = f"'{name}%{component}' is no component of a derived type that is declared in this file"
            self.error("XMP-E119", message, word)
            return
        of_type = [
            (owner, v)
            for owner in self.file.units
            for v in self.scopes.of(owner).variables.values()
            if v.typed and v.item is not None and v.type.replace(" ", "").lower() == type_.replace(" ", "").lower()
        ]
        for owner, v in of_type:
            if variable is None or v is variable:
                self._add(unit, owner, v, component, declared, word)

    def _add(self, unit, owner, variable, component, declared, word):
        plain = not (variable.dummy or variable.bounds or variable.has("allocatable") or variable.has("pointer"))
        if owner is not unit or unit.kind == "module" or not plain:
            message = f"the component '{component}' of '{variable.name}' as a global array is not supported yet in Fortran"
            help = "declare a scalar variable of the type in the unit with the directive"
            self.error("XMP-E190", message, variable.word, [("it is aligned here", word)], help)
            return
        if (variable, component) in self._variables:
            return
        name = f"{variable.name}_{component}_xmp"
        while name in self._taken:
            name += "2"
        self._taken.add(name)
        declarations = self.scopes.of(owner)
        found = Variable(_word(name, variable.word), declarations)
        (found.base, found.type, found.bounds), found.attributes = declared[0], dict(declared[1])
        if variable.has("save"):
            found.attributes["save"] = variable.attributes["save"]
        found.typed, found.behind = True, variable.item
        declarations.variables[name] = self._variables[variable, component] = found
        self.shown[name] = f"{variable.name}%{component}"

    # ---- uses ----
    def _replace(self, item):
        """Words `c`, `%`, `a` become the one word of the new variable; in a mapping directive a type stands for all of its."""
        if item.kind == "directive" and item.words and item.words[0].text in _MAPPING:
            item.words = self._mapping(item)
            return
        if item.kind == "assignment" and len(item.words) > 1 and item.words[1].text == "=" and self._container(item):
            message = "a structure with global arrays cannot be assigned"
            self.error("XMP-E139", message, item.words[0], (), "assign its components")
        words, number = [], 0
        while number < len(item.words):
            found = self._at(item, item.words, number)
            if found is None:
                words.append(item.words[number])
                number += 1
                continue
            first, last = item.words[number], item.words[number + 2]
            words.append(_word(found.name, first))
            words[-1].start, words[-1].end = first.start, last.end
            if item.kind != "directive":
                self.merged.append((item.statement, first, last, found.name))
            number += 3
        item.words = words
        if item.guarded is not None:
            item.guarded.unit = item.unit
            self._replace(item.guarded)

    def _container(self, item):
        variable = self.scopes.of(item.unit).lookup(item.words[0].text)
        return any(owner is variable for owner, _ in self._variables)

    def _at(self, item, words, number):
        if number + 2 >= len(words) or words[number + 1].text != "%" or number and words[number - 1].text == "%":
            return None
        variable = self.scopes.of(item.unit).lookup(words[number].text) if item.unit is not None else None
        return self._variables.get((variable, words[number + 2].text))

    def _mapping(self, item):
        """`align b%a(i) with t(i)` as `align (i) with t(i) :: c_a, d_a`; in a list behind `::` names for a name."""
        words, rest, listed = [item.words[0]], item.words[1:], []
        if len(rest) > 3 and rest[1].text == "%":
            listed = self._names(item, rest[0], rest[2])
            rest = rest[3:]
            if "::" not in [word.text for word in rest]:
                return [*words, *rest, _word("::", item.words[0], "punctuator"), *_separated(listed)]
        number = 0
        while number < len(rest):
            if number + 2 < len(rest) and rest[number + 1].text == "%":
                words += _separated(self._names(item, rest[number], rest[number + 2]))
                number += 3
            else:
                words.append(rest[number])
                number += 1
        return words

    def _names(self, item, name, component):
        variable = self.scopes.of(item.unit).lookup(name.text)
        found = [
            new
            for (owner, part), new in self._variables.items()
            if part == component.text
            and (owner is variable or variable is None and owner.type.replace(" ", "").lower() == f"type({name.text})")
        ]
        return [_word(new.name, name) for new in found]


def _word(text, like, kind="identifier"):
    word = FortranWord(text, like.file, like.line, like.column, like.space, kind)
    word.start, word.end = getattr(like, "start", 0), getattr(like, "end", 0)
    return word


def _separated(words):
    parts = []
    for word in words:
        parts += [_word(",", word, "punctuator"), word] if parts else [word]
    return parts


def component_of(file, type_, component):
    """(base, text of the type, bounds) of a component of a derived type that a file defines, or None."""
    found = _component(file, type_, component)
    return None if found is None else found[0]


def _component(file, type_, component):
    """The same, and its attributes as a Variable has them."""
    for position, item in enumerate(file.items):
        if item.kind == "typedefinition" and item.words[-1].text == type_:
            for inner in file.items[position + 1 : item.end]:
                if inner.kind == "declaration":
                    base, text, attributes, shape, entities = read(inner)
                    for entity in entities:
                        if entity.word.text == component:
                            of_all = {words[0].text: words for words in attributes if words[0].text != "dimension"}
                            return (base, entity.type or text, entity.bounds or shape), of_all
    return None


def part_of(file, declarations, words):
    """The same of an element or component, with the bounds of what is left of it; None where that is not known."""
    known, at = declarations.type_of(words[0].text), 1
    while known is not None:
        base, type_, bounds = known
        if at < len(words) and words[at].text == "(":
            end = closing(words, at)
            subscripts = split(words[at + 1 : end])
            if len(subscripts) != len(bounds) or any(find(subscript, ":") is not None for subscript in subscripts):
                return None
            known, at = (base, type_, []), end + 1
        if at == len(words):
            return known
        if bounds and known[2] or words[at].text != "%" or at + 1 == len(words) or "(" not in type_:
            return None
        name = type_[type_.index("(") + 1 : type_.rindex(")")].strip().lower()
        known, at = component_of(file, name, words[at + 1].text), at + 2
    return None
