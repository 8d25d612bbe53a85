"""What all parts of the walk have in common."""


class Part:
    """lowering: the walk, which visits nodes and has the other parts."""

    def __init__(self, lowering):
        self.lowering, self.context, self.edits = lowering, lowering.context, lowering.context.edits
