"""Coarrays: their declarations become pointers to this image's block, their names what the pointers lead to.

    int a[10]:[*];            ->  int (*restrict a)[10]; XMP_Coarray *a_xmp;
    ... a[i] ... sizeof a     ->  ... (*a)[i] ... sizeof (*a)

`restrict` on a pointer at file scope tells gcc that two coarrays do not overlap, so that loops over them become the code that
they are with static arrays (tests/compiler/coarrays); whatever else points into a block is still taken to do so. The unit's
declare function sets pointer and descriptor. A static coarray of a function lives outside it under another name."""

from ...directives.words import parenthesised
from ...plan.coarrays import Allocation, Declaration
from ..reading import syntax, types
from .elements import type_text
from .lvalues import quoted_text
from .references import use_of
from .texts import object_name, quoted


class Coarrays:
    """Part of the walk. declarations: the unit's lowering.declarations.Declarations, which collects what happens at start."""

    def __init__(self, context, declarations):
        self.context = context
        self.edits = context.edits
        self.declarations = declarations
        self.noted_before = set()  # elements that are noted in front of the loop around
        self._created = set()  # Coarrays whose declare call is recorded

    # ---- declarations ----
    def declaration(self, node, visit):
        """The coarrays among the declarators of a Declaration. Returns the declarators that are gone; visit: the walk."""
        self._prototypes(node.declarators)
        self._sizes(node.declarators, visit)
        for declarator in node.declarators:
            if self.context.key(declarator) in self.context.coarrays.pointers:
                self._drop_codimensions(declarator)
        found = [(d, self.context.coarrays.get(self.context.key(d))) for d in node.declarators if d.kind == "variable"]
        found = [(d, coarray) for d, coarray in found if coarray is not None]
        added, moved = [], [d for d, coarray in found if coarray.kind == "static"]
        for declarator, coarray in found:
            self._check(declarator, coarray)
            if declarator in moved:
                self._outside(declarator, coarray, visit)
            else:
                self._drop_codimensions(declarator)
                added += self._in_place(node, declarator, coarray)
        if moved and len(moved) == len(node.declarators):
            self.edits.override(node.first, node.last, "")
        elif moved:
            self.declarations.remove_declarators(node, moved)
        if added:
            self.edits.after(node.last, " " + " ".join(added))
        return moved

    def _sizes(self, declarators, visit):
        """Sizes of arrays that mention coarrays: `double local[count]`."""
        for declarator in declarators:
            for array in types.array_shape(declarator.type)[0]:
                own = array.first is not None and declarator.first <= array.first <= declarator.last
                if own and array.size is not None and array.size.constant() is None:
                    visit(array.size)

    def _prototypes(self, declarators):
        """Codimensions of parameters, also of functions that pointers lead to."""
        for declarator in declarators:
            inner = types.resolve(declarator.type)
            while isinstance(inner, (types.Pointer, types.Array)):
                inner = types.resolve(types.pointed(inner))
            if isinstance(inner, types.Function):
                parameters = [p for p in inner.parameters or () if p.tokens is declarator.tokens]
                self._prototypes([p for p in parameters if declarator.first <= p.first <= declarator.last])
                for parameter in parameters:
                    self._drop_codimensions(parameter)

    def _drop_codimensions(self, declarator):
        """Deletes `:[2][*]`."""
        if declarator.codimensions is None:
            return
        tokens, first = declarator.tokens, declarator.first if declarator.name_index is None else declarator.name_index + 1
        while tokens[first].text != ":" or tokens[first + 1].text != "[":
            first += 1
        last = first + 1
        for _ in declarator.codimensions:
            last = _closing(tokens, last) + 1
        self.edits.delete(first, last - 1)

    def _in_place(self, node, declarator, coarray):
        """The pointer takes the place of the object; a declaration with an initialiser stays, under another name, as the
        object with the initial value."""
        storage = f"{node.storage} " if node.storage in ("static", "extern") else ""
        descriptor = f"{storage}XMP_Coarray *{coarray.descriptor};"
        self._create(declarator, coarray)
        if declarator.initializer is None:
            self.edits.replace(declarator.name_index, declarator.name_index, f"(*restrict {coarray.holder})")
            return [descriptor]
        self.edits.replace(declarator.name_index, declarator.name_index, coarray.initial)
        return [f"{storage}__typeof__({coarray.initial}) *restrict {coarray.holder};", descriptor]

    def _outside(self, declarator, coarray, visit):
        """A static coarray of a function: declared before the function."""
        function = next(a for a in declarator.ancestors() if isinstance(a, syntax.FunctionDefinition))
        texts = []
        if declarator.initializer is None:
            texts.append(f"static {type_text(declarator.type, f'(*restrict {coarray.holder})')};")
        else:
            visit(declarator.initializer)
            value = self.context.spelling(declarator.initializer)
            self.edits.override(declarator.initializer.first, declarator.initializer.last, "")
            texts.append(f"static {type_text(declarator.type, coarray.initial)} = {value};")
            texts.append(f"static __typeof__({coarray.initial}) *restrict {coarray.holder};")
        texts.append(f"static XMP_Coarray *{coarray.descriptor};")
        self.edits.before(function.first, " ".join(texts) + " ")
        self._create(declarator, coarray)

    def _create(self, declarator, coarray):
        """What the declare function does for a coarray; for one that is only extern, the check function."""
        if not self._defined(coarray):
            if coarray not in self._created and declarator.scope.kind == "file" and _complete(declarator.type):
                statement = f"XMP_Coarray_expect({coarray.descriptor}, {quoted(coarray.name)}, sizeof *{coarray.holder});"
                self.declarations.expected.append((declarator.token, statement))
                self._created.add(coarray)
            return
        if not self._is_definition(declarator, coarray):
            return
        values = {"rank": len(types.array_shape(declarator.type)[0]), "initial": declarator.initializer is not None}
        values.update(name=coarray.name, type=type_text(declarator.type), codimensions=coarray.codimensions)
        step = self.context.planned(Declaration(None, declarator, **values))
        self.declarations.created.append((declarator.first, declarator.token, _declare(coarray, step)))
        self._created.add(coarray)

    def _defined(self, coarray):
        return any(d.storage != "extern" for d in self._declarators(coarray))

    def _is_definition(self, declarator, coarray):
        """Of several declarations the one with the initialiser, else the first that is not extern."""
        candidates = [d for d in self._declarators(coarray) if d.storage != "extern"]
        return declarator is next((d for d in candidates if d.initializer is not None), candidates[0])

    def _declarators(self, coarray):
        return self.declarations.definitions.get(self.context.key(coarray.declarator)) or [coarray.declarator]

    def _check(self, declarator, coarray):
        element = types.element_type(declarator.type)
        inner = types.resolve(element)
        nameless = isinstance(inner, types.Struct) and not inner.tag and type_text(element).strip() in ("struct", "union")
        local = coarray.kind == "static" and _local_type(element)
        if local or coarray.kind == "static" and nameless:
            self.context.error(
                "XMP-E190",
                f"the type of the static coarray '{coarray.name}' is declared inside the function",
                coarray.word,
                help="declare the type, or the coarray, at file scope",
            )
        if self.context.model.array(self.context.key(declarator)) is not None:
            self.context.error(
                "XMP-E190",
                f"'{coarray.name}' is both aligned and a coarray",
                coarray.word,
                help="pass the global array to a function with a coarray parameter: it is one through its local section",
            )

    # ---- functions ----
    def function(self, node):
        """Parameters: their descriptors come first in the body."""
        self._prototypes([node.declarator])
        texts = []
        for parameter in node.declarator.type.parameters or ():
            coarray = self.context.coarrays.get(parameter)
            if coarray is not None and coarray.pinned is None and self._described(node, parameter):
                site = self.context.code_site(parameter)
                texts.append(f"XMP_Coarray *const {coarray.descriptor} = XMP_Coarray_of({site}, {coarray.name});")
        if texts:
            self.edits.after(node.body.first, " " + " ".join(texts))

    def _described(self, function, parameter):
        """Whether a function needs the descriptor of a parameter: for an image index, an atomic operation or a lock."""
        for use in self.context.uses.get(parameter, ()):
            for ancestor in use.ancestors():
                if isinstance(ancestor, syntax.CoarrayReference):
                    return True
                if isinstance(ancestor, syntax.Call) and getattr(ancestor.function, "name", "").startswith("xmp_atomic_"):
                    return True
        directives = [part for part in function.body.walk() if isinstance(part, syntax.Directive)]
        locks = [part for part in directives if part.name in ("lock", "unlock")]
        return any(token.text == parameter.name for part in locks for token in part.tokens[part.first : part.last])

    def directive(self, node, parsed):
        """What stands in place of `coarray a:[*]` (nothing) and `coarray on p :: a`."""
        return " ".join(text for one in parsed if one.on is not None for text in [self._pin(node, one)] if text)

    def _pin(self, node, one):
        entity = self.context.model.lookup(one.on.name, node.scope, node.first)
        texts = []
        for name in one.names:
            declarator = node.scope.lookup(name.text, node.first)
            coarray = declarator and self.context.coarrays.get(self.context.key(declarator))
            if coarray is not None and entity is not None:
                texts += self._pinned(node, one, coarray, object_name(entity))
        return " ".join(texts)

    def _pinned(self, node, one, coarray, nodes):
        descriptor, site = coarray.descriptor, self.context.site_of(one)
        if coarray.kind == "parameter":
            whole = f"XMP_Coarray_of({site}, {coarray.name})"
            return [f"XMP_Coarray *{descriptor} XMP_SCOPED(XMP_Coarray_release) = XMP_Coarray_on({site}, {whole}, {nodes});"]
        statement = f"{descriptor} = XMP_Coarray_on({site}, {descriptor}, {nodes});"
        if coarray.kind == "static":
            self.context.error("XMP-E213", f"'{coarray.name}' is declared inside a function", one.names[0])
        elif self._defined(coarray):
            self.declarations.created.append((node.first, node.token, statement))
        return []

    # ---- memory of coarray pointers ----
    def allocation(self, node, visit):
        """xmp_comalloc(bytes, coextents ...): what it is assigned to says how many codimensions it has, and its elements."""
        for argument in node.arguments:
            visit(argument)
        if not node.arguments:
            self.context.error("XMP-E221", "xmp_comalloc takes a number of bytes, and the sizes of codimensions", node)
            return
        target = _assigned(node)
        pointer = None if target is None else self.context.coarray_pointer(target)
        if target is not None and not self._takes(node, target, pointer):
            return
        bytes_, *coextents = (self.context.spelling(argument) for argument in node.arguments)
        name, codimensions = (pointer.name, len(pointer.codimensions)) if pointer is not None else (None, None)
        step = Allocation(None, node, name=name, codimensions=codimensions, bytes=bytes_, coextents=coextents)
        element = "1" if pointer is None else f"sizeof *{parenthesised(_shown(target))}"
        self.edits.override(node.first, node.last, _allocate(self.context.code_site(node), self.context.planned(step), element))

    def _takes(self, node, target, pointer):
        """Whether a variable may be given memory of xmp_comalloc with so many coextents; if not, that is an error."""
        if pointer is None:
            declared = getattr(target, "declaration", None) or getattr(target, "field", None) or target
            notes = [("it is declared here", declared.word)] if isinstance(declared, syntax.Declarator) else ()
            help = "declare it with as many `[]` as image indices, for example: double (*x)[10]:[]"
            self.context.error("XMP-E221", f"'{_shown(target)}' is no coarray pointer", node, notes, help)
        elif len(node.arguments) != len(pointer.codimensions):
            corank, given = len(pointer.codimensions), len(node.arguments) - 1
            message = f"'{pointer.name}' has {corank} codimension{'s' * (corank != 1)}: "
            message += f"xmp_comalloc takes the sizes of all but the last, {corank - 1}, and not {given}"
            self.context.error("XMP-E221", message, node, [("it is declared here", pointer.word)])
        else:
            return True
        return False

    # ---- uses ----
    def identifier(self, node, coarray):
        if coarray.kind == "parameter":
            return
        if _in_constant(node):
            self.context.error(
                "XMP-E214",
                f"the address of the coarray '{coarray.name}' is not known before the program starts",
                node,
                help="assign it in main",
            )
        self.edits.replace(node.first, node.last, f"(*{coarray.holder})")

    def note(self, node):
        """With --check: the use of this image's own element, which an Identifier begins, is told to the runtime."""
        element = used_element(node)
        if element is None or element in self.noted_before:
            return
        writes = int(use_of(element)[1])
        self.edits.before(element.first, f"XMP_USE({quoted_text(self.context, element)}, {writes}, ")
        self.edits.after(element.last, ")")


