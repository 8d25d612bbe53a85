"""nodes, template, distribute, align, shadow: the calls that create the objects, as lines at the beginning of a unit's
executable part."""

from ...directives.words import integer
from ...plan import mapping as plan
from ...semantics.entities import NodesEntity
from ..reading.constants import value
from . import arrays, initial_values, owners
from .context import index, indices, quoted
from .results import is_allocated_later, is_handed_over
from .views import attached, bytes_of_element, defaults, dropped, followed, numeric, pointed


class Creation:
    """The lines that create what a unit's directives declare. values: texts that may differ from one call of the procedure to
    the next, so that everything is created anew. root: the Root that has the sites and shows all arrays; None: the unit's own,
    which shows those that it uses."""

    def __init__(self, context, unit, steps, root=None):
        self.context, self.unit, self.root = context, unit, root
        self.steps, self.values = steps, []
        self.shown = []  # arrays whose blocks are shown when they are created
        self.constants = set()  # texts that are constant, but no numbers
        self.initial = []  # declarations of what may have initial values of arrays in COMMON
        self.blocks = set()  # the COMMON blocks of arrays so far
        self.dimensions = {}  # text of a dimension of several arrays -> the variable that has it
        lasting = self._lasting()
        self.lasting = [line for step in lasting for line in self._lines(step)]  # once
        self.lasting_objects = self._objects(lasting)
        self.renewed = [step for step in steps if step not in lasting]
        self.lines = [line for step in self.renewed for line in self._lines(step)]

    def _lasting(self):
        """The Steps of arrays that exist as long as the program runs, and of what they are aligned with."""
        arrays = [step.array for step in self.steps if isinstance(step, plan.Array) and _lasts(step.array)]
        templates = {array.template for array in arrays}
        entities = {*arrays, *templates, *(template.nodes for template in templates)}
        entities |= {nodes.of.entity for nodes in list(entities) if _is_part(nodes)}
        return [step for step in self.steps if {*declared(step), getattr(step, "template", None)} & entities]

    def _objects(self, steps):
        own = (entity for step in steps for entity in declared(step))
        return [self.context.object(entity) for entity in own if not owners.is_component(entity)]

    @property
    def objects(self):
        """The variables of what is declared, in order."""
        return self._objects(self.steps)

    @property
    def common(self):
        """The objects of arrays that exist once, and must exist where they are used."""
        found = [step.array for step in self.steps if isinstance(step, plan.Array) and _lasts(step.array)]
        return [self.context.object(array) for array in found]

    def released(self):
        """Lines that end what a call created. What an allocatable argument got is the caller's."""
        for step in reversed(self.renewed):
            for entity in declared(step):
                if isinstance(step, plan.Array) and not self._releases(entity):
                    continue
                line = f"call {_RELEASE[type(step)]}({self.context.object(entity)})"
                yield from owners.repeated(entity, [line]) if isinstance(step, plan.Array) else [line]

    @property
    def kept(self):
        """The objects of arrays that a unit has until it needs others. In a task only a part of their nodes creates them."""
        own = (step.array for step in self.steps if isinstance(step, plan.Array))
        found = [(array, array.symbol.declaration) for array in own if owners.created(array) and not is_handed_over(array)]
        plain = [a for a, v in found if not (v.dummy or _lasts(a) or owners.is_component(a))]
        return [self.context.object(array) for array in plain]

    @staticmethod
    def _releases(array):
        if owners.is_component(array):
            return owners.created(array)
        if is_handed_over(array):
            return False
        return not arrays.allocated_argument(array.symbol.declaration)

    def place_of(self, array):
        return next(step.place for step in self.steps if isinstance(step, plan.Array) and step.array is array)

    def _lines(self, step):
        return _CALLS[type(step)](self, self.context.site(step.place, self.root), step)

    def value(self, text, word=None):
        """Takes note of a text that is no constant. What describes a dummy argument is new at each call anyway. word: for
        messages."""
        if text in self.constants or text in self.values or integer(text) is not None:
            return text
        declarations, words = self.context.scopes.of(self.unit), self.context.words(text)
        if value(words, declarations) is not None:
            self.constants.add(text)
        else:
            self.values.append(text)
            for part, after in zip(words, [*words[1:], None]):
                if part.kind == "identifier" and (after is None or after.text != "("):
                    self._require_value(declarations.variables.get(part.text), word)
        return text

    def _require_value(self, variable, word):
        """What the directives say is evaluated when the procedure begins: its own variables have no values then."""
        if variable is None or variable.dummy or variable.initial is not None or variable.common is not None:
            return
        if variable.has("parameter") or variable.has("save") or not variable.typed:
            return
        what = f"'{variable.name}', whose value is set while the procedure runs, in a declaration is"
        notes = [(f"'{variable.name}' is declared here", variable.word)]
        self.context.unsupported(what, word, "declare it as a parameter", notes)

    # ---- nodes and templates ----
    def nodes(self, site, step):
        entity = step.entity
        sizes = indices(*("XMP_REMAINING" if size is None else self.value(size, entity.word) for size in entity.sizes))
        of = ""
        if entity.of == "*":
            of = ", of=XMP_NODES_EXECUTING"
            if self.unit.kind not in ("program", "module", "submodule"):
                self.values.append("XMP_Executing_set()")
        elif entity.of is not None:
            of = f", part={self.context.on(entity.of)}"
        return [f"call XMP_Nodes_declare({self.context.object(entity)}, {site}, {quoted(entity.name)}, {sizes}{of})"]

    def template(self, site, step):
        entity = step.entity
        bounds = ""
        if entity.bounds is not None:
            bounds = ", " + indices(*(self.value(text, entity.word) for pair in entity.bounds for text in pair))
        object_ = self.context.object(entity)
        return [f"call XMP_Template_declare({object_}, {site}, {quoted(entity.name)}, {entity.rank}{bounds})"]

    def distribute(self, site, step):
        context, entity = self.context, step.template
        formats = ", ".join(self.format(f) for f in entity.formats)
        return [f"call XMP_Distribute({site}, {context.object(entity)}, {context.object(entity.nodes)}, {formats})"]

    def format(self, f):
        if f.kind == "*":
            return "XMP_FORMAT_NONE"
        if f.kind == "gblock":
            return self._gblock(f)
        size = "" if f.size is None else f", int({self.value(f.size, f.word)}, XMP_INDEX)"
        return f"XMP_Format_{f.kind}({f.node_dimension}{size})"

    def _gblock(self, f):
        if f.size == "*":
            return f"XMP_Format_gblock({f.node_dimension})"
        known = self.context.scopes.of(self.unit).type_of(f.size) if f.size.isidentifier() else None
        if known is not None and (known[0] != "integer" or len(known[2]) != 1):
            self.context.error("XMP-E127", f"gblock needs a one-dimensional array of integers; '{f.size}' is none", f.word)
        variable = self.context.scopes.of(self.unit).lookup(f.size)
        if variable is None or not variable.has("parameter"):
            self.values.append(f.size)
        return f"XMP_Format_gblock({f.node_dimension}, {indices(f.size)})"

    # ---- arrays ----
    def argument(self, array, site, dummy):
        """The lines that find the array of a dummy argument, at each call of the procedure."""
        noted, object_ = list(self.values), self.context.object(array)
        variable = array.symbol.declaration
        if arrays.allocated_by_program(variable):
            declare = f"call XMP_Array_declare({object_}, {site}, {self.description(array)})"
            lines = [f"call XMP_Array_release({object_})", declare, *followed(self.context, array, site)]
            lines += dropped(self.context, array) if arrays.given_back(variable) else []
        else:
            lines = [f"call XMP_Array_argument({object_}, {site}, {self.description(array, dummy)})"]
            lines += attached(self.context, array) if variable in self.context.dummies else []
        self.values[:] = noted
        return lines

    def result(self, array, site):
        """The lines that create the array of a function's result, at each call: it belongs to the caller then. The
        pointer to one that the function allocates is set when it ends."""
        noted, object_ = list(self.values), self.context.object(array)
        declare = f"call XMP_Array_declare({object_}, {site}, {self.description(array)})"
        self.values[:] = noted
        return [declare, *(pointed(self.context, array) if not is_allocated_later(array) else ())]

    def array(self, site, step):
        array = step.array
        variable = array.symbol.declaration
        if variable.dummy or is_handed_over(array) or not owners.created(array):
            return []  # at each entry; when it is allocated
        object_ = self.context.object(array)
        block = "" if variable.common is None else f", common={quoted(owners.common_place(variable))}"
        block += self._initial(array) if variable.common else ""
        lines = self._checked(variable.common, site) if variable.common else []
        call = f"call XMP_Array_declare({object_}, {site}, {self.description(array)}{block})"
        shown = not arrays.allocated_by_program(variable) and not arrays.fixed_later(array.template)
        if shown and array.symbol.scope is not self.unit:  # of a module without directives
            self.context.attached.setdefault(self.unit, []).append((array, array.name))
        if owners.is_component(array):
            return owners.repeated(array, [call, *(self._view(array) if shown else [])])
        self.shown += [array] if shown and (self.root is not None or self.context.uses(array)) else []
        return [*lines, call, *initial_values.lines(self.context, array, site)]

    def _checked(self, block, site):
        """The line that looks for values without directives, once for each COMMON block."""
        if block in self.blocks:
            return []
        self.blocks.add(block)
        declared, line = initial_values.check_of_plain(self.context, self.unit, block, site)
        self.initial += declared
        return [line]

    def _initial(self, array):
        """The argument with what may have initial values of an array in COMMON, in this file or another one."""
        name, declared = initial_values.of_common(self.context, array)
        self.initial += declared
        return f", initial={name}" if name else ""

    @property
    def join(self):
        """The line that makes arrays which a part of the nodes has created arrays of all that execute now."""
        return [f"call XMP_Array_join({len(self.common)}, [{', '.join(self.common)}])"] if self.common else []

    @property
    def views(self):
        """Lines that show the blocks of what was created."""
        return [line for array in self.shown for line in self._view(array)]

    def _view(self, array):
        return [*attached(self.context, array), *defaults(self.context, array)]

    @property
    def entry(self):
        """Lines at each entry: arrays whose template gets its shape later may have their memory by now."""
        found = [step.array for step in self.steps if isinstance(step, plan.Array) and arrays.fixed_later(step.array.template)]
        variables = [(a, a.symbol.declaration) for a in found if owners.created(a)]
        own = [a for a, v in variables if not (v.dummy or arrays.allocated_by_program(v))]
        return [line for array in own for line in owners.repeated(array, attached(self.context, array))]

    def description(self, array, argument=None):
        """Everything that XMP_Array_declare and, with the argument, XMP_Array_argument take after the site."""
        variable = array.symbol.declaration
        element = f"{_type(variable)}, {bytes_of_element(self.context, array)}"
        parts = [quoted(self.context.shown(array.name)), element, self.context.object(array.template)]
        parts += [argument] if argument else []
        return ", ".join([*parts, *(self._dimension(array, d) for d in range(array.rank))])

    def _dimension(self, array, d):
        variable, dimension = array.symbol.declaration, array.dimensions[d]
        parts = ["XMP_OPEN", "XMP_OPEN"]
        if not arrays.allocated_by_program(variable):
            low, high = variable.bounds[d]
            parts = [self._index(low, variable.word), "XMP_OPEN" if high is None else self._index(high, variable.word)]
        width = self._width(array.shadow[d]) if array.shadow else []
        if dimension.onto is not None or width:
            onto = -1 if dimension.onto is None else dimension.onto
            parts += [str(onto), self._index(dimension.offset, array.align.array)]
        text = f"XMP_Dimension({', '.join(parts + width)})"
        return text if self.root is None else self.dimensions.setdefault(text, f"dimensions_xmp({len(self.dimensions) + 1})")

    def _width(self, width):
        """[] for a dimension without shadow."""
        if width.full:
            return [index("0"), index("0"), "XMP_WIDTH_FULL"]
        if width.lower == width.upper == "0":
            return []
        return [self._index(width.lower, width.word), self._index(width.upper, width.word), "XMP_WIDTH_PLAIN"]

    def _index(self, text, word):
        return index(self.value(text, word))


def _lasts(array):
    """Whether an array is one that other procedures use, or has initial values, which it gets once."""
    return array.symbol.declaration.common is not None or initial_values.are_given(array.symbol.declaration)


def _is_part(entity):
    """Whether nodes are a part of others that have a name."""
    return isinstance(entity, NodesEntity) and entity.of not in (None, "*")


def declared(step):
    """The entity that a Step of plan.mapping brings into being, as a list of one or none."""
    return [getattr(step, field) for field in ("entity", "array") if field in step.fields]


def _type(variable):
    return f"XMP_{variable.base.upper()} + {variable.name}%kind" if numeric(variable) else "XMP_OTHER"


_CALLS = {
    plan.Nodes: Creation.nodes,
    plan.Template: Creation.template,
    plan.Distribute: Creation.distribute,
    plan.Array: Creation.array,
}


_RELEASE = {plan.Nodes: "XMP_Nodes_release", plan.Template: "XMP_Template_release", plan.Array: "XMP_Array_release"}
