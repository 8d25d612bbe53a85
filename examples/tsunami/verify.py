#!/usr/bin/env python3
"""Compares a run of the tsunami with what was measured, and says whether it is as close as it should be.

usage: verify.py [gauges.csv]           (standard library only; exit code 1 where something is too far off)
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from measured import CRESTS, FIRST_RISES, first_crest, first_rise, read_gauges  # noqa: E402

CREST_MINUTES, CREST_SHARE, RISE_MINUTES = 3.0, 0.30, 15.0


def rows(series):
    """(what, computed, measured, tolerance, unit) for everything that was measured before the run ended."""
    for name, (minutes, metres) in CRESTS.items():
        if len(series[name]) <= minutes + CREST_MINUTES:
            continue
        crest = first_crest(series[name]) or (float("nan"), float("nan"))
        yield f"{name}, crest at", crest[0], minutes, CREST_MINUTES, "min"
        yield f"{name}, crest height", crest[1], metres, CREST_SHARE * metres, "m"
    for name, minutes in FIRST_RISES.items():
        if len(series[name]) <= minutes + RISE_MINUTES:
            continue
        rise = first_rise(series[name])
        yield f"{name}, first rise at", float("nan") if rise is None else float(rise), float(minutes), RISE_MINUTES, "min"


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "gauges.csv"
    _, series = read_gauges(path)
    compared = list(rows(series))
    if not compared:
        print(f"{path}: the run is too short to compare it with anything (the first crest came after 33 minutes)")
        return 1
    bad = 0
    print(f"{'':28}{'computed':>10}{'measured':>10}{'allowed':>10}")
    for what, computed, measured, tolerance, unit in compared:
        good = abs(computed - measured) <= tolerance  # false for nan
        bad += not good
        print(f"{what:28}{computed:10.2f}{measured:10.2f}{'+-':>5}{tolerance:5.2f} {unit:4}{'' if good else 'TOO FAR OFF'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
