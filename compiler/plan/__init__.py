"""What each directive means for a node: data that says what is done, made of directives and the semantic model by the same
rules for C and for Fortran. A language answers questions (language.py) and writes what is planned in its own text (decision
plan-between-languages)."""
