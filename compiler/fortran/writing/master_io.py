"""master_io (specification D.3): each I/O statement is executed by the first node of the executing set, in a block that leads
all nodes through it.

    if (XMP_Io_is_master(io_xmp)) then
      read (unit=10, fmt=*, ...) (u_xmp(1:XMP_Io_next(io_xmp, 0)), ...), n, none_xmp(1:XMP_Io_item(io_xmp, n))
    else
      none_xmp(1) = XMP_Io_item(io_xmp, n)
    end if
gfortran's library goes from item to item; so each call in the list stands where the master needs the others (decision
master-io)."""

from ...plan.master_io import STATEMENTS, MasterIo
from ..reading.components import address_in, part_of
from ..reading.io_statements import io_statement
from . import subscripts
from .context import indices
from .io_items import (
    ArrayElement,
    Local,
    Misplaced,
    Repeated,
    WholeArray,
    expected,
    is_called,
    leaves,
    names_used,
    read_items,
    section_of,
    without_arrays,
)
from .io_places import end_of_block, governed, is_internal, master_statements, without_begin

_OWN = ("iostat", "iomsg", "err", "end", "eor")  # what the block around the statement does for all nodes
_ASYNCHRONOUS = ("asynchronous", "id")
_BRANCHES = (("err", "> 0", "ERROR"), ("end", "== -1", "END"), ("eor", "== -2", "RECORD_END"))
_INQUIRED_BY = ("unit", "file", "id", *_OWN)
_NUMERIC = ("integer", "real", "complex", "logical")


def concerns(directive):
    return directive.kind == "master_io" or directive.kind == "end" and directive.what == "master_io"


def write(context, ends, directive, position):
    """The statements that a directive governs; nothing for the end of a block."""
    if directive.kind == "end":
        begun = [at for at, found in context.parsed.items() if found and found[0].kind == "master_io" and found[0].begin]
        if position not in [end_of_block(context, at, "master_io") for at in begun]:
            notes = without_begin(context, position, "master_io")
            context.error("XMP-E171", "'end master_io' ends nothing", directive.word, notes)
    elif directive.begin and end_of_block(context, position, "master_io") is None:
        help = "only statements of input and output may stand before it"
        context.error("XMP-E171", "'master_io begin' has no 'end master_io'", directive.word, (), help)
    else:
        for at in governed(context, position, directive):
            _write(context, ends, directive, at)


def write_others(context, ends):
    """What is master I/O by the option."""
    done = {step.place for step in context.plan if isinstance(step, MasterIo)}
    if context.wishes.master_io and context.diagnostics.ok:
        for position in master_statements(context):
            if position not in done:
                _write(context, ends, None, position)


def _write(context, ends, directive, position):
    context.at = context.items[position]
    try:
        statement = Statement(context, directive, position)
        statement.write()
        ends.separate(position)
    except Misplaced as misplaced:
        message, word, help = misplaced.args
        context.error("XMP-E231", message, word, (), help)
    except _Refused as refused:
        code, message, word, help = refused.args
        notes = [("the directive is here", directive.word)] if directive is not None else ()
        context.error(code, message, word, notes, help)


class _Refused(Exception):
    """What cannot stand in master I/O: code, message, word, help."""


