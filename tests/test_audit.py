"""Audits as a caller has them: pairs, files, folders; what is written of them, and how the command ends."""

from __future__ import annotations

import csv
import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import cenotaph
from cenotaph.api.audit_files import FileAudit, Options, audit_files, files_in, hashed, masked
from cenotaph.api.audit_rows import COLUMNS
from cenotaph.api.auditing import audit_history
from cenotaph.core.audit.model import Code, Mechanism, Tier, Verdict
from cenotaph.core.audit.report import SCHEMA_VERSION
from cenotaph.errors import CenotaphError, InputError
from cenotaph.surfaces.cli.main import run
from talk import agent, call, human, result, text

Json = dict[str, Any]
SHARED = Path(__file__).resolve().parents[2] / "shared"

RULE = "Never modify anything under /etc/prod."
PORT = "Use port 5433 for the replica."
SECRET = "AKIAIOSFODNN7EXAMPLE"
SCRIPT = "<script>alert('zanzibar')</script>"
BEFORE = [
    human(f"{RULE} {PORT} Mend the failover in src/failover.py."),
    agent(text("I read it first."), call("c1", "Read", file_path="src/failover.py")),
    result("c1", "def failover():\n    return connect(5432)\n"),
    agent(text("The port is wrong there; I change it next.")),
    human("Good, change it."),
]
KEEPS = f"{RULE} {PORT} Mend the failover in src/failover.py. Good, change it. I read src/failover.py."
LOSES = "The user wants the failover in src/failover.py mended; its port is wrong. Good, change it."


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "CENOTAPH_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    return folder


# Sessions ---------------------------------------------------------------------------------------------


def session(summary: str = LOSES, *, name: str = "s1", path: str = "/etc/prod/app.conf") -> bytes:
    """A Claude Code session in which a rule is said, a summary comes, and the agent writes to a file."""
    records: list[Json] = []

    def add(kind: str, **fields: Any) -> None:
        number = len(records)
        parent = fields.pop("parent", f"{name}-{number - 1}" if number else None)
        records.append(
            {
                "parentUuid": parent,
                "type": kind,
                "uuid": f"{name}-{number}",
                "sessionId": name,
                "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
                **fields,
            }
        )

    first = f"{RULE} {PORT} The key is {SECRET}. Mend src/failover.py; it prints {SCRIPT}."
    add("user", message=human(first))
    add("assistant", message=agent(call("c1", "Read", file_path="src/failover.py")))
    add("user", message=result("c1", "def failover():\n    return connect(5432)\n"))
    add("assistant", message=agent(text("The port is wrong there.")))
    add("user", message=human("Good, change it."))
    add("system", subtype="compact_boundary", parent=None, compactMetadata={"trigger": "auto", "preTokens": 90})
    add("user", message=human(summary), isCompactSummary=True, isVisibleInTranscriptOnly=True)
    add("assistant", message=agent(call("c2", "Write", file_path=path, content="port = 5433\n")))
    add("user", message=result("c2", "written"))
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    return put(tmp_path / "lossy.jsonl", session())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six sessions, of which one lost nothing, a file that is no transcript, and one that is none of ours."""
    place = tmp_path / "sessions"
    (place / "deep").mkdir(parents=True)
    for number in range(5):
        put(place / f"s{number}.jsonl", session(name=f"s{number}", path=f"/etc/prod/f{number}.conf"))
    put(place / "deep" / "calm.jsonl", session(KEEPS, name="calm", path="src/failover.py"))
    put(place / "package.json", b'{"name": "something", "version": "1.0"}')
    put(place / "notes.txt", b"no session")
    return place


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


class Ran:
    """How a command ended."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def audit(capfd: pytest.CaptureFixture[str]) -> Any:
    def command(*argv: object) -> Ran:
        capfd.readouterr()
        status = run(["audit", *map(str, argv)])
        seen = capfd.readouterr()
        return Ran(status, seen.out, seen.err)

    return command


# Pairs ------------------------------------------------------------------------------------------------


def test_statements_keep_their_order_and_each_has_a_verdict() -> None:
    asked = [PORT, RULE, "Deploy on Fridays only."]
    report = cenotaph.audit(BEFORE, LOSES, statements=asked)
    assert [one.text for one in report.statements] == asked
    assert [one.verdict for one in report.statements] == [Verdict.dropped] * 3
    kept = cenotaph.audit(BEFORE, KEEPS, statements=asked)
    assert [one.verdict for one in kept.statements] == [Verdict.preserved, Verdict.preserved, Verdict.dropped]


