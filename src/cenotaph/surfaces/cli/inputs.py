"""What several verbs read alike: transcripts, tool declarations, stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cenotaph import api
from cenotaph.api.doctrine import PROFILES, open_store, read_toml
from cenotaph.api.places import Shape, Source, default_store_url, make_state_folder, named, store_file
from cenotaph.errors import ConfigurationError, StoreUnavailable, ToolSpecError

if TYPE_CHECKING:
    from cenotaph.api.doctrine import Readout, Store

__all__ = ["declared", "existing_store", "is_there", "region_of", "store_to_write", "understood"]


def declared(names: Sequence[str]) -> list[api.Tool]:
    """Tool declarations by profile name or TOML file.

    Raises:
        ToolSpecError: Neither, or a file that is no declaration; names file, table and key.
    """
    found: list[api.Tool] = []
    for name in names:
        if name in PROFILES:
            found.append(name)
        else:
            found += read_toml(_text_of(name), where=name)
    return found


def _text_of(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ToolSpecError(
            f"{name!r} is neither a file nor a tool profile.",
            next_step=f"Profiles: {', '.join(sorted(PROFILES))}; or a TOML file with [[tool]] tables.",
            name=name,
        ) from error
    except OSError as error:
        raise ToolSpecError(f"{name} can't be read: {error.strerror or error}.", name=name) from error
    except UnicodeDecodeError as error:
        raise ToolSpecError(f"{name}: byte {error.start} is no UTF-8 text; TOML was expected.", name=name) from error


def region_of(region: str, source: Source) -> str:
    """The region that is asked for, where the input has any.

    Raises:
        ConfigurationError: The input is no session file, so it has no earlier region.
    """
    if region != "last" and source.shape is not Shape.session:
        raise ConfigurationError(
            f"--region {region} is for session files; {source.name} is {source.shape.value}.",
            next_step="Leave it out.",
        )
    return region


def understood(
    source: Source,
    *,
    dialect: str | None = None,
    tools: Sequence[api.Tool] = (),
    pins: Sequence[str] = (),
    model: str | None = None,
    region: str = "last",
) -> Readout:
    """Everything that is known of a source; every error names it."""
    with named(source.name):
        return api.explain(
            source.value,
            dialect=dialect,
            tools=tools,
            pins=pins,
            model=model,
            region=region_of(region, source),
        )


def store_to_write(url: str | None) -> str:
    """The store that was named, else the user's own, whose folder then exists.

    Raises:
        ConfigurationError: It would end with this command, and what left with it.
    """
    if url is not None and url.startswith("memory:"):
        raise ConfigurationError(
            f"--store {url}: a store in memory ends with this command, and the originals with it.",
            next_step="Name a file, e.g. --store sqlite:///agent.db, or leave it out for your own.",
        )
    if url is not None:
        return url
    make_state_folder()
    return default_store_url()


@contextmanager
def existing_store(url: str | None) -> Iterator[Store]:
    """A store that is there already: looking at one never makes it.

    Raises:
        StoreUnavailable: There is none.
        StoreError: It can't be opened.
    """
    named_url = url or default_store_url()
    if not is_there(named_url):
        raise StoreUnavailable(
            f"there is no store at {named_url}.",
            next_step="Check --store; `cenotaph compact` prints the URL of the store that it writes to.",
            store=named_url,
        )
    store = open_store(named_url, existing=True)
    try:
        yield store
    finally:
        store.close()


def is_there(url: str) -> bool:
    """Whether the store exists; one that lies in no file, and what is no URL, is left to `open_store`."""
    file = store_file(url)
    return file is None or file.exists() or ("://" not in url and not file.suffix)
