"""From the launches' samples to a result: for each cell what each launch says, and the median and range of all."""

import json

from . import operations, quantiles
from .plan import BadPlan

FORMAT, VERSION = "kumihimo-bench", 1
_QUANTILES = (("minimum", 0), ("q25", 0.25), ("median", 0.5), ("q75", 0.75), ("q95", 0.95), ("maximum", 1))


def result(campaign, failures=()):
    """What result.json holds (result.schema.json)."""
    plan = campaign.plan
    return {
        "format": FORMAT,
        "version": VERSION,
        "created": plan.created,
        "machine": plan.machine,
        "quick": plan.quick,
        "planned_launches": plan.launches,
        "start": plan.start,
        "failures": list(failures),
        "variants": [_variant(campaign, variant) for variant in plan.variants],
    }


def _variant(campaign, variant):
    head, cells, skipped = None, {}, {}
    launches = campaign.launches(variant)
    for number, path in launches:
        for line in _lines(path):
            key = (line.get("operation"), line.get("bytes"))
            if line["kind"] == "launch":
                head = line
            elif line["kind"] == "cell":
                cells.setdefault(key, []).append(_launch(number, line))
            elif line["kind"] == "skipped":
                skipped[key] = line["reason"]
    place = list(operations.OPERATIONS)
    ordered = sorted(cells, key=lambda key: (place.index(key[0]), key[1]))
    skipped = {key: reason for key, reason in skipped.items() if key not in cells}  # another launch may have found the time
    plan = campaign.plan
    return {
        "name": variant["name"],
        "family": variant["family"],
        "library": " ".join(head["library"].rstrip("\0").split()) if head else "",
        "ranks": plan.ranks,
        "shape": plan.shape,
        "machines": head["machines"] if head else 0,
        "crowded": head["crowded"] if head else False,
        "settings": variant["settings"],
        "launches": len(launches),
        "cells": [_cell(*key, cells[key], plan) for key in ordered],
        "skipped": [{"operation": name, "bytes": size, "reason": reason} for (name, size), reason in sorted(skipped.items())],
    }


def _lines(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BadPlan(f"{path}:{number} is damaged ({error}); remove the file and --resume the campaign") from None


def _launch(number, line):
    """One launch's part of a cell."""
    slowest = sorted(line["slowest_us"])
    part = {"launch": number, "samples": len(slowest), "late": line["late"], "start": line["start"], "wrong": line["wrong"]}
    part.update({name: quantiles.quantile(slowest, share) for name, share in _QUANTILES})
    part["fastest_rank"] = quantiles.median(line["fastest_us"])
    part["mean_rank"] = quantiles.median(line["mean_us"])
    if "together_us" in line:
        part["computation"] = quantiles.median(line["computation_us"])
        part["together"] = quantiles.median(line["together_us"])
        part["overlap_percent"] = operations.overlap_percent(part["median"], part["computation"], part["together"])
    return part


def _cell(name, size, launches, plan):
    medians = sorted(one["median"] for one in launches)
    middle = quantiles.median(medians)
    return {
        "operation": name,
        "bytes": size,
        "median_us": middle,
        "q10_us": quantiles.quantile(medians, 0.1),
        "q90_us": quantiles.quantile(medians, 0.9),
        "throughput_gib_s": operations.OPERATIONS[name].throughput(size, middle, plan.ranks, plan.shape),
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
