"""What `kumihimo simulate` asks the engine: its options as a question, and in words what they change of a machine."""

import copy
import math
import os
import random
import re

from ...bench.suite import commands as bench
from ...bench.suite import operations, sizes
from ...commands.command_line import meant
from . import engine, noise


class BadQuestion(Exception):
    pass


def said(error):
    """Without the system's numbers of errors."""
    named = isinstance(error, OSError) and error.strerror
    return f"{error.filename}: {error.strerror}" if named and error.filename else error.strerror if named else str(error)


def question(options, name, algorithm, size):
    return {
        "start": options.start,
        "shorten": "never" if options.full else "automatic",
        **({"skew": _skew(options.skew)} if options.skew else {}),
        **({"noise": _noise(options)} if options.noise else {}),
        **machine(options),
        "operation": name,
        "algorithm": algorithm,
        "bytes": size,
        "calls": options.calls,
        "root": options.root,
        "sharing": options.sharing,
        "ahead": options.ahead or 0,
        "times": {"parallel_links": options.links_times} if options.links_times else {},
        "rings": options.ring.split(",") if options.ring else [],
        "links": _links(options.links),
        "path": options.path,
        "pairs": options.pairs,
        "memory": memory(options.memory),
        "links_times": dict(map(_link, options.slow_link)),
        "failed_nodes": options.fail_node,
        "failed_links": options.fail_link,
        "background": _background(options.background),
        "mapping": _mapping(options),
        **_blocks(options, name, size),
    }


def machine(options):
    """Which one it is, changed as its options say, and where ranks lie."""
    return {
        "machine": engine.machine_path(options.machine),
        "shape": options.shape,
        "nodes": options.nodes or "",
        "set": settings(options),
    }


def _links(word):
    if word != "all" and not word.isdigit():
        raise BadQuestion(f"--links {word}: how many, or all")
    return 1 << 40 if word == "all" else int(word)


MICROSECONDS = {"us": 1, "ms": 1e3, "s": 1e6}


def _microseconds(text):
    number = re.fullmatch(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?) ?(us|ms|s)", text)
    return float(number[1]) * MICROSECONDS[number[2]] if number else None


def _skew(text):
    kind, _, time = text.partition(":")
    if kind not in ("uniform", "exponential") or not _microseconds(time):
        raise BadQuestion(f"--skew {text}: uniform:TIME or exponential:TIME, as uniform:20us")
    return {f"{kind}_us": _microseconds(time)}


def _noise(options):
    """Length and interval of interruptions, as given or as a record has them, which is read once."""
    length, _, interval = (_microseconds(part.strip()) for part in options.noise.partition("/"))
    if not length or not interval:
        if (length or "/" in options.noise) and not os.path.exists(options.noise):
            raise BadQuestion(f"--noise {options.noise}: LENGTH/INTERVAL of interruptions, as 25us/1ms, or a record")
        length, interval = noise.of(bench.find(options.noise, options))
        options.noise = f"{length:.3g}us/{interval:.3g}us"
        return _noise(options)
    return {"length_us": length, "interval_us": interval}


def _link(text):
    name, colon, factor = text.rpartition(":")
    try:
        return name, float(factor if colon else "")
    except ValueError:
        raise BadQuestion(f"--slow-link {text}: LINK:FACTOR, as x3y2z5a0b0c0+y:0.5") from None


def _background(texts):
    """What other jobs send, as the engine takes it: flows between two nodes, and how many are drawn."""
    flows, draws = [], []
    for text in texts:
        ends, _, rest = text.partition(":")
        nodes = ends.split(",")
        if drawn := re.fullmatch(r"random:(\d+):([^:]+)(?::(\d+))?", text):
            draws.append([int(drawn[1]), _spaced(drawn[2]), int(drawn[3] or 1)])
        elif len(nodes) == 2 and rest and ":" not in rest:
            flows.append([*nodes, _spaced(rest)])
        else:
            raise BadQuestion(f"--background {text}: FROM,TO:RATE or random:COUNT:RATE[:SEED], as random:20:1GB/s")
    return {"flows": flows, "draws": draws}


def _spaced(rate):
    """1GB/s as the engine takes it: 1 GB/s."""
    return re.sub(r"^([\d.eE+-]*\d) ?(?=[A-Za-z])", r"\1 ", rate)


