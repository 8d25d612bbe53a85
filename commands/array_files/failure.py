"""What is wrong with a file or with what was asked of it: one message, exit code 2."""


class Failure(Exception):
    pass
