"""From the launches' samples to a result: for each cell what each launch says, and the median and range of all."""

import json

from . import operations, quantiles
from .plan import BadPlan

FORMAT, VERSION = "kumihimo-bench", 1
_FILE_CALLS = ("file_reads", "file_writes", "file_bytes_read", "file_bytes_written")
_QUANTILES = (("minimum", 0), ("q25", 0.25), ("median", 0.5), ("q75", 0.75), ("q95", 0.95), ("maximum", 1))


def document(**parts):
    """What result.json holds (result.schema.json)."""
    return {"format": FORMAT, "version": VERSION, **parts}


def result(campaign, failures=()):
    plan = campaign.plan
    return document(
        created=plan.created,
        machine=plan.machine,
        quick=plan.quick,
        planned_launches=plan.launches,
        start=plan.start,
        root=plan.root,
        failures=list(failures),
        variants=[_variant(campaign, one) for one in plan.variants],
    )


def _variant(campaign, one):
    launches = [(number, lines(path)) for number, path in campaign.launches(one)]
    return variant(one, campaign.plan.ranks, campaign.plan.shape, launches)


def variant(one, ranks, shape, launches):
    """What a result says of a variant {name, family, settings}. launches: [(number, its records)]."""
    head, cells, skipped = None, {}, {}
    for number, records in launches:
        for line in records:
            key = (line.get("operation"), line.get("bytes"))
            if line["kind"] == "launch":
                head = line
            elif line["kind"] == "cell":
                cells.setdefault(key, []).append(_launch(number, line))
            elif line["kind"] == "skipped":
                skipped[key] = line["reason"]
    place = list(dict.fromkeys([*operations.OPERATIONS, *(name for name, _ in cells)]))
    ordered = sorted(cells, key=lambda key: (place.index(key[0]), key[1]))
    skipped = {key: reason for key, reason in skipped.items() if key not in cells}  # another launch may have found the time
    return {
        "name": one["name"],
        "family": one["family"],
        "library": " ".join(head["library"].rstrip("\0").split()) if head else "",
        "ranks": ranks,
        "shape": shape,
        "machines": head["machines"] if head else 0,
        "crowded": head["crowded"] if head else False,
        "settings": one["settings"],
        "launches": len(launches),
        "cells": [_cell(*key, cells[key], ranks, shape) for key in ordered],
        "skipped": [{"operation": name, "bytes": size, "reason": reason} for (name, size), reason in sorted(skipped.items())],
    }


def lines(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BadPlan(f"{path}:{number} is damaged ({error}); remove the file and --resume the campaign") from None


def _launch(number, line):
    """One launch's part of a cell."""
    slowest = sorted(line["slowest_us"])
    part = {"launch": number, "samples": len(slowest), "late": 0, "start": "loop", "wrong": 0}  # unless the record says more
    part.update({name: line[name] for name in ("late", "start", "wrong") if name in line})
    part.update({name: quantiles.quantile(slowest, share) for name, share in _QUANTILES})
    part.update({f"{one}_rank": quantiles.median(line[f"{one}_us"]) for one in ("fastest", "mean") if f"{one}_us" in line})
    part.update({name: round(quantiles.median(line[name])) for name in _FILE_CALLS if name in line})
    if "together_us" in line:
        part["computation"] = quantiles.median(line["computation_us"])
        part["together"] = quantiles.median(line["together_us"])
        part["overlap_percent"] = operations.overlap_percent(part["median"], part["computation"], part["together"])
    return part


def _cell(name, size, launches, ranks, shape):
    medians = sorted(one["median"] for one in launches)
    middle = quantiles.median(medians)
    return {
        "operation": name,
        "bytes": size,
        "median_us": middle,
        "q10_us": quantiles.quantile(medians, 0.1),
        "q90_us": quantiles.quantile(medians, 0.9),
        "throughput_gib_s": operations.throughput(name, size, middle, ranks, shape),
        "overlap_percent": _overlap(launches),
        "wrong": sum(one["wrong"] for one in launches),
        "launches": launches,
    }


def _overlap(launches):
    known = [one["overlap_percent"] for one in launches if one.get("overlap_percent") is not None]
    return quantiles.median(known) if known else None


def wrong_cells(result_):
    """["Bcast of 4 B in openmpi", ...] whose data was not what was sent."""
    return [
        f"{cell['operation']} of {cell['bytes']} bytes in {variant['name']}"
        for variant in result_["variants"]
        for cell in variant["cells"]
        if cell["wrong"]
    ]
