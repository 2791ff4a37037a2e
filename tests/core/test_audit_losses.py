"""Handles and states: what the agent acted on is missed by name, the rest is counted, what stands is not missed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from cenotaph.core.audit.losses import loss_findings
from cenotaph.core.audit.model import Code, Event, Finding, Mechanism, Tier
from cenotaph.core.ids import JSON
from cenotaph.core.model import Kind, Mark, Message, Part, Provenance

USER, AGENT, TOOL = Provenance.user, Provenance.agent, Provenance.tool


def part(text: str, provenance: Provenance = USER, kind: Kind = Kind.text, *marks: Mark, **fields: object) -> Part:
    return Part(kind, provenance, (), (), text, marks=frozenset(marks), **fields)  # type: ignore[arg-type]


def message(*parts: Part) -> Message:
    role = {USER: "user", AGENT: "assistant", TOOL: "tool"}.get(parts[0].provenance, "user")
    return Message({}, role, parts)


def said(text: str, provenance: Provenance = USER) -> Message:
    return message(part(text, provenance))


def called(identity: str, tool: str, **arguments: JSON) -> Message:
    return message(part(str(arguments), AGENT, Kind.call, call_id=identity, tool=tool, args=arguments))


def gave(identity: str, text: str) -> Message:
    return message(part(text, TOOL, Kind.result, call_id=identity))


def compacted(talk: Iterable[Message], *texts: str, **fields: object) -> Event:
    """A compaction of a whole conversation, with these texts in its place."""
    before = tuple(talk)
    after = tuple(message(part(text, Provenance.foreign, Kind.text, Mark.summary)) for text in texts)
    places = tuple((at, index) for at, one in enumerate(before) for index in range(len(one.parts)))
    event = Event(Mechanism.pair, len(before), before, after, places, tuple(range(len(texts))))
    return replace(event, **fields)  # type: ignore[arg-type]


def found(event: Event, code: Code) -> list[Finding]:
    return [one for one in loss_findings(event).findings if one.code is code]


LISTING = "\n".join(f"./vendor/pkg{number // 50}/module{number}.c" for number in range(5_000))
WORK = (
    said("Port /srv/app/ingest.py to the new queue. The old one is at queue-7.internal.example.org."),
    called("c1", "run", command="ls -R vendor"),
    gave("c1", LISTING),
    called("c2", "read_file", path="/srv/app/ingest.py"),
    gave("c2", "import queue\nfrom lib.retry import backoff\n# see docs/queue/limits.md\n"),
    called("c3", "write_file", path="/srv/app/consumer.py", content="from lib.retry import backoff  # conf/r.toml\n"),
    gave("c3", "written"),
    said("I left the fallback in /srv/app/fallback.py alone.", AGENT),
)
KEPT = (
    "Port of /srv/app/ingest.py to the new queue; the old one is at queue-7.internal.example.org. "
    "/srv/app/consumer.py is written, /srv/app/fallback.py was left alone, vendor was listed with ls -R."
)


# What is missed ---------------------------------------------------------------------------------------


def test_what_was_acted_on_comes_before_what_was_listed() -> None:
    lost = sorted(found(compacted(WORK, "The work goes on."), Code.handle_lost), key=lambda one: -one.weight)
    assert [one.count for one in lost][:3] == [2, 1, 1]
    assert [one.note.split(" that ")[1].split(" stand")[0] for one in lost] == [
        "people named",
        "calls wrote to",
        "the agent wrote of",
        "only stood in output",
    ]
    assert "/srv/app/ingest.py" in lost[0].shown["handle"]
    assert "queue-7.internal.example.org" in lost[0].shown["handle"]
    assert "/srv/app/consumer.py" in lost[1].shown["handle"]
    assert "/srv/app/fallback.py" in lost[2].shown["handle"]
    assert lost[0].ref == (0, 0)
    assert len({one.weight for one in lost}) == len(lost)


def test_five_thousand_listed_paths_are_one_line() -> None:
    lost = found(compacted(WORK, KEPT), Code.handle_lost)
    (one,) = lost
    assert one.count >= 5_000
    assert one.weight <= 5
    assert not one.shown
    losses = loss_findings(compacted(WORK, KEPT))
    kept, total = losses.kept["path"]
    assert total >= 5_000
    assert kept < 20


def test_what_a_call_writes_is_not_what_it_names() -> None:
    lost = found(compacted(WORK, "The work goes on."), Code.handle_lost)
    assert not any("conf/r.toml" in one.shown.get("handle", "") for one in lost)


def test_nothing_lost_no_finding() -> None:
    talk = (
        said("Read src/app.py and conf/base.toml on host build-3.example.org."),
        called("c1", "read_file", path="src/app.py"),
        gave("c1", "import conf\nPORT = 5433\n"),
        said("src/app.py reads conf/base.toml at import.", AGENT),
    )
    for summary in (
        "src/app.py reads conf/base.toml at import; host build-3.example.org, PORT = 5433.",
        "- `src/app.py`: reads `conf/base.toml`\n- host: build-3.example.org",
        "\n".join(one.parts[0].text for one in talk),
    ):
        losses = loss_findings(compacted(talk, summary))
        assert losses.findings == ()
        assert losses.kept["acted"][0] == losses.kept["acted"][1] > 0


def test_a_full_stop_after_a_path_is_none_of_it() -> None:
    talk = (said("Mend src/app.py."), called("c", "read_file", path="src/app.py"), gave("c", "see src/lib/io.py"))
    losses = loss_findings(compacted(talk, "Mend src/app.py. It is like src/lib/io.py."))
    assert (losses.findings, losses.kept["path"]) == ((), (2, 2))


def test_what_was_written_comes_before_what_was_read() -> None:
    talk = (
        called("c1", "read_file", path="/srv/app/queue.py"),
        called("c2", "Bash", command="date | tee /srv/app/retry.py"),
        called("c3", "Edit", file_path="/srv/app/limits.py", old_string="1", new_string="2"),
    )
    written, read = sorted(found(compacted(talk, "It goes on."), Code.handle_lost), key=lambda one: -one.weight)
    assert set(written.shown["handle"].split(", ")) == {"/srv/app/retry.py", "/srv/app/limits.py"}
    assert read.shown["handle"] == "/srv/app/queue.py"


def test_a_shorter_spelling_names_the_same_thing() -> None:
    commit = "4be19c7d2f6a8e0b1c3d5f7a9b8c6d4e2f0a1b3c"
    talk = (
        said(f"Mend /home/me/work/src/ledger/reader.py as in commit {commit}."),
        called("c", "read_file", path="/home/me/work/src/ledger/reader.py"),
    )
    losses = loss_findings(compacted(talk, "ledger/reader.py is to be mended as in 4be19c7."))
    assert losses.findings == ()
    assert losses.kept["acted"][0] == 0
    (one,) = found(compacted(talk, "reader.pyc is to be mended, and ledger/reader.pyi."), Code.handle_lost)
    assert one.count == 2


@pytest.mark.parametrize(
    "talk",
    [
        (called("c", "Bash", command='grep -rn --include="*.go" -A=3 hello 2>/dev/null'),),
        (said('What does {"input_tokens": 8, "service_tier": "standard"} mean?'),),
        (said("Why does this fail?\n```\n" + "2026-01-02 read /var/log/a.log id=4be19c7d\n" * 200 + "```\n"),),
    ],
    ids=["options", "fields", "pasted"],
)
def test_what_names_no_thing_is_not_missed(talk: tuple[Message, ...]) -> None:
    assert [one for one in found(compacted(talk, "It goes on."), Code.handle_lost) if one.shown] == []


def test_a_history_without_handles_loses_none() -> None:
    losses = loss_findings(compacted((said("What is a monad?"), said("A monoid, of a kind.", AGENT)), "Monads."))
    assert (losses.findings, losses.kept) == ((), {"acted": (0, 0), "path": (0, 0)})


def test_what_was_kept_beside_the_summary_is_not_lost() -> None:
    event = compacted(WORK[:1], "The work goes on.")
    kept = said("I read /srv/app/ingest.py; queue-7.internal.example.org answers.", AGENT)
    assert found(replace(event, after=(*event.after, kept)), Code.handle_lost) == []


def test_a_loss_has_the_tier_of_its_event() -> None:
    for fields, tier in (({}, Tier.proven), ({"opaque": True}, Tier.at_risk), ({"complete": False}, Tier.at_risk)):
        tiers = {one.tier for one in found(compacted(WORK, "It goes on.", **fields), Code.handle_lost)}
        assert tiers == {tier}


# What is made up --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("was", "is_now"),
    [
        ("/srv/app/ingest.py", "/srv/app/ingests.py"),
        ("queue-7.internal.example.org", "queue-1.internal.example.org"),
        ("/srv/app/consumer.py", "/srv/apps/consumer.py"),
    ],
)
def test_a_name_that_changed_a_little_is_mutated(was: str, is_now: str) -> None:
    text = KEPT.replace(was, is_now)
    (one,) = found(compacted(WORK, text), Code.handle_mutated)
    assert one.shown == {"original": was, "became": is_now}
    assert one.after is not None
    assert text[one.after[2] : one.after[3]] == is_now
    assert one.tier is Tier.proven


@pytest.mark.parametrize(
    "name",
    [
        "/opt/billing/ledger/reconcile_all.rb",
        "https://status.acme-cloud.example/incidents/4411",
        "f3b1c2d4-9a77-4e21-8c55-0d2f6a1b9e10",
    ],
)
def test_a_name_that_never_stood_is_fabricated(name: str) -> None:
    text = f"{KEPT} See {name} for the rest."
    (one,) = found(compacted(WORK, text), Code.handle_fabricated)
    assert one.shown == {"became": name}
    assert one.after is not None
    assert text[one.after[2] : one.after[3]] == name


def test_of_many_made_up_names_some_are_told_and_the_rest_is_one_line() -> None:
    text = KEPT + "".join(f" See /opt/unit{number}/z{number}.rb." for number in range(300))
    told = found(compacted(WORK, text), Code.handle_fabricated)
    assert len(told) < 30
    assert sum(one.count for one in told) == 300
    assert max(one.count for one in told) > 200


def test_a_name_that_is_made_up_often_is_one_finding() -> None:
    text = f"{KEPT} See /opt/billing/a_b.rb." + " Again /opt/billing/a_b.rb, as said." * 3
    (one,) = found(compacted(WORK, text), Code.handle_fabricated)
    assert one.count == 4
    assert one.after is not None
    assert one.after[2] == text.index("/opt/billing")


@pytest.mark.parametrize(
    "told",
    [
        "srv/app/ingest.py was read.",
        "`/srv/app/ingest.py:12` imports queue.",
        "It is in /srv/app/.",
        "vendor/pkg3/module170.c is one of them.",
        "./vendor/pkg3/module170.c is one of them.",
        "ingest.py and consumer.py share lib.retry.",
        "docs/queue/limits.md names the limits.",
        "The transcript is at /home/me/.agent/9c.jsonl.",
    ],
)
def test_another_spelling_of_what_stood_is_not_made_up(told: str) -> None:
    event = compacted(WORK, f"{KEPT} {told}")
    assert found(event, Code.handle_mutated) == []
    assert found(event, Code.handle_fabricated) == []


def test_a_range_of_names_and_a_setting_written_otherwise_stood() -> None:
    talk = (said("Do WP14 and WP20 with RETRY_MAX = 5 and log_level: debug."), said("WP14 is begun.", AGENT))
    for told in ("WP14-WP20 are open.", "WP14-20 are open.", "RETRY_MAX=5 is set.", 'log_level="debug" is set.'):
        event = compacted(talk, f"Do WP14 and WP20 with RETRY_MAX = 5 and log_level: debug. {told}")
        assert loss_findings(event).findings == (), told
    event = compacted(talk, "Do WP14 and WP20 with RETRY_MAX=7 and log_level: debug.")
    (one,) = found(event, Code.handle_mutated)
    assert one.shown == {"original": "RETRY_MAX = 5", "became": "RETRY_MAX=7"}


def test_where_words_are_missing_nothing_is_called_made_up() -> None:
    event = compacted(WORK, f"{KEPT} See /opt/billing/ledger/reconcile_all.rb.", complete=False)
    assert {one.code for one in loss_findings(event).findings} <= {Code.handle_lost}


MEASURED = (
    said("The pool size is 40 and the retry limit is 5."),
    called("c1", "run", command="bench"),
    gave("c1", "median latency: 212 ms\nqueue depth 9000\n"),
)


def test_a_number_beside_what_it_never_stood_with_is_inferred() -> None:
    text = "The retry limit is 9000, the median latency is 212 ms."
    (one,) = found(compacted(MEASURED, text), Code.handle_fabricated)
    assert one.tier is Tier.inferred
    assert one.shown == {"became": "retry limit is 9000"}


def test_numbers_told_as_they_stood_are_none() -> None:
    for text in (
        "The pool size is 40 and the retry limit is 5; median latency: 212 ms, queue depth: 9000.",
        "Pool size 40. Median latency was 212 ms.",
        "Step 3 of the work is next; section 2 (of 7) is done.",
        "What the pool size and retry limit show:\n\n9000. The queue depth.\n",
    ):
        assert found(compacted(MEASURED, text), Code.handle_fabricated) == [], text


# Steps ------------------------------------------------------------------------------------------------

STEPS: list[JSON] = [
    {"content": "Migrate the invoice schema", "status": "completed"},
    {"content": "Backfill historical invoices", "status": "in_progress"},
    {"content": "Rotate the signing certificate", "status": "blocked"},
]
PLANNED = (said("Do the three steps."), called("p", "TodoWrite", todos=STEPS), gave("p", "ok"))


def test_an_unfinished_step_that_nothing_names_is_missed() -> None:
    (one,) = found(compacted(PLANNED, "Migrated the invoice schema."), Code.state_collapsed)
    assert one.count == 2
    assert one.weight >= 70
    (waits,) = found(compacted(PLANNED, "Historical invoices are being backfilled."), Code.state_collapsed)
    assert (waits.count, waits.weight) == (1, one.weight)
    assert "Rotate the signing certificate" in waits.shown["original"]
    assert waits.ref == (1, 0)


def test_a_step_that_is_named_or_done_is_not() -> None:
    for text in (
        "Backfilling historical invoices is in progress; rotating the signing certificate is blocked.",
        "- [~] Backfill historical invoices\n- [!] Rotate the signing certificate",
    ):
        assert found(compacted(PLANNED, text), Code.state_collapsed) == [], text
    done = [{**step, "status": "completed"} for step in STEPS]
    talk = (*PLANNED, called("q", "TodoWrite", todos=done), gave("q", "ok"))
    assert found(compacted(talk, "Nothing is left to do."), Code.state_collapsed) == []


BLOCKED = "Rotate the signing certificate [blocked]"


@pytest.mark.parametrize(
    ("told", "became"),
    [
        ("- [x] Rotate the signing certificate", "done"),
        ("- [ ] Rotate the signing certificate", "pending"),
        ("Rotating the signing certificate is pending.", "pending"),
        ("## Pending tasks\n- Rotate the signing certificate", "pending"),
        ("Completed:\n1. Rotate the signing certificate\n2. Migrate the invoice schema", "done"),
        ("The signing certificate was rotated, that is done.", "done"),
        ("Next, rotate the signing certificate.", "a step like another"),
    ],
)
def test_a_blocked_step_that_stands_as_another_is_collapsed(told: str, became: str) -> None:
    text = f"Historical invoices are being backfilled: in progress.\n\n{told}\n"
    (one,) = found(compacted(PLANNED, text), Code.state_collapsed)
    assert (one.tier, one.weight, one.shown["original"]) == (Tier.proven, 75, BLOCKED)
    assert one.note.endswith(became)
    assert one.after is not None
    assert text[one.after[2] : one.after[3]] == one.shown["became"]
    assert one.ref == (1, 0)


@pytest.mark.parametrize(
    "told",
    [
        "Rotating the signing certificate waits for the security team.",
        "## Blocked\n- Rotate the signing certificate",
        "- Rotate the signing certificate\n  - blocked by the security team",
        "- [!] Rotate the signing certificate",
        "Pending:\n- Rotate the signing certificate (blocked)",
        "Blocked: rotate the signing certificate. Rotate the signing certificate next once that is done.",
    ],
)
def test_a_blocked_step_that_is_told_as_blocked_is_not(told: str) -> None:
    text = f"Historical invoices are being backfilled: in progress.\n\n{told}\n"
    assert found(compacted(PLANNED, text), Code.state_collapsed) == []


def test_an_unfinished_step_may_have_been_done_since() -> None:
    text = "Backfilling historical invoices is done. Rotating the signing certificate is blocked."
    (one,) = found(compacted(PLANNED, text), Code.state_collapsed)
    assert one.note.endswith("in_progress stands as done")
    worked = (*PLANNED, called("w", "run", command="backfill --all"), gave("w", "ok"))
    assert found(compacted(worked, text), Code.state_collapsed) == []


def test_what_was_told_of_a_step_since_counts() -> None:
    text = "Historical invoices are being backfilled: in progress. The signing certificate was rotated: done."
    freed = (*PLANNED, said("Rotating the signing certificate is done, I did it."))
    assert found(compacted(freed, text), Code.state_collapsed) == []


def test_steps_that_are_created_and_updated_are_a_plan() -> None:
    talk = (
        called("a", "TaskCreate", subject="Backfill historical invoices", description="all of them"),
        gave("a", "Task #1 created"),
        called("b", "TaskUpdate", taskId="1", status="completed"),
        gave("b", "ok"),
        called("c", "TaskCreate", subject="Rotate the signing certificate", description="for May"),
        gave("c", "Task #2 created"),
    )
    (one,) = found(compacted(talk, "All went well."), Code.state_collapsed)
    assert (one.count, one.shown["original"]) == (1, "Rotate the signing certificate [pending]")


def test_a_plan_that_was_kept_is_not_lost() -> None:
    event = compacted(PLANNED[:1], "All went well.")
    assert found(replace(event, before=PLANNED, after=(*event.after, *PLANNED[1:])), Code.state_collapsed) == []


def test_behind_what_cannot_be_read_no_step_is_known_to_be_gone() -> None:
    assert found(compacted(PLANNED, "Nothing.", opaque=True), Code.state_collapsed) == []


# Any text ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["/a" * 50_000, "x" * 100_000, "a.b" * 30_000, "the pool is 9 " * 2_000, "\ud800/\ud800", "See /x/y.py. " * 2_000],
    ids=["path", "word", "dots", "numbers", "surrogate", "equal"],
)
def test_any_text_is_looked_at(text: str) -> None:
    for event in (compacted(WORK, text), compacted((said(text), gave("c", text)), KEPT)):
        for one in loss_findings(event).findings:
            assert one.count >= 1
            if one.after is not None:
                assert 0 <= one.after[2] < one.after[3] <= len(event.after[one.after[0]].parts[one.after[1]].text)
