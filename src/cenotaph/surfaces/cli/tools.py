"""`cenotaph tools list`, `suggest` and `mcp`: what is declared of tools, drafts of more, and what a server says."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from cenotaph.api.doctrine import (
    JSON,
    PROFILES,
    Observation,
    Tools,
    ToolSpec,
    ToolUse,
    called_name,
    draft_toml,
    evidence,
    listed_names,
    mcp_tools,
    observe,
    weigh,
    write_toml,
)
from cenotaph.api.places import read_source, reserved
from cenotaph.errors import DialectError, InputError, ToolSpecError
from cenotaph.surfaces.cli import inputs, talk
from cenotaph.surfaces.cli.render import Line, clean, headed, line, table, wrapped

__all__ = ["run"]


def run(args: argparse.Namespace) -> int:
    """Runs the verb."""
    return {"list": _list, "suggest": _suggest, "mcp": _mcp}[args.act](args)


# list ---------------------------------------------------------------------------------------


def _list(args: argparse.Namespace) -> int:
    names = list(PROFILES) if args.profile is None else [args.profile]
    profiles = {
        name: [spec for specs in Tools.of(inputs.declared([name])).specs.values() for spec in specs] for name in names
    }
    if args.json:
        talk.give_json({"profiles": {name: [spec.as_json() for spec in specs] for name, specs in profiles.items()}})
        return 0
    width = talk.width_of(sys.stdout)
    drawn: list[Line] = []
    for name, specs in profiles.items():
        title = headed(f"{clean(name)}: {len({spec.name for spec in specs})} tools")
        drawn += [*(title if drawn else title[1:]), *_spec_lines(specs, width)]
    if args.profile is None:
        drawn.append(())
        for words in (
            "A client's own profile is on by default; any other counts only when --tools names it.",
            "A tool that is in none of them is one-shot, and may have written anything.",
        ):
            drawn += [line((part, "dim")) for part in wrapped(words, width)]
    talk.draw(drawn, sys.stdout)
    return 0


def _spec_lines(specs: Sequence[ToolSpec], width: int) -> list[Line]:
    rows = [(_called(spec), _facts(spec), _writes(spec), clean(spec.handle or "-")) for spec in specs]
    styles = {"repeatable": "green", "anything": "yellow"}
    return table(("tool", "is", "writes", "handle"), rows, width=width, flex=3, styles=styles)


def _called(spec: ToolSpec) -> str:
    """A tool's name, and for which of its calls the line holds."""
    when = [f"{key}={'|'.join(values)}" for key, values in (spec.when or {}).items()]
    return clean(" ".join([spec.name, *when]))


def _writes(spec: ToolSpec) -> str:
    if spec.writes_nothing:
        return "nothing"
    if spec.writes_handle is None:
        return "anything"
    return "its handle" if spec.writes_handle == spec.handle else clean(spec.writes_handle)


def _facts(spec: ToolSpec) -> str:
    facts = ["repeatable"] if spec.repeatable else []
    facts += ["a plan"] if spec.plan else []
    facts += ["a human's answer"] if spec.answers_human else []
    facts += [f"current for {spec.max_age} turns"] if spec.max_age is not None else []
    return ", ".join(facts) or "-"


# suggest ------------------------------------------------------------------------------------


def _suggest(args: argparse.Namespace) -> int:
    declared = inputs.declared(args.tools)
    observations: list[Observation] = []
    total, files, dialects = 0, 0, set()
    for path, required in _transcripts(args.paths):
        try:
            source = read_source(path, dialect=args.dialect)
            with talk.progress(f"reading {path}", size=len(source.data)):
                readout = inputs.understood(source, dialect=args.dialect)
        except InputError as error:
            if required:
                raise
            talk.warn(f"left out: {error}")
            continue
        structure = readout.classified.structure
        observations += observe(structure, files)
        total += sum(span.tokens for span in structure.spans)
        files += 1
        dialects.add(readout.transcript.dialect)
    if not files:
        raise DialectError(
            f"none of {', '.join(args.paths)} holds a transcript that can be read.",
            next_step="Name a session file, or a folder of .jsonl or .json files.",
        )
    tools = Tools.of([*(name for name in sorted(dialects) if name in PROFILES), *declared])
    uses = weigh(observations, total, tools)
    _deliver(args, uses, files)
    return 0


