"""master_io (specification D.3): one I/O statement that the first node of the executing set executes for all."""

from .step import Step


class MasterIo(Step):
    """kind: the statement, such as write; place: of the statement itself, whether a directive of its own, of a block or a
    command line makes it master I/O. arrays: the ArrayEntities that pass as a whole; elements: those of which elements pass;
    replicated: texts of the variables that the master's values go to."""

    fields = ("kind", "arrays", "elements", "replicated")

    def validate(self):
        self.require(self.kind in STATEMENTS, f"is of the kind '{self.kind}'")


STATEMENTS = ("open", "close", "read", "write", "print", "backspace", "endfile", "rewind", "inquire")
