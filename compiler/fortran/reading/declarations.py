"""What the names of a scoping unit mean: variables with type, shape and attributes from all statements about them, implicit
types, dummy arguments, COMMON blocks, and what comes from units around and from modules."""

from .lexer import closing, find, split
from .units import InvalidStructure

_ATTRIBUTES = frozenset(
    "allocatable pointer target save external intrinsic optional volatile asynchronous protected value contiguous "
    "public private static automatic".split()
)
# Modules that are known to declare no global arrays, nodes or templates.
_LIBRARY_MODULES = frozenset(
    "mpi mpi_f08 xmp_lib xmp_api xmp_coarray xmpnf90 iso_c_binding iso_fortran_env ieee_arithmetic ieee_exceptions "
    "ieee_features omp_lib kumihimo_generated".split()
)
_LIBRARY_FILES = ("xmp_lib.h", "xmp_coarray.h", "mpif.h")  # none has an IMPLICIT statement, or names without a prefix


class Variable:
    """One name.

    word      where it is declared first; declarations: those of the scoping unit
    base      integer, real, complex, logical, character, type, class; type: text of the type; typed: whether a statement says
    so
    bounds    pairs of texts (lower, upper) for each dimension, upper None where it is not said; [] for a scalar
    attributes  word of the attribute -> its words in the type declaration, or the name in a statement of its own
    item      the type declaration, or None; entity: the words of this name in it
    mentions  (Item, words) of all statements that declare something about it
    owner     for the stand-in of a component of a derived type: a structures.Owner, else None
    initial   the word after `=`, or None; common: name of the COMMON block ("" for blank), or None; place: which
              of its variables, from 1; dummy: whether an argument"""

    def __init__(self, word, declarations):
        self.word, self.declarations, self.name = word, declarations, word.text
        self.base = self.type = None
        self.typed = self.dummy = False
        self.bounds, self.attributes, self.mentions = [], {}, []
        self.item = self.entity = self.initial = self.common = self.place = self.owner = None

    @property
    def unit(self):
        return self.declarations.unit

    @property
    def is_result(self):
        """Of a function, or of one of its ENTRY statements."""
        return self in self.declarations.results.values()

    def has(self, attribute):
        return attribute in self.attributes


class Use:
    """A USE statement. renames: local name -> name in the module; only: whether no other names come; found: the scopes.Module,
    None if it is not known."""

    found = None

    def __init__(self, item):
        words = item.words
        colons = find(words, "::")
        at = 1 if colons is None else colons + 1
        if at == len(words):
            raise InvalidStructure("the name of a module is missing", words[0])
        self.item, self.word = item, words[at]
        self.module = words[at].text
        comma = find(words, ",", at)
        rest = words[comma + 1 :] if comma is not None else []
        self.only = len(rest) > 1 and rest[0].text == "only" and rest[1].text == ":"
        self.renames = {}
        for part in split(rest[2:] if self.only else rest):
            if len(part) == 3 and part[1].text == "=>":
                self.renames[part[0].text] = part[2].text
            elif len(part) == 1 and self.only:
                self.renames[part[0].text] = part[0].text

    @property
    def library(self):
        return self.module in _LIBRARY_MODULES

    def local_names(self, name):
        """What a public name of the module is called here: no, one or several names."""
        found = [local for local, original in self.renames.items() if original == name]
        return found if self.only or found else [name]


