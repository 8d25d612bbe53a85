"""C source text to a typed syntax tree, with the directives as nodes of it."""