def _blocks(options, name, size):
    """Of v forms: as they are drawn, with `size` bytes on average."""
    if options.blocks == "equal" or not name.endswith("v"):
        return {}
    kind, colon, seed = options.blocks.partition(":")
    if kind != "random" or not colon or not seed.isdigit():
        raise BadQuestion(f"--blocks {options.blocks}: equal or random:SEED")
    chance = random.Random(int(seed))
    ranks = _ranks(options)
    drawn = [chance.randint(0, 2 * size) for _ in range(ranks // 2)]
    blocks = [*drawn, *(2 * size - one for one in drawn), *[size] * (ranks % 2)]
    chance.shuffle(blocks)
    return {"blocks": blocks}


def _ranks(options):
    return math.prod(int(one) for one in options.shape.split("x") if one.isdigit())


def _mapping(options):
    """Whose place each rank takes: drawn, or read; empty where the machine decides."""
    if not options.mapping:
        return []
    kind, colon, seed = options.mapping.partition(":")
    if kind == "random" and colon and seed.isdigit():
        ranks = list(range(_ranks(options)))
        random.Random(int(seed)).shuffle(ranks)
        return ranks
    if kind == "order" and colon:
        return _reordered(options, seed)
    try:
        with open(options.mapping, encoding="ascii", errors="replace") as file:
            words = file.read().split()
    except OSError as error:
        known = "random:SEED, order:zyx, or a file with numbers of ranks"
        raise BadQuestion(f"--mapping {options.mapping}: {error.strerror}; it is {known}") from None
    if not words or not all(word.isdigit() for word in words):
        raise BadQuestion(f"{options.mapping}: a mapping has the numbers of ranks, and nothing else")
    return [int(word) for word in words]


def _reordered(options, order):
    """Ranks numbered along the shape's axes in another order: the first letter is the fastest."""
    extents = [int(one) for one in options.shape.split("x") if one.isdigit()]
    names = "xyz"[: len(extents)]
    if sorted(order) != sorted(names):
        raise BadQuestion(f"--mapping order:{order}: each of {names} once, the fastest first")
    strides = {name: math.prod(extents[:i]) for i, name in enumerate(names)}
    places = [0]
    for name in order:
        places = [place + i * strides[name] for i in range(extents[names.index(name)]) for place in places]
    return places


def memory(given):
    """Most bytes that a simulation may take."""
    if given:
        return sizes.number(given)
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (ValueError, OSError):
        return 0  # nobody knows: no limit


def settings(options):
    """What differs from the machine's file."""
    found = {}
    for text in options.set:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadQuestion(f"--set {text}: NAME=VALUE, as message_overhead='1 us'")
        found[name] = value
    for option, constant in (("segment", "segment"), ("work", "work_space")):
        if getattr(options, option, None):
            found[constant] = f"{sizes.number(getattr(options, option))} B"
    return found


def changes(options):
    """What differs from the machine's file besides constants, for people."""
    lists = {"slow link": options.slow_link, "failed node": options.fail_node, "failed link": options.fail_link}
    lists["background"] = options.background
    drawn = [name for name in ("skew", "noise") if getattr(options, name)]
    last = options.seed + options.seeds - 1
    return {
        **{name: ", ".join(words) for name, words in lists.items() if words},
        **({"links": f"{options.links_times} times as many"} if options.links_times else {}),
        **({"rings": options.ring} if options.ring else {}),
        **({"full": "yes"} if options.full else {}),
        **({"ahead": str(options.ahead)} if options.ahead else {}),
        **({"mapping": options.mapping} if options.mapping else {}),
        **({"blocks": options.blocks} if options.blocks != "equal" else {}),
        **({"start": options.start} if options.start != "loop" else {}),
        **{name: getattr(options, name) for name in drawn},
        **({"seeds": f"{options.seed} to {last}"} if drawn else {}),
    }


def as_it_is(options):
    """The same question without what it changes of the machine and of where ranks lie."""
    same = copy.copy(options)
    for name in ("slow_link", "fail_node", "fail_link", "background", "set"):
        setattr(same, name, [])
    for name in ("links_times", "ring", "segment", "work", "ahead", "mapping"):
        setattr(same, name, None)
    return same


def together(words):
    """Names of constants, those that are changed together in one list: "a+b,c"."""
    return [group.split("+") for group in words.split(",")] if words else []


def operations_named(words):
    """As the engine spells them."""
    simulated = [name for name, one in operations.OPERATIONS.items() if one.group in ("p2p", "collective")]
    spelt = {name.lower(): name for name in simulated}
    found = []
    for word in words:
        if word.lower() not in spelt:
            raise BadQuestion(f"there is no operation '{word}'{meant(word, simulated)} (kumihimo simulate list)")
        found.append(spelt[word.lower()])
    return list(dict.fromkeys(found))


def algorithms_named(word, operation, known):
    """Those of `known` that the option asks for."""
    if known == [""] or word == "all":
        return known
    chosen = list(dict.fromkeys(word.split(","))) if word else []
    if not chosen:
        raise BadQuestion(f"--algorithm says how {operation} is done: all, or some of {', '.join(known)}")
    for one in chosen:
        if one not in known:
            raise BadQuestion(f"{operation} has no algorithm '{one}'{meant(one, known)}; there are: {', '.join(known)}")
    return chosen
