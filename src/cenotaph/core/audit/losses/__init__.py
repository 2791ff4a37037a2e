"""What of the removed region stands nowhere afterwards, and what stands there that was never said."""

from __future__ import annotations

from cenotaph.core.audit.losses.findings import loss_findings

__all__ = ["loss_findings"]
