"""From directives on Fortran's statements to edits of the user's text."""
