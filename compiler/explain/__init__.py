"""`--explain`: the plan of a file for its author. What each directive communicates and when, what the compiler made of
the loops, what `--check` will look at."""
