"""What the compiler warns of in right-looking programs: places that compile, and give another result than the serial program
or wait for ever. Only what can be seen for sure is told; `xmpcc --check` finds the rest when the program runs."""


def advise(context):
    """After everything was read and translated: the model is complete, the tree is the user's."""
    from .conditions import Conditions
    from .elements import Elements
    from .jumps import jumps
    from .loops import loops
    from .whole_arrays import whole_arrays

    if not context.parsed:
        return
    whole_arrays(context)
    jumps(context)
    if context.diagnostics.ok:
        loops(context)
        Elements(context).advise()
        Conditions(context).advise()
