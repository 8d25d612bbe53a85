"""Medians and quantiles. Nothing is left out as an outlier: quantiles do not mind, and extremes are shown as what they are."""

import math


def quantile(ordered, share):
    """Of ascending values, between neighbours in proportion (type 7, as NumPy and R have it)."""
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def median(values):
    return quantile(sorted(values), 0.5)
