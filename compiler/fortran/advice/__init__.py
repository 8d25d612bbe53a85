"""What the compiler warns of in right-looking programs: places that compile, and give another result than the serial program.
Only what can be seen for sure is told; `xmpf90 --check` finds the rest when the program runs."""


def advise(context):
    """After everything was planned without an error."""
    from .sums import sums

    sums(context)
