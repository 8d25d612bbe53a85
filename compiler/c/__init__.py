"""C with XMP directives to plain C: what xmpcc does with each source file that has directives."""
