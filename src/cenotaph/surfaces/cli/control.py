"""`cenotaph pin`, `unpin`, `rules`, `undo` and `handoff`: what a person does about a session by hand."""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import ExitStack
from typing import Any

from cenotaph import api
from cenotaph.api.control import LastCut, PinnedWords, Rules, Statement, hand_off, last_cut, rules
from cenotaph.api.doctrine import JSON, Policy, Store, open_store
from cenotaph.api.places import named, read_source, reserved, store_file, view_bytes
from cenotaph.errors import ConfigurationError, UnknownSession
from cenotaph.surfaces.cli import inputs, talk
from cenotaph.surfaces.cli.render import Line, clean, headed, line, wrapped

__all__ = ["run"]

_named_max = 10


def run(args: argparse.Namespace) -> int:
    """Runs the verb."""
    verbs = {"pin": _pin, "unpin": _unpin, "rules": _rules, "undo": _undo, "handoff": _handoff}
    verbs[args.verb](args)
    return 0


# Which session ------------------------------------------------------------------------------


def _known(args: argparse.Namespace, store: Store) -> str:
    """The session that is asked for, or the only one.

    Raises:
        UnknownSession: The store has none of that name.
        ConfigurationError: It has several, and none was named.
    """
    sessions = store.sessions()
    if args.session is None and len(sessions) == 1:
        return sessions[0]
    there = ", ".join(map(clean, sessions[-_named_max:])) or "none"
    if args.session is None and sessions:
        raise ConfigurationError(
            f"the store {store.url} holds {len(sessions)} sessions: {there}.",
            next_step="Name one with --session.",
            sessions=sessions,
        )
    if args.session not in sessions:
        wanted = "no session" if args.session is None else f"no session {args.session!r}; it has {there}"
        raise UnknownSession(
            f"the store {store.url} has {wanted}.",
            next_step="Check --store and --session; `cenotaph sessions` lists them.",
            store=store.url,
            session=args.session,
            sessions=sessions,
        )
    return str(args.session)


def _by_hand(name: str, store: Store) -> api.Session:
    """A session that only takes a person's word; it is sent nothing."""
    return api.Session(name, store=store, mode="off")


# Pins ---------------------------------------------------------------------------------------


def _pin(args: argparse.Namespace) -> None:
    what = _meant(args)
    store = open_store(inputs.store_to_write(args.store))
    try:
        name = args.session if args.session else _known(args, store)
        if name not in store.sessions():
            talk.warn(f"session {name!r} is new in {store.url}: the pin holds from its first cut on")
        if _is_pinned(args, rules(store, name)):
            _told_pins(args, store, name, "was pinned already")
            return
        _by_hand(name, store).pin(what)
        _told_pins(args, store, name, "pinned")
    finally:
        store.close()


def _unpin(args: argparse.Namespace) -> None:
    what = _meant(args)
    with inputs.existing_store(args.store) as store:
        name = _known(args, store)
        held = rules(store, name)
        if not _is_pinned(args, held):
            pins = "; ".join(clean(pin.what) for pin in held.pins[-_named_max:]) or "none"
            raise ConfigurationError(
                f"{args.text!r} is not pinned in session {name!r} of {store.url}; its pins: {pins}.",
                next_step="Give it word for word, a pattern with --regex; `cenotaph rules` shows the pins.",
                session=name,
                pins=[pin.what for pin in held.pins],
            )
        _by_hand(name, store).unpin(what)
        _told_pins(args, store, name, "no longer pinned")


def _meant(args: argparse.Namespace) -> str | re.Pattern[str]:
    if not args.text.strip():
        raise ConfigurationError("the text to pin is empty.", next_step="Give the words, in quotes.")
    if not args.regex:
        return str(args.text)
    try:
        return re.compile(args.text)
    except re.error as error:
        at = "" if error.pos is None else f" at character {error.pos + 1}"
        raise ConfigurationError(
            f"{args.text!r} is no regular expression: {error.msg}{at}.",
            next_step="Give a pattern of Python's `re`, or leave --regex out to pin the words.",
        ) from error


def _is_pinned(args: argparse.Namespace, held: Rules) -> bool:
    flags = re.compile(args.text).flags if args.regex else 0
    return any((pin.what, pin.regex, pin.flags) == (args.text, args.regex, flags) for pin in held.pins)


def _told_pins(args: argparse.Namespace, store: Store, name: str, what: str) -> None:
    held = rules(store, name)
    if args.json:
        talk.give_json({"pins": [_pin_json(pin) for pin in held.pins], "store": store.url, "session": name})
    kind = "the pattern " if args.regex else ""
    talk.say(f"{what}: {kind}{clean(args.text)!r}; {len(held.pins)} pins, in force from the next cut on")
    talk.say(f"session: {clean(name)}")


def _pin_json(pin: PinnedWords) -> dict[str, JSON]:
    kind = "pattern" if pin.regex else "text"
    return {kind: pin.what, **({"flags": pin.flags} if pin.regex else {}), "messages": list(pin.messages)}


# Rules --------------------------------------------------------------------------------------


