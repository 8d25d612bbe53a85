"""What a campaign measures: written to campaign.json before the first launch, so that it can go on after an interruption."""

import datetime
import json
import math
import os
import random
import re

from ... import configuration
from . import machine, operations, sizes

VERSION = 3
LEAST_LAUNCHES = 10  # for statistics; fewer are for a first look only
QUICK_SECONDS, QUICK_LAUNCHES, QUICK_SIZES = 42, 3, "0,8,1K,16K,256K,4M"
QUICK_LAUNCH_SECONDS = 2  # to start and end a launch, and to complete the operation under way
LIMIT_SECONDS, QUICK_LIMIT_SECONDS = 1800, 60  # a launch that takes longer hangs
CELL_OVERHEAD = 5  # a cell takes about this many times the time of its samples: warming up, agreeing on windows, checking


class BadPlan(Exception):
    pass


class Plan:
    """The fields are campaign.json's. variants: [{name, family, settings}], launched in turn."""

    FIELDS = (
        "version",
        "created",
        "machine",
        "quick",
        "variants",
        "ranks",
        "shape",
        "operations",
        "sizes",
        "memory",
        "seconds",
        "repetitions",
        "start",
        "root",
        "launches",
        "launcher_options",
        "limit_seconds",
        "budget_seconds",
    )

    def __init__(self, **fields):
        for name in self.FIELDS:
            setattr(self, name, fields[name])

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({name: getattr(self, name) for name in self.FIELDS}, file, indent=1)

    def rounds(self):
        """(round, variant) of every launch. Variants take turns, and so do their places in a round: what happens to the machine
        in the course of a campaign happens to all of them."""
        return in_turn(self.variants, self.launches)

    def order(self, number):
        """The operations of a round, in another order each time: none always follows the same one."""
        order = list(self.operations)
        random.Random(number).shuffle(order)
        return order

    def cells(self):
        return len(self.operations) * len(self.sizes)


def in_turn(variants, rounds, first=1):
    """(round, variant): every round begins with another variant."""
    for number in range(first, first + rounds):
        start = (number - 1) % len(variants)
        for variant in variants[start:] + variants[:start]:
            yield number, variant


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            fields = json.load(file)
        if fields["version"] != VERSION:
            raise BadPlan(f"{path} was written by another version of kumihimo bench")
        return Plan(**fields)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadPlan(f"{path} is no campaign's plan: {error}") from None


def make(options, families):
    """From the command line (commands/bench.py)."""
    ranks, shape = _job(options)
    names = operations.chosen(options.operations)
    launches = QUICK_LAUNCHES if options.quick and options.launches is None else options.launches or 20
    chosen_sizes = sizes.parse(options.sizes or (QUICK_SIZES if options.quick else sizes.PAPER))
    variants = _variants(options, families)
    plan = Plan(
        version=VERSION,
        created=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        machine=machine.describe(options.machine),
        quick=options.quick,
        variants=variants,
        ranks=ranks,
        shape=shape,
        operations=names,
        sizes=chosen_sizes,
        memory=sizes.number(options.memory) if options.memory else machine.memory_for_each(ranks),
        seconds=options.seconds,
        repetitions=options.repetitions,
        start=options.start,
        root=options.root,
        launches=launches,
        launcher_options=options.launcher_options.split(),
        limit_seconds=options.limit or (QUICK_LIMIT_SECONDS if options.quick else LIMIT_SECONDS),
        budget_seconds=_budget(launches * len(variants)) if options.quick else 0,
    )
    if options.quick and options.seconds is None:
        plan.seconds = min(0.05, plan.budget_seconds / plan.cells() / CELL_OVERHEAD)
    plan.seconds = plan.seconds or 0.05
    return plan


def _job(options):
    shape = _shape(options.shape) if options.shape else None
    ranks = options.ranks or (math.prod(shape) if shape else len(os.sched_getaffinity(0)))
    if shape and math.prod(shape) != ranks:
        raise BadPlan(f"the node shape {options.shape} has {math.prod(shape)} nodes, but there are {ranks} ranks")
    return ranks, shape or [ranks]


def _shape(text):
    if not re.fullmatch(r"[1-9][0-9]{0,8}(x[1-9][0-9]{0,8}){0,2}", text):
        raise BadPlan(f"'{text}' is no node shape: up to three numbers of nodes, as 8x6x8")
    return [int(extent) for extent in text.split("x")]


def _budget(launches):
    """Seconds for the cells of one of so many launches; what finds no time is left out, and the result says so."""
    return max(1.0, QUICK_SECONDS / launches - QUICK_LAUNCH_SECONDS)


def _variants(options, families):
    """`NAME:FAMILY,SETTING=VALUE,...`; without any, one for each MPI family asked for, with the settings of --set."""
    common = _settings(options.set)
    texts = options.variant or [f"{family}:{family}" for family in options.mpi]
    variants = [_variant(text, common, options.mpi[0], families) for text in texts]
    if options.collectives:
        variants = [one for variant in variants for one in (variant, _with_our_collectives(variant))]
    if len({variant["name"] for variant in variants}) < len(variants):
        raise BadPlan("two variants have the same name")
    return variants


def _variant(text, common, family, families):
    name, colon, rest = text.partition(":")
    words = _with_commas(rest.split(",")) if rest else []
    if words and "=" not in words[0]:
        family = words.pop(0)
    if family not in families:
        raise BadPlan(f"unknown MPI family '{family}'; there are: {', '.join(families)}")
    if not name or "/" in name:
        raise BadPlan(f"--variant {text}: NAME[:FAMILY][,SETTING=VALUE...]")
    return {"name": name, "family": family, "settings": {**common, **_settings(words)}}


def _with_commas(words):
    """Values may contain commas: what is no NAME=VALUE belongs to the value before it."""
    joined = words[:1]
    for word in words[1:]:
        if "=" in word or "=" not in joined[-1]:
            joined.append(word)
        else:
            joined[-1] += f",{word}"
    return joined


def _with_our_collectives(variant):
    """The same program, whose collective calls libkumihimo_coll serves."""
    library = os.path.join(configuration.LIBRARIES, variant["family"], "libkumihimo_coll.so")
    if not os.path.exists(library):
        raise BadPlan(f"{library} is missing: this build has no collective operations for {variant['family']}")
    before = variant["settings"].get("LD_PRELOAD")
    settings = {**variant["settings"], "LD_PRELOAD": f"{before}:{library}" if before else library}
    return {**variant, "name": f"{variant['name']}-kumihimo", "settings": settings}


def _settings(words):
    settings = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise BadPlan(f"'{word}' is no setting: NAME=VALUE")
        settings[name] = value
    return settings
