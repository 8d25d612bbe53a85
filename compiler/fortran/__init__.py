"""Fortran with XMP directives to plain Fortran: what xmpf90 does with each source file that has directives."""
