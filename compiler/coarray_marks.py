"""Which Fortran files have coarrays: those are compiled with -fcoarray=lib, and so is all of their program. A plain compilation
asks this of each file, so it looks for words instead of reading statements."""

import os
import re
import zlib

_TEXTS = re.compile(rb"""'[^'\n]*'|"[^"\n]*"|![^\n]*""")
_FIXED_COMMENTS = re.compile(rb"^[cCdD*][^\n]*", re.M)
# `a[k]`, `a(i)[k]`, `[*]`; what else needs the library: image control, collectives, teams, the numbers of images. (An array
# constructor follows an operator, a comma or a bracket.)
_MARK = re.compile(
    rb"\w[ \t]*\[|\)\[|\[[^]\n]*\*[ \t]*\]|\bcodimension\b"
    rb"|\bsync[ \t]*(?:all|images|memory|team)\b|\b(?:this_image|num_images|failed_images|stopped_images)[ \t]*\("
    rb"|\bcall[ \t]+(?:co_(?:sum|min|max|broadcast|reduce)|event_query|atomic_\w+)\b|\bfail[ \t]+image\b"
    rb"|\b(?:form|change)[ \t]*team\b|^[ \t]*(?:\w+[ \t]*:[ \t]*)?critical[ \t]*(?:\(|;|\r?$)",
    re.M | re.I,
)
_USE = re.compile(rb"^[ \t]*use\b(?:[ \t]*,[ \t]*non_intrinsic)?[ \t]*(?:::)?[ \t]*(\w+)", re.M | re.I)
_IN_MODULE = re.compile(rb"\b(?:CODIMENSION|COARRAY_COMP|LOCK_COMP|EVENT_COMP)\b")


def has_coarrays(texts, directories, fixed):
    """texts: a file's bytes and those of what it includes; directories: where its modules may lie; fixed: whether it is in
    fixed form."""
    modules = set()
    for text in texts:
        if _MARK.search(text) and _MARK.search(_TEXTS.sub(b"", _FIXED_COMMENTS.sub(b"", text) if fixed else text)):
            return True
        modules.update(os.fsdecode(name).lower() for name in _USE.findall(text))
    return any(_declares(name, directories) for name in modules)


def _declares(module, directories):
    """Whether a module, as the compiler described it, has coarrays, of its own or of modules that it uses."""
    for directory in directories:
        try:
            with open(os.path.join(directory, module + ".mod"), "rb") as file:
                return _IN_MODULE.search(zlib.decompress(file.read(), wbits=31)) is not None
        except (OSError, zlib.error):  # none here, or another compiler's
            continue
    return False
