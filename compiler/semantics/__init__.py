"""What a program's directives mean: nodes, templates and mappings with their scopes and checks. Neutral between C and
Fortran."""
