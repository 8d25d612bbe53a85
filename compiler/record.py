"""Data with names, without a line for each of them."""


class Record:
    """fields: in the order in which values are given. Those that may be left out have their value in the class."""

    fields = ()

    def __init__(self, *values, **named):
        self.__dict__.update(zip(self.fields, values), **named)
