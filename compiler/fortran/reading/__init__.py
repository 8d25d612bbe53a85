"""Fortran source text to classified statements in program units, with the directives among them."""
