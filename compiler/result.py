"""What every translator, of C and of Fortran, gives to the driver."""


class Result:
    """text: the translated program, None after an error. diagnostics: all messages, one text. ok: whether there is no error.
    language: the plan.Language with the plan, None where it did not come to one."""

    __slots__ = ("text", "diagnostics", "ok", "language")

    def __init__(self, text, diagnostics, ok, language=None):
        self.text = text
        self.diagnostics = diagnostics
        self.ok = ok
        self.language = language
