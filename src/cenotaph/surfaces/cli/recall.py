"""`cenotaph rehydrate`, `verify` and `sessions`: asking a store, never writing to it."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from cenotaph import api
from cenotaph.api.doctrine import JSON, Rehydrated, Store, VerifyReport
from cenotaph.api.places import (
    SessionFile,
    claude_sessions,
    claude_sessions_folder,
    default_store_url,
    named,
    read_source,
)
from cenotaph.errors import ConfigurationError, IrreversibleCompactionError, UnknownSession
from cenotaph.surfaces.cli import inputs, talk
from cenotaph.surfaces.cli.render import Line, cells, clean, clip_left, headed, line, table

__all__ = ["run"]

_named_max = 10


def run(args: argparse.Namespace) -> int:
    """Runs the verb."""
    return {"rehydrate": _rehydrate, "verify": _verify, "sessions": _sessions}[args.verb](args)


# rehydrate ----------------------------------------------------------------------------------


def _rehydrate(args: argparse.Namespace) -> int:
    if args.history is not None:
        return _rehydrate_from(args)
    with inputs.existing_store(args.store) as store:
        session = args.session or _only_session(store)
        try:
            found = api.rehydrate(
                args.what, store=store, session=session, limit_chars=args.limit_chars, cursor=args.cursor
            )
        except IrreversibleCompactionError:
            known = store.sessions()
            if session not in known:
                talk.warn(f"the store has no session {session!r}; it has {_names(known)}")
            raise
        _show(args, found, {"store": store.url, "session": session})
    return 0


def _rehydrate_from(args: argparse.Namespace) -> int:
    """The same, from a session file of another client."""
    if args.store is not None or args.session is not None:
        raise ConfigurationError("--from names a file to ask; --store and --session name a store.")
    source = read_source(args.history)
    with talk.progress(f"reading {source.name}", size=len(source.data)), named(source.name):
        found = api.rehydrate_from(args.what, source.value, limit_chars=args.limit_chars, cursor=args.cursor)
    _show(args, found, {"history": source.name})
    return 0


def _show(args: argparse.Namespace, found: Sequence[Rehydrated], where: Mapping[str, JSON]) -> None:
    paged = args.limit_chars is not None or args.cursor is not None
    shown = found if args.all or paged else found[:1]
    more = found[-1].cursor
    if args.json:
        spans = [_as_json(item) for item in shown]
        talk.give_json({"spans": spans, "found": len(found), "cursor": more, **where})
        return
    for item in shown:
        _give(item)
    if len(found) > len(shown):
        talk.say(f"the newest of {len(found)}{'' if more is None else ' and more'}; --all gives each")
    elif more is not None:
        talk.say(f"there is more: --cursor {more}")


def _only_session(store: Store) -> str:
    known = store.sessions()
    if len(known) == 1:
        return known[0]
    if not known:
        raise UnknownSession(f"the store {store.url} holds no session.", store=store.url)
    raise ConfigurationError(
        f"the store holds {len(known)} sessions: {_names(known)}.",
        next_step="Name one with --session.",
        sessions=known,
    )


def _names(sessions: list[str]) -> str:
    shown = ", ".join(clean(name) for name in sessions[-_named_max:])
    more = len(sessions) - _named_max
    return (f"{shown} and {more} older ones" if more > 0 else shown) or "none"


def _as_json(item: Rehydrated) -> dict[str, JSON]:
    return {
        "span_id": item.span_id,
        "text": item.text,
        "block": item.block,
        "turn": item.turn,
        "provenance": item.provenance,
        "liveness": item.liveness,
        "handle": item.handle,
        "start": item.start,
        "total_chars": item.total_chars,
        "matched": item.matched,
        "asked": list(item.asked),
        "cursor": item.cursor,
    }


def _give(item: Rehydrated) -> None:
    state = "" if item.liveness == "none" else f", its handle is {item.liveness}"
    if item.whole:
        extent = f"{item.total_chars:,} characters"
    else:
        extent = f"characters {item.start:,} to {item.start + len(item.text):,} of {item.total_chars:,}"
    met = "" if item.matched == "exact" else f", found as the {item.matched} of what was asked"
    talk.say(f"[turn {item.turn}, {item.provenance}{state}{met}, span {item.span_id}, {extent}]")
    # A lone surrogate has no UTF-8; it is written as the three bytes that stand for it in WTF-8.
    talk.give(item.text.encode("utf-8", "surrogatepass"))
    if talk.on_terminal(sys.stdout) and not item.text.endswith("\n"):
        talk.give(b"\n")


# verify -------------------------------------------------------------------------------------


def _verify(args: argparse.Namespace) -> int:
    with inputs.existing_store(args.store) as store, talk.progress(f"checking {store.url}", size=1 << 30):
        report = api.verify(store, session=args.session, read_data=args.read_data)
    if args.json:
        talk.give_json(report.to_dict())
    else:
        talk.draw(_report_lines(report, talk.width_of(sys.stdout)), sys.stdout)
    return 0 if report.ok else 1


def _report_lines(report: VerifyReport, width: int) -> list[Line]:
    looked = f"{len(report.sessions):,} sessions, {report.records:,} records"
    if report.read_data:
        looked += f", {report.objects:,} originals ({_bytes(report.data_bytes)}) read and every view rebuilt"
    else:
        looked += "; originals not read (--read-data)"
    if report.removed:
        looked += f"; {_removed(report)}"
    if report.ok:
        return [line(("clean: ", "green"), looked)]
    count = len(report.findings)
    rows = [
        (clean(item.code), clean(item.session), clean(item.where)[:20], clean(item.note)) for item in report.findings
    ]
    return [
        line((f"{count:,} finding{'' if count == 1 else 's'}: ", "red"), looked),
        (),
        *table(("finding", "session", "where", "what does not hold"), rows, width=max(width, 100)),
    ]


def _removed(report: VerifyReport) -> str:
    """What was taken out on purpose: no finding, and no secret either."""
    kinds = Counter(item.code.removeprefix("object-") for item in report.removed)
    return ", ".join(f"{count:,} {kind} on purpose" for kind, count in sorted(kinds.items()))


# sessions -----------------------------------------------------------------------------------


def _sessions(args: argparse.Namespace) -> int:
    if args.limit < 0:
        raise ConfigurationError(f"--limit {args.limit}: a number of sessions, from 0.")
    stored = _stored(args.store)
    url = args.store or default_store_url()
    files = claude_sessions()
    if args.json:
        talk.give_json(
            {
                "store": None if stored is None else url,
                "sessions": stored or [],
                "claude_code": [_file_json(item) for item in files],
            }
        )
        return 0
    width = talk.width_of(sys.stdout)
    drawn = [line(("Store ", "bold"), clean(url)), *_stored_lines(stored, width)]
    drawn += headed(f"Claude Code sessions under {claude_sessions_folder()}")
    drawn += _file_lines(files, args.limit, width)
    talk.draw(drawn, sys.stdout)
    return 0


def _stored(url: str | None) -> list[JSON] | None:
    """The sessions of a store; None where the user's own does not exist yet."""
    if url is None and not inputs.is_there(default_store_url()):
        return None
    with inputs.existing_store(url) as store:
        return [_session_json(store, name) for name in store.sessions()]


