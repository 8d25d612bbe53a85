"""What every translator, of C and of Fortran, gives to the driver."""

from .record import Record


class Result(Record):
    """text: the translated program, None after an error. diagnostics: all messages, one text. ok: whether there is no error.
    language: the plan.Language with the plan, None where it did not come to one."""

    fields = ("text", "diagnostics", "ok", "language")
    language = None
