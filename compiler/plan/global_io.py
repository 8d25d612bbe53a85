"""Global I/O of Fortran (specification, appendix D.4): statements that read and write the file of all nodes, and what completes
them."""

from .step import Step


class Transfer(Step):
    """One statement under global_io. statement: open, close, read or write; access: collective, atomic or direct; arrays: the
    global arrays among its items."""

    fields = ("statement", "access", "arrays")

    def validate(self):
        self.require(self.statement in ("open", "close", "read", "write"), f"has the statement {self.statement}")
        self.require(not self.arrays or self.access == "collective", "moves a global array by one node")


class Synchronisation(Step):
    """D.4.1. unit: an Expression."""

    fields = ("unit",)
