"""Declarations: arrays become descriptors, directives become the calls that create nodes, templates and arrays; at file
scope in the unit's declare function, inside functions in place."""

from ...plan import mapping as plan
from ..reading import syntax, types
from . import mapping
from .elements import shape, type_text
from .texts import object_name, quoted

_TYPES = {plan.Nodes: "XMP_Nodes", plan.Template: "XMP_Template"}


class Declarations:
    """Lowers declarative directives and the declarations of global arrays of one unit."""

    def __init__(self, context):
        self.context = context
        self.created = []  # (position, token, statement) of the declare function
        self.expected = []  # (token, statement) of the check function
        self.definitions = _definitions(context)

    # ---- directives ----
    def directive(self, node, parsed, behind=None):
        """Replaces a declarative directive by nothing (file scope) or by its calls, which may have to stand behind a token."""
        write = self._at_file_scope if node.scope.kind == "file" else self._in_block
        text = " ".join(filter(None, (write(step) for step in plan.declarations(self.context, parsed, node))))
        self.context.edits.replace(node.first, node.last, text if behind is None else "")
        if behind is not None:
            self.context.edits.after(behind, " " + text)

    def _at_file_scope(self, step):
        """The variables stand where the directive stood; their values come from the declare function."""
        if isinstance(step, plan.Array):
            return self._array(step)
        statement = mapping.call(self.context, step) + ";"
        variable = "" if isinstance(step, plan.Distribute) else f"{object_name(step.entity)} = "
        self._create(step.place, variable + statement)
        return variable and f"static {_TYPES[type(step)]} *{object_name(step.entity)};"

    def _in_block(self, step):
        if isinstance(step, plan.Array):
            return self._array(step)
        variable = ""
        if not isinstance(step, plan.Distribute):
            type_ = _TYPES[type(step)]
            variable = f"{type_} *{object_name(step.entity)} XMP_SCOPED({type_}_release) = "
        return f"{variable}{mapping.call(self.context, step)};"

    def _create(self, node, statement):
        self.created.append((node.first, node.token, statement))

    # ---- arrays ----
    def _array(self, step):
        """The creation of an array; of one at file scope in the declare function."""
        context, array, node = self.context, step.array, step.place
        declarator, arguments = array.symbol.declaration, mapping.array_arguments(context, array)
        name, site = object_name(array), context.site_of(step.directive)
        if array.symbol.scope.kind == "file":
            if self._defined(array):
                self._create(node, f"{name} = XMP_Array_declare({site}, {arguments});")
            else:
                self.expected.append((node.token, f"XMP_Array_expect({site}, {name}, {arguments});"))
            return ""
        if declarator.kind == "parameter":
            return f"XMP_Array *{name} XMP_SCOPED(XMP_Array_release) = XMP_Array_argument({site}, {arguments}, {array.name});"
        once = f"if (!{name}) " if declarator.storage == "static" else ""
        return f"{once}{name} = XMP_Array_declare({site}, {arguments});"

    def _defined(self, array):
        return any(d.storage != "extern" for d in self.definitions.get(array.symbol.key, ()))

    # ---- declarations in C ----
    def declaration(self, node):
        """Replaces the global arrays among the declarators of a Declaration by descriptors."""
        context = self.context
        found = [(d, context.model.array(context.key(d))) for d in node.declarators if d.kind == "variable"]
        found = [(d, array) for d, array in found if array is not None and array.dimensions is not None]
        members = self._members(node)
        if not found and not members:
            return
        added = " ".join(self._descriptor(node, d, array) for d, array in (*found, *members))
        removed = [d for d, array in found if not shape(d.type)[2]]
        if len(removed) == len(node.declarators) and not _defines_type(node):
            context.edits.replace(node.first, node.last, added)
            return
        self.remove_declarators(node, removed)
        context.edits.after(node.last, " " + added)

    def _members(self, node):
        """Members of the declared structures that are global arrays (MAP-18). The structure may have no other use."""
        context, found = self.context, []
        for declarator in node.declarators:
            for member in context.members.separated.get(declarator, ()):
                array = context.model.array(context.key(member))
                if array is not None and array.dimensions is not None:
                    found.append((member, array))
                    if node.storage == "static" and member is context.members.separated[declarator][0]:
                        context.edits.after(declarator.name_index, " __attribute__((unused))")
        return found

    def _descriptor(self, node, declarator, array):
        name = object_name(array)
        self._check(declarator, array)
        if declarator.scope.kind == "file":
            storage = f"{node.storage} " if node.storage in ("static", "extern") else ""
            return f"{storage}XMP_Array *{name};"
        if node.storage == "static":
            return f"static XMP_Array *{name};"
        return f"XMP_Array *{name} XMP_SCOPED(XMP_Array_release) = NULL;"

    def _check(self, declarator, array):
        context = self.context
        word = declarator.word
        if declarator.scope.kind != "file" and declarator.storage == "extern":
            message = f"the extern declaration of '{array.name}' inside a function is not supported"
            context.error("XMP-E190", message, word, help="declare it at file scope")
        if declarator.storage == "static" and declarator.scope.kind != "file" and array.template.scope.kind != "file":
            message = f"the static array '{array.name}' lives longer than the template '{array.template.name}'"
            notes = [("the template is declared here", array.template.word)]
            context.error("XMP-E136", message, word, notes, "declare the template at file scope")
        element, _, _ = shape(declarator.type)
        inner = types.resolve(element)
        if isinstance(inner, types.Struct) and not inner.tag and type_text(element).strip() in ("struct", "union"):
            context.error(
                "XMP-E190", f"the elements of '{array.name}' have a type without a name", word, help="give the struct a name"
            )

    def remove_declarators(self, node, removed):
        """Deletes some declarators with a comma each, or all of them behind a type definition."""
        edits, kept = self.context.edits, [d for d in node.declarators if d not in removed]
        if not kept:
            if removed:
                edits.delete(removed[0].first, removed[-1].last)
            return
        for d in removed:
            number = node.declarators.index(d)
            if number + 1 < len(node.declarators):
                edits.delete(d.first, node.declarators[number + 1].first - 1)
            else:
                edits.delete(node.declarators[number - 1].last + 1, d.last)

    # ---- the unit ----
    def epilogue(self):
        """The lines after the user's: the unit's declare and check functions and their registration."""
        lines = ["/* What this file declares at start, in source order. */"] if self.created else []
        if self.created:
            lines += self._function("xmp_declare", [(token, s) for _, token, s in sorted(self.created, key=lambda c: c[0])])
        if self.expected:
            lines += self._function("xmp_check", self.expected)
        declare, check = ("xmp_declare" if self.created else "NULL"), ("xmp_check" if self.expected else "NULL")
        path = self.context.unit.source.path
        lines.append(f"static XMP_Unit xmp_unit = {{XMP_ABI_VERSION, {quoted(path)}, {declare}, {check}, NULL}};")
        transport = self.context.transport
        chosen = f"XMP_Default_transport({quoted(transport)}); " if transport else ""
        chosen += "XMP_Check_start(); " if self.context.check else ""
        lines.append(f"__attribute__((constructor)) static void xmp_register(void) {{ {chosen}XMP_Register(&xmp_unit); }}")
        return lines

    def _function(self, name, statements):
        lines = [f"static void {name}(void) {{"]
        for token, statement in statements:
            lines.append(f"#line {token.line} {quoted(token.file)}")
            lines.append("    " + statement)
        lines.append("}")
        return lines


def _definitions(context):
    found = {}
    for item in context.unit.items:
        if isinstance(item, syntax.Declaration):
            for declarator in item.declarators:
                for one in (declarator, *context.members.separated.get(declarator, ())):
                    found.setdefault(context.key(one), []).append(one)
    return found


def _defines_type(node):
    """Whether the specifiers define a struct, union or enum that must stay."""
    return any(node.tokens[i].text == "{" for i in range(node.first, node.specifiers_last + 1))
