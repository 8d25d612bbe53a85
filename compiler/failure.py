"""How a command of the compiler ends early."""


class Failure(Exception):
    """Ends the command with a message and an exit code."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code