class Declarations:
    """Of one Unit of a File. host: those of the unit around, or None; imported: name -> Variable from modules; interface:
    (File, Unit) of the interface body that declares a `module procedure`, or None."""

    def __init__(self, file, unit, host=None, interface=None):
        self.file, self.unit, self.host = file, unit, host
        self.variables = {}
        self.imported = {}
        self.uses, self.entries = [], []
        self.foreign = False  # whether names may come from modules or files that are not read
        self.saved = False  # by a save statement without names
        self.result, self.results = None, {}  # that of a function, and the name of it or of an ENTRY -> its result
        self.implicit = dict(host.implicit) if host is not None else _default_types()
        self.default_private = False
        self.accessible = {}  # name -> public or private
        self.commons = {}  # name of a COMMON block -> number of its variables
        self.namelists = {}  # name of a group -> the words of its variables
        self._unit_statement(file, unit)
        items = [file.items[position] for position in unit.items]
        if interface is not None:
            self._unit_statement(*interface)
            items[:0] = [interface[0].items[position] for position in interface[1].bodies]
        for item in items:
            if item.kind == "declaration":
                self._declaration(item)
            elif item.kind in ("specification", "entry"):
                self._specification(item)
        if unit.kind == "associate":
            self._associated(file.items[unit.first])
        self._types()

    # ---- questions ----
    def lookup(self, name):
        """The Variable that a name means here; None if nothing declares it."""
        found = self.variables.get(name) or self.imported.get(name)
        return found if found is not None or self.host is None else self.host.lookup(name)

    def own(self, name):
        return name in self.variables

    def is_foreign(self):
        return self.foreign or self.host is not None and self.host.is_foreign()

    def constant(self, name):
        variable = self.lookup(name)
        return variable is not None and variable.has("parameter")

    def type_of(self, name):
        """(base, text of the type, bounds) of a variable, by default rules perhaps; None if it is not known."""
        variable = self.lookup(name)
        if variable is not None:
            return None if variable.base is None else (variable.base, variable.type, variable.bounds)
        default = self.implicit.get(name[0])
        return None if default is None or self.is_foreign() else (*default, [])

    def namelist(self, name):
        """The words of the variables of a namelist group; None if no such group is known."""
        found = self.namelists.get(name)
        for use in self.uses if found is None else ():
            original = use.renames.get(name, name)
            if use.found is not None and name in use.local_names(original) and use.found.declarations.public(original):
                found = found or use.found.declarations.namelist(original)
        return found if found is not None or self.host is None else self.host.namelist(name)

    def names(self):
        """All names that are declared here or around."""
        return {*self.variables, *self.imported, *(self.host.names() if self.host is not None else ())}

    def public(self, name):
        """Of a module: whether the name can be used elsewhere."""
        default = "private" if self.default_private else "public"
        variable = self.variables.get(name)
        own = next((a for a in ("public", "private") if variable is not None and variable.has(a)), None)
        return (own or self.accessible.get(name, default)) == "public"

    # ---- reading ----
    def _variable(self, word):
        return self.variables.setdefault(word.text, Variable(word, self))

    def _unit_statement(self, file, unit):
        """Dummy arguments and the result of a procedure."""
        if unit.kind not in ("subroutine", "function") or not unit.opened:
            return
        words = file.items[unit.first].words
        at = next(
            n
            for n, word in enumerate(words)
            if word.text == unit.kind and n + 1 < len(words) and words[n + 1].text == unit.name
        )
        self._dummies(words, at + 2)
        if unit.kind != "function":
            return
        self.result = self.results[unit.name] = self._result(words, at + 1)
        prefix = next((n for n in range(at) if _starts_type(words, n)), None)
        if prefix is not None:
            self.result.base, self.result.type, _ = type_of(words, prefix, file.items[unit.first].statement.text)
            self.result.typed = True

    def _result(self, words, at):
        """The variable with the result of what a statement names with words[at]."""
        said = (n for n in range(at + 1, len(words) - 2) if words[n].text == "result" and words[n + 1].text == "(")
        return self._variable(words[next(said, at - 2) + 2])

    def _dummies(self, words, at):
        if at < len(words) and words[at].text == "(":
            for part in split(words[at + 1 : closing(words, at)]):
                if len(part) == 1 and part[0].kind == "identifier":
                    self._variable(part[0]).dummy = True

    def _declaration(self, item):
        base, type_, attributes, shape, entities = read(item)
        for entity in entities:
            variable = self._variable(entity.word)
            variable.base, variable.type, variable.typed = base, entity.type or type_, True
            variable.item, variable.entity = item, entity.words
            if not variable.dummy:
                variable.word = entity.word
            variable.bounds = entity.bounds or shape or variable.bounds
            variable.initial = entity.initial or variable.initial
            variable.attributes.update({words[0].text: words for words in attributes if words[0].text != "dimension"})
            if entity.coarray:
                variable.attributes["codimension"] = entity.words
            variable.mentions.append((item, entity.words))

    def _specification(self, item):
        first = item.words[0].text
        if first in _READERS:
            _READERS[first](self, item)
        elif first in _ATTRIBUTES:
            self._attribute(item, first)
        elif first in ("include", "import"):
            self.foreign = self.foreign or (first == "include" and item.words[1].text[1:-1] not in _LIBRARY_FILES)

    def _attribute(self, item, attribute):
        words = item.words[1:]
        words = words[1:] if words and words[0].text == "::" else words
        if not words and attribute in ("public", "private"):
            self.default_private = attribute == "private"
        elif not words:
            self.saved = self.saved or attribute == "save"
        for part in split(words):
            if part and part[0].kind == "identifier":
                if attribute in ("public", "private"):
                    self.accessible[part[0].text] = attribute
                    continue
                variable = self._mention(item, part)
                variable.attributes.setdefault(attribute, part)

    def _mention(self, item, words):
        """A name in a statement, perhaps with its shape."""
        variable = self._variable(words[0])
        variable.mentions.append((item, words))
        variable.bounds = _shape(words) or variable.bounds
        if find(words, "[") is not None:
            variable.attributes["codimension"] = words
        return variable

    def _read_dimension(self, item):
        words = item.words[1:]
        for part in split(words[1:] if words and words[0].text == "::" else words):
            if part and part[0].kind == "identifier":
                self._mention(item, part)

    def _read_common(self, item):
        for block, words, shape in self.file.once(_of_common, item.words):
            variable = self._variable(words[0])
            variable.mentions.append((item, words))
            variable.bounds = shape or variable.bounds
            self.commons[block] = self.commons.get(block, 0) + 1
            variable.common, variable.place = block, self.commons[block]

    def _read_parameter(self, item):
        for part in split(item.words[2:-1]):
            if len(part) > 2 and part[1].text == "=":
                variable = self._variable(part[0])
                variable.attributes["parameter"], variable.initial = part, part[1]
                variable.mentions.append((item, part))

    def _read_equivalence(self, item):
        for part in split(item.words[1:]):
            for word in part:
                if word.kind == "identifier":
                    self._variable(word).attributes.setdefault("equivalence", [word])

    def _read_data(self, item):
        for word in item.words[1:]:
            if word.kind == "identifier" and word.text in self.variables:
                self.variables[word.text].initial = self.variables[word.text].initial or word

    def _read_namelist(self, item):
        words, group = item.words, None
        for number, word in enumerate(words[1:], 1):
            if word.kind != "identifier":
                continue
            if words[number - 1].text == "/" and number + 1 < len(words) and words[number + 1].text == "/":
                group = self.namelists.setdefault(word.text, [])
            elif group is not None:
                group.append(word)
                if word.text in self.variables:
                    self.variables[word.text].attributes.setdefault("namelist", [word])

    def _read_implicit(self, item):
        words = item.words
        if len(words) > 1 and words[1].text == "none":
            self.implicit = {}
            return
        for part in split(words[1:]):
            opening = len(part) - 1
            while opening > 0 and part[opening].text != "(":  # the last pair of brackets holds the letters
                opening -= 1
            if not part or not opening:
                continue
            base, type_, _ = type_of(part[:opening], 0, item.statement.text)
            for range_ in split(part[opening + 1 : -1]):
                low, high = range_[0].text[0], range_[-1].text[0]
                self.implicit.update({chr(letter): (base, type_) for letter in range(ord(low), ord(high) + 1)})

    def _read_use(self, item):
        use = Use(item)
        self.uses.append(use)

    def _read_entry(self, item):
        if len(item.words) > 1:  # else the compiler says what is missing
            self.entries.append(item)
            self._dummies(item.words, 2)
            if self.result is not None:
                self.results[item.words[1].text] = self._result(item.words, 1)

    def _associated(self, item):
        """The names of an ASSOCIATE construct. One for a variable has its type; what others are is not looked at here."""
        for part in split(item.words[2 : closing(item.words, 1)]):
            if len(part) > 2 and part[1].text == "=>":
                variable = self._variable(part[0])
                variable.attributes["associated"] = part
                known = self.host.type_of(part[2].text) if len(part) == 3 else None
                variable.base, variable.type, variable.bounds = known or (None, None, [])

    def _types(self):
        """Names without a type declaration have Fortran's default types."""
        for variable in self.variables.values():
            if variable.type is None and not variable.has("associated"):
                variable.base, variable.type = self.implicit.get(variable.name[0], (None, None))


