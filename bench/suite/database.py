"""The reference database: records of campaigns, never changed; published ones and simulated ones, marked as such. One SQLite
file."""

import json
import math
import os
import sqlite3

from .records import Record

VERSION, WITHOUT_SIMULATED = 2, 1
_HEADS = """(
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('measured', 'published', 'simulated')),
    created TEXT NOT NULL, machine TEXT NOT NULL, ranks INTEGER NOT NULL, shape TEXT NOT NULL, start TEXT NOT NULL,
    family TEXT NOT NULL, library TEXT NOT NULL, settings TEXT NOT NULL, quick INTEGER NOT NULL, note TEXT NOT NULL)"""
_SCHEMA = f"""
CREATE TABLE record {_HEADS};
CREATE TABLE cell (
    id INTEGER PRIMARY KEY, record INTEGER NOT NULL REFERENCES record, operation TEXT NOT NULL, bytes INTEGER NOT NULL,
    summary TEXT NOT NULL);
CREATE TABLE launch (
    cell INTEGER NOT NULL REFERENCES cell, launch INTEGER NOT NULL, samples INTEGER, late INTEGER, start TEXT, wrong INTEGER,
    minimum REAL, q25 REAL, median REAL NOT NULL, q75 REAL, q95 REAL, maximum REAL, fastest_rank REAL, mean_rank REAL,
    computation REAL, together REAL, overlap_percent REAL);
CREATE TABLE published (record INTEGER NOT NULL REFERENCES record, operation TEXT NOT NULL, bytes INTEGER NOT NULL, gib_s REAL);
CREATE INDEX cell_of_record ON cell (record);
CREATE INDEX launch_of_cell ON launch (cell);
"""
_LAUNCH = """launch samples late start wrong minimum q25 median q75 q95 maximum fastest_rank mean_rank computation together
overlap_percent""".split()
_OPTIONAL = ("fastest_rank", "mean_rank", "computation", "together", "overlap_percent")
_SUMMARY = ("median_us", "q10_us", "q90_us", "throughput_gib_s", "overlap_percent", "wrong")


class NoRecord(Exception):
    pass


def default_path():
    return os.environ.get("KUMIHIMO_BENCH_DATABASE") or os.path.expanduser("~/.local/share/kumihimo/bench.sqlite")


