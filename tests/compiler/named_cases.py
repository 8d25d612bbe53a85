"""The results of test programs by name. A program prints one line for each case, `name: values`, so that a failure says which
feature broke and what both sides found."""


def assert_same_cases(serial, parallel, where):
    """Lines of the serial program and of the one that ran `where`: the same cases with the same values, in the same order."""
    found = differences(serial, parallel, where)
    assert not found, "\n".join(found)


def on_nodes(count):
    return f"on {count} {'node' if count == 1 else 'nodes'}"


def differences(serial, parallel, where):
    """What is different, a line for each case."""
    expected, actual = values_by_name(serial), values_by_name(parallel)
    names = dict.fromkeys([*expected, *actual])
    found = [
        f"case '{name}': serial {said(expected.get(name))}, {where} {said(actual.get(name))}"
        for name in names
        if expected.get(name) != actual.get(name)
    ]
    if not found and list(serial) != list(parallel):
        found = [f"the same cases in another order: serial {', '.join(expected)}; {where} {', '.join(actual)}"]
    return found


def values_by_name(lines):
    """{'name': ['values of its first line', ...]}; a line without a colon is a name without values."""
    values = {}
    for line in lines:
        name, _, value = line.strip().partition(": ")
        values.setdefault(name, []).append(value.strip())
    return values


def said(values):
    return "missing" if values is None else ", then ".join(f"'{value}'" for value in values)