def _session_json(store: Store, name: str) -> dict[str, JSON]:
    records = store.records(name)
    last = records[-1] if records else {}
    return {
        "session": name,
        "records": len(records),
        "status": last.get("status"),
        "tokens_before": last.get("tokens_before"),
        "tokens_after": last.get("tokens_after"),
        "at": last.get("at"),
    }


def _stored_lines(stored: list[JSON] | None, width: int) -> list[Line]:
    if stored is None:
        return [line(("not there yet; the first compaction makes it", "dim"))]
    if not stored:
        return [line(("no session yet", "dim"))]
    rows = [
        (
            clean(str(item["session"])),
            f"{item['records']:,}",
            clean(str(item["status"] or "-")),
            _tokens(item["tokens_before"]),
            _tokens(item["tokens_after"]),
            clean(str(item["at"] or "-"))[:16].replace("T", " "),
        )
        for item in stored
    ]
    header = ("session", "records", "last", "before", "after", "when (UTC)")
    styles = {"verified": "green", "halted": "yellow"}
    drawn = table(header, rows, width=width, right=(1, 3, 4), styles=styles)
    if max(cells("".join(text for text, _ in pieces)) for pieces in drawn) <= width:
        return drawn
    # A name is there to be copied, so it is the date that gives way.
    return table(header[:-1], [row[:-1] for row in rows], width=width, right=(1, 3, 4), styles=styles)


def _tokens(value: JSON) -> str:
    return f"{value:,}" if isinstance(value, int) else "-"


def _file_json(item: SessionFile) -> dict[str, JSON]:
    modified = datetime.fromtimestamp(item.modified).astimezone().isoformat(timespec="seconds")
    return {"path": str(item.path), "bytes": item.size, "modified": modified}


def _file_lines(files: list[SessionFile], limit: int, width: int) -> list[Line]:
    if not files:
        return [line(("none", "dim"))]
    shown = files[:limit] if limit else files
    room = max(30, width - 30)
    folder = claude_sessions_folder()
    rows = [
        (
            _file_json(item)["modified"][:16].replace("T", " "),
            _bytes(item.size),
            clip_left(clean(str(item.path.relative_to(folder))), room),
        )
        for item in shown
    ]
    lines = table(("modified", "size", "file"), rows, width=width, right=(1,))
    if len(shown) < len(files):
        lines.append(line((f"and {len(files) - len(shown):,} older; --limit 0 shows all", "dim")))
    return lines


def _bytes(size: int) -> str:
    amount = float(size)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"
