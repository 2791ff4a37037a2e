"""`cenotaph audit`: what other tools' compactions lost, for the person at this terminal and for CI."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cenotaph import api, limits
from cenotaph.api.audit_files import (
    FileAudit,
    Options,
    audit_files,
    cores,
    files_in,
    fresh_key,
    read_side,
    report_json,
    run_json,
    write_rows,
)
from cenotaph.api.places import claude_sessions, codex_sessions, named, reserved
from cenotaph.errors import ConfigurationError, InputError
from cenotaph.surfaces.cli import audit_view, inputs, talk

if TYPE_CHECKING:
    from cenotaph.api.doctrine import JSON

__all__ = ["run"]

_FINDINGS: Final = 1
_FAILED: Final = 2


def run(args: argparse.Namespace) -> int:
    """Reads, judges, shows; changes nothing but the files that it was asked to write."""
    _check(args)
    if args.before is not None:
        return _one(args, _pair(args))
    if args.session is not None:
        with inputs.existing_store(args.store) as store:
            report = api.audit_session(store, args.session, shares=True)
        return _one(args, report)
    return _many(args) if args.paths else _mine(args)


def _check(args: argparse.Namespace) -> None:
    if (args.before is None) != (args.after is None):
        raise ConfigurationError("--before and --after go together: two files, one for each side.")
    ways = [bool(args.paths), args.before is not None, args.session is not None and args.before is None]
    if sum(ways) > 1:
        raise ConfigurationError("PATH, --before with --after, and --session are three different things to audit.")
    if args.store is not None and args.session is None and args.before is None:
        raise ConfigurationError("--store is asked with --session, or with --before and --after.")
    if args.jobs is not None and args.jobs < 1:
        raise ConfigurationError(f"--jobs {args.jobs}: at least one process.")


# One report -----------------------------------------------------------------------------------


def _pair(args: argparse.Namespace) -> api.Report:
    before = read_side(args.before, dialect=args.dialect, text=False)
    after = read_side(args.after, dialect=args.dialect, text=True)
    with named(f"{args.before} and {args.after}"):
        return api.audit(before, after, store=args.store, session=args.session, dialect=args.dialect)


def _one(args: argparse.Namespace, report: api.Report) -> int:
    session = report_json(report, excerpts=args.with_excerpts)
    return _given(args, [session], [], report.name or "the two lists")


# Files and folders ----------------------------------------------------------------------------


def _many(args: argparse.Namespace) -> int:
    found = dict(files_in(args.paths))
    if not found:
        raise InputError(
            f"no session file lies in {', '.join(args.paths)}; .jsonl or .json files were expected.",
            next_step="Name a session file, or the folder where a client keeps them.",
        )
    options = Options(
        dialect=args.dialect,
        tools=tuple(inputs.declared(args.tools)),
        excerpts=args.with_excerpts,
        shares=bool(args.html or args.json),
        key=fresh_key(),
        strays=frozenset(name for name, in_folder in found.items() if in_folder),
    )
    names = list(found)
    jobs = min(args.jobs or cores(), len(names))
    with audit_view.Progress(len(names)) as progress:
        audited = audit_files(names, options, jobs=jobs, told=progress.told)
    failed = [one for one in audited if one.error is not None]
    for one in failed:
        talk.warn(f"{one.error}" if one.name in f"{one.error}" else f"{one.name}: {one.error}")
    understood = [one for one in audited if one.session is not None]
    if not understood:
        raise InputError(
            f"nothing was understood in {len(audited)} file(s).",
            next_step="Name a session file of a client that is known, or its format with --dialect.",
        )
    return _given(args, understood, failed, None)


def _given(
    args: argparse.Namespace, audited: Sequence[Any], failed: Sequence[FileAudit], name: str | None
) -> int:
    """Writes what was asked for, draws or prints the rest, and says by the exit code whether all is well."""
    sessions = [one.session if isinstance(one, FileAudit) else one for one in audited]
    names = [one.name if isinstance(one, FileAudit) else str(name) for one in audited]
    errors = [{"name": one.name if args.with_excerpts else None, "error": one.error} for one in failed]
    value = run_json(sessions, excerpts=args.with_excerpts, failed=errors)
    if args.html is not None:
        from cenotaph.surfaces.report import html_report

        with reserved(args.html) as out:
            out.write(html_report(value).encode("utf-8"))
        talk.say(f"wrote {args.html}")
    if args.rows is not None:
        count = write_rows(args.rows, sessions)
        talk.say(f"wrote {args.rows}: {count} rows")
    if args.json:
        talk.give_json(value)
    else:
        width = talk.width_of(sys.stdout)
        talk.draw(audit_view.overview(list(zip(names, sessions, strict=True)), width), sys.stdout)
    if failed:
        talk.warn(f"{len(failed)} file(s) could not be audited; nothing is said of them")
    return _status(args.fail_on, sessions, bool(failed))


def _status(fail_on: str, sessions: Sequence[Mapping[str, JSON]], failed: bool) -> int:
    tiers = {"any": ("proven", "at_risk", "inferred"), "proven": ("proven",), "never": ()}[fail_on]
    counts = [session.get("findings_by_tier") or {} for session in sessions]
    if any(count.get(tier) for count in counts for tier in tiers):
        return _FINDINGS
    return _FAILED if failed else 0


# This user's own sessions ---------------------------------------------------------------------


def _mine(args: argparse.Namespace) -> int:
    """The worst losses in what this user's clients keep, within some seconds."""
    files = sorted([*claude_sessions(), *codex_sessions()], key=lambda one: -one.modified)
    if not files:
        raise InputError(
            "no session of Claude Code or Codex was found for this user.",
            next_step="Name a session file or a folder: cenotaph audit PATH",
        )
    options = Options(excerpts=True, key=fresh_key(), tools=tuple(inputs.declared(args.tools)))
    names = [str(one.path) for one in files]
    with audit_view.Progress(len(names)) as progress:
        audited = audit_files(
            names, options, jobs=args.jobs or cores(), seconds=limits.audit_seconds, told=progress.told
        )
    understood = [one for one in audited if one.session is not None]
    failed = [one for one in audited if one.error is not None]
    if args.json or args.html is not None or args.rows is not None:
        raise ConfigurationError(
            "Without PATH the worst losses are shown to the person at this terminal only.",
            next_step="Name the folder for a report, e.g. cenotaph audit ~/.claude/projects --html report.html",
        )
    talk.draw(
        audit_view.worst(understood, len(names), len(failed), talk.width_of(sys.stdout)),
        sys.stdout,
    )
    return _status(args.fail_on, [one.session for one in understood], bool(failed))
