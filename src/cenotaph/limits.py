"""Every bound in the package, with its unit in the name; nothing else may invent one.

A bound protects either the user's data (a refusal instead of an exhausted machine) or the
meaning of a row in the classification table. Change one only with its test.
"""

from __future__ import annotations

from typing import Final

# Input --------------------------------------------------------------------------------------
input_bytes_max: Final = 2 * 1024**3
"""Largest file that is read at all."""

line_bytes_max: Final = 256 * 1024**2
"""Longest single line of a session file; a longer one is refused by name and line number."""

json_depth_max: Final = 200
"""Deepest nesting of foreign JSON that is walked; deeper input is refused before recursion."""

# Classification -----------------------------------------------------------------------------
payload_tokens_min: Final = 500
"""A fenced, attached or pasted part of a human message is a payload only above this size."""

paste_lines_min: Final = 12
"""A pasted block has at least this many lines."""

short_request_chars_max: Final = 200
"""A newest human message below this length leans on the agent text before it."""

# Budget -------------------------------------------------------------------------------------
trigger_share: Final = 0.70
target_share: Final = 0.45
min_gain_share: Final = 0.10
protected_share_max: Final = 0.35

replans_max: Final = 8
"""How often a plan is tightened when the recounted view misses the target by framing tokens."""

# Handles ------------------------------------------------------------------------------------
store_handle_hex_chars: Final = 16
"""Hex digits of a store handle: `cx:` and these (64 bits, unique within one session)."""

handle_chars_max: Final = 2_048
"""A longer candidate is not a handle; it stays in the store only."""

hints_max: Final = 5
"""How many near handles a gap names."""

# Store --------------------------------------------------------------------------------------
store_lock_seconds_max: Final = 5.0
"""How long a write waits for another process before it raises."""

span_bytes_max: Final = 512 * 1024**2
"""Largest single original that a store takes."""

# Providers ----------------------------------------------------------------------------------
anthropic_body_bytes_max: Final = 32_000_000
"""Largest request body that the Messages API takes (32 MB; the smaller reading of "MB")."""

anthropic_cache_breakpoints_max: Final = 4
"""Most `cache_control` breakpoints in one request of the Messages API."""
