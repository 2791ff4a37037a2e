"""Keys that are drawn once and kept nowhere: the only reading of the machine's randomness outside a store."""

from __future__ import annotations

import secrets

__all__ = ["fresh_key"]

_KEY_BYTES = 32


def fresh_key() -> bytes:
    """A key for hashes that mean something within one run only."""
    return secrets.token_bytes(_KEY_BYTES)
