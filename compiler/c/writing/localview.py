"""Directives of the local view: one call each."""

from ...plan.coarrays import Image, Lock, Post, SyncMemory, Unlock, Wait
from .part import Part
from .texts import object_name, on_text


class LocalView(Part):
    """Part of the walk."""

    def statement(self, site, step):
        """The C statement for a Step of plan.coarrays."""
        self.context.local_view = True
        return WRITERS[type(step)](self, site, step) or ";"

    def _image(self, site, step):
        return step.nodes and f"XMP_Image({site}, {object_name(step.nodes)});"

    def _post(self, site, step):
        return f"XMP_Post({site}, {on_text(step.node)}, {self._value(step.tag)});"

    def _wait(self, site, step):
        tag = "NULL" if step.tag is None else f"&(const int){{{self._value(step.tag)}}}"
        return f"XMP_Wait({site}, {on_text(step.node)}, {tag});"

    def _lock(self, site, step):
        variable, addresses = self._lock_variable(step), [self._address(step.acquired), self._address(step.status)]
        return variable and f"XMP_Lock({site}, {variable}, {', '.join(addresses)});"

    def _unlock(self, site, step):
        variable, status = self._lock_variable(step), self._address(step.status)
        return variable and f"XMP_Unlock({site}, {variable}, {status});"

    def _sync_memory(self, site, step):
        return "xmp_sync_memory(NULL);"

    def _lock_variable(self, step):
        """The arguments coarray, image, mine; None after an error."""
        found = step.variable and self.lowering.atomics.variable(step.variable, "a lock")
        return found and f"{found[0]}, {found[2]}, &{found[1]}"

    def _value(self, expression):
        return expression and self.lowering.spelled(expression)

    def _address(self, expression):
        """The address of a variable, NULL for a missing clause."""
        return "NULL" if expression is None else f"&({self._value(expression)})"


WRITERS = {
    Image: LocalView._image,
    Lock: LocalView._lock,
    Post: LocalView._post,
    SyncMemory: LocalView._sync_memory,
    Unlock: LocalView._unlock,
    Wait: LocalView._wait,
}
