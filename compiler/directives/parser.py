"""The entry of the directive language: the words after the sentinel (`#pragma xmp`, `!$xmp`) to directives."""

from ..spelling import did_you_mean
from . import communication, localview, mapping, tree, work
from .reader import DirectiveError, Reader
from .words import Expression, Word

_READERS = {
    "nodes": mapping.nodes,
    "template": mapping.template,
    "distribute": mapping.distribute,
    "align": mapping.align,
    "shadow": mapping.shadow,
    "template_fix": mapping.template_fix,
    "task": work.task,
    "tasks": lambda reader, word: tree.Tasks(word),
    "loop": work.loop,
    "array": work.array,
    "reflect": communication.reflect,
    "gmove": communication.gmove,
    "barrier": communication.barrier,
    "reduction": communication.reduction,
    "bcast": communication.bcast,
    "wait_async": communication.wait_async,
    "reduce_shadow": communication.reduce_shadow,
    "local_alias": localview.local_alias,
    "coarray": localview.coarray,
    "static_desc": localview.static_descriptor,
    "save_desc": localview.static_descriptor,
    "image": localview.image,
    "post": localview.post,
    "wait": localview.wait,
    "lock": localview.lock,
    "unlock": localview.unlock,
    "sync_memory": lambda reader, word: tree.SyncMemory(word),
    "master_io": localview.master_io,
    "global_io": localview.global_io,
    "file_sync_all": localview.file_sync_all,
    "end": work.end,
}
_FORTRAN_ONLY = ("end", "file_sync_all")
# Directives that take the statement after them (C).
WITH_STATEMENT = ("task", "tasks", "loop", "array", "gmove", "image")
_DRAFT = "tasklet tasklets taskletwait taskletyield tasklet_gmove tasklet_reflect reflect_init reflect_do".split()

# Where an installation says what is understood but not translated, and what to write instead of such directives.
PAGE = "see docs/reference/diagnostics.md in share/doc/kumihimo"
_TASKLETS = "write task and tasks, and OpenMP's tasks inside a node"
INSTEAD = {
    **dict.fromkeys((name for name in _DRAFT if name.startswith("tasklet")), _TASKLETS),
    "reflect_init": "write reflect with async, and wait_async",
    "reflect_do": "write reflect with async, and wait_async",
    "local_alias": "xmp_array_laddr(xmp_desc_of(array), (void **)&pointer) gives the local block",
    "master_io": "put the output under a task directive",
    "global_io": "use the functions of <xmp_io.h>",
}

__all__ = ["INSTEAD", "PAGE", "DirectiveError", "WITH_STATEMENT", "parse", "shortened"]


def parse(words, language="C", start=None):
    """The directives of one directive line (several where it is the combined form). `words`: everything after the
    sentinel; `start`: a word to point at when there is nothing. Raises DirectiveError."""
    start = start or (words[0] if words else Word("", "", 0, 0))
    reader = Reader(words, language, start)
    if not words:
        raise DirectiveError("XMP-E101", "a directive without a name", start)
    directives = mapping.combined(reader) if mapping.is_combined(reader) else [_single(reader)]
    reader.finish()
    text = Expression.of(words).text
    for directive in directives:
        directive.text, directive.words, directive.language = text, words, language
    return directives


# Image controls that are functions, and no directives as sync_memory is in version 1.0.
_FUNCTIONS = {
    "sync_all": "xmp_sync_all(NULL)",
    "sync_image": "xmp_sync_image(k, NULL)",
    "sync_images": "xmp_sync_images(number, images, NULL)",
}


def _single(reader):
    word = reader.take()
    key = reader.key(word)
    known = _READERS if reader.fortran else [name for name in _READERS if name not in _FORTRAN_ONLY]
    if key in known:
        return _READERS[key](reader, word)
    if key in _DRAFT:
        raise DirectiveError("XMP-E190", f"the directive '{word.text}' is not supported", word, f"{INSTEAD[key]}; {PAGE}")
    raise DirectiveError("XMP-E101", f"unknown directive '{word.text}'", word, _meant(key, known))


def _meant(key, known):
    if key == "end":
        return "in C a directive governs one statement; braces make one of several"
    return f"it is a function: {_FUNCTIONS[key]};" if key in _FUNCTIONS else did_you_mean(key, known)


def shortened(text, length=60):
    """A directive's text for a site: one line, not longer than what reads well in a message."""
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 3] + "..."
