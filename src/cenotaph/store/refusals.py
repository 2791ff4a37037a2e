"""The refusals that every backend owes in the same words: conflicts, strangers and closed stores."""

from __future__ import annotations

from collections.abc import Collection

from cenotaph.errors import StoreConflict, StoreDamaged, StoreErased, StoreError, StoreUnavailable
from cenotaph.store.codec import RecordText


def closed(url: str) -> StoreUnavailable:
    """A call on a store after `close`."""
    return StoreUnavailable(f"The store {url} is closed.", next_step="Open it again.", url=url)


def other_bytes(session: str, handle: str) -> StoreDamaged:
    """A handle that already names different content: a forgery, or a collision of 64 bits."""
    return StoreDamaged(
        f"Session {session!r} already holds {handle} with other bytes; nothing was written.",
        next_step="Run `cenotaph verify --read-data` to see which side is wrong.",
        session=session,
        handle=handle,
    )


def missing_objects(session: str, handles: Collection[str]) -> StoreError:
    """Span rows about objects that nobody has stored."""
    return StoreError(
        f"Span rows name {len(handles)} object(s) that session {session!r} does not hold,"
        f" e.g. {min(handles)}; nothing was written.",
        next_step="Put the objects first, or in the same call.",
        session=session,
        handles=sorted(handles),
    )


def nothing_to_erase(session: str, handles: Collection[str]) -> StoreError:
    """Handles to erase that name no object: a slip must not pass for an erasure."""
    return StoreError(
        f"Session {session!r} does not hold {len(handles)} of the objects to erase, e.g. {min(handles)};"
        " nothing was removed.",
        next_step="Check the session's name and the handles.",
        session=session,
        handles=sorted(handles),
    )


def erased(session: str, handles: Collection[str]) -> StoreErased:
    """Objects that were erased and would come back."""
    return StoreErased(
        f"{len(handles)} object(s) of session {session!r} were erased on purpose and are not taken back,"
        f" e.g. {min(handles)}; nothing was written.",
        next_step="Take the text out of the transcript, or use a session of another name.",
        session=session,
        handles=sorted(handles),
    )


def missing_spans(session: str, span_ids: Collection[str]) -> StoreError:
    """Handle rows about spans that nobody has stored."""
    return StoreError(
        f"Handle rows name {len(span_ids)} span(s) that session {session!r} does not hold,"
        f" e.g. {min(span_ids)}; nothing was written.",
        next_step="Call `put_spans` before `put_handles`.",
        session=session,
        span_ids=sorted(span_ids),
    )


def is_repeat(session: str, record: RecordText, newest_id: str | None, newest_body: str | None) -> bool:
    """Whether `record` is the newest one once more; False if it is the next one.

    Raises:
        StoreConflict: It is neither: somebody else appended since the session was read.
    """
    if record.body == newest_body:
        return True
    if record.previous == newest_id and record.record_id != newest_id:
        return False
    raise StoreConflict(
        f"Session {session!r} has {newest_id or 'no record'} as its newest record, not"
        f" {record.previous or 'none'}, which record {record.record_id} was made after.",
        next_step="Read the session again and plan again; nothing was written.",
        session=session,
        newest=newest_id,
        previous=record.previous,
    )