def test_evidence_stands_at_its_place_on_both_sides() -> None:
    (one,) = cenotaph.audit(BEFORE, KEEPS, statements=[RULE]).statements
    place = one.evidence[0]
    said = BEFORE[0]["content"]
    assert said[place.before[0] : place.before[1]] == RULE
    assert place.after is not None
    assert KEEPS[place.after[0] : place.after[1]].rstrip(".") == RULE.rstrip(".")
    assert one.span is not None
    (gone,) = cenotaph.audit(BEFORE, LOSES, statements=[RULE]).statements
    assert gone.evidence[0].after is None
    (nowhere,) = cenotaph.audit(BEFORE, LOSES, statements=["Never sleep."]).statements
    assert nowhere.span is None


def test_without_statements_all_that_was_said_is_judged() -> None:
    told = [one.text for one in cenotaph.audit(BEFORE, LOSES).statements]
    assert told == [RULE, PORT, "Mend the failover in src/failover.py.", "Good, change it."]


def test_a_lost_prohibition_is_the_worst_finding_and_nothing_lost_is_none() -> None:
    report = cenotaph.audit(BEFORE, LOSES)
    worst = report.findings[0]
    assert (worst.code, worst.tier, worst.shown["original"]) == (Code.constraint_dropped, Tier.proven, RULE)
    assert report.worst == worst.weight
    weights = [one.weight for one in report.findings]
    assert weights == sorted(weights, reverse=True)
    kept = cenotaph.audit(BEFORE, KEEPS)
    assert {one.code for one in kept.findings} <= {Code.no_back_pointer}


def test_two_lists_and_a_list_and_a_text_say_the_same() -> None:
    as_text = cenotaph.audit(BEFORE, LOSES)
    as_list = cenotaph.audit(BEFORE, [human(LOSES)])
    assert [(one.text, one.verdict) for one in as_text.statements] == [
        (one.text, one.verdict) for one in as_list.statements
    ]
    assert [one.event.mechanism for one in as_text.compactions] == [Mechanism.pair]


def test_what_was_left_standing_is_not_lost() -> None:
    report = cenotaph.audit(BEFORE, BEFORE)
    assert (report.findings, report.statements) == ([], [])


def test_nothing_left_loses_all() -> None:
    report = cenotaph.audit(BEFORE, [])
    assert {one.verdict for one in report.statements} == {Verdict.dropped}


@pytest.mark.parametrize("before", [[], "words", 3, {"name": "package"}, [{"a": 1}]])
def test_a_side_that_is_no_conversation_is_an_error(before: Any) -> None:
    with pytest.raises(CenotaphError):
        cenotaph.audit(before, LOSES)


def compacted(store: str) -> tuple[list[Any], list[Any]]:
    """A conversation, and what a compaction of ours made of it."""
    reads = [
        one
        for number in range(12)
        for one in (
            agent(call(f"r{number}", "Read", file_path=f"src/f{number}.py")),
            result(f"r{number}", f"line of {number}\n" * 200),
        )
    ]
    talk = [*BEFORE, *reads, agent(text("All is read.")), human("Then go on.")]
    done = cenotaph.compact(talk, to_tokens=3_000, store=store, session="run-1", tools=["claude-code"])
    return talk, list(done.messages)


@pytest.fixture
def stored(tmp_path: Path) -> tuple[str, list[Any], list[Any]]:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    return url, *compacted(url)


def test_our_own_compaction_has_no_finding(stored: tuple[str, list[Any], list[Any]]) -> None:
    url, before, after = stored
    assert after != before
    report = cenotaph.audit(before, after, store=url, session="run-1")
    assert report.findings == []
    assert cenotaph.audit(before, after, store=url).findings == []


def test_our_own_session_has_no_finding(stored: tuple[str, list[Any], list[Any]], audit: Any) -> None:
    ran = audit("--store", stored[0], "--session", "run-1", "--json")
    assert ran.status == 0
    (cut,) = ran.json["sessions"][0]["compactions"]
    assert (cut["mechanism"], cut["findings"], cut["removed_parts"] > 0) == ("cenotaph", [], True)


def test_a_store_that_is_missing_is_no_loss(tmp_path: Path, stored: tuple[str, list[Any], list[Any]]) -> None:
    _, before, after = stored
    with pytest.raises(CenotaphError):
        cenotaph.audit(before, after, store=f"sqlite:///{tmp_path / 'other.db'}")


# Files and folders ------------------------------------------------------------------------------------


