"""Whether what stands for the removed is a summary of it, and what is made up in it."""

from __future__ import annotations

from cenotaph.core.audit.replacement.findings import replacement_findings

__all__ = ["replacement_findings"]
