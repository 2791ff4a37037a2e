"""What became of a statement: held against every text that is read afterwards."""

from __future__ import annotations

from cenotaph.core.audit.verdicts.judge import judge

__all__ = ["judge"]
