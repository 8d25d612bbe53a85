"""What each command of `kumihimo bench` does; the command line itself is commands/bench.py's."""

import datetime
import json
import os
import sqlite3
import sys

from ... import configuration
from . import (
    campaign,
    compare,
    comparison_text,
    database,
    formats,
    launch,
    operations,
    plan,
    progress,
    records,
    report,
    schema,
    simulations,
    sizes,
    summary,
)

USAGE = 2
PROBLEMS = (
    campaign.Stopped,
    compare.Incomparable,
    database.NoRecord,
    launch.Failed,
    operations.UnknownOperation,
    plan.BadPlan,
    simulations.NoSimulation,
    sizes.BadSize,
    OSError,
    sqlite3.Error,
)


def perform(command, options):
    try:
        return ACTIONS[command](options)
    except PROBLEMS as problem:
        print(f"kumihimo bench: {problem}", file=sys.stderr)
        return getattr(problem, "code", USAGE)


def list_(options):
    if options.json:
        print(json.dumps(_listing(options), indent=1))
        return 0
    for group in operations.GROUPS:
        print(f"{group}:")
        for one in operations.OPERATIONS.values():
            if one.group == group:
                print(f"  {one.name:<15} {one.explanation}")
    print("paper: the 16 functions that were measured on the K computer\n")
    try:
        with database.Database(options.database) as records_:
            print(f"records in {records_.path}:")
            for name in records_.names():
                _list_record(records_.get(name))
    except database.NoRecord as problem:
        print(f"no records: {problem}")
    return 0


def _list_record(one):
    kind = one.launches_text if one.kind == "measured" else one.kind
    print(f"  {one.describe()}; {kind}, {one.created[:10]}{'; ' + one.note[:60] if one.note else ''}")


def _listing(options):
    """{schema, operations, database, records}: the database is null where there is none."""
    listed = [{"name": one.name, "group": one.group, "help": one.explanation} for one in operations.OPERATIONS.values()]
    listing = {"schema": 1, "operations": listed, "database": None, "records": []}
    try:
        with database.Database(options.database) as records_:
            listing["database"] = records_.path
            listing["records"] = [_record_entry(records_.get(name)) for name in records_.names()]
    except database.NoRecord:
        pass
    return listing


def _record_entry(one):
    return {
        "name": one.name,
        "key": one.key,
        "launches": one.launches,
        "kind": one.kind,
        "published": one.kind == "published",
        "created": one.created,
        "note": one.note,
    }


# ---- run ----


def run(options):
    if options.resume is not None:
        one = campaign.Campaign(options.resume)
    else:
        new = plan.make(options, configuration.FAMILIES)
        one = campaign.Campaign.create(options.output or _default_directory(), new)
    try:
        with progress.make(len(one.missing()) * one.plan.cells(), one.plan.cells(), one.plan.launches) as bar:
            failures = one.run(bar)
    except campaign.Stopped as stopped:
        raise campaign.Stopped(f"{stopped}; {_so_far(one)}", stopped.code) from None
    result = write(one, failures)
    print(formats.as_text(result), end="")
    print(f"all samples, result.txt, result.json and result.csv: {one.directory}")
    return conclude(result)


def _so_far(one):
    """What an interrupted campaign leaves, and how to go on."""
    complete = sum(len(one.launches(variant)) for variant in one.plan.variants)
    kept = ""
    if complete:
        write(one, [])
        kept = f"the result of the {complete} complete launches is in {one.directory}; "
    return f"{kept}go on with: kumihimo bench run --resume {one.directory}"


def write(one, failures):
    """All forms at the same time, each complete or not there."""
    result = summary.result(one, failures)
    for name, text in (("txt", formats.as_text), ("json", formats.as_json), ("csv", formats.as_csv)):
        path = os.path.join(one.directory, f"result.{name}")
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write(text(result))
        os.replace(path + ".part", path)
    return result


def conclude(result):
    """The exit code: 1 if data was wrong or launches failed."""
    wrong = summary.wrong_cells(result)
    if wrong:
        print(f"kumihimo bench: WRONG DATA: {'; '.join(wrong)}", file=sys.stderr)
    return 1 if wrong or result["failures"] else 0


def _default_directory():
    return datetime.datetime.now().strftime("kumihimo-bench-%Y%m%d-%H%M%S")


# ---- show ----


