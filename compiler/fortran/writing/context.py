"""What every part of the translation needs: the file, its scoping units, the model, messages, edits, and small texts."""

from functools import cached_property

from ...directives.parser import shortened
from ...directives.words import added, negated, plus
from ...plan.array_construct import SectionIndex
from ...plan.gmove import check_section
from ...plan.language import Language, Variable
from ...plan.questions import Lines
from ...semantics.entities import ArrayEntity, NodesEntity
from ...semantics.model import COMPILE_FIRST
from ...spelling import did_you_mean
from ..reading.constants import value
from ..reading.lexer import find, words_of
from ..reading.lines import Statement
from ..reading.sides import FUNCTIONS, Part, Sides, array_call
from .edits import Edits, indentation
from .io_places import global_statements, master_statements
from .nest import BlockAnswers
from .owners import is_component

_USING_THEIR_OWN = ("program", "subroutine", "function", "blockdata")
_KINDS = ("integer", "real", "complex", "logical")
_FIRST_COLUMN = frozenset("0123456789!")  # of fixed form: what begins with a label, and directives, stand there


class Context(BlockAnswers, Sides, Lines, Language):
    """file: units.File; scopes: its Scopes; structures: its Structures. A place is a position among the file's items."""

    sentinel, statement, numbers, component = "!$xmp", "do loop", "numbers or logical values", "component"

    def __init__(self, file, scopes, structures, model, diagnostics, wishes):
        words = {word.text for item in file.items for word in item.words if word.kind == "identifier"}
        super().__init__(words, model, diagnostics, file.items[0] if file.items else None)
        self.file, self.items, self.scopes, self.structures = file, file.items, scopes, structures
        self.edits = Edits(file.source)
        self.roots = {}  # program unit -> Root
        self.position_names = {}  # DistributedLoop -> the variable with its position, in loops over positions
        self.attached = {}  # Unit -> (array, what it is called there) of those whose blocks it shows or hides
        self.dummies = {}  # Variable of a global array -> what the dummy argument is called
        self.views = {}  # name -> the arrays that variables of that name show
        self.entered = set()  # modules of other files that the model knows
        self.aliases = {}  # global array -> its Aliases (aliases.py)
        self.result_references = {}  # id of a word -> the results.Reference that begins there
        self.result_bounds = {}  # id of the first word of a loop's bound with such a call -> what the bound is called
        self.calls_before = []  # (Item, lines before it) of statements that call functions whose results are global arrays
        self.initial_values = {}  # Variable of a global array -> the variable that has its initial values
        self.results = {}  # name of the variable that has the result of a function -> the call
        self.modules = {}  # name of a module of this file -> what other files must know of it (reading/modules.py)
        self.wishes = wishes
        self.known_directives = {}  # id of an Item's words -> the declarative directives that they are
        self.shared = {}  # Unit -> the common.CommonModule that declares for it what its directives say
        self.brackets = any("[" in line for line in file.source.lines)  # without them nothing is of another image
        self.elements = {}  # Item -> the references.Elements in it
        self._objects, self._assignments = {}, None
        self._words = {}  # text -> its words
        self._used = {}  # program unit -> the words of its statements
        self._first_on_line = {}
        for item in file.items:
            self._first_on_line.setdefault(item.statement.last_line, item)
        model.constant, model.unread_modules = self.constant, self.unread_modules
        model.array_names = lambda unit, position: [array.name for array in model.arrays]

    # ---- scoping units ----
    def unit(self, place):
        return self.items[place].unit

    def declarations(self, place):
        return self.scopes.of(self.unit(place))

    def root(self, unit):
        """What is added around the program unit that a scoping unit belongs to."""
        root = unit.root
        if root not in self.roots:
            self.roots[root] = Root(self, root)
        return self.roots[root]

    def uses_module(self, unit, module):
        """Lets a program unit have all names of a module that the library has."""
        first = self.items[unit.first]
        if unit.opened:
            self.edits.after(first.statement, f"; use {module}")
        else:
            self.lines_before(first, [f"use {module}"])

    def mentions(self, names):
        """Whether a statement of the file has one of some names, which alone makes it worth looking at all statements."""
        return not self._taken.isdisjoint(names)

    def array_at(self, name, unit):
        """The global array that a name means in a unit, or None."""
        variable = self.scopes.of(unit).lookup(name)
        array = self.model.array(variable) if variable is not None else None
        return array if array is not None and array.dimensions is not None else None

    def result_reference(self, word):
        """The results.Reference that begins with a word, or None."""
        return self.result_references.get(id(word))

    def constant(self, text, unit):
        declarations = self.scopes.declarations.get(unit)
        return None if declarations is None else value(self.words(text), declarations)

    def words(self, text):
        """The words of a text that stands nowhere."""
        if text not in self._words:
            statement = Statement()
            for character in text:
                statement.add(character, 0, 0)
            self._words[text] = words_of(statement, self.file.source) if statement.finish() else []
        return self._words[text]

    # ---- objects and sites ----
    def object(self, entity):
        """The variable that stands for nodes, a template or an array. Those of a module bear its name, because units that use
        several modules see them all."""
        if entity not in self._objects:
            unit = entity.symbol.scope if isinstance(entity, ArrayEntity) else entity.scope
            if is_component(entity):
                self._objects[entity] = f"{entity.name}_xmp"
            elif unit.kind == "module":
                self._objects[entity] = f"{unit.name}_{entity.name}_xmp"
            else:
                self._objects[entity] = self.numbered(entity.name + "_xmp")
        return self._objects[entity]

    @property
    def hides_modules(self):
        """Whether all modules of the translation are ours, for COMMON blocks, and no other file needs them."""
        return bool(self.shared) and not any(unit.kind in ("module", "submodule") for unit in self.file.units)

    def site(self, position, root=None):
        """The text of a directive's site: an element of an array of the program unit, or of what another Root is added to."""
        root, statement = root or self.root(self.unit(position)), self.items[position].statement
        file, line = self.file.source.origin[statement.first_line]
        return root.site(position, file, line, "!$xmp " + shortened(statement.text))

    def site_of_code(self, position, item):
        """The site of a statement that is no directive."""
        root, statement = self.root(self.unit(position)), self.items[position].statement
        file, line = self.file.source.origin[statement.first_line]
        text = statement.text[item.words[0].start : item.words[-1].end]
        return root.site(("code", position), file, line, f"`{shortened(text)}`")

    def attaches(self, unit, array, name):
        """A unit needs the procedures that make a variable the view of an array's block."""
        scope = array.symbol.scope
        known = self.attached.setdefault(scope if scope.construct else unit.procedure, [])
        if (array, name) not in known:
            known.append((array, name))

    @cached_property
    def has_positions(self):
        """Whether subscripts of any array are positions; asked when all declarations are read."""
        mapped = (array for array in self.model.arrays if array.dimensions is not None)
        return any(array.positional(d) for array in mapped for d in range(array.rank))

    def uses(self, array):
        """Whether any statement of the program unit of an array names it. All others see the arrays of a module."""
        root = array.symbol.scope.root
        if root.kind not in _USING_THEIR_OWN:
            return True
        names = [array.name, *(alias.variable.name for alias in self.aliases.get(array, ()))]
        return any(name in self.named(root) for name in names)

    def named(self, root):
        """The words of all statements of a program unit that do something."""
        if root not in self._used:
            places = [place for place in range(root.first, root.end + 1) if self._uses_names(place)]
            self._used[root] = {word.text for place in places for word in self.items[place].words}
        return self._used[root]

    def _uses_names(self, place):
        kind = self.items[place].kind
        executable = kind == "directive" and self.parsed.get(place) and self.parsed[place][0].executable
        return executable or kind not in ("declaration", "specification", "directive")

    @property
    def start(self):
        """The line that starts the runtime, and checks the version of the interface that the file was compiled for."""
        return f"call XMP_Start(XMP_ABI_VERSION, {quoted(self.file.source.origin[0][0])} // XMP_END)"

    # ---- edits ----
    def begins_line(self, item):
        """Whether a statement is the first on its line."""
        return self._first_on_line.get(item.statement.first_line, item) is item

    def lines_before(self, item, lines, first=False, head=False):
        """Lines in front of a statement, indented as it is; one that is not the first on its line gets them in its own. first:
        in front of all that is added there; head: in front of all but those."""
        line = item.statement.first_line
        text = self.file.source.lines[line]
        if not self.begins_line(item):
            self.edits.before(item.statement, "; ".join(text.strip() for text in lines) + "; ")
            return
        indent = " " * max(len(indentation(text)), 6) if self.file.source.fixed else indentation(text)
        added_lines = [text if self.file.source.fixed and text[:1] in _FIRST_COLUMN else indent + text for text in lines]
        self.edits.lines_before(line, added_lines, first, head)

    def unlabelled(self, item):
        """The line that has a statement's label instead of it, so that a jump leads to what stands before; [] without label."""
        if item.label is None:
            return []
        line = item.statement.first_line
        begin = (0, 5) if self.file.source.fixed else (item.statement.at[0][1], item.statement.at[item.words[0].start][1])
        self.edits.place(line, *begin, " " * (begin[1] - begin[0]))
        return [f"{item.label:<5} continue"]

    def indented(self, item, text):
        """A line of ours, indented as a statement or directive."""
        return (
            " " * 6 + text if self.file.source.fixed else indentation(self.file.source.lines[item.statement.first_line]) + text
        )

    def executable_directives(self, unit):
        """Positions of a unit's directives that do something."""
        own = (position for position in unit.items if self.parsed.get(position))
        return [position for position in own if self.parsed[position][0].executable]

    def assignments(self):
        """The statements to which a gmove or array directive, or an array function, gives a meaning of its own. Asked when all
        directives are parsed."""
        if self._assignments is None:
            places = [place for place, found in self.parsed.items() if found and found[0].kind in ("gmove", "array")]
            self._assignments = {item for place in places for item in self._governed(place)}
            self._assignments.update(self.items[place] for place in master_statements(self) + global_statements(self))
            if self.mentions(FUNCTIONS):
                self._assignments.update(item for item in self.items if array_call(item.words) is not None)
            self._assignments.update(
                item for item in self.items if item.executable and self._points(item.guarded or item, item)
            )
        return self._assignments

    def _points(self, statement, item):
        """Whether a statement sets an aligned pointer."""
        pointer = statement.kind == "assignment" and find(statement.words, "=") is None
        return pointer and self.array_at(statement.words[0].text, item.unit) is not None

    def _governed(self, place):
        """One statement, or those of a WHERE construct. A FORALL has elements, as a loop has."""
        first = self.following(place)
        item = self.items[first]
        if item.words[0].text == "forall":
            return []
        return self.items[first : item.end + 1] if item.kind == "where" and item.end is not None else [item]

    # ---- messages ----
    def undeclared(self, code, what, name, word, candidates):
        notes = self.unread_modules(self.at.unit)
        help = did_you_mean(name, candidates, COMPILE_FIRST if notes else None)
        self.error(code, f"the {what} '{name}' is not declared", word, notes, help)

    def unread_modules(self, unit):
        """Notes at the use statements of modules of which is not known what they declare."""
        found = []
        while unit is not None:
            unread = [use for use in self.scopes.of(unit).uses if use.found is None and not use.library]
            found += [(f"nothing is known of the module '{use.module}'", use.word) for use in unread]
            unit = unit.parent
        return found

    def shown(self, text):
        """With components of derived types and calls as the user writes them."""
        for name, written in self.results.items():
            text = text.replace(name, written)
        return self.structures.restored(text)

    def unsupported(self, what, word, help=None, notes=()):
        self.error("XMP-E190", f"{what} not supported yet in Fortran", word, notes, help)

    def unplanned(self, directive):
        self.unsupported(f"the directive '{directive.kind}' is", directive.word)

    # ---- the planner's questions ----
    def scope(self, place):
        return self.unit(place), place

    def declared(self, name, place):
        variable = self.declarations(place).lookup(name)
        return None if variable is None else (variable, variable.word)

    def variable(self, expression, place):
        """more: the bounds of an array; of a global one its Side."""
        declarations = self.declarations(place)
        name = next((word.text for word in expression.words if word.kind == "identifier"), None)
        if name is None:
            self.error("XMP-E181", f"'{expression.text}' is not the name of a variable", expression.word)
            return None
        if any(self.array_at(n, self.unit(place)) is not None for n in expression.names):
            return self._global_variable(expression, place)
        known = declarations.type_of(name)
        if known is None and not declarations.is_foreign() and declarations.lookup(name) is None:
            self.undeclared("XMP-E180", "variable", name, expression.word, declarations.names())
            return None
        if known is None or not expression.name:
            return Variable(expression, None, "", [])
        base, type_, bounds = known
        return Variable(expression, base if base in _KINDS else "other", type_, bounds)

    def _global_variable(self, expression, place):
        """The Variable of a global array or its section: what a node owns of it (decision COM-22)."""
        side = self.side(Part(list(expression.words), self.declarations(place)))
        if side.kind != "array":
            message = f"'{expression.text}' needs an element of a global array, which is not on every node"
            self.error("XMP-E184", message, expression.word, (), "copy it to a local variable first")
            return None
        if not check_section(self, side, expression.word):
            return None
        return Variable(expression, self.element_kind(side.array), self.element_type(side.array), side)

    def section_index(self, number, step):
        return SectionIndex(self.name(f"distance{number + 1}_xmp"), step, None)

    def is_single(self, variable):
        return not variable.more

    def location(self, place):
        return self.file.source.origin[self.items[place].statement.first_line]

    def extent(self, place):
        following = self.items[self.following(place)]
        last = self.items[following.end] if following.end is not None else self.items[place]
        lines = (self.items[place].statement.first_line, last.statement.last_line)
        return tuple(self.file.source.origin[line][1] for line in lines)

    def innermost(self, place):
        """A do statement whose next do stands behind its end."""
        first = self.following(place)
        end = self.items[first].end or place
        found = [at for at in range(first, end) if self.items[at].kind == "do"]
        inner = [at for at, after in zip(found, [*found[1:], end]) if after >= (self.items[at].end or end)]
        return {self.file.source.origin[self.items[at].statement.first_line][1] for at in inner}

    def following(self, place):
        """The position of the statement behind a directive; directives of others may stand between."""
        position = place + 1
        while position < len(self.items) and self.items[position].kind == "pragma":
            position += 1
        return min(position, len(self.items) - 1)

    def bounds(self, array):
        """Texts of lower and upper bounds; the runtime knows those that the declaration leaves open."""
        variable, object_ = array.symbol.declaration, self.object(array)
        own = variable.has("allocatable") or variable.has("pointer")
        asked = [(f"XMP_Lbound({object_}, {d + 1})", f"XMP_Ubound({object_}, {d + 1})") for d in range(array.rank)]
        lower = [ask if own else low for (low, _), (ask, _) in zip(variable.bounds, asked)]
        upper = [ask if high is None else high for (_, high), (_, ask) in zip(variable.bounds, asked)]
        return list(zip(lower, upper))

    def length(self, array, dimension):
        low, high = array.symbol.declaration.bounds[dimension]
        if high is None:
            return f"size({array.name}, {dimension + 1})"
        return high if low == "1" else added(plus(high, 1), negated(low))

    def element_kind(self, array):
        base = array.symbol.declaration.base
        return base if base in _KINDS else "other"

    def element_type(self, array):
        return array.symbol.declaration.type

    # ---- references ----
    def on(self, reference):
        """A resolved reference as an expression of type(XMP_Reference); None for the executing set."""
        if reference is None or reference.executing_set:
            return None
        if not reference.subscripts:
            return f"XMP_On({self.object(reference.entity)})"
        texts = [self._range(reference, d) for d in range(len(reference.subscripts))]
        return f"XMP_On({', '.join([self.object(reference.entity), *texts])})"

    def on_with_indices(self, reference, dimensions):
        """The on clause of a loop with `:` where a loop variable runs."""
        whole = not reference.subscripts
        dimensions = range(reference.entity.rank) if whole else dimensions
        rank = reference.entity.rank if whole else len(reference.subscripts)
        if len(dimensions) == rank:
            return f"XMP_On_all({self.object(reference.entity)}, {rank})"
        texts = ["XMP_ALL" if d in dimensions else self._range(reference, d) for d in range(rank)]
        return f"XMP_On({', '.join([self.object(reference.entity), *texts])})"

    def _range(self, reference, d):
        s = reference.subscripts[d]
        if s.kind == "all":
            return "XMP_ALL"
        if s.kind == "own":
            return "XMP_OWN"
        if s.kind == "scalar":
            return f"XMP_At({s.first})"
        low, high = self._ends(reference.entity, d)
        first, last = (high, low) if s.step.startswith("-") else (low, high)
        first = s.first if s.first is not None else first
        last = s.last if s.last is not None else last
        return f"XMP_From_to({indices(first or 'XMP_OPEN', last or 'XMP_OPEN', s.step)})"

    @staticmethod
    def _ends(entity, d):
        if isinstance(entity, NodesEntity):
            return "0", plus(entity.sizes[d], -1) if entity.sizes[d] is not None else None
        return entity.bounds[d] if entity.bounds else (None, None)