class Database:
    """A context: what was done inside is kept when it ends well, else nothing of it."""

    def __init__(self, path):
        self.path = os.path.abspath(path or default_path())

    def __enter__(self):
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=30)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise NoRecord(f"{self.path} cannot be used as a database of kumihimo bench: {error}") from None
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self._connection.commit()
        self._connection.close()

    def _prepare(self):
        if self._version() == 0:
            self._create()
        if self._version() not in (VERSION, WITHOUT_SIMULATED):
            raise sqlite3.DatabaseError(f"its version is {self._version()}, not {VERSION}")

    def _version(self):
        return self._connection.execute("PRAGMA user_version").fetchone()[0]

    def _create(self):
        """Of several processes that find no database, the first one makes it."""
        self._connection.execute("BEGIN IMMEDIATE")
        if self._version() == 0:
            for statement in _SCHEMA.split(";"):
                self._connection.execute(statement)
            _add_published(self)
            self._connection.execute(f"PRAGMA user_version = {VERSION}")
        self._connection.commit()

    def _upgrade(self):
        """A database that knows no simulated records yet learns of them when something is written."""
        self._connection.execute("BEGIN IMMEDIATE")
        if self._version() == WITHOUT_SIMULATED:
            self._connection.execute(f"CREATE TABLE newer {_HEADS}")
            self._connection.execute("INSERT INTO newer SELECT * FROM record")
            self._connection.execute("DROP TABLE record")
            self._connection.execute("ALTER TABLE newer RENAME TO record")
            self._connection.execute(f"PRAGMA user_version = {VERSION}")
        self._connection.commit()

    # ---- Writing ----

    def add(self, record):
        if self._version() == WITHOUT_SIMULATED:
            self._upgrade()
        if self._connection.execute("SELECT 1 FROM record WHERE name = ?", (record.name,)).fetchone():
            raise NoRecord(f"there is a record '{record.name}' already, and records are never changed: give another --name")
        number = self._add_head(record)
        for cell in record.cells:
            self._add_cell(number, cell)
        for operation in {**record.points, **record.switches}:
            rows = [(number, operation, int(size), rate) for size, rate in record.points.get(operation, {}).items()]
            rows += [(number, operation, size, None) for size in record.switches.get(operation, [])]
            self._connection.executemany("INSERT INTO published VALUES (?, ?, ?, ?)", rows)

    def _add_head(self, record):
        key = record.key
        values = [record.name, record.kind, record.created, key["machine"], key["ranks"]]
        values += ["x".join(map(str, key["shape"])), key["start"], key["family"], key["library"]]
        values += [json.dumps(key["settings"], sort_keys=True), record.quick, record.note]
        marks = ", ".join("?" * len(values))
        return self._connection.execute(f"INSERT INTO record VALUES (NULL, {marks})", values).lastrowid

    def _add_cell(self, record_number, cell):
        summary = json.dumps({name: cell[name] for name in _SUMMARY})
        row = (record_number, cell["operation"], cell["bytes"], summary)
        number = self._connection.execute("INSERT INTO cell VALUES (NULL, ?, ?, ?, ?)", row).lastrowid
        rows = [[number, *(one.get(name) for name in _LAUNCH)] for one in cell["launches"]]
        self._connection.executemany(f"INSERT INTO launch VALUES (?, {', '.join('?' * len(_LAUNCH))})", rows)

    # ---- Reading ----

    def names(self):
        return [name for (name,) in self._connection.execute("SELECT name FROM record ORDER BY kind, created, name")]

    def get(self, name):
        found = self._connection.execute("SELECT * FROM record WHERE name = ?", (name,)).fetchone()
        if found is None:
            raise NoRecord(f"no record or campaign '{name}' (kumihimo bench list)")
        number, name, kind, created, machine, ranks, shape, start, family, library, settings, quick, note = found
        key = {"machine": machine, "ranks": ranks, "shape": [int(extent) for extent in shape.split("x")], "start": start}
        key.update(family=family, library=library, settings=json.loads(settings))
        points, switches = self._published(number)
        more = {"created": created, "quick": bool(quick), "note": note, "points": points, "switches": switches}
        more["simulated"] = kind == "simulated"
        return Record(name, key, list(self._cells(number)), **more)

    def _cells(self, record_number):
        query = "SELECT id, operation, bytes, summary FROM cell WHERE record = ? ORDER BY id"
        for number, operation, size, summary in self._connection.execute(query, (record_number,)).fetchall():
            rows = self._connection.execute(
                f"SELECT {', '.join(_LAUNCH)} FROM launch WHERE cell = ? ORDER BY launch", (number,)
            )
            launches = [
                {name: value for name, value in zip(_LAUNCH, row) if value is not None or name not in _OPTIONAL} for row in rows
            ]
            yield {"operation": operation, "bytes": size, **json.loads(summary), "launches": launches}

    def _published(self, record_number):
        points, switches = {}, {}
        query = "SELECT operation, bytes, gib_s FROM published WHERE record = ? ORDER BY bytes"
        for operation, size, rate in self._connection.execute(query, (record_number,)):
            if rate is None:
                switches.setdefault(operation, []).append(size)
            else:
                points.setdefault(operation, {})[size] = rate
        return points, switches


def _add_published(database):
    """The numbers of the paper about the K computer."""
    with open(os.path.join(os.path.dirname(__file__), "published.json"), encoding="utf-8") as file:
        source = json.load(file)
    for entry in source["records"]:
        settings = entry.get("settings", {})
        name = "/".join(
            ["k-computer", "x".join(map(str, entry["shape"])), *(f"{key}={value}" for key, value in settings.items())]
        )
        key = {"machine": source["machine"], "ranks": math.prod(entry["shape"]), "shape": entry["shape"]}
        key.update(start=source["start"], family="openmpi", library=source["library"], settings=settings)
        more = {"points": entry.get("points"), "switches": entry.get("switches")}
        database.add(Record(name, key, [], created=source["created"], note=source["source"], **more))
