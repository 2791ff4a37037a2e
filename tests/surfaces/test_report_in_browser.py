"""The report of an audit in a real browser: both widths, both colour schemes, without a mouse.

Needs Playwright (extra `dev`) and a Chromium on the path; skipped, saying so, without them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cenotaph.surfaces.cli.main import run

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")

RULE = "Never modify anything under /etc/prod."
CONTRAST_MIN = 4.5
"""WCAG 2.1, 1.4.3, for text of any size."""

CONTRASTS = """() => {
  const light = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4 };
  const parts = s => (s.match(/[\\d.]+/g) || []).map(Number);
  const luminance = p => 0.2126 * light(p[0]) + 0.7152 * light(p[1]) + 0.0722 * light(p[2]);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const p = parts(getComputedStyle(e).backgroundColor);
      if (p.length === 3 || p[3] > 0) return p;
    }
    return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e instanceof SVGElement) continue;
    const a = luminance(parts(getComputedStyle(e).color)), b = luminance(behind(e));
    found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.tagName + '.' + e.className]);
  }
  return found.sort((x, y) => x[0] - y[0]);
}"""


def transcript(path: Path) -> Path:
    """A session of Claude Code whose summary lost the rule, with a long line in it."""
    when = "2026-11-30T12:00:0{}.000Z"
    base = {"sessionId": "s", "version": "2.1.0", "cwd": "/w", "isSidechain": False, "userType": "external"}
    said = [("user", RULE + " Step 2 is blocked: waiting for OPS-41."), ("assistant", "Understood. " + "x" * 3_000)]
    records: list[dict[str, Any]] = []
    for at, (role, text) in enumerate(said):
        content: Any = text if role == "user" else [{"type": "text", "text": text}]
        message: dict[str, Any] = {"role": role, "content": content}
        if role == "assistant":
            message |= {"id": "m1", "type": "message", "model": "claude-x", "usage": {"input_tokens": 900}}
        parent = records[-1]["uuid"] if records else None
        own = {"type": role, "uuid": f"u{at}", "parentUuid": parent, "timestamp": when.format(at), "message": message}
        records.append(base | own)
    boundary = {
        **base, "type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "uuid": "b",
        "parentUuid": None, "logicalParentUuid": "u1", "timestamp": when.format(3),
        "compactMetadata": {"trigger": "auto", "preTokens": 900},
    }
    summary = {
        **base, "type": "user", "uuid": "c", "parentUuid": "b", "timestamp": when.format(4), "isCompactSummary": True,
        "isVisibleInTranscriptOnly": True,
        "message": {"role": "user", "content": "Summary: the work on the configuration goes on, step 2 is pending."},
    }
    path.write_text("".join(json.dumps(one) + "\n" for one in (*records, boundary, summary)))
    return path


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    out = folder / "report.html"
    assert run(["audit", str(transcript(folder / "s.jsonl")), "--html", str(out), "--with-excerpts"]) == 1
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


class Opened:
    """The report, and what its loading asked for and complained of."""

    def __init__(self, browser: Any, file: Path, width: int, scheme: str) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(file.as_uri())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_it_opens_from_disk_fits_and_can_be_read(browser: Any, page_file: Path, width: int, scheme: str) -> None:
    opened = Opened(browser, page_file, width, scheme)
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert opened.asked == [page_file.as_uri()], "nothing else is loaded"
    assert opened.complaints == []
    assert RULE in page.inner_text("body")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 20
    assert contrasts[0][0] >= CONTRAST_MIN, contrasts[:5]
    page.close()


def test_everything_is_reached_and_used_by_keyboard(browser: Any, page_file: Path) -> None:
    page = Opened(browser, page_file, 1280, "light").page
    wanted = page.evaluate(
        "[...document.querySelectorAll('summary, input, select, button, a[href]')]"
        ".filter(e => e.getClientRects().length).length"
    )
    assert wanted > 2
    reached: set[str] = set()
    for _ in range(wanted + 2):
        page.keyboard.press("Tab")
        told = page.evaluate(
            "(() => { const e = document.activeElement; if (e === document.body) return null;"
            " const s = getComputedStyle(e); e.dataset.at ??= Math.random();"
            " return [e.dataset.at, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0, e.tagName] })()"
        )
        if told is not None:
            assert told[1], f"the focus shows on {told[2]}"
            reached.add(told[0])
    assert len(reached) == wanted
    closed = page.locator("details:not([open]) > summary").first
    if closed.count():
        closed.focus()
        page.keyboard.press("Enter")
        assert page.locator("details[open]").count() >= 1
    page.close()


def test_a_filter_hides_what_is_not_asked_for_without_a_mouse(browser: Any, page_file: Path) -> None:
    page = Opened(browser, page_file, 1280, "light").page
    before = page.locator("[data-tier]:visible").count()
    assert before > 0
    page.locator("input[type=checkbox], select").first.focus()
    page.keyboard.press("Space")
    assert page.locator("[data-tier]:visible").count() != before
    page.close()
