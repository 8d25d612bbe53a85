"""What every translator, of C and of Fortran, gives to the driver."""


class Result:
    """text: the translated program, None after an error. diagnostics: all messages, one text. ok: whether there is no error."""

    __slots__ = ("text", "diagnostics", "ok")

    def __init__(self, text, diagnostics, ok):
        self.text = text
        self.diagnostics = diagnostics
        self.ok = ok
