"""Figures of compactions as rows: a table for whoever counts over many sessions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from cenotaph.core.audit.model import Code, Tier, Verdict
from cenotaph.core.ids import JSON
from cenotaph.errors import ConfigurationError
from cenotaph.runtime.out_file import reserved

__all__ = ["COLUMNS", "rows_of", "write_rows"]

_PLAIN: Final = (
    "number",
    "mechanism",
    "trigger",
    "when",
    "tier",
    "opaque",
    "complete",
    "pointer",
    "tokens_before",
    "tokens_after",
    "messages_before",
    "messages_after",
    "removed_parts",
    "removed_characters",
)
COLUMNS: Final = (
    "session",
    "dialect",
    *_PLAIN,
    "paths_kept",
    "paths",
    *(f"verdict_{verdict.value}" for verdict in Verdict),
    *(f"{tier.value}_{code.value}" for tier in Tier for code in Code),
)
"""Columns of a row, in order; a figure of one tier is never added to one of another."""


_TYPES: Final = {
    **dict.fromkeys(("session", "dialect", "mechanism", "trigger", "when", "tier"), "VARCHAR"),
    **dict.fromkeys(("opaque", "complete", "pointer"), "BOOLEAN"),
}
"""Types of the columns that are no numbers."""


def rows_of(sessions: Iterable[Mapping[str, JSON]]) -> Iterator[dict[str, JSON]]:
    """One row per compaction; no text of a transcript is in it, and its session is a hash."""
    for session in sessions:
        for one in session["compactions"]:
            named = session["session"] or session["name"]
            paths = one["kept"].get("path", {"kept": None, "of": None})
            row: dict[str, JSON] = dict.fromkeys(COLUMNS, 0)
            row |= {"session": named.get("sha256") or named.get("text"), "dialect": session["dialect"]}
            row |= {name: one[name] for name in _PLAIN}
            row |= {"paths_kept": paths["kept"], "paths": paths["of"]}
            row |= {f"verdict_{name}": count for name, count in one["verdicts"].items()}
            for finding in one["findings"]:
                row[f"{finding['tier']}_{finding['code']}"] += finding["count"]
            yield row


def write_rows(name: str, sessions: Iterable[Mapping[str, JSON]]) -> int:
    """Writes rows as CSV or Parquet, by the ending of the name.

    Returns:
        How many.

    Raises:
        ConfigurationError: Another ending; Parquet without the package that writes it.
        OutputError: The file can't be written.
    """
    rows = list(rows_of(sessions))
    ending = Path(name).suffix.lower()
    if ending == ".csv":
        data = _csv(rows)
    elif ending == ".parquet":
        data = _parquet(rows)
    else:
        raise ConfigurationError(f"--rows {name}: a name that ends in .csv or .parquet was expected.")
    with reserved(name) as out:
        out.write(data)
    return len(rows)


def _csv(rows: Iterable[Mapping[str, JSON]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode("utf-8")


def _parquet(rows: list[dict[str, JSON]]) -> bytes:
    try:
        import duckdb
    except ImportError as error:
        raise ConfigurationError(
            "Parquet needs the package duckdb.", next_step="pip install 'cenotaph[parquet]', or name a .csv file."
        ) from error
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        table, out = Path(folder, "rows.csv"), Path(folder, "rows.parquet")
        table.write_bytes(_csv(rows))
        types = {name: _TYPES.get(name, "BIGINT") for name in COLUMNS}
        connection.read_csv(str(table), header=True, columns=types).write_parquet(str(out))
        return out.read_bytes()
