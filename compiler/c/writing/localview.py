"""Directives of the local view (specification 5.4, 5.8.2 to 5.8.4): one call each."""

from ...semantics.entities import NodesEntity
from ..reading import types
from .texts import object_name, on_text


class LocalView:
    """Part of the walk."""

    def __init__(self, lowering):
        self.lowering = lowering
        self.context = lowering.context
        self._statements = {
            "image": self._image,
            "lock": self._lock,
            "post": self._post,
            "sync_memory": self._sync_memory,
            "unlock": self._unlock,
            "wait": self._wait,
        }

    def statement(self, node, directive):
        """The C statement for a stand-alone directive, or None if it is none of these."""
        handler = self._statements.get(directive.kind)
        if handler is None:
            return None
        self.context.local_view = True
        return handler(node, directive) or ";"

    def _sync_memory(self, node, directive):
        return "xmp_sync_memory(NULL);"

    def _image(self, node, directive):
        entity = self.context.model.named(directive.nodes, node.scope, node.first, NodesEntity)
        return entity and f"XMP_Image({self.context.site_of(directive)}, {object_name(entity)});"

    # ---- post and wait ----
    def _post(self, node, directive):
        on, tag = self._node(node, directive.node), self._value(node, directive.tag)
        return f"XMP_Post({self.context.site_of(directive)}, {on}, {tag});"

    def _wait(self, node, directive):
        on = "NULL" if directive.node is None else self._node(node, directive.node)
        tag = "NULL" if directive.tag is None else f"&(const int){{{self._value(node, directive.tag)}}}"
        return f"XMP_Wait({self.context.site_of(directive)}, {on}, {tag});"

    def _node(self, node, reference):
        """One node of a node array."""
        resolved = self.context.reference(reference, node)
        if resolved is None:
            return "NULL"
        if not isinstance(resolved.entity, NodesEntity):
            what = "the executing set" if resolved.entity is None else f"the template '{resolved.entity.name}'"
            self.context.error("XMP-E217", f"post and wait name one node, not {what}", reference.word)
        elif any(subscript.kind != "scalar" for subscript in resolved.subscripts):
            self.context.error("XMP-E217", "post and wait name one node, not a section", reference.word)
        return on_text(resolved)

    # ---- lock and unlock ----
    def _lock(self, node, directive):
        variable = self._lock_variable(node, directive.variable)
        acquired, status = self._address(node, directive.acquired), self._address(node, directive.status)
        return variable and f"XMP_Lock({self.context.site_of(directive)}, {variable}, {acquired}, {status});"

    def _unlock(self, node, directive):
        variable = self._lock_variable(node, directive.variable)
        status = self._address(node, directive.status)
        return variable and f"XMP_Unlock({self.context.site_of(directive)}, {variable}, {status});"

    def _lock_variable(self, node, expression):
        """The arguments coarray, image, mine; None after an error."""
        tree = self.context.expression(expression, node)
        if tree is None:
            return None
        if not (isinstance(tree.type, types.Typedef) and tree.type.name == "xmp_lock_t"):
            self.context.error(
                "XMP-E207",
                f"'{expression.text}' is no lock",
                expression.word,
                help="declare a coarray of type xmp_lock_t, and name one element of it",
            )
            return None
        found = self.lowering.atomics.variable(tree, "a lock")
        return found and f"{found[0].descriptor}, {found[2]}, &{found[1]}"

    # ---- expressions in directives ----
    def _value(self, node, expression):
        """The text of a value."""
        tree = self.context.expression(expression, node)
        if tree is None:
            return "0"
        self.lowering.visit(tree)
        return self.context.spelling(tree)

    def _address(self, node, expression):
        """The address of a variable, NULL for a missing clause."""
        return "NULL" if expression is None else f"&({self._value(node, expression)})"
