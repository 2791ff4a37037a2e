"""From a URL to a store: the one place that knows which forms there are."""

from __future__ import annotations

import os
from typing import Final

from cenotaph.errors import ConfigurationError, StoreDamaged, StoreUnavailable
from cenotaph.store.base import Store

accepted_forms: Final = (
    "sqlite:///relative/path.db",
    "sqlite:////absolute/path.db",
    "memory://name",
    "memory://",
    "a path that ends in .db, .sqlite or .sqlite3",
)

_file_endings: Final = (".db", ".sqlite", ".sqlite3")


def open_store(url: str | os.PathLike[str], *, existing: bool = False) -> Store:
    """The store that `url` names, made if it does not exist yet and may be made.

    Args:
        url: `sqlite:///` and a path (a fourth slash makes it absolute), a bare path that ends in
            `.db`, `.sqlite` or `.sqlite3`, `memory://name` (shared by the whole process) or
            `memory://` (a fresh one each time).
        existing: For asking, not for writing: a file that is not there, or holds nothing, is an error.

    Raises:
        ConfigurationError: The URL has none of these forms.
        StoreUnavailable: The store can't be opened or made there.
        StoreDamaged: What stands there is broken, or no database.
        StoreVersionError: A newer major version wrote it.
    """
    text = os.fspath(url)
    scheme, separator, rest = text.partition("://")
    if not separator:
        if text.lower().startswith(("sqlite:", "memory:")):
            raise _refused(text, "the slashes after its scheme are missing")
        if text.lower().endswith(_file_endings):
            return _open_sqlite(text, text, existing)
        raise _refused(text, "it has no scheme and does not end like a database")
    match scheme.lower():
        case "memory":
            return _open_memory(text, rest)
        case "sqlite":
            if not rest.startswith("/") or rest == "/":
                raise _refused(text, "a SQLite URL needs three slashes and then a path")
            return _open_sqlite(rest[1:], text, existing)
        case _:
            raise _refused(text, f"there is no kind of store called {scheme!r}")


def _open_sqlite(path: str, url: str, existing: bool) -> Store:
    if path.startswith("~"):
        raise _refused(url, "`~` is for a shell to expand; write the whole path")
    if path.startswith(":memory:"):
        raise _refused(url, "a store in memory is `memory://`")
    if "?" in path or "\0" in path:
        raise _refused(url, "options and zero bytes have no meaning in it")
    if existing:
        _require_content(path)
    # Imported here: whoever keeps the store in memory does not load SQLite.
    from cenotaph.store.sqlite import SqliteStore

    return SqliteStore(path)


def _require_content(path: str) -> None:
    """A store that was emptied would look like a new one, and everything in it like a gap."""
    try:
        size = os.stat(path).st_size
    except OSError as error:
        raise StoreUnavailable(
            f"There is no store at {path} ({error.strerror}).", next_step="Check the path; nothing was made.", path=path
        ) from error
    if size == 0:
        raise StoreDamaged(
            f"The store {path} is an empty file: it was emptied, or its making was cut short.",
            next_step="Restore it from a copy. The file was left as it is.",
            path=path,
        )


def _open_memory(url: str, name: str) -> Store:
    from cenotaph.store.memory import MemoryStore

    if "/" in name or "?" in name:
        raise _refused(url, "a name has neither `/` nor `?`")
    return MemoryStore(name)


def _refused(url: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{url!r} does not name a store: {why}.",
        next_step=f"Accepted are: {'; '.join(accepted_forms)}.",
        url=url,
        accepted=list(accepted_forms),
    )
