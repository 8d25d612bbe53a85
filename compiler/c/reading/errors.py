"""What can go wrong in the C front end."""


class PreprocessingFailed(Exception):
    """gcc refused to preprocess: `output` is its own message, `status` its exit code."""

    def __init__(self, output, status):
        super().__init__(output)
        self.output = output
        self.status = status


class InvalidSyntax(Exception):
    """The parser does not understand the text at file:line:column (column 0: not known).

    `compiler_output` is set when gcc rejects the program too: then its message is the better one. Otherwise it is our
    limitation, or XMP syntax that gcc does not know, and `message` says so."""

    def __init__(self, file, line, column, message, compiler_output=None):
        super().__init__(compiler_output or f"{file}:{line}:{column or 1}: {message}")
        self.file = file
        self.line = line
        self.column = column
        self.message = message
        self.compiler_output = compiler_output