class Root:
    """A program unit with what the translation adds to it: modules that it must use, the sites of its directives."""

    def __init__(self, context, unit):
        self.context, self.unit = context, unit
        self.sites = []  # (file, line, text)
        self.modules = {}  # name of a module -> names that are needed of it
        self._site_of, self._array = {}, None

    @property
    def site_array(self):
        if self._array is None:
            names = self.context
            self._array = f"{self.unit.name}_sites_xmp" if self.unit.kind == "module" else names.numbered("sites_xmp")
        return self._array

    def site(self, key, file, line, text):
        if key not in self._site_of:
            self.sites.append((file, line, text))
            self._site_of[key] = len(self.sites)
        return f"{self.site_array}({self._site_of[key]})"

    def site_lines(self):
        """Lines that create the sites."""
        for number, (file, line, text) in enumerate(self.sites, 1):
            yield f"{self.site_array}({number}) = XMP_Site({quoted(file)}, {line}, {quoted(text)})"

    def needs(self, module, name):
        self.modules.setdefault(module, {})[name] = True


def index(text):
    """A template index, whatever integer kind the expression has."""
    return f"{text}_XMP_INDEX" if text.isdigit() else f"int({text}, XMP_INDEX)"


def indices(*texts):
    """An array constructor of template indices, whatever integer kinds the expressions have."""
    return f"[integer(XMP_INDEX) :: {', '.join(texts)}]"


def quoted(text):
    return "'" + text.replace("'", "''") + "'"
