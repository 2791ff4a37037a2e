"""A URL names one store, and what names none is refused with the forms that would."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from cenotaph.errors import ConfigurationError
from cenotaph.store import open_store
from cenotaph.store.opening import accepted_forms


@pytest.mark.parametrize("form", ["sqlite:///{}", "SQLite:///{}", "{}"])
@pytest.mark.parametrize(
    "name", ["agent.db", "agent.sqlite", "Agent.SQLITE3", "with space #1 100%.db", "ü漢.db"]
)
def test_a_path_opens_the_file_and_its_url_opens_it_again(tmp_path: Path, form: str, name: str) -> None:
    store = open_store(form.format(tmp_path / name))
    key = store.key()
    store.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]
    again = open_store(store.url)
    assert (again.url, again.key()) == (store.url, key)
    again.close()


def test_a_path_object_opens_the_file(tmp_path: Path) -> None:
    store = open_store(tmp_path / "agent.db")
    assert store.url == f"sqlite:///{tmp_path / 'agent.db'}"
    store.close()


def test_a_relative_path_stays_where_it_was_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///agent.db")
    store.close()
    assert store.url == f"sqlite:///{tmp_path / 'agent.db'}"
    assert (tmp_path / "agent.db").is_file()


def test_a_url_without_an_ending_is_still_a_file(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path / 'agent'}").close()
    assert (tmp_path / "agent").is_file()


def test_stores_in_memory_share_by_name() -> None:
    one, same, other = (open_store(f"memory://{name}") for name in ("shared", "shared", "alone"))
    one.put_spans("s", {"cx:a": b"data"}, [])
    one.close()
    assert same.get("s", "cx:a") == b"data"
    assert other.get("s", "cx:a") is None
    assert open_store(same.url).key() == same.key() != other.key()


def test_a_nameless_store_in_memory_is_fresh_and_can_be_opened_again_while_it_is_held() -> None:
    one, other = open_store("memory://"), open_store("memory://")
    assert one.key() != other.key()
    assert open_store(one.url).key() == one.key()


def test_a_nameless_store_in_memory_is_gone_when_nobody_holds_it() -> None:
    store = open_store("memory://")
    url, key = store.url, store.key()
    del store
    gc.collect()
    assert open_store(url).key() != key


@pytest.mark.parametrize(
    "url",
    [
        "",
        "agent",
        "agent.json",
        "postgres://host/db",
        "http://host/agent.db",
        "sqlite:agent.db",
        "sqlite://agent.db",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///~/agent.db",
        "~/agent.db",
        "sqlite:///agent.db?mode=ro",
        "sqlite:///agent\0.db",
        "memory://a/b",
        "memory://a?b",
    ],
)
def test_anything_else_is_refused_with_the_forms_that_are_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError) as refusal:
        open_store(url)
    assert refusal.value.details["accepted"] == list(accepted_forms)
    assert all(form in str(refusal.value) for form in accepted_forms)
    assert list(tmp_path.iterdir()) == []
