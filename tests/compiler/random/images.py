"""Statements of random programs about nodes themselves: tasks side by side with collectives of their own, coarrays, post and
wait. What they compute depends on the number of nodes, so each checks itself and says 1 where it is right, as the serial
program does."""

from loops import block
from statements import Statement


def checked(case, lines, what, right):
    """A Statement of the parallel program alone, after which both say that it was right."""
    told = case.say(None, what, right)
    return [Statement([*lines, told], [f"const int {right} = 1;", told])]


def beside_each_other(draw, case):
    """Two tasks that may run at the same time: the first half of all nodes and the second; each adds and hands on."""
    nodes, right = case.fresh("halves"), case.fresh("right")
    root = draw.randrange(100)
    first, second = "(everybody + 1) / 2", "everybody / 2"
    parts = ((f"[0:{first}]", first, "0"), (f"[everybody - ({first}):{first}]", first, second))
    if draw.random() < 0.5:
        parts = parts[::-1]
    directive = draw.choice(("#pragma xmp tasks", None))
    tasks = []
    for part, count, begin in parts:
        body = [
            "int count = 1;",
            f"long handed = myself + {root};",
            "#pragma xmp reduction(+: count)",
            f"const int from = {root} % ({count});",
            f"#pragma xmp bcast (handed) from {nodes}[{begin} + from]",
            *draw.sample(["#pragma xmp barrier"], draw.randint(0, 1)),
            f"{right} &= count == {count} && handed == {begin} + from + {root};",
        ]
        tasks += [f"#pragma xmp task on {nodes}{part}", *block(body)]
    whole = [directive, *block(tasks)] if directive else tasks
    lines = [f"#pragma xmp nodes {nodes}[*]", f"int {right} = 1;", *whole, f"#pragma xmp reduction(&: {right})"]
    return checked(case, lines, "tasks", right)


def handed_round(draw, case):
    """Every image puts to another one, or gets from it; a barrier of images, or post and wait lie between."""
    name, nodes, right = case.fresh("image"), case.fresh("ring"), case.fresh("right")
    distance, count, tag = draw.randrange(100), draw.randint(1, 6), draw.randint(0, 9)
    begin = draw.randrange(count)
    length = draw.randint(1, count - begin)
    put = draw.random() < 0.5
    declared = [
        f"static long {name}[{count}]:[*];",
        f"#pragma xmp nodes {nodes}[*]",
        f"const int {name}_to = (myself + {distance}) % everybody;",
        f"const int {name}_from = (myself + everybody - {distance} % everybody) % everybody;",
        f"long {name}_own[{count}];",
        f"int {right} = 1;",
        f"for (int k = 0; k < {count}; k++) {name}_own[k] = 100 * myself + k, {name}[k] = {'-1' if put else f'{name}_own[k]'};",
        "xmp_sync_all(NULL);",
    ]
    section = f"[{begin}:{length}]"
    if put:
        moves = [f"{name}{section}:[{name}_to] = {name}_own{section};"]
        if draw.random() < 0.5:
            moves += [f"#pragma xmp post({nodes}[{name}_to], {tag})", f"#pragma xmp wait({nodes}[{name}_from], {tag})"]
        else:
            moves.append("xmp_sync_all(NULL);")
        expected = f"k < {begin} || k >= {begin + length} ? -1 : 100 * {name}_from + k"
        found = f"{name}[k]"
    else:
        moves = [f"{name}_own{section} = {name}{section}:[{name}_to];", "xmp_sync_all(NULL);"]
        expected = f"100 * (k < {begin} || k >= {begin + length} ? myself : {name}_to) + k"
        found = f"{name}_own[k]"
    tests = [f"for (int k = 0; k < {count}; k++) {right} &= {found} == ({expected});"]
    total = []
    if draw.random() < 0.4:
        total = [
            f"static long {name}_sum:[*];",
            f"{name}_sum = 0;",
            "xmp_sync_all(NULL);",
            f"{name}_sum:[0] += myself + 1;",
            "xmp_sync_all(NULL);",
            f"{right} &= {name}_sum:[0] == everybody * (everybody + 1) / 2;",
        ]
    return checked(case, [*declared, *moves, *tests, *total, f"#pragma xmp reduction(&: {right})"], "images", right)
