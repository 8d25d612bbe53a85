"""The directive language: from the words of one directive to a tree (tree.py). It knows C's and Fortran's spelling
of directives but neither language's syntax tree; expressions stay text with a position."""
