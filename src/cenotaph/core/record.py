"""The record: what one compaction did, and its warrant.

Records of a session form a hash chain. The hashed part says what was decided and by which tables;
outside it stand only the facts of the occasion (`UNHASHED`). Unknown fields are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from cenotaph.core.ids import JSON, hash_of
from cenotaph.errors import StoreVersionError

__all__ = ["SCHEMA_VERSION", "UNHASHED", "CompactionRecord", "check_version", "record_id_of"]

SCHEMA_VERSION: Final = "1.1"
UNHASHED: Final = frozenset({"record_id", "at", "actor", "model", "sent"})
"""Fields that the record's own hash does not cover."""


def record_id_of(fields: Mapping[str, JSON]) -> str:
    """SHA-256 over the canonical JSON of the hashed part."""
    return hash_of({key: value for key, value in fields.items() if key not in UNHASHED})


def check_version(fields: Mapping[str, JSON]) -> None:
    """Refuses a record of another major version.

    Raises:
        StoreVersionError: Names both versions.
    """
    version = str(fields.get("schema_version", ""))
    if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        raise StoreVersionError(
            f"record {fields.get('record_id')!r} has schema version {version!r}, this release reads {SCHEMA_VERSION}.",
            next_step="Use the release that wrote it, or a newer one.",
        )


class CompactionRecord:
    """One compaction. Fields are attributes; `to_dict()` gives them all, unknown ones included.

    Attributes:
        record_id: Hash of the hashed part, 64 hex digits.
        session: Session name.
        seq: Number in the session, from 1.
        previous: `record_id` of the record before, None for the first.
        status: "verified" (all laws hold) or "halted" (nothing was changed).
        semantics: "eviction", or "projection" with the conditions that failed.
        policy, recall_by: How far it was allowed to go, and who answers for the way back.
        engine: Version, hashes of tables and declarations, counter, summarizer.
        token_profile: By class before and after, and our own text.
        tokens_before, tokens_after: Of what is sent, by the counter named in `engine`.
        entries: One per span: span, row, class, action, net.
        surrogates, handles, tombstones: What stands for what left.
        laws: Id -> whether it holds.
        source_sha256, view_sha256: Of the canonical JSON of the messages before and after.
        at, actor, model: Of the occasion; not hashed.
    """

    __slots__ = ("_fields",)

    def __init__(self, fields: Mapping[str, JSON]) -> None:
        self._fields: Mapping[str, JSON] = MappingProxyType(dict(fields))

    @classmethod
    def seal(cls, fields: Mapping[str, JSON], occasion: Mapping[str, JSON]) -> CompactionRecord:
        """Computes the id over the hashed part and adds the facts of the occasion."""
        body = {"schema_version": SCHEMA_VERSION, **fields}
        return cls({**body, **occasion, "record_id": record_id_of(body)})

    @classmethod
    def from_dict(cls, fields: Mapping[str, JSON]) -> CompactionRecord:
        """Reads a record of this major version; unknown fields are kept.

        Raises:
            StoreVersionError: Another major version.
        """
        check_version(fields)
        return cls(fields)

    def to_dict(self) -> dict[str, JSON]:
        return dict(self._fields)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(f"a compaction record has no field {name!r}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._fields]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CompactionRecord) and dict(self._fields) == dict(other._fields)

    def __hash__(self) -> int:
        return hash(self._fields["record_id"])

    def __repr__(self) -> str:
        f = self._fields
        return (
            f"CompactionRecord(session={f.get('session')!r}, seq={f.get('seq')}, status={f.get('status')!r}, "
            f"{f.get('tokens_before')} -> {f.get('tokens_after')} tokens)"
        )
