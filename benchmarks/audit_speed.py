"""How long an audit of a folder takes, against decoding the same bytes with orjson: one core, one run.

    python benchmarks/audit_speed.py FOLDER [--profile]

The ratio is of CPU time. Both sides read the same files, every line of them; the audit finds the compactions,
judges each, and writes its report in the form that can be shared. What finding them alone takes, in the sessions of
Claude Code and Codex, is shown for the decoder of the standard library and with orjson's in its place.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import resource
import time
from pathlib import Path

import orjson

from cenotaph.api.audit_files import Options, audit_files, files_in, fresh_key
from cenotaph.dialects.claude_code import CLAUDE_CODE
from cenotaph.dialects.codex import CODEX
from cenotaph.dialects.compactions import claude_code, codex
from cenotaph.dialects.jsonl import Loads


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--profile", action="store_true", help="where the time goes")
    args = parser.parse_args()
    found = dict(files_in([args.folder]))
    names = list(found)
    size = sum(Path(name).stat().st_size for name in names)
    options = Options(key=fresh_key(), strays=frozenset(names))
    started = time.process_time()
    lines = sum(_decoded(Path(name).read_bytes()) for name in names)
    decoding = time.process_time() - started
    found_by = {loads: _found(names, loads) for loads in (None, orjson.loads)}
    profile = cProfile.Profile()
    started = time.process_time()
    audited = profile.runcall(audit_files, names, options) if args.profile else audit_files(names, options)
    auditing = time.process_time() - started
    cuts = sum(len(one.session["compactions"]) for one in audited if one.session is not None)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(names)} files, {size / 1e6:.1f} MB, {lines:,} lines, {cuts} compactions")
    for loads, (took, events) in found_by.items():
        decoder = "orjson" if loads else "the standard library"
        print(f"finding {events} of them with {decoder}: {took:.3f} s, {took / decoding:.1f} times")
    print(f"orjson {decoding:.3f} s, audit {auditing:.3f} s: {auditing / decoding:.1f} times; peak {peak:.0f} MB")
    if args.profile:
        pstats.Stats(profile).sort_stats("cumtime").print_stats(60)


def _found(names: list[str], loads: Loads | None) -> tuple[float, int]:
    """CPU seconds, and how many compactions were found; a file without a sign of one is looked at, and not read."""
    events = 0
    started = time.process_time()
    for name in names:
        data = Path(name).read_bytes()
        for finder, dialect in ((claude_code, CLAUDE_CODE), (codex, CODEX)):
            if finder.may_hold(data) and dialect.recognise(data):
                events += len(finder.chronicle(data, loads=loads).events)
    return time.process_time() - started, events


def _decoded(data: bytes) -> int:
    count = 0
    for line in data.split(b"\n"):
        if line.strip():
            try:
                orjson.loads(line)
            except orjson.JSONDecodeError:
                continue  # glued or torn lines, and documents on several
            count += 1
    return count


if __name__ == "__main__":
    main()
