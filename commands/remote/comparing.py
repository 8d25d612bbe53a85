"""`kumihimo files verify` of a name of another machine and a file: whether both are the same. Each machine reads its own, only
digests travel."""

import json

from . import tool


def perform(options):
    if len(options.files) != 2:
        raise tool.Failure("two names: kumihimo files verify stampi://HOST/PATH FILE (their contents are compared)")
    first, second = (event for event in tool.ask("digest", *options.files) if event["event"] == "digest")
    same = (first["bytes"], first["digest"]) == (second["bytes"], second["digest"])
    if options.json:
        told = [{key: one[key] for key in ("name", "bytes", "digest")} for one in (first, second)]
        print(json.dumps({"same": same, "files": told}, indent=2))
    elif same:
        print(f"the same: {first['bytes']} bytes, XXH3 {first['digest']}")
    else:
        for one in (first, second):
            print(f"{one['name']}: {one['bytes']} bytes, XXH3 {one['digest']}")
        print("they differ. Next: copy again (kumihimo files cp)")
    return 0 if same else 1