_READERS = {
    "dimension": Declarations._read_dimension,
    "codimension": Declarations._read_dimension,
    "common": Declarations._read_common,
    "parameter": Declarations._read_parameter,
    "equivalence": Declarations._read_equivalence,
    "data": Declarations._read_data,
    "namelist": Declarations._read_namelist,
    "implicit": Declarations._read_implicit,
    "use": Declarations._read_use,
    "entry": Declarations._read_entry,
}


def _default_types():
    letters = "abcdefghijklmnopqrstuvwxyz"
    return {letter: ("integer", "integer") if "i" <= letter <= "n" else ("real", "real") for letter in letters}


# ---- type declarations ----

_TYPES = frozenset(("integer", "real", "complex", "logical", "character", "double", "type", "class", "byte"))


def _starts_type(words, at):
    return words[at].text in _TYPES and (at == 0 or words[at - 1].text not in ("(", ",", "="))


def type_of(words, at, text):
    """(base, text, position behind) of the type that begins at words[at]."""
    base, end = words[at].text, at + 1
    if base == "double":
        base = "real" if end < len(words) and words[end].text == "precision" else "complex"
        end += 1
    if end < len(words) and words[end].text == "*":
        end += 2
        if end <= len(words) and words[end - 1].text == "(":
            end = closing(words, end - 1) + 1
    elif end < len(words) and words[end].text == "(":
        end = closing(words, end) + 1
    end = min(end, len(words))
    return base, text[words[at].start : words[end - 1].end], end


