"""The SQLite schema, its version, and the numbers in the file header that say whose file it is.

Tables are rowid tables: measured on 10,000 objects of 2 KB, `WITHOUT ROWID` takes six times the
time and twice the space. Pages of 16 KB hold several objects each where 4 KB pages hold one.

Text columns are `ANY`, because a STRICT `TEXT` column refuses the lone surrogates that foreign JSON
can carry: what UTF-8 can't say is bound as a blob, and equal strings are still equal values.
"""

from __future__ import annotations

from typing import Final

application_id: Final = 0x43454E4F
"""`CENO`, at offset 68 of the file header."""

major: Final = 1
minor: Final = 2
_minors_per_major: Final = 1_000

# 1.0  objects, spans, handles, records
# 1.1  an object may have no bytes any more (`Codec.pruned`, `Codec.erased`); the tables are the same
# 1.2  spans are found by their turn through an index; an older version keeps it up like any other

version_number: Final = major * _minors_per_major + minor
"""What `PRAGMA user_version` says, at offset 60 of the file header.

A file of an older minor opens and is read as it is; it is brought up, and gets this number, with the first
write of spans and the first removal."""

page_bytes: Final = 16_384

_spans_by_turn: Final = "CREATE INDEX IF NOT EXISTS spans_by_turn ON spans (session, turn)"

additions: Final = {1_002: (_spans_by_turn,)}
"""What a file of an older minor lacks, by the `user_version` that brought it, in ascending order."""

statements: Final = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT",
    "CREATE TABLE sessions (id INTEGER PRIMARY KEY, name ANY NOT NULL UNIQUE) STRICT",
    """
    CREATE TABLE objects (
        id INTEGER PRIMARY KEY,
        session INTEGER NOT NULL REFERENCES sessions(id),
        handle ANY NOT NULL,
        codec INTEGER NOT NULL,
        size INTEGER NOT NULL,
        digest BLOB NOT NULL,
        body BLOB NOT NULL,
        UNIQUE (session, handle)
    ) STRICT
    """,
    """
    CREATE TABLE spans (
        id INTEGER PRIMARY KEY,
        session INTEGER NOT NULL REFERENCES sessions(id),
        span_id ANY NOT NULL,
        handle ANY NOT NULL,
        position INTEGER NOT NULL,
        message INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        exchange INTEGER NOT NULL,
        kind ANY NOT NULL,
        provenance ANY NOT NULL,
        tool ANY,
        shell ANY NOT NULL,
        slot ANY NOT NULL,
        state ANY NOT NULL
    ) STRICT
    """,
    "CREATE INDEX spans_by_name ON spans (session, span_id)",
    "CREATE INDEX spans_by_handle ON spans (session, handle)",
    _spans_by_turn,
    """
    CREATE TABLE handles (
        id INTEGER PRIMARY KEY,
        session INTEGER NOT NULL REFERENCES sessions(id),
        value ANY NOT NULL,
        kind ANY NOT NULL,
        span_id ANY NOT NULL,
        state ANY NOT NULL,
        UNIQUE (session, value, kind, span_id, state)
    ) STRICT
    """,
    """
    CREATE TABLE records (
        id INTEGER PRIMARY KEY,
        session INTEGER NOT NULL REFERENCES sessions(id),
        record_id ANY NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (session, record_id)
    ) STRICT
    """,
    "CREATE INDEX records_in_order ON records (session)",
)


def major_of(number: int) -> int:
    """The major version behind a `user_version`."""
    return number // _minors_per_major


def name_of(number: int) -> str:
    """A `user_version` as a person writes it: `1.0`."""
    return f"{number // _minors_per_major}.{number % _minors_per_major}"