def _rules(args: argparse.Namespace) -> None:
    with inputs.existing_store(args.store) as store:
        held = rules(store, _known(args, store))
        if args.json:
            statements = [_statement_json(statement) for statement in held.statements]
            named_by = {"record": held.record_id, "store": store.url, "session": held.session}
            talk.give_json({"pins": [_pin_json(pin) for pin in held.pins], "statements": statements, **named_by})
            return
        talk.draw(_rules_lines(held, talk.width_of(sys.stdout)), sys.stdout)
        talk.say(f"{len(held.pins)} pins, {len(held.statements)} statements of session {clean(held.session)}")
        if held.record_id is None:
            talk.say("no cut of it stands, so every message is as the client sends it; only pins are shown")


def _statement_json(statement: Statement) -> dict[str, JSON]:
    return {
        "tier": statement.tier,
        "turn": statement.turn,
        "text": statement.text,
        "message": statement.message,
        "lifted": statement.lifted,
    }


def _rules_lines(held: Rules, width: int) -> list[Line]:
    drawn = [line(("pinned", "bold"))] if held.pins else []
    for pin in held.pins:
        where = f"message {', '.join(map(str, pin.messages))}" if pin.messages else "from the next cut on"
        drawn += _told(clean(pin.what), f"{'pattern, ' if pin.regex else ''}{where}", width)
    tier = ""
    for statement in held.statements:
        if statement.tier != tier:
            tier = statement.tier
            drawn += headed(tier) if drawn else [line((tier, "bold"))]
        page = ", on our page" if statement.lifted else ""
        drawn += _told(clean(statement.text), f"t{statement.turn}, message {statement.message}{page}", width)
    return drawn


def _told(text: str, where: str, width: int) -> list[Line]:
    """A statement is never clipped: its last word may be the `not`."""
    first, *rest = wrapped(f"{text} [{where}]", max(width - 4, 40))
    return [line("  ", first), *(line("    ", words) for words in rest)]


# Undo ---------------------------------------------------------------------------------------


def _undo(args: argparse.Namespace) -> None:
    """The messages are handed out before it is written that the cut no longer stands: what fails loses nothing."""
    with inputs.existing_store(args.store) as store, ExitStack() as stack:
        file = store_file(store.url)
        not_over = [] if file is None else [str(file)]
        out = None if args.out is None else stack.enter_context(reserved(args.out, not_over=not_over))
        cut = last_cut(store, _known(args, store))
        if out is not None:
            out.write(cut.data)
        if args.json:
            talk.give_json(_undo_json(args, store, cut))
        elif out is None:
            talk.give(cut.data)
        cut.take_back(actor="cli")
        record = cut.record
        talk.say(
            f"taken back: cut {record.seq} of session {clean(cut.session)} "
            f"({record.tokens_after:,} -> {record.tokens_before:,} tokens); {len(cut.messages):,} messages as they "
            f"came in, {cut.earlier} earlier cuts still stand"
        )
        if args.out is not None:
            talk.say(f"messages: {clean(args.out)}")


def _undo_json(args: argparse.Namespace, store: Store, cut: LastCut) -> dict[str, JSON]:
    given: dict[str, Any] = {} if args.out is not None else {"messages": cut.messages}
    return {**given, "undone": cut.record.record_id, "store": store.url, "session": cut.session}


# Hand-off -----------------------------------------------------------------------------------


def _handoff(args: argparse.Namespace) -> None:
    policy = Policy.strict() if args.policy == "strict" else Policy.archive(recall_by="command line")
    tools = inputs.declared(args.tools)
    source = read_source(args.file, dialect=args.dialect)
    region = inputs.region_of(args.region, source)
    url = inputs.store_to_write(args.store)
    with ExitStack() as stack:
        file = store_file(url)
        not_over = [path for path in (args.file, None if file is None else str(file)) if path not in (None, "-")]
        out = None if args.out is None else stack.enter_context(reserved(args.out, not_over=not_over))
        with named(source.name), talk.progress(f"handing off {source.name}", size=len(source.data)):
            result = hand_off(
                source.value,
                store=url,
                session=args.session,
                policy=policy,
                tools=tools,
                pins=args.pin,
                dialect=args.dialect,
                model=args.model,
                binding=args.binding,
                drop_block=args.drop_block,
                region=region,
                actor="cli",
            )
        stack.callback(result.store.close)
        view = list(result.messages) if result.changed else list(result.readout.messages)
        data = view_bytes(source, result.readout.transcript, view, changed=result.changed)
        if out is not None:
            out.write(data)
        if args.json:
            talk.give_json(_result_json(args, result, view))
        elif out is None:
            talk.give(data)
    for defect in source.defects:
        talk.warn(f"{defect.code} ({defect.where}): {defect.note}")
    for warning in result.warnings:
        talk.warn(warning)
    talk.say(result.summary())
    if result.changed:
        talk.say(f"originals: {result.store.url}")
    talk.say(f"session: {clean(result.session)}")
    if args.out is not None:
        talk.say(f"view: {clean(args.out)}")


def _result_json(args: argparse.Namespace, result: api.Result, view: list[JSON]) -> dict[str, JSON]:
    given: dict[str, JSON] = {} if args.out is not None else {"messages": view}
    return {
        **given,
        "record": None if result.record is None else result.record.to_dict(),
        "tokens_before": result.tokens_before,
        "tokens_after": result.tokens_after,
        "changed": result.changed,
        "store": result.store.url,
        "session": result.session,
    }