def used_element(node):
    """The largest lvalue of this image that an Identifier begins, if it is one value that is used here; else None."""
    largest = node
    while isinstance(largest.parent, (syntax.Subscript, syntax.Member, syntax.Parenthesized)):
        parent = largest.parent
        if isinstance(parent, syntax.Subscript) and parent.base is not largest:
            break  # a subscript of something else
        through_pointer = isinstance(parent, syntax.Subscript) and not isinstance(types.resolve(largest.type), types.Array)
        if through_pointer or isinstance(parent, syntax.Member) and parent.arrow:
            break
        largest = parent
    around = largest.parent
    if isinstance(around, (syntax.CoarrayReference, syntax.Section)) and around.base is largest:
        return None
    if isinstance(around, syntax.Unary) and around.operator == "&":
        return None
    if isinstance(types.resolve(largest.type), (types.Array, types.Function)):
        return None
    if isinstance(largest, syntax.Member) and largest.field is not None and largest.field.bit_width is not None:
        return None
    inside = [largest, *largest.ancestors()]
    evaluated = any(isinstance(part, syntax.FunctionDefinition) for part in inside)
    return largest if evaluated and not any(isinstance(part, (syntax.SizeOf, syntax.Directive)) for part in inside) else None


def _declare(coarray, step):
    """The statements for a Declaration."""
    holder, descriptor, initial = coarray.holder, coarray.descriptor, f"&{coarray.initial}" if step.initial else "NULL"
    call = (
        f"{descriptor} = XMP_Coarray_declare({quoted(step.name)}, sizeof *{holder}, {initial}); {holder} = {descriptor}->base;"
    )
    return call + _shape(descriptor, f"(*{holder})", step.rank)


