"""What was measured on 11 March 2011, and how verify.py and draw.py read a run's gauges.

Crests of the bottom pressure recorders (DART buoys 21413 and 21418): minutes after the earthquake, metres. First rise at
the tide gauge of Honolulu: minutes.
"""

CRESTS = {"DART 21418": (32.6, 1.87), "DART 21413": (80.6, 0.77)}
FIRST_RISES = {"Honolulu": 7 * 60 + 13}


def read_gauges(path):
    """{name: (latitude, longitude, depth)} and {name: [metres at minute 0, 1, ...]}."""
    places, series = {}, {}
    with open(path, encoding="ascii") as file:
        for line in file:
            fields = line.lstrip("# ").rstrip("\n").split(",")
            if line.startswith("#") and len(fields) == 4:
                places[fields[0]] = tuple(float(field) for field in fields[1:])
            elif line.startswith("minute"):
                series = {name: [] for name in fields[1:]}
            elif not line.startswith("#"):
                for values, field in zip(series.values(), fields[1:]):
                    values.append(float(field))
    return places, series


def first_crest(values):
    """Minutes (between samples by a parabola) and metres of the first crest that is at least half as high as the highest."""
    threshold = 0.5 * max(values)
    for k in range(1, len(values) - 1):
        before, here, after = values[k - 1 : k + 2]
        if here > threshold and before < here >= after:
            shift = 0.5 * (before - after) / (before - 2 * here + after)
            return k + shift, here
    return None


def first_rise(values, metres=0.01):
    """The first minute in which the sea stands so much higher than at rest."""
    return next((k for k, value in enumerate(values) if value > metres), None)
