"""Which names are of other machines, or of files that lie in several."""

import os

SCHEME = "stampi://"
IN_SEVERAL = "stampi+meta:"


def is_elsewhere(name):
    return name.startswith(SCHEME)


def has_scheme(name):
    """Whether the name is more than a path of this machine."""
    return name.startswith((SCHEME, IN_SEVERAL))


def as_scp_writes(word):
    """The name that was meant by host:/path, where no file here is called so; else None."""
    host, colon, path = word.partition(":")
    meant = colon and host and "/" not in host and not has_scheme(word) and not os.path.lexists(word)
    return f"{SCHEME}{host}{path if path.startswith('/') else '/HOME/' + path}" if meant else None


def host_name(words):
    """The name of a machine's directory from what people write: centre, alice@centre:22, centre/scratch, stampi://centre/."""
    name = words if is_elsewhere(words) else SCHEME + words
    return name if "/" in name[len(SCHEME) :] else name + "/"


def has_path(name):
    """Whether a name says more than the machine."""
    return bool(name[len(SCHEME) :].partition("/")[2].strip("/"))


def machine_of(name):
    """[user@]host[:port]"""
    return name[len(SCHEME) :].partition("/")[0]
