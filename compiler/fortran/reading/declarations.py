"""Type declarations: which variables a unit declares, and how."""

from .lexer import closing, find, split


class Variable:
    """One declared name.

    word      where it is declared; base: integer, real, complex, logical, character, type ...; type: text of the type
    bounds    pairs of texts (lower, upper) for each dimension, upper None where it is not said; [] for a scalar
    attributes  lists of words; item: the declaration statement; entity: the words of this name in it
    initial   the word after `=`, or None"""

    def __init__(self, word, base, type_, item, entity):
        self.word, self.base, self.type, self.item, self.entity = word, base, type_, item, entity
        self.name = word.text
        self.bounds, self.attributes, self.initial = [], [], None

    def has(self, attribute):
        return any(words[0].text == attribute for words in self.attributes)


class Declarations:
    """Of one unit. variables: name -> Variable; implicit: whether names without a declaration have Fortran's default types;
    foreign: whether names may come from modules or included files that are not read."""

    def __init__(self, file, unit):
        self.variables = {}
        self.implicit = True
        self.foreign = False
        self.saved = False  # by a save statement without names
        self.others = {}  # names in statements like `dimension a(3)`, `save a` -> the word
        for position in unit.items:
            item = file.items[position]
            if item.kind == "declaration" and position < unit.start:
                for variable in read(item):
                    self.variables[variable.name] = variable
            elif item.kind == "declaration":
                self._local(item)
            elif item.kind == "specification":
                self._specification(item)

    def _local(self, item):
        """In a block construct: the name means different things in different places, so nothing is known about it."""
        for variable in read(item):
            self.others[variable.name] = ("block", variable.word)
            self.variables.pop(variable.name, None)

    def _specification(self, item):
        first = item.words[0].text
        if first == "implicit":
            self.implicit = False
        elif first == "include" or (first == "use" and item.words[-1].text not in ("mpi", "mpi_f08", "xmp_lib")):
            self.foreign = True
        elif first == "parameter":
            for part in split(item.words[2:-1]):
                if part and part[0].text in self.variables:
                    self.variables[part[0].text].attributes.append([item.words[0]])
        elif first == "save" and len(item.words) == 1:
            self.saved = True
        else:
            for word in item.words[1:]:
                if word.kind == "identifier":
                    self.others.setdefault(word.text, (first, word))

    def constant(self, name):
        variable = self.variables.get(name)
        return variable is not None and variable.has("parameter")

    def type_of(self, name):
        """(base, text of the type, bounds) of a variable, by default rules perhaps; None if it is not known."""
        variable = self.variables.get(name)
        if variable is not None:
            return variable.base, variable.type, variable.bounds
        if not self.implicit or self.foreign or name in self.others:
            return None
        base = "integer" if "i" <= name[0] <= "n" else "real"
        return base, base, []


def type_end(words, at):
    """The word behind the length or kind (`*8`, `*(n)`, `(8)`) that may follow a type's name, which ends before `at`."""
    if at < len(words) and words[at].text == "*":
        at += 2
        if at <= len(words) and words[at - 1].text == "(":
            at = closing(words, at - 1) + 1
    elif at < len(words) and words[at].text == "(":
        at = closing(words, at) + 1
    return at


def read(item):
    """The Variables that a type declaration declares."""
    words, text = item.words, item.statement.text
    at = 1
    base = words[0].text
    if base == "double":
        base = "real" if len(words) > 1 and words[1].text == "precision" else "complex"
        at = 2
    at = min(type_end(words, at), len(words))
    type_ = text[words[0].start : words[at - 1].end]
    attributes = []
    colons = find(words, "::", at)
    if colons is not None:
        attributes = [part for part in split(words[at:colons]) if part]
        at = colons + 1
    shape = next((bounds(words_[2:-1]) for words_ in attributes if words_[0].text == "dimension"), [])
    found = []
    for entity in split(words[at:]):
        if entity and entity[0].kind == "identifier":
            found.append(_entity(entity, base, type_, item, attributes, shape))
    return found


def _entity(entity, base, type_, item, attributes, shape):
    variable = Variable(entity[0], base, type_, item, entity)
    variable.attributes = list(attributes)
    variable.bounds = shape
    position = 1
    if len(entity) > 1 and entity[1].text == "(":
        end = closing(entity, 1)
        variable.bounds = bounds(entity[2:end])
        position = end + 1
    for number in range(position, len(entity)):
        if entity[number].text in ("=", "=>"):
            variable.initial = entity[number]
            break
        if entity[number].text == "*" and number + 1 < len(entity):
            length = "".join(w.text for w in entity[number + 1 :])
            variable.type = f"{base}({'len=' if base == 'character' else ''}{length})"
        elif entity[number].text == "[":
            variable.attributes.append([entity[number]])  # a coarray
    return variable


def bounds(words):
    """Pairs (lower, upper) of the texts between the brackets of an array's declaration."""
    pairs = []
    for part in split(words):
        colon = find(part, ":")
        if colon is None:
            upper = text_of(part)
            pairs.append(("1", None if upper in ("*", "..") else upper))
        else:
            upper = text_of(part[colon + 1 :])
            pairs.append((text_of(part[:colon]) or "1", upper if upper not in ("", "*") else None))
    return pairs


def text_of(words):
    return "".join((" " if number and word.space else "") + word.text for number, word in enumerate(words))