def show(options):
    result = load(options.result)
    if options.format in ("imb", "osu"):
        from . import legacy_formats

        for cell in variant_of(result, options.variant)["cells"]:
            if cell["operation"] not in operations.OPERATIONS:
                raise plan.BadPlan(f"{options.format} has no table for {cell['operation']}")
        text = getattr(legacy_formats, options.format)(variant_of(result, options.variant))
    else:
        text = getattr(formats, f"as_{options.format}")(result)
    print(text, end="")
    return 0


def load(path):
    """The result of a campaign's directory, or of a result.json."""
    file_path = os.path.join(path, "result.json") if os.path.isdir(path) else path
    try:
        with open(file_path, encoding="utf-8") as file:
            result = json.load(file)
        if (result["format"], result["version"]) != (summary.FORMAT, summary.VERSION):
            raise ValueError("another format or version")
        _check(result)
        return result
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise plan.BadPlan(f"{file_path} is no result of kumihimo bench: {error}") from None


def _check(result):
    """Results come from other people and machines."""
    with open(os.path.join(os.path.dirname(__file__), "result.schema.json"), encoding="utf-8") as file:
        mistake = schema.mistake(result, json.load(file))
    if mistake:
        raise ValueError(mistake)


def variant_of(result, name):
    """The variant of that name; the first if none is given."""
    for variant in result["variants"]:
        if name in (None, variant["name"]):
            return variant
    raise plan.BadPlan(f"there is no variant '{name}'; there are: {', '.join(one['name'] for one in result['variants'])}")


# ---- record and compare ----


def record(options):
    if simulations.is_one(options.result):
        return _record_simulation(options, simulations.load(options.result))
    result = load(options.result)
    if summary.wrong_cells(result):
        raise plan.BadPlan(f"{options.result} has wrong data, which is no reference: {summary.wrong_cells(result)[0]}")
    name = options.name or os.path.basename(os.path.abspath(options.result))
    several = len(result["variants"]) > 1
    with database.Database(options.database) as records_:
        for variant in result["variants"]:
            one = records.of_variant(result, variant, f"{name}/{variant['name']}" if several else name)
            one.note = options.note
            records_.add(one)
            print(f"recorded: {one.describe()}, {one.launches_text}")
            if one.launches < plan.LEAST_LAUNCHES:
                print(f"  {one.launches} launches are few: comparisons find little; statistics begin at {plan.LEAST_LAUNCHES}")
    return 0


def _record_simulation(options, result):
    one = records.of_simulation(result, options.name or os.path.basename(options.result))
    one.created, one.note = datetime.datetime.now().isoformat(timespec="seconds"), options.note
    if not one.points:
        raise plan.BadPlan(f"{options.result} has no cell with a throughput")
    with database.Database(options.database) as records_:
        records_.add(one)
    print(f"recorded: {one.describe()}, simulated")
    return 0


def compare_(options):
    done = compare.Comparison(find(options.a, options), find(options.b, options), options.tolerance / 100, options.anyway)
    done.find_detectable()
    if options.json:
        print(json.dumps(comparison_text.as_json(done), indent=1))
    else:
        print(comparison_text.text(done), end="")
    return 1 if done.slower else 0


def find(word, options):
    """The record of that name; a campaign's directory or result.json, with or without :VARIANT."""
    path, colon, variant = (word, "", None) if os.path.exists(word) else word.rpartition(":")
    if path and os.path.exists(path):
        if simulations.is_one(path):
            return records.of_simulation(simulations.load(path), os.path.basename(path))
        result = load(path)
        return records.of_variant(result, variant_of(result, variant or None), _campaign_name(word))
    with database.Database(options.database) as records_:
        return records_.get(word)


def _campaign_name(word):
    """campaign or campaign:variant, of a directory or the result.json in it."""
    path = os.path.abspath(word)
    return os.path.basename(os.path.dirname(path) if path.endswith(".json") else path)


# ---- report ----


def report_(options):
    one = find(options.result, options)
    comparison = None
    if options.reference:
        comparison = compare.Comparison(find(options.reference, options), one, anyway=True)
        comparison.find_detectable()
    write_report(options.output, report.page(one, comparison))
    print(f"written: {options.output}")
    return 0


def check_report(path):
    """Before the work: whether a report can be written there."""
    directory = os.path.dirname(path) or os.curdir
    if not os.path.isdir(directory):
        raise plan.BadPlan(f"--output {path}: there is no directory {directory} (make it first: mkdir -p)")
    if os.path.isdir(path):
        raise plan.BadPlan(f"--output {path} is a directory; name a file in it")


def write_report(path, page):
    check_report(path)
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(page)
    os.replace(path + ".part", path)


ACTIONS = {"list": list_, "run": run, "show": show, "record": record, "compare": compare_, "report": report_}
