"""The table of nodes, templates and global arrays of one translation unit, and the checks of the directives that declare them.

The language's front end hands over directives in source order together with its own scope objects (anything with a `parent`)
and positions (numbers that grow along the source). Texts of expressions are passed on unread."""

from ..directives import tree
from ..directives.parser import INSTEAD, PAGE
from ..directives.words import integer, plus, section_end
from ..spelling import nearest
from .alignment import aligned_dimensions, counted, counted_dimensions
from .entities import (
    AlignedDimension,
    ArrayEntity,
    FormatEntity,
    NodesEntity,
    ResolvedReference,
    ResolvedSubscript,
    ShadowWidth,
    TemplateEntity,
    in_order,
)

COMPILE_FIRST = "compile the module that declares it first, with xmpf90"


class Symbol:
    """What the model must know of an array's declaration in the user's language.

    name, word    of the declaration; rank: number of dimensions (a pointer counts as one)
    scope         the language's scope object
    key           identity: equal for several declarations of one array
    proposal      how to declare it with a given rank: a function, or None
    used          word of the first use in executable code, or None; used_position: its position
    initialised   word of an initialiser, or None"""

    __slots__ = ("name", "word", "rank", "scope", "key", "proposal", "used", "used_position", "initialised", "declaration")


class Model:
    def __init__(self, diagnostics, language="C"):
        self.diagnostics = diagnostics
        self.language = language
        self.declared_bracket = "[" if language == "C" else "("  # of arrays; ( ) in C counts as in Fortran (GEN-01)
        self._names = {}  # scope -> name -> entity
        self._hideable = set()  # (scope, name) of a module's names that a declaration in the scope hides
        self._arrays = {}  # symbol key -> ArrayEntity
        self._same_arrays = {}  # the same of further keys
        self.array_names = lambda scope, position: ()  # the language's: names of arrays that are visible
        self.constant = lambda text, scope: integer(text)  # the language's: the value of a literal or a named constant, or None
        self.unread_modules = lambda scope: ()  # the language's: notes at modules that may declare what nothing here does
        self.order = []  # entities in source order
        self._completed = None  # position -> arrays, when it was asked for since the last declaration
        self._doubtful = set()  # names in directives that cannot be read, and names that were told: no further errors
        self._declarations = {
            "nodes": self._nodes,
            "template": self._template,
            "distribute": self._distribute,
            "align": self._align,
            "shadow": self._shadow,
            "static_desc": self._static_desc,
        }
        # (directive, scope, position, find_symbol) of local_alias and coarray, for the language to make something of
        self.local_aliases, self.pins = [], []
        if language == "Fortran":
            self._declarations["local_alias"] = lambda *arguments: self.local_aliases.append(arguments)
            self._declarations["coarray"] = lambda *arguments: self.pins.append(arguments)

    # ---- look-up ----
    def lookup(self, name, scope, position):
        """What a name means at a position; a directive sees what it declares itself (`template, distribute ... :: t[20]`)."""
        while scope is not None:
            entity = self._names.get(scope, {}).get(name)
            if entity is not None and (entity.scope is not scope or entity.position <= position):
                return entity  # what comes from a module is known everywhere
            scope = scope.parent
        return None

    def entities(self, scope):
        """All that a scope knows by a name: what it declares, and what it uses of modules."""
        return list(self._names.get(scope, {}).values())

    def use(self, scope, name, entity, hideable=False):
        """A scope knows what a module declares by a name. hideable: its own declaration of the name goes before."""
        self._names.setdefault(scope, {}).setdefault(name, entity)
        if hideable:
            self._hideable.add((scope, name))

    def visible(self, scope, position, kinds):
        names = []
        while scope is not None:
            names += [n for n, e in self._names.get(scope, {}).items() if isinstance(e, kinds) and e.position < position]
            scope = scope.parent
        return names

    def array(self, key):
        """The ArrayEntity of a symbol's key, or None."""
        return self._arrays.get(key) or self._same_arrays.get(key)

    def same_array(self, key, array):
        """Another symbol means an array, too."""
        self._same_arrays[key] = array

    @property
    def arrays(self):
        return self._arrays.values()

    def completed(self, position):
        """The arrays whose mapping the directive at a position completes: the last of those that describe it."""
        if self._completed is None:
            self._completed = {}
            for array in self.arrays:
                self._completed.setdefault(array.completed_position, []).append(array)
        arrays = self._completed.get(position, ())
        return [array for array in arrays if array.dimensions is not None and not array.failed]

    def doubt(self, words):
        """The words of a directive that has an error: what it says of its names is not known."""
        self._doubtful.update(word.text for word in words if word.kind == "identifier")

    def doubtful(self, name):
        """Whether an error was told that has to do with the name."""
        return name in self._doubtful

    # ---- declarative directives ----
    def declare(self, directive, scope, position, find_symbol):
        """find_symbol(name): the Symbol that an array's name means at the directive, or None."""
        self._completed = None
        handler = self._declarations.get(directive.kind)
        if handler is None:
            self.unsupported(directive)
            return
        handler(directive, scope, position, find_symbol)

    def unsupported(self, directive):
        message = f"the directive '{directive.kind}' is not supported yet"
        help = f"{instead}; {PAGE}" if (instead := INSTEAD.get(directive.kind)) else PAGE
        self.diagnostics.error("XMP-E190", message, directive.word, help=help)

    def _error(self, code, message, word, notes=(), help=None):
        self.diagnostics.error(code, message, word, notes, help)

    def _enter(self, entity):
        table = self._names.setdefault(entity.scope, {})
        before = table.get(entity.name)
        if before is not None and (entity.scope, entity.name) not in self._hideable:
            message = f"'{entity.name}' is declared twice"
            self._error("XMP-E110", message, entity.word, [(f"the first '{entity.name}' is here", before.word)])
            return False
        self._hideable.discard((entity.scope, entity.name))
        table[entity.name] = entity
        self.order.append(entity)
        return True

    def _nodes(self, directive, scope, position, find_symbol):
        for declaration in directive.declarations:
            entity = NodesEntity(declaration, scope, position)
            self._check_rank_limit(entity.rank, declaration.word)
            for d, size in enumerate(entity.sizes):
                if size is not None and not self._may_be_positive(size, scope):
                    self._error(
                        "XMP-E112", f"the node array '{entity.name}' has a dimension of {size}", declaration.sizes[d].word
                    )
            if declaration.of:
                entity.of = self._nodes_part(declaration, scope, position)
            self._enter(entity)

    def _nodes_part(self, declaration, scope, position):
        of = declaration.of
        if of.name in ("*", "**"):
            return "*" if of.name == "*" else None  # MAP-01: `=**` is the plain form
        return self.reference(of, scope, position, (NodesEntity,))

    def _check_rank_limit(self, rank, word):
        if rank > 7:
            self._error("XMP-E114", f"'{word.text}' has {rank} dimensions; at most 7 are supported", word)

    def _template(self, directive, scope, position, find_symbol):
        for declaration in directive.declarations:
            entity = TemplateEntity(declaration, scope, position)
            self._check_rank_limit(entity.rank, declaration.word)
            deferred = [b is None for b in declaration.bounds]
            if any(deferred) and not all(deferred):
                self._error("XMP-E115", f"either all dimensions of '{entity.name}' are ':' or none", declaration.word)
            elif not any(deferred):
                entity.bounds = self.bounds(declaration.bounds, declaration.bracket)
            self._enter(entity)

    def bounds(self, bounds, bracket):
        """Pairs (lower, upper) of texts: `[n]` is 0:n-1, `(n)` is 1:n, `(l:u)` is itself. `[base:length]` is not in the
        specification, but follows from its triplets (GEN-02), and programs use it."""
        pairs = []
        for lower, upper in bounds:
            if lower is None:
                pairs.append(("0", plus(upper.text, -1)) if bracket == "[" else ("1", upper.text))
            else:
                pairs.append((lower.text, section_end(lower.text, upper.text, "1") if bracket == "[" else upper.text))
            low, high = integer(pairs[-1][0]), integer(pairs[-1][1])
            if low is not None and high is not None and high < low:
                self._error("XMP-E117", f"the dimension {low}:{high} is empty", upper.word)
        return pairs

    def _distribute(self, directive, scope, position, find_symbol):
        template = self.named(directive.template, scope, position, TemplateEntity)
        nodes = self.named(directive.onto, scope, position, NodesEntity)
        if template is None or nodes is None:
            self._doubtful.add(directive.template.text)
            return
        if template.distribution is not None:
            message = f"the template '{template.name}' is distributed twice"
            self._error("XMP-E120", message, directive.template, [("it is distributed here", template.distribution.template)])
            return
        if template.scope is not scope:
            message = f"the template '{template.name}' belongs to another scope"
            notes = [("it is declared here", template.word)]
            self._error("XMP-E121", message, directive.template, notes, "distribute it where it is declared")
            return
        formats = self.formats(directive.formats, directive.bracket, template, nodes, directive.template, directive.onto)
        template.distribution = directive
        template.distribution_position = position
        template.nodes = nodes
        template.formats = formats

    def _may_be_positive(self, text, scope):
        value = self.constant(text, scope)
        return value is None or value > 0

    def formats(self, formats, bracket, template, nodes, word, onto=None):
        """FormatEntities in the template's order. word, onto: where template and nodes are named."""
        if len(formats) != template.rank:
            message = f"'{template.name}' has {counted_dimensions(template.rank)}, but {_formats(len(formats))} given"
            self._error("XMP-E122", message, word, [("the template is declared here", template.word)])
            return [FormatEntity("*", None, None, word)] * template.rank
        distributed = [f for f in formats if f.kind != "*"]
        if len(distributed) != nodes.rank:
            self._error(
                "XMP-E123",
                f"{_formats(len(distributed))} given for distributed dimensions, "
                f"but '{nodes.name}' has {counted_dimensions(nodes.rank)}",
                onto or word,
                [("the node array is declared here", nodes.word)],
            )
        result, dimension = [], 0
        for f in formats:
            onto = None
            if f.kind != "*":
                onto, dimension = min(dimension, nodes.rank - 1), dimension + 1
            size = f.argument if f.argument in (None, "*") else f.argument.text
            if size not in (None, "*") and f.kind in ("block", "cyclic") and not self._may_be_positive(size, template.scope):
                self._error("XMP-E124", f"the block size of {f.kind}({size}) must be positive", f.word)
            result.append(FormatEntity(f.kind, onto, size, f.word))
        return in_order(result, bracket, template.bracket)

    def _align(self, directive, scope, position, find_symbol):
        array = self._mapped(directive.array, scope, position, find_symbol, "align")
        template = self.named(directive.template, scope, position, TemplateEntity)
        if array is not None and template is None:
            array.failed = True
        if array is None or template is None:
            return
        if array.align is not None:
            message = f"the array '{array.name}' is aligned twice"
            self._error("XMP-E130", message, directive.array, [("it is aligned here", array.align.array)])
            return
        if array.symbol.initialised is not None:
            message = f"the global array '{array.name}' cannot have an initialiser"
            notes = [("the initialiser is here", array.symbol.initialised)]
            self._error("XMP-E131", message, directive.array, notes, "assign the values in a loop")
        dimensions = aligned_dimensions(directive, array, template, self.declared_bracket, self._error)
        array.failed = dimensions is None
        array.align, array.template = directive, template
        array.last_position = max(array.last_position, position)
        array.dimensions = dimensions or [AlignedDimension(None) for _ in range(array.rank)]

    def _shadow(self, directive, scope, position, find_symbol):
        array = self._mapped(directive.array, scope, position, find_symbol, "shadow")
        if array is None:
            return
        if array.shadow_directive is not None:
            message = f"the array '{array.name}' has two shadow directives"
            self._error("XMP-E140", message, directive.array, [("the first is here", array.shadow_directive.array)])
            return
        array.shadow_directive = directive
        array.last_position = max(array.last_position, position)
        if len(directive.widths) != array.rank:
            self.wrong_rank(
                array,
                len(directive.widths),
                directive.array,
                "shadow widths",
                "write a width for each dimension, 0 where there are no neighbours",
            )
            return
        for width in directive.widths:
            for text in (width.lower, width.upper):
                if text is not None and (integer(text.text) or 0) < 0:
                    self._error("XMP-E141", f"a shadow width cannot be negative: {text}", width.word)
        array.shadow = [
            ShadowWidth(full=True, word=w.word) if w.full else ShadowWidth(w.lower.text, w.upper.text, False, w.word)
            for w in in_order(directive.widths, directive.bracket, self.declared_bracket)
        ]

    def _mapped(self, word, scope, position, find_symbol, what):
        """The ArrayEntity for an align or shadow directive, made at the first of them."""
        name = word.text
        symbol = find_symbol(name)
        entity = self.lookup(name, scope, position)
        if symbol is None and entity is not None:
            return self.of_another_kind(word, entity, "global array")
        if symbol is None:
            return self._undeclared(word, "array", self.array_names(scope, position), scope, position)
        if symbol.rank == 0:
            declared = [(f"'{name}' is declared here", symbol.word)]
            return self._error("XMP-E146", f"'{name}' is no array: it has no elements to distribute", word, declared)
        array = self._arrays.get(symbol.key)
        if array is None:
            array = ArrayEntity(name, symbol.word, symbol.scope, position, symbol)
            self._check_rank_limit(array.rank, word)
            self._arrays[symbol.key] = array
            self.order.append(array)
        if symbol.used is not None and symbol.used_position < position:
            message = f"the {what} directive for '{name}' comes after its first use"
            self._error("XMP-E132", message, word, [(f"'{name}' is used here", symbol.used)])
        return array

    def _static_desc(self, directive, *rest):
        """Every descriptor is static here."""

    def finish(self):
        """Checks that need the whole unit."""
        for array in self._arrays.values():
            if array.align is None:
                if array.failed or array.name in self._doubtful:
                    continue
                message = f"'{array.name}' has a shadow but is not aligned with a template"
                help = f"add an align directive for '{array.name}'"
                self._error("XMP-E142", message, array.shadow_directive.array, help=help)
                continue
            template = array.template
            if template.formats is None and template.name in self._doubtful:
                continue
            if template.formats is None:
                message = f"the template '{template.name}' is not distributed"
                notes = [("it is declared here", template.word)]
                self._error("XMP-E125", message, array.align.template, notes, f"add: distribute {template.name} ... onto ...")
                continue
            for d, width in enumerate(array.shadow or ()):
                if array.format(d) == "cyclic" and not width.full and (width.lower, width.upper) != ("0", "0"):
                    message = f"dimension {d + 1} of '{array.name}' is cyclic and cannot have a shadow of a width"
                    notes = [("the template is distributed here", template.distribution.template)]
                    self._error("XMP-E143", message, width.word, notes, "only a full shadow `*` is possible there")

    # ---- references ----
    def named(self, word, scope, position, kind):
        """The entity of that name and kind, or None after an error."""
        entity = self.lookup(word.text, scope, position)
        if isinstance(entity, kind):
            return entity
        if entity is not None:
            return self.of_another_kind(word, entity, kind.what)
        self._undeclared(word, kind.what, self.visible(scope, position, kind), scope, position)
        return None

    def of_another_kind(self, word, entity, what):
        message = f"'{word.text}' is a {entity.what}, not a {what}"
        self._error("XMP-E118", message, word, [(f"'{word.text}' is declared here", entity.word)])

    def _undeclared(self, word, what, candidates, scope, position):
        """Tells it once for each name."""
        if word.text in self._doubtful:
            return
        self._doubtful.add(word.text)
        same = next((entity for entity in self.order if entity.name == word.text), None)
        if isinstance(same, ArrayEntity) and same.what != what:
            return self.of_another_kind(word, same, what)
        candidates = list(candidates)
        meant = nearest(word.text, candidates)
        unread = [] if meant else self.unread_modules(scope)
        help = f"did you mean '{meant}'?" if meant else COMPILE_FIRST if unread else self._declaration(word.text, what)
        notes = unread or self._elsewhere(word, meant, candidates)
        self._error("XMP-E119", f"the {what} '{word.text}' is not declared", word, notes, help)

    def _elsewhere(self, word, meant, candidates):
        """The note at the declaration of the name that may be meant, of the same name that is not visible, of the only one
        there is, or of the last template that nothing has distributed."""
        same = next((entity for entity in self.order if entity.name == word.text), None)
        if same is not None and not meant:
            return [("it is declared in a later line or another scope", same.word)]
        name = meant or (candidates[0] if len(candidates) == 1 else None)
        found = next((entity for entity in self.order if entity.name == name), None)
        if found is None:
            waiting = [one for one in self.order if isinstance(one, TemplateEntity) and one.formats is None]
            last = next((one for one in reversed(waiting) if one.name in candidates), None)
            return [(f"'{last.name}' is declared here, and not yet distributed", last.word)] if last is not None else []
        return [(f"'{name}' is declared here" if meant else f"the only {found.what} here is '{name}'", found.word)]

    def _declaration(self, name, what):
        """What to write above for a name that nothing declares; None for arrays, which the language's own declarations make."""
        shapes = {"node array": ("nodes", "*"), "template": ("template", "n")}
        if what not in shapes:
            return None
        directive, shape = shapes[what]
        if self.language == "C":
            return f"declare it above: #pragma xmp {directive} {name}[{shape}]"
        return f"declare it above: !$xmp {directive} {name}({shape})"

    def reference(self, reference, scope, position, kinds=(NodesEntity, TemplateEntity)):
        """The ResolvedReference of an on, from or `nodes =` clause, or None after an error."""
        if reference.name == "*":
            return ResolvedReference(None, [], reference.word)
        entity = self.lookup(reference.name, scope, position)
        what = kinds[0].what if len(kinds) == 1 else "node array or template"
        if entity is None:
            self._undeclared(reference.word, what, self.visible(scope, position, kinds), scope, position)
            return None
        if not isinstance(entity, kinds):
            return self.of_another_kind(reference.word, entity, what)
        if isinstance(entity, TemplateEntity) and not self._usable(entity, reference.word):
            return None
        subscripts = reference.subscripts or []
        if reference.subscripts is not None and len(subscripts) != entity.rank:
            self.wrong_rank(entity, len(subscripts), reference.word, "subscripts")
            return None
        is_nodes = isinstance(entity, NodesEntity)
        shift = -1 if is_nodes and reference.bracket == "(" else 0
        resolved = [self._subscript(s, shift) for s in subscripts]
        return ResolvedReference(entity, in_order(resolved, reference.bracket, entity.bracket), reference.word)

    def _usable(self, template, word):
        """Whether a reference to the template makes sense: it is distributed."""
        if template.formats is not None:
            return True
        if template.distribution is None and template.name not in self._doubtful:
            message = f"the template '{template.name}' is not distributed"
            notes = [("it is declared here", template.word)]
            self._error("XMP-E125", message, word, notes, f"add: distribute {template.name} ... onto ...")
        return False

    def _subscript(self, s, shift):
        move = (lambda e: plus(e.text, shift)) if shift else (lambda e: e.text)
        if s.kind == tree.SCALAR:
            return ResolvedSubscript(s.kind, move(s.first), move(s.first), "1", s)
        if s.kind == tree.RANGE:
            step = s.step.text if s.step else "1"
            if integer(step) == 0:
                self._error("XMP-E104", "the step of a section cannot be 0", s.step.word)
            return ResolvedSubscript(s.kind, move(s.first) if s.first else None, move(s.last) if s.last else None, step, s)
        return ResolvedSubscript(s.kind, source=s)

    def wrong_rank(self, entity, given, word, what, help=None):
        message = f"'{entity.name}' has {counted_dimensions(entity.rank)}, but {counted(given, what[:-1])} given"
        self._error("XMP-E122", message, word, [(f"the {entity.what} is declared here", entity.word)], help)


def _formats(count):
    return counted(count, "format")
