"""Files of `kumihimo simulate run --json` (simulation.schema.json). They are read here, since simulations may stand beside what
was measured; the simulator makes them."""

import json
import os

from . import schema

FORMAT, VERSION = "kumihimo-simulation", 1


class NoSimulation(Exception):
    pass


def load(path):
    try:
        return schema.read(path, os.path.join(os.path.dirname(__file__), "simulation.schema.json"))
    except ValueError as error:
        raise NoSimulation(f"{path} is no result of kumihimo simulate run --json: {error}") from None


def is_one(path):
    """Whether it says so itself."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file).get("format") == FORMAT
    except (OSError, ValueError, AttributeError, RecursionError):
        return False
