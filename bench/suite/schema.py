"""Whether a value is what a JSON schema says: the keywords of result.schema.json. (The tests compare with jsonschema.)"""

import json

_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


def read(path, schema):
    """The value in a file, which is what the schema in another one says. Throws ValueError, which says why not."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
        with open(schema, encoding="utf-8") as file:
            wrong = mistake(value, json.load(file))
    except (OSError, RecursionError) as error:
        raise ValueError(getattr(error, "strerror", None) or error) from None
    if wrong:
        raise ValueError(wrong)
    return value


def mistake(value, schema, definitions=None, place=""):
    """The first place that is wrong and why, None if there is none."""
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[1]]
    if "type" in schema and not _is(value, schema["type"]):
        return f"{place or 'the whole'} is no {schema['type']}"
    if value != schema.get("const", value) or value not in schema.get("enum", [value]):
        return f"{place} is {value!r}"
    if isinstance(value, dict):
        return _object_mistake(value, schema, definitions, place)
    if isinstance(value, list):
        return _list_mistake(value, schema, definitions, place)
    return _limit_mistake(value, schema, place)


def _is(value, types):
    """JSON's true is no number, its NaN neither."""
    types = types if isinstance(types, list) else [types]
    if value is None:
        return "null" in types
    if isinstance(value, bool):
        return "boolean" in types
    return value == value and any(isinstance(value, _TYPES[one]) for one in types if one != "null")


def _object_mistake(value, schema, definitions, place):
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            return f"{place}{'.' if place else ''}{name} is missing"
    for name, item in value.items():
        rule = properties.get(name, others)
        found = f"{place} has an unknown '{name}'" if rule is False else None
        if isinstance(rule, dict):
            found = mistake(item, rule, definitions, f"{place}{'.' if place else ''}{name}")
        if found:
            return found
    return None


def _list_mistake(value, schema, definitions, place):
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return f"{place} has {len(value)} items"
    found = (mistake(item, schema.get("items", {}), definitions, f"{place}[{n}]") for n, item in enumerate(value))
    return next(filter(None, found), None)


def _limit_mistake(value, schema, place):
    if isinstance(value, str):
        return f"{place} is empty" if len(value) < schema.get("minLength", 0) else None
    if value is None or schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return None
    return f"{place} is {value}"
