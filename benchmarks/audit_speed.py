"""How long an audit of a folder takes, against decoding the same bytes with orjson: one core, one run.

    python benchmarks/audit_speed.py FOLDER [--profile]

The ratio is of CPU time. Both sides read the same files, every line of them; the audit finds the compactions,
judges each, and writes its report in the form that can be shared.
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
    profile = cProfile.Profile()
    started = time.process_time()
    audited = profile.runcall(audit_files, names, options) if args.profile else audit_files(names, options)
    auditing = time.process_time() - started
    cuts = sum(len(one.session["compactions"]) for one in audited if one.session is not None)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(names)} files, {size / 1e6:.1f} MB, {lines:,} lines, {cuts} compactions")
    print(f"orjson {decoding:.3f} s, audit {auditing:.3f} s: {auditing / decoding:.1f} times; peak {peak:.0f} MB")
    if args.profile:
        pstats.Stats(profile).sort_stats("cumtime").print_stats(60)


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