class Entity:
    """One name in a type declaration: word, words, bounds, initial; type: the text of its own length, or None; coarray."""

    def __init__(self, words, base):
        self.word, self.words = words[0], words
        self.bounds, self.initial, self.type, self.coarray = [], None, None, False
        at = 1
        if len(words) > 1 and words[1].text == "(":
            end = closing(words, 1)
            self.bounds = bounds(words[2:end])
            at = end + 1
        if at < len(words) and words[at].text == "[":
            self.coarray, at = True, closing(words, at) + 1
        for number in range(at, len(words)):
            if words[number].text in ("=", "=>"):
                self.initial = words[number]
                break
            if words[number].text == "*" and number + 1 < len(words):
                length = "".join(w.text for w in words[number + 1 :])
                self.type = f"{base}({'len=' if base == 'character' else ''}{length})"
                break


def read(item):
    """(base, text of the type, attributes as lists of words, shape, Entities) of a type declaration."""
    words = item.words
    base, type_, at = type_of(words, 0, item.statement.text)
    attributes, colons = [], find(words, "::", at)
    if colons is not None:
        attributes = [part for part in split(words[at:colons]) if part]
        at = colons + 1
    elif at < len(words) and words[at].text == ",":
        at += 1  # `character*8, name`
    shape = next((bounds(part[2:-1]) for part in attributes if part[0].text == "dimension"), [])
    entities = [Entity(part, base) for part in split(words[at:]) if part and part[0].kind == "identifier"]
    return base, type_, attributes, shape, entities


def _of_common(words):
    """(block, words, bounds) of each variable in a COMMON statement."""
    at, block, found = 1, "", []
    while at < len(words):
        if words[at].text == "//":
            block, at = "", at + 1
        elif words[at].text == "/":
            named = at + 1 < len(words) and words[at + 1].text != "/"
            block, at = (words[at + 1].text, at + 3) if named else ("", at + 2)
        end = next((n for n in range(at, len(words)) if words[n].text in ("/", "//")), len(words))
        found += [(block, part, _shape(part)) for part in split(words[at:end]) if part and part[0].kind == "identifier"]
        at = max(end, at + 1)
    return found


def _shape(words):
    """The bounds behind a name; [] where none stand."""
    return bounds(words[2 : closing(words, 1)]) if len(words) > 1 and words[1].text == "(" else []


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
