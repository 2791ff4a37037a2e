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

reads_compared_max: Final = 32
"""Newest reads of a handle that are asked whether they cover an earlier one."""

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

anthropic_compact_trigger_tokens_min: Final = 50_000
"""Fewest input tokens that may trigger the Messages API's own compaction at a threshold."""

# Rehydration --------------------------------------------------------------------------------
rehydrate_spans_max: Final = 1_000
"""Originals in one answer, also where no limit was asked for; a cursor goes on behind them."""

asked_words_max: Final = 200
"""Words of a question that are looked at as names of their own; its handles are found anywhere in it."""

hint_candidates_max: Final = 200
"""Stored names that are compared with an unanswered question letter by letter, to hint at a few of them."""

hint_words_max: Final = 20
"""Words of an unanswered question by which those names are chosen."""

joined_chars_max: Final = 32
"""How far a cut goes back so as not to part a character that is written as several."""

store_prefix_hex_chars_min: Final = 6
"""Fewest hex digits by which a store handle may be asked for; fewer are not taken for one."""

# Grammar of handles -------------------------------------------------------------------------
chunks_remembered_max: Final = 16_384
"""How many chunks of text the grammar remembers between texts: 4 MB; with more, real text is read no faster."""

lines_at_once_max: Final = 512
"""How many lines the grammar splits into chunks together; what it holds of a text at a time is bounded by them."""

chunk_chars_remembered_max: Final = 128
"""A longer chunk is read each time: 16,384 of this length are 2 MB of ASCII, and long ones rarely repeat."""

quote_chars_max: Final = 200
"""A longer quotation is a passage, not a literal."""

setting_value_chars_max: Final = 120
"""Longest quoted value that counts as the value of a key."""

prohibition_chars_max: Final = 400
"""Where a prohibition without an end of sentence is cut."""

# Our own text -----------------------------------------------------------------------------------
own_text_share: Final = 0.03
"""Share of the window (without one, of the tokens that come in) that our own text may have, lifted words aside."""

own_text_tokens_min: Final = 1_000
"""Tokens that our own text may have in any window."""

# Chains -----------------------------------------------------------------------------------------
chain_max: Final = 1_000_000
"""Cuts that one history may have been kept in; a longer chain of manifests is a circle."""

# Surrogates and summarizers -----------------------------------------------------------------
short_handle_hex_chars: Final = 6
"""Fewest hex digits of a short handle in a line of a surrogate."""

structural_value_chars_max: Final = 300
"""Longest tool name or handle in a line of structural text; the rest is in the store."""

summary_nonce_hex_chars: Final = 16
"""Hex digits of the delimiter between which a source is quoted to a summarizer."""

summary_framing_tokens: Final = 64
"""Room that a summary request keeps free for what the endpoint adds around its texts."""

summary_lines_max: Final = 2_000
"""Most lines of a summarizer's reply that are judged; a longer one is refused as too long."""

summary_line_chars_max: Final = 4_000
"""Longest line of a summarizer's reply; a longer one is refused as too long."""

summarizer_reply_bytes_max: Final = 8 * 1024**2
"""Largest answer that is read from a summarizer's endpoint."""

summarizer_seconds_max: Final = 30.0
"""How long a summarizer's endpoint may take, unless the caller says otherwise."""

summarizer_window_tokens: Final = 8_192
"""Window that a summarizer is taken to have if the caller does not say."""

# Surrogates in a view -----------------------------------------------------------------------------
surrogate_tokens_max: Final = 600
"""Most tokens of a surrogate with its index lines."""

surrogate_line_tokens: Final = 30
"""What a line of a surrogate takes; so many of the newest sources are shown as lines would fit."""

surrogate_tokens_min: Final = 80
"""Room below which no summarizer is asked."""

surrogate_share: Final = 0.02
"""Share of the target that is left free for a surrogate where a summarizer is given."""

# Bringing back by itself ----------------------------------------------------------------------------
recall_share: Final = 0.10
"""Share of the target that `rehydrate=True` may fill with what the newest request names."""

recall_tokens_min: Final = 120
"""Fewer tokens bring nothing back."""

recall_spans_max: Final = 16
"""Originals that one request brings back by itself."""

# Ranking --------------------------------------------------------------------------------------------
grades_remembered_max: Final = 16_384
"""How many sentences keep their grade between two readings."""

# Reading records ------------------------------------------------------------------------------------
records_per_read_max: Final = 16
"""Records that are read from a store at once by whoever looks through all of them."""

# Media ----------------------------------------------------------------------------------------------
image_side_pixels_max: Final = 65_535
"""Longest side that an image may say it has; every provider refuses longer ones, so the header lies."""

header_steps_max: Final = 512
"""Segments, chunks, boxes or entries of a file's header that are walked before it says nothing."""

media_seconds_max: Final = 86_400.0
"""Longest recording that a header may say it is: no request holds a day."""

pdf_bytes_max: Final = 64 * 1024**2
"""Largest PDF whose pages are counted."""

pdf_inflated_bytes_max: Final = 32 * 1024**2
"""Bytes that the compressed object streams of one PDF may inflate to while its pages are counted."""

# Ranges of lines ------------------------------------------------------------------------------------
frame_lines_max: Final = 4
"""Lines that a client may put around a file that it shows whole: a heading, a note that it was cut."""

# Answers --------------------------------------------------------------------------------------------
answer_chars: Final = 20_000
"""Characters of originals in one answer to the agent, unless the caller says otherwise."""

# Audits ---------------------------------------------------------------------------------------------
audit_cuts_max: Final = 50
"""Newest compactions of one of our own sessions that an audit judges, each against the whole history."""

audit_seconds: Final = 8.0
"""How long an audit without a path looks through this user's sessions, newest first, before it answers."""

audit_worst_shown: Final = 3
"""Losses that an audit without a path shows with their words."""

audit_excerpt_chars: Final = 600
"""Characters of one text of a transcript in a report with excerpts."""

audit_hash_hex_chars: Final = 12
"""Digits of a shortened hash in a report that can be shared."""

# What happened after a compaction --------------------------------------------------------------------
audit_command_chars_max: Final = 100_000
"""Characters of a shell command in which an audit looks for what it writes."""

audit_window_calls: Final = 20
"""Calls before a compaction, and first calls after it, whose outcomes are compared with those of the rest."""

audit_spoken_line_chars_max: Final = 2_000
"""Characters of a line in which an audit looks for a person's rule; a longer one was pasted."""

audit_handles_of_ban_max: Final = 5
"""Things written against one prohibition that an audit names each; the rest is one line."""

# Compactions in other clients' sessions -------------------------------------------------------

clearings_per_region_max: Final = 64
"""Microcompactions between two full compactions that are told one by one; each takes two views of the region."""

# Adapters -------------------------------------------------------------------------------------
open_conversations_max: Final = 256
"""Conversations whose sessions an adapter holds in memory; an older one is read from its store when it goes on."""

overhead_step_share: Final = 0.02
"""Share of the window to which an adapter rounds up what a request holds beside its messages."""

store_conflict_tries_max: Final = 3
"""How often a view is asked for while another process writes to the same session."""
