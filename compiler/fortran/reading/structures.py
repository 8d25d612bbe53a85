"""Components of derived types as global arrays: `align b%a(i) with t(i)` makes the component of all variables of type b global
arrays (decision MAP-18). The component becomes a pointer to this node's block, and beside it the type gets the array's object:
so both go wherever a variable goes, as an argument, an element of an array or through a module.

What names such a component in a scoping unit (`c%a`, `d(k)%e%a`) is read as a variable of its own, its stand-in, so that
everything behind knows plain names only; the translation gets the user's text again."""

import re

from ...record import Record
from .components import component_in, components, definition, name_of_type, parts
from .declarations import Variable, text_of
from .lexer import FortranWord, closing, split

_MAPPING = ("align", "shadow")


class Owner(Record):
    """Whose memory a stand-in means.

    variable, component: that the text begins and ends with
    loops   (name of an index, the array that it runs along, dimension) where the text stands for all elements of arrays
    owned   whether the stand-in's unit declares the variable, and so creates and frees what it holds
    sample  a text of the same type without the indices of loops"""

    fields = ("variable", "component", "loops", "owned", "sample")


class Structures:
    """error(code, message, word, notes, help). shown: name of a stand-in -> what the user calls it; mapped: (definition of a
    type, name) -> Component that is a global array."""

    def __init__(self, file, scopes, error):
        self.file, self.scopes, self.error = file, scopes, error
        self.shown, self.mapped = {}, {}
        self._directives = {}  # Component -> (Unit, position or None in another file, words of a directive, number of its `%`)
        self._stand_ins = {}  # (Unit, text) -> Variable
        self._taken = {word.text for item in file.items for word in item.words}

    def separate(self):
        """Finds the mapped components and gives all their uses stand-ins."""
        for module in self._modules(self.scopes.modules.values()):
            self._find(module.unit, module.file, module.declarations)
        for unit in self.file.units:
            self._find(unit, self.file, self.scopes.of(unit))
        if not self.mapped:
            return
        for item in self.file.items:
            if item.unit is not None:
                self._replace(item)
        for unit in self.file.units:
            self._own(unit)
        for component, directives in self._directives.items():
            for unit, position, words, at in directives:
                if position is not None:  # so that it is checked even where no variable has the type
                    text = f"{words[at - 1].text}%{component.name}"
                    self._stand_in(unit, text, Owner(None, component, [], False, text), words[at - 1])

    def _modules(self, known):
        """Those of other files, and which they use in turn."""
        found = []
        for module in known:
            if module is not None and module.file is not self.file and module not in found:
                used = [use.found for use in module.declarations.uses]
                found += [one for one in (module, *self._modules(used)) if one not in found]
        return found

    def directives(self, unit):
        """(position, words) of the mapping directives for a unit's stand-ins, each naming all that it is about."""
        for component, found in self._directives.items():
            names = [v.word for (owner, _), v in self._stand_ins.items() if owner is unit and v.owner.component is component]
            for home, position, words, at in found if names else ():
                here = position if home is unit else self._first_use(unit, names)
                yield here, _about(words, at, names)

    def _first_use(self, unit, names):
        """A position where all that the directives name is declared."""
        wanted = {word.text for word in names}
        uses = (at for at in unit.items if any(word.text in wanted for word in self.file.items[at].words))
        declared = (at for at in unit.items if any(_same_place(word, names[0]) for word in self.file.items[at].words))
        return next(uses, next(declared, unit.items[-1]))

    # ---- the directives ----
    def _find(self, unit, file, declarations):
        _take_over(unit, file)
        for position in unit.items:
            words = file.items[position].words
            if file.items[position].kind == "directive" and words and words[0].text in _MAPPING:
                for at in [n for n in range(2, len(words) - 1) if words[n].text == "%"]:
                    component = self._component(declarations, words[at - 1], words[at + 1], file is self.file)
                    if component is not None:
                        place = position if file is self.file else None
                        self._directives.setdefault(component, []).append((unit, place, words, at))

    def _component(self, declarations, name, part, tell):
        """The Component that `name%part` in a mapping directive means."""
        type_, within = definition(declarations, name.text)
        found, _ = component_in(type_, within, part.text)
        if found is not None and not (tell and self._laid_out(found, name)):
            return self.mapped.setdefault((found.definition, found.name), found)
        if found is None and tell:
            variable = declarations.lookup(name.text)
            known = name_of_type(variable.type) if variable is not None else None
            help = f"name the type, for all of its variables: {known}%{part.text}" if known else None
            message = f"'{name.text}%{part.text}' is no component of a derived type that is known here"
            self.error("XMP-E119", message, name, (), help)
        return None

    def _laid_out(self, component, name):
        """Whether others, or C, know how the type lies in memory."""
        begin, file = component.definition, component.declarations.file
        inside = self.file.items[begin.begin + 1 : begin.end] if file is self.file else []
        fixed = any(item.words[0].text == "sequence" for item in inside) or any(w.text == "bind" for w in begin.words)
        if fixed:
            message = f"the layout of the type '{name.text}' is that of other types: no component can be a global array"
            self.error("XMP-E139", message, name, (), "leave out sequence or bind(c)")
        return fixed

    # ---- uses ----
    def _replace(self, item):
        """Each `c%a` becomes the one word of its stand-in. Mapping directives stay: directives() has them for all units."""
        if item.kind == "directive" and item.words and item.words[0].text in _MAPPING:
            return
        if item.kind == "assignment" and self._assigned(item):
            message = "a structure with global arrays cannot be assigned"
            self.error("XMP-E139", message, item.words[0], (), "assign its components")
        words, number = [], 0
        while number < len(item.words):
            found = self._designator(item, number)
            if found is None:
                words.append(item.words[number])
                number += 1
                continue
            last, component, variable = found
            inside = item.words[number : last + 1]
            text = text_of(inside)
            stand_in = self._stand_in(item.unit, text, Owner(variable, component, [], False, text), inside[0])
            words.append(_merged(stand_in.name, inside))
            number = last + 1
        item.words = words
        if item.guarded is not None:
            item.guarded.unit = item.unit
            self._replace(item.guarded)

    def _designator(self, item, number):
        """(last word, Component, Variable) of what names a mapped component and begins with a word; None for others."""
        words = item.words
        if words[number].kind != "identifier" or number and words[number - 1].text == "%":
            return None
        variable = self.scopes.of(item.unit).lookup(words[number].text)
        found = ((last, self._mapped(one), variable) for last, one in parts(variable, words, number + 1))
        return next((one for one in found if one[1] is not None), None)

    def _mapped(self, component):
        return self.mapped.get((component.definition, component.name))

    def _assigned(self, item):
        """Whether a statement assigns a whole variable of a type with mapped components."""
        words = item.words
        variable = self.scopes.of(item.unit).lookup(words[0].text)
        end, type_ = 1, variable.type if variable is not None else None
        for last, component in parts(variable, words, 1):
            end, type_ = last + 1, component.type
        if end < len(words) and words[end].text == "(":
            end = closing(words, end) + 1
        whole = end < len(words) and words[end].text == "="
        return whole and name_of_type(type_) is not None and bool(self._inside(variable.declarations, type_))

    def _inside(self, declarations, type_, seen=()):
        """(names and dimensions on the way, Component) of all mapped components in a variable of a type."""
        item, within = definition(declarations, name_of_type(type_))
        if item is None or item in seen:
            return []
        found = []
        for component in components(item, within):
            if self._mapped(component) is not None:
                found.append(([], self._mapped(component)))
            elif name_of_type(component.type) is not None and not component.allocated:
                step = (component.name, len(component.bounds))
                inner = self._inside(within, component.type, (*seen, item))
                found += [([step, *way], one) for way, one in inner]
        return found

    # ---- stand-ins ----
    def _own(self, unit):
        """Stand-ins for all that the variables of a unit hold: it creates their arrays, and frees them."""
        for variable in list(self.scopes.of(unit).variables.values()):
            inside = self._inside(variable.declarations, variable.type) if name_of_type(variable.type) is not None else []
            if not inside or self._lost(variable) or any(map(variable.has, ("allocatable", "pointer", "associated"))):
                continue
            for way, component in inside if not variable.dummy else ():
                text, sample, loops = variable.name, variable.name, []
                for name, rank in [(None, len(variable.bounds)), *way]:
                    text, sample = (f"{one}%{name}" if name else one for one in (text, sample))
                    indices = [f"element{len(loops) + d + 1}_xmp" for d in range(rank)]
                    first = [f"lbound({sample}, {d + 1})" for d in range(rank)]
                    loops += [(index, text, d + 1) for d, index in enumerate(indices)]
                    text, sample = text + _in_brackets(indices), sample + _in_brackets(first)
                owner = Owner(variable, component, loops, True, f"{sample}%{component.name}")
                self._stand_in(unit, f"{text}%{component.name}", owner, variable.word).owner = owner

    def _lost(self, variable):
        """Whether the language would forget the arrays in a variable."""
        words = variable.attributes.get("intent", ())
        message = help = None
        if variable.is_result:
            message, help = "the result of a function cannot be a structure with global arrays", "return it through an argument"
        elif any(word.text == "out" for word in words):
            message = f"'{variable.name}' would lose its global arrays when the procedure begins"
            help = "intent(inout) keeps them"
        if message:
            self.error("XMP-E139", message, variable.word, (), help)
        return message is not None

    def _stand_in(self, unit, text, owner, word):
        if (unit, text) not in self._stand_ins:
            declarations, component = self.scopes.of(unit), owner.component
            found = Variable(word_like(self._name(text), word), declarations)
            found.base, found.type, found.bounds = component.base, component.type, component.bounds
            found.typed, found.owner, found.attributes = True, owner, dict(component.attributes)
            if "allocatable" in found.attributes:
                found.attributes["pointer"] = found.attributes.pop("allocatable")
            declarations.variables[found.name] = self._stand_ins[unit, text] = found
            self.shown[found.name] = text
        return self._stand_ins[unit, text]

    def _name(self, text):
        name = re.sub(r"\W+", "_", text).strip("_") + "_of"
        while name in self._taken:
            name += "2"
        self._taken.add(name)
        return name

    # ---- the translation ----
    def restored(self, text):
        """A text of the translation with stand-ins as the user calls them. Their objects lie beside them."""
        return re.sub(r"\b\w+_of\d*(_xmp)?\b", self._restored, text) if self.shown else text

    def _restored(self, match):
        name = match.group().removesuffix("_xmp")
        return self.shown[name] + match.group()[len(name) :] if name in self.shown else match.group()


