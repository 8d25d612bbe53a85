"""`kumihimo files ls` of names of other machines: what is in a directory there."""

import json

from . import spelling, tool


def perform(options):
    """Names of both kinds of machines are listed alike."""
    listings = [
        {"name": name, "files": [_told(event) for event in tool.ask("list", name) if event["event"] == "file"]}
        for name in options.files
    ]
    if options.json:
        print(json.dumps(listings, indent=2))
        return 0
    for number, listing in enumerate(listings):
        if len(listings) > 1:
            print(f"{'' if number == 0 else chr(10)}{listing['name']}:")
        _show(listing["files"])
    return 0


def _told(event):
    return {key: value for key, value in event.items() if key != "event"}


def _show(files):
    width = max((len(str(file["bytes"])) for file in files), default=0)
    for file in files:
        slash = "/" if file["kind"] == "directory" else ""
        facts = f"{spelling.mode(file)} {file['bytes']:>{width}} {spelling.moment(file['modified'])}"
        print(f"{facts} {spelling.printable(file['name'])}{slash}")
