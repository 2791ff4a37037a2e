"""The report of an audit as one HTML file: opens from disk, needs no network, reads without a script.

    page        the page around everything: title, sums by tier, filters
    session     one session: its compactions, findings and statements
    pictures    the timeline and the bars, as SVG and plain boxes
    page.css, page.js   what is put into the page whole

It is made from the JSON form of the report and from nothing else, so that whatever is safe to share there
is safe to share here.
"""

from __future__ import annotations

from cenotaph.surfaces.report.page import html_report

__all__ = ["html_report"]