def _same_place(word, other):
    return (word.line, word.start) == (other.line, other.start)


def _take_over(unit, file):
    """Mapping directives inside the definitions of types, which name components alone, become the unit's."""
    for begin in (position for position in unit.bodies if file.items[position].kind == "typedefinition"):
        for position in range(begin + 1, file.items[begin].end):
            item = file.items[position]
            if item.kind == "directive" and item.unit is None and item.words and item.words[0].text in _MAPPING:
                item.words, item.unit = _qualified(item.words, file.items[begin].words[-1].text), unit
                unit.items.append(position)
    unit.items.sort()


def _qualified(words, type_):
    """`align u(i) with t(i)` as `align type%u(i) with t(i)`; in a list behind `::` each name."""
    listed, result = bool(_listed(words)), []
    named = range(len(_head(words)), len(words)) if listed else (1,)
    for number, word in enumerate(words):
        around = {other.text for other in words[number - 1 : number + 2]}
        if number in named and word.kind == "identifier" and "%" not in around:
            result += [word_like(type_, word), word_like("%", word, "punctuator")]
        result.append(word)
    return result


def without_components(words):
    """The words of a directive; of a mapping directive without the components that it names, None if it names nothing else."""
    if len(words) < 3 or words[0].text not in _MAPPING or all(word.text != "%" for word in words):
        return words
    names = [part for part in split(_listed(words)) if len(part) == 1] if words[2].text != "%" else []
    return [*_head(words), *_separated([name for (name,) in names])] if names else None


def _about(words, at, names):
    """`align b%a(i) with t(i)` as `align (i) with t(i) :: c, d`; in a list behind `::` names for a name."""
    single = [words[0], *words[4:], word_like("::", words[0], "punctuator")]
    return [*(single if at == 2 else _head(words)), *_separated(names)]


def _head(words):
    return words[: next((n + 1 for n, word in enumerate(words) if word.text == "::"), len(words))]


def _listed(words):
    return words[len(_head(words)) :]


def _in_brackets(texts):
    return f"({', '.join(texts)})" if texts else ""


def _separated(words):
    parts = []
    for word in words:
        parts += [word_like(",", word, "punctuator"), word] if parts else [word]
    return parts


def _merged(name, words):
    word = word_like(name, words[0])
    word.end, word.inside = words[-1].end, words
    return word


def word_like(text, like, kind="identifier"):
    """A word in the place of another one."""
    word = FortranWord(text, like.file, like.line, like.column, like.space, kind)
    word.start, word.end = getattr(like, "start", 0), getattr(like, "end", 0)
    return word