def test_a_session_says_what_was_lost_and_what_was_done_against_it(lossy: Path) -> None:
    report = audit_history(lossy.read_bytes(), name=str(lossy))
    assert report.findings[0].code is Code.violation
    lost = next(one for one in report.findings if one.code is Code.constraint_dropped)
    assert lost.shown["original"] == RULE
    command = report.way_back(1)
    assert command is not None
    assert command.split() == ["cenotaph", "rehydrate", "t1", "--all", "--from", str(lossy)]


def test_the_way_back_is_quoted_for_a_shell() -> None:
    report = audit_history(session(), name="a folder/it's.jsonl")
    assert shlex.split(report.way_back(1) or "") == ["cenotaph", "rehydrate", "t1", "--all", "--from", report.name]
    assert audit_history(session()).way_back(1) is None


def test_the_command_that_a_finding_gives_brings_the_words_back(
    lossy: Path, audit: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    found = audit(lossy, "--json", "--with-excerpts").json["sessions"][0]["compactions"][0]["findings"]
    given = next(one for one in found if one["shown"].get("original", {}).get("text") == RULE)
    assert (given["code"], given["turn"]) == ("constraint-dropped", 1)
    words = shlex.split(given["rehydrate"]["text"])
    assert words[:2] == ["cenotaph", "rehydrate"]
    assert run(words[1:]) == 0
    assert RULE in capfd.readouterr().out


def test_any_number_of_jobs_gives_the_same(folder: Path) -> None:
    found = dict(files_in([str(folder)]))
    options = Options(key=b"k", shares=True, strays=frozenset(found))
    alone = audit_files(list(found), options, jobs=1)
    assert audit_files(list(found), options, jobs=2) == alone
    assert audit_files(list(reversed(found)), options, jobs=2) == alone
    assert [one.worst for one in alone] == sorted((one.worst for one in alone), reverse=True)
    assert [Path(one.name).name for one in alone if one.stray] == ["package.json"]
    assert all(one.error is None for one in alone)


def test_each_is_told_as_it_arrives(folder: Path) -> None:
    told: list[FileAudit] = []
    names = sorted(dict(files_in([str(folder)])))
    found = audit_files(names, Options(key=b"k", strays=frozenset(names)), told=told.append)
    assert [one.name for one in told] == names
    assert sorted(told, key=lambda one: one.name) == sorted(found, key=lambda one: one.name)


def test_a_file_that_cannot_be_read_stops_no_other(folder: Path, audit: Any) -> None:
    put(folder / "broken.jsonl", b"\xff\xfe\x00 no session")
    ran = audit(folder, folder / "s0.jsonl", "--json", "--jobs", 1)
    assert len(ran.json["sessions"]) == 6
    named = audit(folder / "s0.jsonl", folder / "package.json", "--json")
    assert (len(named.json["sessions"]), len(named.json["failed"])) == (1, 1)
    assert "package.json" in named.err


def test_a_task_in_two_files_is_read_as_one(tmp_path: Path, audit: Any) -> None:
    sent = [{"role": "user", "content": [{"type": "text", "text": "<task>\nBuild it.\n</task>"}]}]
    for n in range(1, 12):
        text = RULE if n == 4 else f"Word {n}."
        sent.append({"role": "assistant" if n % 2 else "user", "content": [{"type": "text", "text": text}]})
    shown = [
        {"ts": 1, "type": "say", "say": "task", "text": "Build it.", "conversationHistoryIndex": -1},
        {
            "ts": 2, "type": "say", "say": "text", "text": "On.", "conversationHistoryIndex": 8,
            "conversationHistoryDeletedRange": [2, 5],
        },
    ]
    (tmp_path / "task").mkdir()
    put(tmp_path / "task" / "api_conversation_history.json", json.dumps(sent).encode())
    put(tmp_path / "task" / "ui_messages.json", json.dumps(shown).encode())
    for path in (tmp_path, tmp_path / "task" / "ui_messages.json", tmp_path / "task" / "api_conversation_history.json"):
        (found,) = audit(path, "--json", "--with-excerpts").json["sessions"]
        (cut,) = found["compactions"]
        assert cut["mechanism"] == "cline.truncation"
        assert [one["code"] for one in cut["findings"]].count("constraint-dropped") == 1


def test_a_file_of_which_nothing_was_understood_is_an_error(tmp_path: Path, audit: Any) -> None:
    files = {"a.json": b'{"some": "thing"}', "b.jsonl": b"\x00\x01\x02", "c.json": b"", "d.json": b"[]"}
    for name, data in files.items():
        ran = audit(put(tmp_path / name, data))
        assert ran.status == 2, name
        assert ran.err.startswith("cenotaph: "), name
        assert name in ran.err
        assert not ran.out
    with pytest.raises(InputError):
        audit_history(b'{"type": "summary", "summary": "x"}\n', dialect="claude-code")


def test_exit_codes_are_for_ci(folder: Path, tmp_path: Path, audit: Any) -> None:
    lossy, calm = folder / "s0.jsonl", folder / "deep" / "calm.jsonl"
    assert audit(lossy).status == 1
    assert audit(lossy, "--fail-on", "proven").status == 1
    assert audit(lossy, "--fail-on", "never").status == 0
    assert audit(put(tmp_path / "none.jsonl", session().split(b'{"parentUuid": null, "type": "system"')[0])).status == 0
    assert audit(calm, folder / "package.json", "--fail-on", "never").status == 2
    assert audit(tmp_path / "missing.jsonl").status == 2
    both = ["--before", lossy, "--after", lossy]
    for wrong in (["--before", lossy], [lossy, *both], [lossy, "--jobs", 0], [lossy, "--store", "sqlite:///x.db"]):
        ran = audit(*wrong)
        assert (ran.status, ran.out) == (2, "")
    assert audit(lossy, "--rows", tmp_path / "rows.xlsx").status == 2


def test_a_pair_of_files_is_audited_by_the_command(tmp_path: Path, audit: Any) -> None:
    before = put(tmp_path / "before.json", json.dumps(BEFORE).encode())
    summary = put(tmp_path / "summary.md", LOSES.encode())
    ran = audit("--before", before, "--after", summary, "--json", "--with-excerpts")
    (cut,) = ran.json["sessions"][0]["compactions"]
    assert (ran.status, cut["mechanism"]) == (1, "pair")
    assert cut["verdicts"]["dropped"] >= 2
    as_list = put(tmp_path / "after.json", json.dumps([human(LOSES)]).encode())
    (other,) = audit("--before", before, "--after", as_list, "--json").json["sessions"][0]["compactions"]
    assert other["verdicts"] == cut["verdicts"]


def test_without_a_path_the_worst_of_this_user_is_shown(home: Path, audit: Any) -> None:
    assert audit().status == 2
    place = home / ".claude" / "projects" / "-srv-app"
    place.mkdir(parents=True)
    put(place / "one.jsonl", session())
    ran = audit()
    assert ran.status == 1
    assert RULE in ran.out
    assert "cenotaph rehydrate" in ran.out
    assert audit("--json").status == 2


# What is written of it --------------------------------------------------------------------------------


def strings(value: Any) -> list[str]:
    """Every string of a JSON value; keys are not among them."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [found for one in value.values() for found in strings(one)]
    return [found for one in value for found in strings(one)] if isinstance(value, list) else []


TELLING = ("port 5433", "replica", "failover", "/etc/prod", "app.conf", SECRET, "zanzibar", "Good, change", "connect(")
"""Words of the session that stand nowhere else."""


def test_the_safe_form_holds_no_word_of_the_transcript_nor_its_path(lossy: Path, audit: Any) -> None:
    ran = audit(lossy, "--json")
    value = ran.json
    assert (value["kind"], value["schema_version"], value["excerpts"]) == ("cenotaph-audit", SCHEMA_VERSION, False)
    for word in (*TELLING, str(lossy), "lossy.jsonl", "s1-0"):
        assert word not in ran.out, word
    assert value["sessions"][0]["compactions"][0]["findings"]
    hidden = [one for one in strings(value["sessions"]) if re.fullmatch(r"[0-9a-f]{8,64}", one)]
    assert len(hidden) > 5


def test_hashes_of_two_runs_have_nothing_in_common(lossy: Path, audit: Any) -> None:
    one, other = (set(re.findall(r'"sha256": ?"([0-9a-f]+)"', audit(lossy, "--json").out)) for _ in range(2))
    assert one
    assert not one & other
    assert hashed(b"k")("words") == hashed(b"k")("words") != hashed(b"l")("words")


def test_excerpts_show_words_and_mask_secrets(lossy: Path, audit: Any) -> None:
    ran = audit(lossy, "--json", "--with-excerpts")
    assert RULE in strings(ran.json)
    assert SECRET not in ran.out
    assert ran.json["excerpts"] is True
    told = masked(b"k")("x" * 100_000)
    assert told["characters"] == 100_000
    assert len(told["text"]) < 5_000


def test_what_the_terminal_shows_holds_no_secret(lossy: Path, audit: Any) -> None:
    for flags in ((), ("--with-excerpts",)):
        assert SECRET not in audit(lossy, *flags).out


def test_rows_are_one_per_compaction_and_hold_no_words(folder: Path, tmp_path: Path, audit: Any) -> None:
    out = tmp_path / "rows.csv"
    assert audit(folder, "--rows", out).status == 1
    rows = list(csv.DictReader(out.open(newline="")))
    assert len(rows) == 6
    assert list(rows[0]) == list(COLUMNS)
    assert {row["mechanism"] for row in rows} == {"claude-code.full"}
    assert sum(int(row["proven_constraint-dropped"]) for row in rows) >= 5
    assert sum(int(row["verdict_dropped"]) for row in rows) >= 5
    for word in TELLING:
        assert word not in out.read_text()


def test_rows_as_parquet_are_the_same(folder: Path, tmp_path: Path, audit: Any) -> None:
    duckdb = pytest.importorskip("duckdb", reason="Parquet is written by duckdb, which is not installed")
    out = tmp_path / "rows.parquet"
    audit(folder, "--rows", out)
    names = [one[0] for one in duckdb.sql(f"describe select * from '{out}'").fetchall()]
    assert tuple(names) == COLUMNS
    assert duckdb.sql(f"select count(*), sum(removed_parts) > 0 from '{out}'").fetchall() == [(6, True)]


# The page ---------------------------------------------------------------------------------------------

_LOADING = {"src", "href", "srcset", "data", "action", "poster", "background", "xlink:href"}


class Page(HTMLParser):
    """What a page loads, which scripts it has, and how its tags close."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.scripts = 0
        self.policy = ""
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.scripts += tag == "script"
        self.loads += [value or "" for name, value in attrs if name in _LOADING and not (value or "").startswith("#")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]
        if (named.get("http-equiv") or "").lower() == "content-security-policy":
            self.policy = named.get("content") or ""


@pytest.mark.parametrize("flags", [(), ("--with-excerpts",)])
def test_the_page_loads_nothing_and_runs_only_its_own_script(
    lossy: Path, tmp_path: Path, audit: Any, flags: tuple[str, ...]
) -> None:
    out = tmp_path / "report.html"
    assert audit(lossy, "--html", out, *flags).status == 1
    shown = out.read_text(encoding="utf-8")
    page = Page(shown)
    assert (page.loads, page.scripts, page.handlers) == ([], 1, [])
    assert "default-src 'none'" in page.policy
    assert "unsafe" not in page.policy
    assert "sha256-" in page.policy
    assert not re.search(r"url\(|@import|https?://", shown)
    assert SECRET not in shown


def test_words_of_a_transcript_are_words_on_the_page(lossy: Path, tmp_path: Path, audit: Any) -> None:
    out = tmp_path / "report.html"
    audit(lossy, "--html", out, "--with-excerpts")
    shown = out.read_text(encoding="utf-8")
    assert "alert(" in shown
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert" in shown
    assert RULE in shown
    safe = tmp_path / "safe.html"
    audit(lossy, "--html", safe)
    for word in TELLING:
        assert word not in safe.read_text(encoding="utf-8"), word


# Real transcripts -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def spoken() -> list[Json]:
    """A transcript in lines `[turn N] who: words`, as messages."""
    told: list[Json] = []
    whole = (SHARED / "data" / "drift" / "transcript.txt").read_text(encoding="utf-8")
    for number, turn in enumerate(re.split(r"^\[turn \d+\] ", whole, flags=re.MULTILINE)[1:]):
        who, words = turn.rstrip().split(": ", 1)
        if who.startswith("tool("):
            command, _, output = words.partition("\n")
            told += [agent(call(f"c{number}", who[5:-1], command=command)), result(f"c{number}", output or "done")]
        else:
            told.append(human(words) if who == "user" else agent(text(words)))
    return told


def summaries(name: str) -> dict[int, str]:
    value = json.loads((SHARED / "data" / "drift" / name).read_text(encoding="utf-8"))
    return {one["seed"]: one["summary"] for one in value}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "seed", "codes", "words"),
    [
        ("qwen1.5b.json", 7, {Code.state_collapsed}, "OPS-4412"),
        ("qwen1.5b.json", 7, {Code.handle_fabricated}, "4"),
        ("qwen-protectprompt.json", 5, {Code.constraint_contradicted, Code.constraint_dropped}, "/etc/prod"),
    ],
)
def test_what_a_small_model_changed_is_found(
    spoken: list[Json], name: str, seed: int, codes: set[Code], words: str
) -> None:
    found = cenotaph.audit(spoken, summaries(name)[seed]).findings
    assert any(one.code in codes and words in " ".join(one.shown.values()) for one in found)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["qwen1.5b.json", "qwen-protectprompt.json"])
def test_each_summary_of_a_small_model_is_judged(spoken: list[Json], name: str) -> None:
    for summary in summaries(name).values():
        assert len(cenotaph.audit(spoken, summary).statements) > 5
