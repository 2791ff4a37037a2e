"""Cuts one turn of 300 calls with signed reasoning at every message boundary, under every binding.

    python benchmarks/boundaries.py

Each view is checked by the provider's rules and by the rules on replayed reasoning; each halt must name its way out.
The suite does the first 78 boundaries and samples the rest. Any failure is an error.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "core")]

from test_bindings import BINDINGS, WHOLE, check  # noqa: E402


def main() -> None:
    ends = range(2, len(WHOLE) + 1)
    for binding in BINDINGS:
        for drop_block in (False, True):
            cut = sum(check(end, binding, drop_block) for end in ends)
            halted = len(ends) - cut
            print(f"{binding:7} drop_block={drop_block!s:5} {len(ends)} ends: {cut} cut, {halted} halted", flush=True)


if __name__ == "__main__":
    main()
