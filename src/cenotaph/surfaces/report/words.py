"""Words of a transcript as the JSON form has them: masked text, or a shortened hash with a length."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

__all__ = ["plain", "shown"]

JSON = Any


def shown(told: JSON) -> str:
    """HTML of words, of their hash, or of nothing."""
    if told is None:
        return ""
    if isinstance(told, str):
        return escape(told)
    if isinstance(told, Mapping) and "text" in told:
        return f"<span class='words'>{escape(told['text'])}</span>"
    return f"<code class='hash'>{escape(told['sha256'])}</code> <small>{told['characters']:,} characters</small>"


def plain(told: JSON) -> str:
    """The same as text, for a title."""
    if isinstance(told, Mapping):
        return str(told.get("text") or told.get("sha256"))
    return "" if told is None else str(told)