def _transcripts(paths: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """(file, whether it was named itself): a file in a named folder may be something else."""
    for path in paths:
        if not os.path.isdir(path):
            yield path, True
            continue
        for folder, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".jsonl", ".json")):
                    yield os.path.join(folder, name), False


def _deliver(args: argparse.Namespace, uses: Sequence[ToolUse], files: int) -> None:
    draft = draft_toml(uses, files)
    if args.out is not None:
        with reserved(args.out, not_over=[path for path in args.paths if path != "-"]) as out:
            out.write(draft.encode("utf-8", "backslashreplace"))
    if args.json:
        seen: list[dict[str, JSON]] = [{**asdict(use), "repeatable": use.repeatable} for use in uses]
        talk.give_json({"files": files, "tools": seen})
    elif args.out is None:
        talk.give(draft.encode("utf-8", "backslashreplace"))
    talk.draw(_use_lines(uses, talk.width_of(sys.stderr)), sys.stderr)
    if args.out is not None:
        talk.say(f"draft: {args.out}; it declares nothing until you take the marks off what you keep")


def _use_lines(uses: Sequence[ToolUse], width: int) -> list[Line]:
    rows = [(clean(use.name), f"{use.calls:,}", f"{use.share:.1%}", evidence(use), _verdict(use)) for use in uses]
    if not rows:
        return [line("no calls of tools were found")]
    header = ("tool", "calls", "share", "seen", "draft")
    return table(header, rows, width=width, right=(1, 2), flex=3, styles={"declared already": "green"})


def _verdict(use: ToolUse) -> str:
    if use.declared:
        return "declared already"
    if use.shell:
        return "none: a shell"
    if use.handle is None:
        return "none: no handle"
    return f"{use.handle}{', repeatable' if use.repeatable else ''}"


# mcp ----------------------------------------------------------------------------------------


def _mcp(args: argparse.Namespace) -> int:
    listing = read_source(args.listing).value
    handles = dict(map(_handle, args.handle))
    names = listed_names(listing, args.listing)
    specs = mcp_tools(
        listing, trusted=args.trusted, server=args.server, name=args.name, handles=handles, where=args.listing
    )
    if args.json:
        tools = [spec.as_json() for spec in specs]
        talk.give_json({"trusted": args.trusted, "listed": len(names), "tools": tools})
        return 0
    repeatable = {spec.name for spec in specs if spec.repeatable}
    unused = [own for own in handles if called_name(own, args.server, args.name) not in repeatable]
    notes = _trusted_notes(len(specs), len(names), unused) if args.trusted else _untrusted_notes(len(names))
    lines = [f"## {clean(note)}\n" for note in notes]
    talk.give("".join([*lines, *(["\n"] if specs else []), write_toml(specs)]).encode())
    return 0


def _handle(text: str) -> tuple[str, str]:
    """TOOL=TEMPLATE.

    Raises:
        ToolSpecError: It is none.
    """
    tool, found, template = text.partition("=")
    if not found or not tool or not template:
        raise ToolSpecError(
            f"--handle {text!r} is no tool with a template.", next_step="Write e.g. --handle read=file:{path}."
        )
    return tool, template


def _untrusted_notes(listed: int) -> list[str]:
    return [
        f"Nothing is declared of the {listed} tools listed: what a server says of itself counts only for someone",
        "who trusts it. Say so with --trusted. Until then each is one-shot, and may have written anything.",
    ]


def _trusted_notes(declared: int, listed: int, unused: Sequence[str]) -> list[str]:
    notes = [
        f"Declared: {declared} of {listed} tools, those that the server, which you trust, calls read-only.",
        "Any other stays unknown: one-shot, and may have written anything.",
    ]
    return notes + [
        f"The handle of {own!r} is not taken as repeatable: the server does not call it both read-only and closed."
        for own in unused
    ]
