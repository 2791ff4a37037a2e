"""What became of a statement: each verdict, by what shows it, and nothing certified that was changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.audit.model import Judgement, Passage, Statement, Verdict
from cenotaph.core.audit.verdicts import judge
from cenotaph.core.model import Provenance

RULE = "Do not modify anything under `/etc/prod/` - read-only."
WAIT = "Deploys to payments-api must not start until the release manager approves CHG-9931."
LIMIT = "Keep at most 3 replicas of orders-db."
GOOD = {Verdict.preserved, Verdict.paraphrased}


def said(text: str, provenance: Provenance = Provenance.user) -> Statement:
    return Statement(text, provenance, (0, 0), 0, len(text))


def told(
    statement: str, after: str, provenance: Provenance = Provenance.user, by: Provenance = Provenance.foreign
) -> Judgement:
    return judge([said(statement, provenance)], [Passage(after, by)])[0]


@pytest.mark.parametrize(
    "after",
    [
        f"Summary.\nUser constraint: {RULE}\nNext: the staging hosts.",
        "- **Do not modify anything under `/etc/prod/` - read-only**\n- The ticket is OPS-4412.",
        f'The user said: "{RULE}"',
        "Rules:\n  1. do not modify anything\n     under /etc/prod/ - read-only.",
        f"{RULE} (user, turn 3)",
        f"{RULE}\n\nThe reference is /srv/infra/logrotate.conf.",
    ],
)
def test_preserved_is_verbatim_up_to_white_space_or_so_quoted(after: str) -> None:
    judged = told(RULE, after)
    assert judged.verdict is Verdict.preserved
    place = judged.evidence[0]
    assert place.after is not None
    assert " ".join(after[slice(*place.after)].replace("`", "").split()).casefold().startswith("do not modify anything")


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        (RULE, "Under `/etc/prod/`, do not modify anything - read-only."),
        (WAIT, "Until the release manager approves CHG-9931, deploys to payments-api must not start."),
        ("Do not delete the backups, archive them.", "Do not remove the backups, archive them."),
        (LIMIT, "Keep no more than 3 replicas of orders-db."),
    ],
)
def test_paraphrased_is_other_words_or_order_with_all_that_binds(statement: str, after: str) -> None:
    assert told(statement, after).verdict is Verdict.paraphrased


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        (RULE, "The user prefers careful changes in production."),
        (RULE, "Try not to modify anything under `/etc/prod/` - read-only."),
        (RULE, f"{RULE[:-1]}, except limits.conf."),
        (RULE, f"{RULE[:-1]}?"),
        (RULE, f"{RULE} This does not hold for hotfixes."),
        (WAIT, "Deploys to payments-api should not start until the release manager approves CHG-9931."),
        (LIMIT, "Keep 3 replicas of orders-db."),
    ],
)
def test_weakened_is_a_modality_or_a_condition_lost_or_a_question(statement: str, after: str) -> None:
    assert told(statement, after).verdict is Verdict.weakened


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        (RULE, "Do not modify anything under `/etc/prod2/` - read-only."),
        (RULE, "Do not modify anything under `/etc/` - read-only."),
        (RULE, f"The assistant suggested: {RULE}"),
        (WAIT, "Deploys to payments-api must not start until the release manager approves CHG-9932."),
        (LIMIT, "Keep at most 5 replicas of orders-db."),
        ("PAYMENTS_DB_REPLICA=eu-west-2b is the replica.", "PAYMENTS_DB_REPLICA=eu-west-2a is the replica."),
    ],
)
def test_mutated_is_another_handle_number_state_scope_or_speaker(statement: str, after: str) -> None:
    assert told(statement, after).verdict is Verdict.mutated


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        (RULE, "Modify anything under `/etc/prod/` - read-only."),
        (RULE, f"{RULE}\nThe user lifted the restriction on /etc/prod."),
        (RULE, f"{RULE}\nYou may edit /etc/prod/limits.conf now."),
        (RULE, f"It is no longer true that {RULE}"),
        (RULE, f"Outdated rules:\n- {RULE}"),
        (RULE, f"~~x~~ no longer: {RULE}"),
        ("Do not delete the backups, archive them.", "Delete the backups, do not archive them."),
        (WAIT, "Deploys to payments-api must start until the release manager approves CHG-9931."),
    ],
)
def test_contradicted_is_the_opposite_asserted_also_where_a_copy_stands(statement: str, after: str) -> None:
    assert told(statement, after).verdict is Verdict.contradicted


@pytest.mark.parametrize(
    "after", ["", "Nothing of the kind.", "The files in /srv/infra were read.", "OPS-4412 is open."]
)
def test_dropped_is_nothing_about_it(after: str) -> None:
    judged = told(RULE, after)
    assert judged.verdict is Verdict.dropped
    assert judged.evidence[0].after is None


def test_a_question_about_it_contradicts_nothing() -> None:
    assert told(RULE, f"{RULE}\nMay I edit /etc/prod/limits.conf?").verdict is Verdict.preserved


def test_an_account_of_the_thing_takes_nothing_back() -> None:
    assert told(RULE, f"{RULE}\nThe files in /etc/prod/ were listed.").verdict is Verdict.preserved


def test_words_of_another_speaker_are_not_the_persons() -> None:
    assert told(RULE, RULE, by=Provenance.agent).verdict is Verdict.mutated
    assert told(RULE, RULE, by=Provenance.user).verdict is Verdict.preserved


def test_where_structure_cannot_tell_it_says_so() -> None:
    assert told(RULE, "Leave /etc/prod alone, it is delicate and must be handled by others.").verdict not in GOOD


def test_a_sentence_that_was_said_before_is_no_version_of_another() -> None:
    other = "Do not modify anything under `/etc/stage/` - read-only."
    judged = judge([said(RULE)], [Passage(other, Provenance.foreign)], known=[other, RULE])[0]
    assert judged.verdict is Verdict.dropped


def test_the_order_of_statements_is_kept() -> None:
    judged = judge([said(LIMIT), said(RULE), said(WAIT)], [Passage(f"{RULE}\n{WAIT}", Provenance.foreign)])
    assert [one.text for one in judged] == [LIMIT, RULE, WAIT]
    assert [one.verdict for one in judged] == [Verdict.dropped, Verdict.preserved, Verdict.preserved]


CALM = st.sampled_from(["The hosts are up.", "OPS-4412 was read.", "A test was added.", "Three files were listed."])


@given(st.lists(CALM, max_size=4), st.lists(CALM, max_size=4), st.sampled_from([RULE, WAIT, LIMIT]))
def test_a_copy_among_calm_sentences_is_preserved(before: list[str], after: list[str], statement: str) -> None:
    text = "\n".join(f"- {one}" for one in [*before, statement, *after])
    assert told(statement, text).verdict is Verdict.preserved


CHANGES = [
    (RULE, "not ", ""),
    (RULE, "/etc/prod/", "/etc/prod-old/"),
    (RULE, "/etc/prod/", "/etc/PROD/"),
    (RULE, "anything", "configuration"),
    (WAIT, "CHG-9931", "CHG-9913"),
    (WAIT, "must not", "must"),
    (WAIT, "until", "unless"),
    (WAIT, "manager", "man\u200bager"),
    (WAIT, "payments-api", "payment-api"),
    (LIMIT, "3", "30"),
    (LIMIT, "most", "least"),
    (LIMIT, "replicas", "r\u0435plicas"),
]


@pytest.mark.parametrize(("statement", "old", "new"), CHANGES)
@given(st.lists(CALM, max_size=3))
def test_one_changed_word_is_never_certified(statement: str, old: str, new: str, around: list[str]) -> None:
    assert old in statement
    text = "\n".join([*around, statement.replace(old, new)])
    assert told(statement, text).verdict not in GOOD


def test_long_passages_without_a_space_end() -> None:
    passage = Passage("x" * 200_000 + "/" * 2_000 + RULE, Provenance.foreign)
    assert judge([said(RULE)], [passage])[0].verdict is not None


KITCHEN = "The freezer in the back room stays at minus 20 degrees, nobody opens it during service."


@pytest.mark.parametrize(
    "elsewhere",
    [
        "The owner lets the cooks open the freezer while guests are there.",
        "Since the repair the back room freezer is kept at minus 14 degrees.",
        "Freezer, back room: 12 degrees",
        "The user wants it otherwise from now on.",
        "| freezer | may be opened |",
        "Opening the freezer during service is fine after all.",
        "No one needs to keep the freezer shut any longer.",
        "Der Nutzer erlaubt jetzt, den Freezer zu öffnen.",
    ],
)
def test_a_copy_is_not_certified_beside_what_may_turn_it(elsewhere: str) -> None:
    judged = told(KITCHEN, f"The menu has nine courses.\n- {KITCHEN}\n- {elsewhere}")
    assert judged.verdict in (Verdict.unverifiable, Verdict.contradicted, Verdict.weakened)
    assert judged.evidence[0].after is not None


@pytest.mark.parametrize(
    "elsewhere",
    [
        "The back room has two doors.",
        "The freezer was cleaned on Monday.",
        "Nine courses are planned, the wine comes on Friday.",
        "The cook read the manual of the dishwasher.",
    ],
)
def test_an_account_beside_a_copy_leaves_it_as_it_is(elsewhere: str) -> None:
    assert told(KITCHEN, f"The menu has nine courses.\n- {KITCHEN}\n- {elsewhere}").verdict is Verdict.preserved


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        ("Keep the lid shut until the timer rings.", "Until the timer rings, keep the lid shut."),
        ("Never sell below cost; ask Ines about rebates.", "Ask Ines about rebates; never sell below cost."),
        ("Ship crates 12 and 15 by rail.", "Ship crates 15 and 12 by rail."),
        ("Use the north gate only when Ravi is there.", "Only when Ravi is there, use the north gate."),
    ],
)
def test_parts_that_changed_places_say_the_same(statement: str, after: str) -> None:
    assert told(statement, after).verdict is Verdict.paraphrased


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        ("Move the stock from hall 3 to hall 7.", "Move the stock from hall 7 to hall 3."),
        ("Weigh the flour before the sugar.", "Weigh the sugar before the flour."),
        ("Do not sell the oak and keep the pine.", "Do not keep the pine and sell the oak."),
        ("Only Ravi opens the gate for trucks.", "Ravi opens the gate only for trucks."),
        ("The cedar was kept, the larch was sold.", "The cedar was sold, the larch was kept."),
    ],
)
def test_the_same_words_in_another_order_may_say_something_else(statement: str, after: str) -> None:
    assert told(statement, after).verdict not in (Verdict.preserved, Verdict.paraphrased)


@pytest.mark.parametrize(
    ("statement", "after", "verdict"),
    [
        ("The pump may run for 9 minutes.", "The pump may run for 9 hours.", Verdict.mutated),
        ("Valve 3 is locked.", "Valve 3 is unlocked.", Verdict.mutated),
        ("The order of pallet PX-77 is cancelled.", "The order of pallet PX-77 is confirmed.", Verdict.mutated),
        ("Paint the doors exclusively with Lasur-9.", "Paint the doors with Lasur-9.", Verdict.weakened),
        ("Lock the shed at night except on fairs.", "Lock the shed at night.", Verdict.weakened),
        ("Lock the shed at night.", "Lock the shed at night?", Verdict.weakened),
    ],
)
def test_one_word_for_another_is_told_by_its_kind(statement: str, after: str, verdict: Verdict) -> None:
    assert told(statement, after).verdict is verdict
