"""What directives declare. Dimensions stand in the order of the declaration; texts are expressions of the user's language."""

from ..record import Record


class Entity(Record):
    """A named thing: `name`, the word that declares it (for notes), the scope it belongs to (the language's object), and the
    position of the declaring directive in the unit, to tell what is visible where."""

    what = ""
    distribution = None  # the distribute directive of a template
    fields = ("name", "word", "scope", "position")

    @property
    def row_major(self):
        return self.bracket == "["


class NodesEntity(Entity):
    """sizes: texts, None for `*`. of: None (all nodes), `*` (the executing set) or a ResolvedReference."""

    what = "node array"

    def __init__(self, declaration, scope, position):
        super().__init__(declaration.name, declaration.word, scope, position)
        self.bracket = declaration.bracket
        self.sizes = [size.text if size else None for size in declaration.sizes]
        self.of = None

    @property
    def rank(self):
        return len(self.sizes)


class FormatEntity(Record):
    """The distribution of one template dimension. node_dimension: 0-based, None for `*`. size: text of n, or of the array m,
    or `*` (gblock(*)), or None."""

    fields = ("kind", "node_dimension", "size", "word")


class TemplateEntity(Entity):
    """bounds: pairs of texts (lower, upper), or None while deferred. formats and nodes: None until distributed."""

    what = "template"

    def __init__(self, declaration, scope, position):
        super().__init__(declaration.name, declaration.word, scope, position)
        self.bracket = declaration.bracket
        self.rank = len(declaration.bounds)
        self.bounds = None
        self.formats = None
        self.nodes = None
        self.distribution_position = 0
        self.fixes = []  # template_fix directives

    def cyclic(self, dimension):
        return self.formats is not None and self.formats[dimension].kind == "cyclic"


class AlignedDimension(Record):
    """onto: 0-based template dimension, None where collapsed. offset: text."""

    fields = ("onto", "offset")
    offset = "0"


class ShadowWidth(Record):
    """lower, upper: texts; full: shadow `*`."""

    fields = ("lower", "upper", "full", "word")
    lower = upper = "0"
    full = False
    word = None


class ArrayEntity(Entity):
    """A global array. symbol: the language's declaration of it, with `rank` and `word`. dimensions: AlignedDimensions."""

    what = "global array"

    def __init__(self, name, word, scope, position, symbol):
        super().__init__(name, word, scope, position)
        self.symbol = symbol
        self.rank = symbol.rank
        self.template = None
        self.dimensions = None
        self.shadow = None  # ShadowWidths, or None
        self.align = None  # the directives
        self.shadow_directive = None
        self.failed = False  # whether its align directive has an error
        self.last_position = position  # of the directive that completes the mapping

    @property
    def completed_position(self):
        """Of the last directive that describes the array; None while its template is not distributed."""
        if self.template is None or self.template.nodes is None:
            return None
        return max(self.last_position, self.template.distribution_position)

    @property
    def identifier(self):
        """The array's name where it is declared anew: a member of a structure needs one of its own."""
        return self.name if "." not in self.name else self.name.replace(".", "_") + "_rows_xmp"

    def format(self, dimension):
        """`*`, `block`, `cyclic`, `gblock` of an array dimension."""
        onto = self.dimensions[dimension].onto
        if onto is None or self.template.formats is None:
            return "*"
        return self.template.formats[onto].kind

    def nodes_along(self, dimension):
        """How many nodes share a dimension, as text: 1 where it is not distributed, None where it is known only at run time."""
        if self.format(dimension) == "*":
            return "1"
        return self.template.nodes.sizes[self.template.formats[self.dimensions[dimension].onto].node_dimension]

    def full_shadow(self, dimension):
        return bool(self.shadow) and self.shadow[dimension].full

    def is_divided(self, dimension):
        """Whether its elements lie on several nodes, and no node has all of them."""
        return self.nodes_along(dimension) != "1" and not self.full_shadow(dimension)

    def positional(self, dimension):
        """Whether the view subscript of the dimension is a position, not the global index (decision view-subscripts)."""
        return self.format(dimension) == "cyclic" and not self.full_shadow(dimension)


# How a subscript of a resolved reference is given: a range of texts, everything, this node's own part.
class ResolvedSubscript(Record):
    """kind: tree.SCALAR, RANGE, ALL, OWN; first, last, step: texts (last None: to the end). Node subscripts are 0-based
    coordinates. source: the tree.Subscript."""

    fields = ("kind", "first", "last", "step", "source")
    first = last = source = None
    step = "1"


class ResolvedReference(Record):
    """entity: NodesEntity or TemplateEntity, None for the executing set; subscripts in the entity's order, [] for the whole."""

    fields = ("entity", "subscripts", "word")

    @property
    def executing_set(self):
        return self.entity is None


def in_order(items, bracket, declared):
    """Items as written, in the order of the declaration: ( ) lists the fastest dimension first, [ ] last (GEN-01)."""
    return list(reversed(items)) if bracket and bracket != declared else list(items)
