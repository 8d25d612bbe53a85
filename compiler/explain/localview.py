"""image, post, wait, lock, unlock and sync_memory in words."""

from ..plan.coarrays import Allocation, Declaration, Image, Lock, Post, SyncMemory, Unlock, Wait


def _declaration(language, step):
    return [f"{step.type} on every image: others read and write it without its help; all make it together at the start"]


def _allocation(language, step):
    return [f"{step.bytes} bytes on every executing image, which wait for each other"]


def _image(language, step):
    return [f"the next image directives count in {step.nodes.name}; no communication"]


def _post(language, step):
    return [f"one message to {step.node.word.text}, which does not wait for it"]


def _wait(language, step):
    source = "any image" if step.node is None else step.node.word.text
    return [f"waits for a post of {source}"]


def _lock(language, step):
    return ["waits until the lock is free: an atomic operation on the image that has it"]


def _unlock(language, step):
    return ["completes its puts, then frees the lock"]


def _sync_memory(language, step):
    return ["completes this image's puts; waits for no other image"]


SENTENCES = {
    Declaration: _declaration,
    Allocation: _allocation,
    Image: _image,
    Post: _post,
    Wait: _wait,
    Lock: _lock,
    Unlock: _unlock,
    SyncMemory: _sync_memory,
}