def _allocate(site, step, element):
    """The call for an Allocation. element: text of the size of what the pointer points to."""
    sizes = f"(const int[]){{{', '.join(step.coextents)}}}" if step.coextents else "NULL"
    name = quoted(step.name or "xmp_comalloc")
    return f"XMP_Coarray_allocate({site}, {name}, {step.bytes}, {element}, {len(step.coextents)}, {sizes})"


def _assigned(call):
    """The expression or the Declarator that gets a call's value, without casts on the way; None if there is none."""
    node = call
    while isinstance(node.parent, (syntax.Parenthesized, syntax.Cast)):
        node = node.parent
    parent = node.parent
    if isinstance(parent, syntax.Assign) and node is parent.value:
        return syntax.bare(parent.target)
    return parent if isinstance(parent, syntax.Declarator) else None


def _shown(target):
    return target.name if isinstance(target, syntax.Declarator) else target.text()


def _complete(type_):
    """Whether the size is known: not of `extern int a[]:[*]`."""
    inner = types.resolve(type_)
    return not isinstance(inner, types.Array) or inner.size is not None


def _closing(tokens, opening):
    """Index of the `]` that closes the `[` at `opening`."""
    depth, index = 0, opening
    while True:
        depth += {"[": 1, "]": -1}.get(tokens[index].text, 0)
        if depth == 0:
            return index
        index += 1


def _in_constant(node):
    """Whether an identifier stands in the initialiser of a static object, outside sizeof."""
    for ancestor in node.ancestors():
        if isinstance(ancestor, syntax.SizeOf):
            return False
        if isinstance(ancestor, syntax.Declarator):
            return ancestor.scope.kind == "file" or ancestor.storage == "static"
        if isinstance(ancestor, syntax.FunctionDefinition):
            return False
    return False


def _local_type(type_):
    """Whether a type name is declared inside a function."""
    return isinstance(type_, types.Typedef) and type_.declaration is not None and type_.declaration.scope.kind != "file"


def _shape(descriptor, whole, rank):
    """The call that tells an array's dimensions."""
    parts = [whole + "[0]" * d for d in range(rank + 1)]
    sizes = ", ".join(f"sizeof {outer} / sizeof {inner}" for outer, inner in zip(parts, parts[1:]))
    return f" XMP_Coarray_shape({descriptor}, sizeof {parts[-1]}, {rank}, (const XMP_Index[]){{{sizes}}});" if rank else ""
