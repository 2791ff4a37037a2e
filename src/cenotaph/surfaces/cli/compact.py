"""`cenotaph compact`: one compaction of one file, with its talk on standard error."""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, ExitStack

from cenotaph import api
from cenotaph.api.doctrine import JSON, Budget, MemoryStore, Policy, Store, open_store
from cenotaph.api.places import (
    OutFile,
    Rehearsal,
    Source,
    default_store_url,
    named,
    read_source,
    reserved,
    store_file,
    view_bytes,
)
from cenotaph.errors import ConfigurationError
from cenotaph.surfaces.cli import inputs, plan_view, talk
from cenotaph.surfaces.cli.render import clean

__all__ = ["run"]


def run(args: argparse.Namespace) -> int:
    """Compacts; what is refused raises before anything was changed."""
    budget, policy = _budget(args), _policy(args)
    tools = inputs.declared(args.tools)
    source = read_source(args.file, dialect=args.dialect)
    region = inputs.region_of(args.region, source)
    with ExitStack() as stack:
        out = None if args.out is None or args.dry_run else stack.enter_context(_reserved(args))
        with named(source.name), talk.progress(f"compacting {source.name}", size=len(source.data)):
            result = api.compact(
                source.value,
                budget=budget,
                to_tokens=args.to_tokens,
                dialect=args.dialect,
                policy=policy,
                tools=tools,
                pins=args.pin,
                keep=args.keep,
                store=_store(args),
                session=args.session,
                model=args.model,
                binding=args.binding,
                drop_block=args.drop_block,
                region=region,
                actor="cli",
            )
        stack.callback(result.store.close)
        _deliver(args, source, result, out)
    _tell(args, source, result, budget)
    return 0


def _budget(args: argparse.Namespace) -> Budget | None:
    shares = {name: getattr(args, name) for name in ("trigger", "target", "overhead")}
    given = {name: value for name, value in shares.items() if value is not None}
    if args.window is None:
        if given:
            flags = ", ".join(f"--{name}" for name in given)
            raise ConfigurationError(f"{flags}: only together with --window.", next_step="Add --window N.")
        if args.to_tokens is None:
            raise ConfigurationError(
                "neither --window nor --to-tokens was given.",
                next_step="--window 200k acts above the trigger; --to-tokens 40k acts whenever it is above.",
            )
        return None
    return Budget(window=args.window, **given)


def _policy(args: argparse.Namespace) -> Policy:
    return Policy.strict() if args.policy == "strict" else Policy.archive(recall_by="command line")


def _store(args: argparse.Namespace) -> str | Store:
    if not args.dry_run:
        return inputs.store_to_write(args.store)
    url = args.store or default_store_url()
    file = store_file(url)
    if file is not None and file.is_file():
        return Rehearsal(open_store(url), url)
    return Rehearsal(MemoryStore(), url)


def _reserved(args: argparse.Namespace) -> AbstractContextManager[OutFile]:
    file = store_file(inputs.store_to_write(args.store))
    not_over = [] if args.file == "-" else [args.file]
    not_over += [] if file is None else [str(file)]
    return reserved(args.out, not_over=not_over)


def _view(result: api.Result) -> list[JSON]:
    """The messages to send; a session file that needed nothing is shown as it would be sent."""
    return list(result.messages) if result.changed else list(result.readout.messages)


def _deliver(args: argparse.Namespace, source: Source, result: api.Result, out: OutFile | None) -> None:
    view = _view(result)
    if out is not None:
        out.write(view_bytes(source, result.readout.transcript, view, changed=result.changed))
    if args.json:
        record = None if result.record is None else result.record.to_dict()
        given: dict[str, JSON] = {} if args.out is not None else {"messages": view}
        given |= {
            "record": record,
            "tokens_before": result.tokens_before,
            "tokens_after": result.tokens_after,
            "changed": result.changed,
            "store": result.store.url,
            "session": result.session,
        }
        talk.give_json(given)
    elif args.dry_run:
        talk.draw(plan_view.plan_lines(result, talk.width_of(sys.stdout)), sys.stdout)
    elif out is None:
        talk.give(view_bytes(source, result.readout.transcript, view, changed=result.changed))


def _tell(args: argparse.Namespace, source: Source, result: api.Result, budget: Budget | None) -> None:
    for defect in source.defects:
        talk.warn(f"{defect.code} ({defect.where}): {defect.note}")
    for warning in result.warnings:
        talk.warn(warning)
    width = talk.width_of(sys.stderr)
    if talk.on_terminal(sys.stderr) and not args.json:
        talk.draw([(), *plan_view.picture(result, budget, width), ()], sys.stderr)
    talk.say(result.summary())
    if args.dry_run:
        talk.say(f"dry run: nothing was written; originals would go to {result.store.url}")
    elif result.changed:
        talk.say(f"originals: {result.store.url}")
    talk.say(f"session: {clean(result.session)}")
    if args.out is not None and not args.dry_run:
        talk.say(f"view: {clean(args.out)}")
