"""What somebody may have meant: directives, names, commands and options. (base/spelling.cpp does it for settings.)"""


def nearest(name, candidates):
    """The candidate that the user may have meant, or None."""
    from difflib import get_close_matches  # only when there is an error

    found = get_close_matches(name, list(candidates), 1, 0.6)
    return found[0] if found else None


def did_you_mean(name, candidates, otherwise=None, written="'{}'"):
    """The help for a word that is none of the candidates: the nearest one, else another text."""
    meant = nearest(name, candidates)
    return f"did you mean {written.format(meant)}?" if meant else otherwise
