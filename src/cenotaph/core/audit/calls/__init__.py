"""What a call does to files, hosts, services and databases, read from its arguments."""

from __future__ import annotations

from cenotaph.core.audit.calls.acts import Act, Target, acts_in, command_of, file_of, only_reads, same_call, written_by

__all__ = ["Act", "Target", "acts_in", "command_of", "file_of", "only_reads", "same_call", "written_by"]
