"""Results of other people: the check against the schema says what jsonschema says, and where."""

import copy
import json
import random

import jsonschema
from bench_support import made_up_result
from kumihimo.bench.suite import schema
from test_bench_run import SCHEMA

WRONG = (None, True, -1, 1.5, "", "x", [], {}, [1], {"a": 1}, 10**30, float("nan"))


def places(value, path=()):
    yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(item, (*path, key))


def damaged(result, draw):
    """A copy in which one place is another thing, or missing, or there is something more."""
    result = copy.deepcopy(result)
    *path, key = draw.choice([path for path in places(result) if path])
    inside = result
    for step in path:
        inside = inside[step]
    if draw.random() < 0.3:
        del inside[key]
    elif isinstance(inside, dict) and draw.random() < 0.2:
        inside["more"] = 1
    else:
        inside[key] = draw.choice(WRONG)
    return result


def test_says_what_jsonschema_says():
    draw, result = random.Random(1), made_up_result("monday", launches=3)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert schema.mistake(result, SCHEMA) is None
    seen = set()
    for _ in range(400):
        one = damaged(result, draw)
        if "NaN" in json.dumps(one):  # a number for jsonschema, but not for JSON
            assert schema.mistake(one, SCHEMA)
            continue
        valid = validator.is_valid(one)
        assert (schema.mistake(one, SCHEMA) is None) == valid, (schema.mistake(one, SCHEMA), one)
        seen.add(valid)
    assert seen == {True, False}


def test_commands_name_the_place(bench):
    result = made_up_result("monday", launches=3)
    result["variants"][0]["cells"][0]["median_us"] = "fast"
    (bench.directory / "damaged.json").write_text(json.dumps(result))
    for words in (("show", "damaged.json"), ("record", "damaged.json")):
        bench.run(*words, code=2)
        assert "damaged.json is no result of kumihimo bench: variants[0].cells[0].median_us is no number" in bench.errors