class Statement:
    """One I/O statement on its way to Fortran."""

    def __init__(self, context, directive, position):
        self.context, self.position, self.whole = context, position, context.items[position]
        self.item = self.whole.guarded or self.whole
        self.directive, self.declarations = directive, context.declarations(position)
        io = io_statement(self.item.words, self.declarations) if self.item.kind == "execute" else None
        if io is None or io.kind not in STATEMENTS or directive is not None and self.whole.guarded is not None:
            help = "write one of: " + ", ".join(STATEMENTS)
            message = "master_io governs statements of input and output on files"
            raise _Refused("XMP-E230", message, self.whole.words[0], help)
        self.io = io
        self._check_specifiers()
        self.items = read_items(context, self.whole, io.items)
        self.leaves, self.needed = list(leaves(self.items)), names_used(self.items)
        self.expected = expected(self.items, self.needed, self.reads)
        apart = [one.element for one in self.expected]  # these have windows of their own
        shared = [leaf.array for leaf in self.leaves if not isinstance(leaf, Local) and leaf not in apart]
        self.arrays = list(dict.fromkeys(shared))
        self._numbers = {id(leaf): len(self.arrays) + number for number, leaf in enumerate(apart)}
        self.arrays += [leaf.array for leaf in apart]
        self._check_leaves()
        self.names = {n: context.name(f"io{n}_xmp") for n in ("", "_status", "_message", "_piece", "_none")}
        numbers = [""] * (len(self.arrays) - len(apart)) + list(range(1, len(apart) + 1))
        self.windows = [context.name(f"{array.identifier}_window{n}_xmp") for array, n in zip(self.arrays, numbers)]
        called = [item for item in self.items if isinstance(item, Local) and not self.reads and self._calls(item.words)]
        self.values = {id(item): (context.name(f"item{n}_xmp"), item) for n, item in enumerate(called, 1)}

    # ---- checks ----
    def _check_specifiers(self):
        io = self.io
        for one in io.specifiers:
            without_arrays(self.context, self.whole, one.words, f"the specifier '{one.name}'")
            if one.name in _ASYNCHRONOUS and io.kind in ("read", "write"):
                message = f"'{one.name}' is not possible in master I/O: the transfer ends with the statement"
                raise _Refused("XMP-E232", message, one.word, "leave it out")
        if is_internal(self.context, self.position, io):
            message = "master I/O needs an external file, and this is a character variable"
            help = "leave out the directive: each node has its own variable"
            raise _Refused("XMP-E232", message, io.specifier("unit").words[0], help)

    def _check_leaves(self):
        for leaf in self.leaves:
            if isinstance(leaf, ArrayElement) and len(leaf.subscripts) != leaf.array.rank:
                self.context.model.wrong_rank(leaf.array, len(leaf.subscripts), leaf.word, "subscripts")
            elif isinstance(leaf, Local) and self.reads:
                self._refuse_addresses(leaf.words)
        for word in self.namelist or ():
            self._refuse_addresses([word])

    def _refuse_addresses(self, words):
        known = part_of(self.declarations, words) if words[0].kind == "identifier" else None
        component = address_in(self.declarations, known[1]) if known is not None and known[0] == "type" else None
        if component is not None:
            message = f"'{words[0].text}' has a component that is an address: '{component.text}' is not on other nodes"
            raise _Refused("XMP-E185", message, words[0], "read its other components")

    def _calls(self, words):
        """Whether an item calls a function that is not the language's: it may need all nodes, which evaluate it before."""
        return any(after.text == "(" and is_called(self.declarations, word) for word, after in zip(words, words[1:]))

    # ---- what the statement is ----
    @property
    def reads(self):
        return self.io.kind == "read"

    @property
    def namelist(self):
        """The words of the variables that a statement reads by a namelist."""
        one = self.io.specifier("nml") if self.reads else None
        if one is None:
            return []
        found = self.declarations.namelist(one.words[0].text)
        if found is None:
            message = f"what is in the namelist '{one.words[0].text}' is not known"
            raise _Refused("XMP-E180", message, one.words[0], "declare it in a file that xmpf90 has translated")
        return found

    @property
    def use(self):
        if self.io.kind == "inquire":
            return "COUNT"
        if not self.reads:
            return "WRITE"
        formatted = any(self.io.has(name) for name in ("fmt", "nml", "advance"))
        return "UPDATE" if formatted or any(isinstance(leaf, ArrayElement) and leaf.rest for leaf in self.leaves) else "READ"

    def outputs(self):
        """Texts of the variables that a statement sets besides its items."""
        if self.io.kind == "inquire":
            given = [one for one in self.io.specifiers if one.name not in _INQUIRED_BY]
        else:
            given = [one for one in self.io.specifiers if one.name in ("size", "newunit")]
        return [self._text(one.words) for one in given] + [word.text for word in self.namelist]

    def _step(self):
        named = [[leaf.array for leaf in self.leaves if isinstance(leaf, kind)] for kind in (WholeArray, ArrayElement)]
        replicated = [self._text(leaf.words) for leaf in self.leaves if isinstance(leaf, Local) and self.reads]
        unique = [list(dict.fromkeys(found)) for found in (*named, [*replicated, *self.outputs()])]
        names = ("arrays", "elements", "replicated")
        return MasterIo(None, self.position, kind=self.io.kind, **dict(zip(names, unique)))

    # ---- the block ----
    def write(self):
        self.context.planned(self._step())
        lines = [*self._head(), *self._run_through(self.items), "else", *self._others(self.items), "end if", *self._tail()]
        if self.values:
            known = ", ".join(f"{name} => {self._text(item.words)}" for name, item in self.values.values())
            lines = [f"associate ({known})", *lines, "end associate"]
        text = "; ".join(lines)
        if self.item is not self.whole:
            text = f"then; {text}; end if"
        self.context.edits.rest(self.whole.statement, self.item.words[0], text)

    def _head(self):
        names, context = self.names, self.context
        site = context.site_of_code(self.position, self.whole)
        yield "block"
        yield f"type(xmp_object) :: {names['']}; integer, target :: {names['_status']}; character(256) :: {names['_message']}"
        items = list(self._masters(self.items))
        text = " ".join(items)
        yield from (f"integer :: {names['_none']}(1)",) if names["_none"] in text else ()
        yield from (f"integer(XMP_INDEX) :: {names['_piece']}",) if names["_piece"] in text else ()
        for array, window in zip(self.arrays, self.windows):
            yield f"{self._type(array)}, allocatable, target :: {window}(:)"
        objects = ", ".join(context.object(array) for array in self.arrays)
        arguments = f"{names['']}, {site}, XMP_IO_{self.use}, {names['_status']}, [xmp_object :: {objects}]"
        yield f"call XMP_Io_begin({arguments})"
        yield from self._unit(("unit",))
        yield f"if (XMP_Io_is_master({names['']})) then"
        for number, window in enumerate(self.windows):
            yield f"allocate ({window}(XMP_Io_window({names['']}, {number}))); call XMP_Io_use({names['']}, {number}, {window})"
        yield " ".join([f"{self._keyword()} ({', '.join(self._controls())})", ", ".join(items)]).rstrip()

    def _type(self, array):
        """The type of the elements; names for kinds may be unknown here."""
        variable = array.symbol.declaration
        name = next(leaf.word.text for leaf in self.leaves if not isinstance(leaf, Local) and leaf.array is array)
        if variable.base == "character":
            return f"character(len({name}), {name}%kind)"
        return f"{variable.base}({name}%kind)" if variable.base in _NUMERIC else variable.type

    def _unit(self, names):
        """Tells the runtime the unit, which is connected on the master's node alone."""
        unit = next((one for one in self.io.specifiers if one.name in names), None)
        if unit is not None and not unit.star and self.io.kind != "inquire":
            opens = "OPENS_NEW" if unit.name == "newunit" else "OPENS"
            connection = {"open": opens, "close": "CLOSES"}.get(self.io.kind, "USES")
            yield f"call XMP_Io_unit({self.names['']}, int({self._text(unit.words)}), XMP_IO_{connection})"

    def _keyword(self):
        return {"print": "write"}.get(self.io.kind, self.io.kind)

    def _controls(self):
        """The specifiers, each with its keyword."""
        if not self.io.has("unit") and self.io.kind in ("read", "print"):
            yield "unit=*"
        for one in self.io.specifiers:
            if one.name not in _OWN:
                yield f"{one.name}={self._text(one.words)}"
        if not self.io.has("iolength"):
            yield f"iostat={self.names['_status']}"
            yield f"iomsg={self.names['_message']}"

    def _text(self, words):
        return subscripts.text(self.context, self.position, words)

    def _masters(self, items):
        """The items as the master's statement has them."""
        io, none = self.names[""], self.names["_none"]
        for item in items:
            section = section_of(item, self.needed)
            if section is not None:
                yield self._section(*section)
            elif isinstance(item, Repeated):
                do = item.do
                control = ", ".join(self._text(words) for words in do.control)
                for one in (one for one in self.expected if one.repeated is item):
                    section = indices(*self._triplets(one.element, one.along))
                    yield f"{none}(1:XMP_Io_expect({io}, {self._number(one.element)}, {section}))"
                yield f"({', '.join(self._masters(item.items))}, {do.variable.text} = {control})"
            elif isinstance(item, Local):
                yield self.values[id(item)][0] if id(item) in self.values else self._text(item.words)
                if self.reads:
                    yield f"{none}(1:XMP_Io_item({io}, {self._text(item.words)}))"
            else:
                number = self._number(item)
                window = self.windows[number]
                if isinstance(item, WholeArray):
                    yield self._pieces(number, "", "")
                else:
                    element = indices(*(self._text(subscript) for subscript in item.subscripts))
                    yield f"{window}(XMP_Io_element({io}, {number}, {element})){self._text(item.rest)}"

    def _number(self, leaf):
        """Of its window."""
        return self._numbers[id(leaf)] if id(leaf) in self._numbers else self.arrays.index(leaf.array)

    def _pieces(self, number, section, rest):
        io, piece = self.names[""], self.names["_piece"]
        parts = f"{self.windows[number]}(1:XMP_Io_next({io}, {number})){rest}"
        return f"({parts}, {piece} = 1, XMP_Io_pieces({io}, {number}{section}))"

    def _section(self, element, loops):
        """Elements of an implied do in pieces: one by one they would be a message each."""
        section = indices(*self._triplets(element, loops))
        return self._pieces(self._number(element), f", {section}", self._text(element.rest))

    def _triplets(self, element, loops):
        """Texts of first, last and step of each dimension."""
        for subscript, loop in zip(element.subscripts, loops):
            first, last, step = subscript, subscript, None
            if loop is not None:
                first, last, step = (*loop.control, None)[:3]
            yield from (self._text(first), self._text(last), self._text(step) if step else "1")

    def _run_through(self, items):
        """The variables of implied dos that the master writes as sections end as if they had run."""
        for item in items:
            if section_of(item, self.needed) is not None:
                yield from self._others([item])
            elif isinstance(item, Repeated):
                yield from self._run_through(item.items)

    def _others(self, items):
        """What the other nodes do for the items. The variables of implied dos end as the master's do."""
        for item in items:
            if isinstance(item, Repeated):
                control = ", ".join(self._text(words) for words in item.do.control)
                yield f"do {item.do.variable.text} = {control}"
                yield from self._others(item.items)
                yield "end do"
            elif isinstance(item, Local) and self.reads:
                yield f"{self.names['_none']}(1) = XMP_Io_item({self.names['']}, {self._text(item.words)})"

    def _tail(self):
        io, status, message = (self.names[name] for name in ("", "_status", "_message"))
        given = {one.name: self._text(one.words) for one in self.io.specifiers if one.name in _OWN}
        flags = [f"XMP_IO_HANDLES_{flag}" for name, _, flag in _BRANCHES if name in given or "iostat" in given]
        for output in self.outputs():
            yield f"call XMP_Io_output({io}, {output})"
        yield from self._unit(("newunit",))
        yield f"call XMP_Io_end({io}, {' + '.join(flags) or '0'}, {status}, {message})"
        if "iostat" in given:
            yield f"{given['iostat']} = {status}"
        if "iomsg" in given:
            yield f"if ({status} /= 0) {given['iomsg']} = {message}"
        for name, condition, _ in _BRANCHES:
            if name in given:
                yield f"if ({status} {condition}) goto {given[name]}"
        yield "end block"
