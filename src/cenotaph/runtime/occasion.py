"""The facts of the occasion: the only reading of the clock."""

from __future__ import annotations

from datetime import UTC, datetime

from cenotaph.core.ids import JSON

__all__ = ["occasion"]


def occasion(actor: str, model: str | None) -> dict[str, JSON]:
    """Fields of a record outside its hash."""
    return {"at": datetime.now(UTC).isoformat(timespec="milliseconds"), "actor": actor, "model": model}
