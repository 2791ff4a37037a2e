"""What happened after a compaction: what was read again, what failed, what was done against a lost rule."""

from __future__ import annotations

from cenotaph.core.audit.aftermath.figures import Aftermath, Window, aftermath

__all__ = ["Aftermath", "Window", "aftermath"]
