"""The grammar of handles: what it finds in real text, that places are exact, and that an engine changes nothing."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cenotaph.core.handles import (
    INDEX_KINDS,
    KINDS,
    LIFTED,
    NARRATIVE,
    STORE_ONLY,
    Handle,
    every,
    extract,
    extract_outer,
    fingerprint,
    nested,
    partition,
    redacted,
    sentences,
    tokens,
)
from cenotaph.core.handles.outer import TRIGGERS, find_triggers
from cenotaph.limits import chunks_remembered_max, handle_chars_max, lines_at_once_max, prohibition_chars_max
from cenotaph.runtime.engines import Re2, fastest_engine

LABELLED = Path(__file__).with_name("labelled")
KEY = b"k" * 32


def items(*, held_out: bool = False) -> list[tuple[str, Counter[tuple[str, str]]]]:
    """Every text of the labelled set, or of the quarter held out, with its (kind, value) pairs."""
    found = []
    for path in sorted(LABELLED.glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if held_out and number % 4 != 3:
                continue
            text, *labels = line.split(" ¦ ")
            found.append((text, Counter((kind, value) for kind, value in (label.split(" ", 1) for label in labels))))
    return found


ITEMS = items()
JOINED = "\n".join(text for text, _ in ITEMS)

_BITS = st.sampled_from(
    [
        *("do not touch ", "never push ", "must not ", "/etc/prod/", "src/app.py:12", "a=b", "K=/x/y", 'k": "v"', '"'),
        *(
            "'",
            "`",
            "“",
            "”",
            "「",
            "」",
            " ",
            "\n",
            "\r\n",
            "\t",
            ".",
            ":",
            "/",
            "=",
            "@",
            "#12",
            "10:30",
            "port 8443",
        ),
        *(
            "30 s",
            "不要修改",
            "しないで",
            "ä",
            "é",
            "\ud800",
            "\x00",
            "v1.2.3",
            "http://x/y?z=1",
            "GET /v1",
            "::1",
            "(",
            ")",
        ),
        *("1.2.3.4", "f()", "aB", "a_b", "E1234", "OPS-4412", "ne ", "No ", "nicht ", "-", "$500", "%", "\\", "\\n"),
        *("\u2028", "😀"),
    ]
)
TEXTS = st.lists(_BITS | st.text(max_size=4), max_size=30).map("".join)


def found(text: str) -> Counter[tuple[str, str]]:
    return Counter((handle.kind, handle.value) for handle in [*extract(text), *extract_outer(text)])


def test_the_labelled_set_is_large_and_half_of_it_are_traps() -> None:
    traps = sum(not wanted for _, wanted in ITEMS)
    assert len(ITEMS) >= 600
    assert traps * 2 >= len(ITEMS)


def test_every_label_is_verbatim_in_its_text() -> None:
    wrong = [(text, value) for text, wanted in ITEMS for _, value in wanted if value not in text]
    assert wrong == []


@pytest.mark.parametrize("held_out", [False, True])
def test_recall_and_precision_on_the_labelled_set(held_out: bool) -> None:
    right = extra = missed = 0
    for text, wanted in items(held_out=held_out):
        got = found(text)
        right += (got & wanted).total()
        extra += (got - wanted).total()
        missed += (wanted - got).total()
    assert right / (right + missed) >= 0.98
    assert right / (right + extra) >= 0.95


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_is_found_where_it_is_labelled(kind: str) -> None:
    wanted = [(text, value) for text, labels in ITEMS for (one, value) in labels.elements() if one == kind]
    got = sum((kind, value) in found(text) for text, value in wanted)
    assert wanted
    assert got / len(wanted) >= 0.9


def test_the_kinds_fall_into_three_groups() -> None:
    assert KINDS == INDEX_KINDS | STORE_ONLY | LIFTED
    assert len(KINDS) == len(INDEX_KINDS) + len(STORE_ONLY) + len(LIFTED)
    assert NARRATIVE not in KINDS


@given(TEXTS)
def test_inner_handles_are_verbatim_ascending_and_disjoint(text: str) -> None:
    position = 0
    for handle in extract(text):
        assert handle.value == text[handle.start : handle.end] != ""
        assert handle.start >= position
        assert len(handle.value) <= handle_chars_max
        assert handle.kind in INDEX_KINDS | {"identifier"}
        position = handle.end


@given(TEXTS)
def test_outer_and_nested_handles_are_verbatim(text: str) -> None:
    for handle in every(text):
        assert handle.value == text[handle.start : handle.end] != ""
        assert handle.kind in KINDS
    for handle in extract(text):
        assert all(handle.start <= one.start and one.end <= handle.end and one != handle for one in nested(handle))
    for handle in extract_outer(text):
        assert handle.kind in {"quote", "prohibition"}
        assert "\n" not in handle.value


@given(TEXTS)
def test_a_partition_covers_each_character_once(text: str) -> None:
    parts = partition(text)
    assert "".join(text[start:end] for _, start, end in parts) == text
    assert all(start < end for _, start, end in parts)
    assert {kind for kind, _, _ in parts} <= KINDS | {NARRATIVE}
    inner = [(handle.kind, handle.start, handle.end) for handle in extract(text)]
    assert [part for part in parts if part[0] not in {NARRATIVE, "quote", "prohibition"}] == inner


@given(TEXTS)
def test_what_a_text_holds_does_not_depend_on_the_lines_around_it(text: str) -> None:
    for reader in (extract, extract_outer):
        alone = [(one.kind, one.value) for line in text.split("\n") for one in reader(line)]
        assert [(one.kind, one.value) for one in reader(text)] == alone


def test_lines_read_together_hold_what_each_holds_alone() -> None:
    lines = [f"{text} # {number}" for number, (text, _) in enumerate(ITEMS * (1 + lines_at_once_max // len(ITEMS)))]
    assert len(lines) > lines_at_once_max
    together = sentences.read_lines(lines)
    assert [together.get(line, []) for line in lines] == [sentences.read_line(line) for line in lines]


@given(TEXTS)
def test_what_is_remembered_changes_nothing(text: str) -> None:
    warm = extract(text)
    sentences.forget()
    assert extract(text) == warm


def test_no_more_is_remembered_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "chunks_remembered_max", 3)
    sentences.forget()
    expected = [("path", f"/a{number}/b.py") for number in range(10)]
    assert [(one.kind, one.value) for one in extract(" ".join(value for _, value in expected))] == expected
    assert len(sentences._CHUNKS) <= 3 < chunks_remembered_max


_BESIDE = st.sampled_from(
    [
        *("port ", "port: ", "the ", "of ", "3 of ", "Mar ", "exit code ", "HTTP ", "python ", "pull request ", "a, "),
        *(
            "(",
            '"',
            "  ",
            "\t",
            ",",
            ", ",
            "x ",
            "x: ",
            "",
            " ms",
            " MB/s",
            " pm",
            " a.m.",
            " UTC",
            " +0200",
            " Z",
            " s",
        ),
        *(
            ",000",
            ",123",
            " March 2024",
            " Not Found",
            " items",
            ")",
            "; x",
            " 10:30",
            "\u3000",
            "\u00a0ms",
            " m",
            " (ms)",
        ),
    ]
)
_COUNTS = st.sampled_from(
    [
        "5",
        "12",
        "404",
        "2024",
        "8443",
        "1.5",
        "3.12",
        "10:30",
        "10:30:00",
        "2024-05-01",
        "2024-05-01T10:30",
        "5ms",
        "80s",
        "1h30m",
        "$1",
        "$500",
        "-1",
        "12.",
        "1.",
        "5G",
        "99%",
        "07/May/2024:10:30:00",
    ]
)


@given(st.lists(st.tuples(_BESIDE, _COUNTS, _BESIDE), min_size=1, max_size=3))
def test_a_number_whose_neighbours_are_not_read_is_the_same_without_them(beside: list[tuple[str, str, str]]) -> None:
    line = " ".join("".join(one) for one in beside)
    parts = tokens.CHUNK.split(f"\n{line}\n")
    gaps, chunks = parts[1::3], parts[2::3]
    for index, chunk in enumerate(chunks):
        if tokens.read_chunk(chunk) == (tokens.Shape.NUMBER, ()) and not sentences._has_context(gaps, chunks, index):
            start = len("".join(parts[: 3 * index + 2])) - 1
            alone = sentences._number(chunk, 0, len(chunk))
            moved = None if alone is None else (alone[0], alone[1] + start, alone[2] + start)
            assert sentences._number(line, start, start + len(chunk)) == moved


_MARKED = st.text("abzAZ019_./:-@=^#!\\+~%$٣é", max_size=24) | _BITS.filter(lambda text: "\n" not in text)


@given(st.lists(_MARKED, max_size=4).map("".join))
def test_alternatives_that_are_left_out_of_the_pattern_could_not_have_matched(chunk: str) -> None:
    def matches(marks: str) -> list[tuple[str | None, tuple[int, int]]]:
        return [(match.lastgroup, match.span()) for match in tokens._tokens(marks).finditer(chunk)]

    assert matches(tokens._marks(chunk)) == matches("@:0.-/")


@pytest.mark.skipif(fastest_engine() is None, reason="google-re2 is not installed (extra `re2`)")
class TestTheEngineChangesNothing:
    @given(TEXTS)
    def test_on_generated_text(self, text: str) -> None:
        engine = Re2()
        assert extract_outer(text, engine=engine) == extract_outer(text)
        assert partition(text, engine=engine) == partition(text)
        assert every(text, engine=engine) == every(text)

    @given(TEXTS)
    def test_and_finds_the_spans_of_re(self, text: str) -> None:
        assert list(Re2().spans(TRIGGERS, text)) == [match.span() for match in re.finditer(TRIGGERS, text)]

    def test_on_the_labelled_texts(self) -> None:
        assert every(JOINED, engine=Re2()) == every(JOINED)
        assert partition(JOINED, engine=Re2()) == partition(JOINED)

    @pytest.mark.shared
    def test_on_real_text(self) -> None:
        data = Path(__file__).resolve().parents[3] / "shared" / "data" / "claude_code"
        if not data.is_dir():
            pytest.skip("no transcripts beside the checkout (shared/data)")
        for path in sorted(data.rglob("*.jsonl"))[:6]:
            text = path.read_text(encoding="utf-8")[:300_000]
            assert every(text, engine=Re2()) == every(text)


def test_an_engine_is_asked_once_for_the_whole_text() -> None:
    asked: list[str] = []

    class Recording:
        def spans(self, pattern: str, text: str) -> list[tuple[int, int]]:
            asked.append(text)
            return [match.span() for match in re.finditer(pattern, text)]

    text = "Never push to main.\n\nDo not touch /etc/prod/ again."
    assert extract_outer(text, engine=Recording()) == extract_outer(text)
    assert len(asked) == 1


@given(TEXTS)
def test_a_word_that_can_begin_a_prohibition_stands_in_no_line_that_is_passed_over(text: str) -> None:
    padded = "\n" + text
    spans = [match.span() for match in re.finditer(TRIGGERS, padded)]
    assert list(find_triggers(text)) == [(start - (padded[start] >= "\u2e80"), end - 1) for start, end in spans]


_SENTENCES = (
    *("Never push to main", "Please do not touch it", "we did not know", "Du darfst nicht löschen"),
    *(
        "Bitte nichts ändern",
        "Ne modifiez pas ça",
        "No toques nada",
        "leave the tests alone",
        "it is not so",
        "x" * 500,
    ),
    *(
        "Das darf ich nicht",
        "do not do not do not do not",
        "不要修改",
        "変更しないで",
        "go on without asking",
        "I will not",
    ),
)


@given(st.lists(st.sampled_from(_SENTENCES), max_size=8))
def test_what_a_sentence_forbids_does_not_depend_on_the_sentences_before_it(told: list[str]) -> None:
    alone = [one.value for sentence in told for one in extract_outer(sentence + ".") if one.kind == "prohibition"]
    together = [one.value for one in extract_outer(". ".join([*told, ""])) if one.kind == "prohibition"]
    assert together == alone


_DOTTED = st.from_regex(r"[A-Za-z_]{1,12}(?:\.[A-Za-z_]{1,12}){1,4}", fullmatch=True)


@given(_DOTTED | st.sampled_from(["a.mount", "x.py"]))
def test_a_dotted_chunk_is_read_as_all_alternatives_would_read_it(chunk: str) -> None:
    read = tokens.read_chunk(chunk)
    assert (() if read is None else read[1]) == tokens._pieces(chunk, 0)


@pytest.mark.parametrize(
    ("text", "kind"), [("app.mount now", "path"), ("app.mount(x)", "identifier"), ("self.mount now", "identifier")]
)
def test_a_unit_is_none_where_it_is_called_or_belongs_to_an_object(text: str, kind: str) -> None:
    (handle,) = extract(text)
    assert (handle.kind, handle.value) == (kind, text.partition(" ")[0].partition("(")[0])


def test_names_and_values_in_code_inside_a_sentence_are_read_alone() -> None:
    text = 'Send JSON: `{"session": "a b", "file": "/srv/x.jsonl"}`'
    assert {("setting", '"file": "/srv/x.jsonl"'), ("path", "/srv/x.jsonl")} <= {(h.kind, h.value) for h in every(text)}


def test_a_path_is_named_two_handles_deep() -> None:
    assert ("path", "/var/log/x") in {(one.kind, one.value) for one in every('"command": "LOG=/var/log/x"')}


def test_the_value_of_a_setting_inside_a_sentence_is_nested() -> None:
    (handle,) = extract("total: A: 12.10 EUR and so on")
    assert handle.value == "A: 12.10 EUR"
    assert [(one.kind, one.value) for one in nested(handle)] == [("number", "12.10 EUR")]


def test_the_path_in_a_prohibition_is_a_path_too() -> None:
    text = "Please do not modify anything under /etc/prod/ today."
    assert found(text) == Counter(
        {("prohibition", "do not modify anything under /etc/prod/ today"): 1, ("path", "/etc/prod/"): 1}
    )
    assert [text[start:end] for kind, start, end in partition(text) if kind == "prohibition"] == [
        "do not modify anything under ",
        " today",
    ]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("LOG_DIR=/var/log/app", [("path", "/var/log/app")]),
        ('"image": "nginx:1.25"', [("package", "nginx:1.25")]),
        ("GET /v1/users", [("path", "/v1/users")]),
        ("src/app.py:12:5", [("path", "src/app.py")]),
        ("tests/test_a.py::test_b", [("path", "tests/test_a.py")]),
        (r"C:\srv\app.log:7", [("path", r"C:\srv\app.log")]),
        ("src/app.py", []),
        ("10.0.0.1", []),
    ],
)
def test_what_lies_inside_a_handle_is_named_by_nested(text: str, inside: list[tuple[str, str]]) -> None:
    (handle,) = extract(text)
    assert handle.value == text
    assert [(one.kind, one.value) for one in nested(handle)] == inside
    assert all(text[one.start : one.end] == one.value for one in nested(handle))


def test_a_handle_longer_than_the_bound_is_none() -> None:
    assert extract("/" + "a/" * handle_chars_max) == []
    assert extract("aB" * handle_chars_max) == []
    assert extract("deadbeef0" * handle_chars_max) == []
    assert [one.kind for one in extract("/" + "a/" * 100)] == ["path"]


def test_a_prohibition_ends_with_its_sentence_or_at_the_bound() -> None:
    assert [one.value for one in extract_outer("Never push to main. Run the tests.")] == ["Never push to main"]
    (endless,) = extract_outer("Never push " + "x " * prohibition_chars_max)
    assert len(endless.value) <= prohibition_chars_max


def test_wide_is_accepted_and_changes_nothing() -> None:
    assert extract(JOINED, wide=True) == extract(JOINED)


@pytest.mark.parametrize(
    "secret",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + "a1B2" * 9,
        "github_pat_" + "a1B2_" * 6,
        "xoxb-1234567890-abcdef",
        "AIza" + "Sy1_" * 9,
        "sk-ant-api03-" + "a1B2" * 6,
        "sk_live_" + "a1B2" * 6,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "glpat-" + "a1B2" * 5,
        "npm_" + "a1B2" * 9,
    ],
)
def test_a_secret_by_its_shape_is_a_fingerprint(secret: str) -> None:
    assert redacted(f"TOKEN_X={secret}", KEY) == redacted("TOKEN_X=" + fingerprint(secret, KEY), KEY)
    assert secret not in redacted(f"use {secret} now", KEY)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("postgres://app:hunter2@db.internal/shop", "hunter2"),
        ("password=hunter2", "hunter2"),
        ('"api_key": "hunter2"', "hunter2"),
        ("DB_PASSWORD: hunter2", "hunter2"),
        ("Authorization: Bearer abcdef1234567890", "abcdef1234567890"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEA"),
    ],
)
def test_a_secret_by_its_name_is_a_fingerprint_and_the_name_stays(text: str, secret: str) -> None:
    written = redacted(text, KEY)
    assert secret not in written
    assert "hmac:" in written
    assert written.startswith(text[: min(8, text.index(secret))])


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("mysql -u root -phunter22 shop", "hunter22"),
        ("mysqldump -p'hunter 22' shop", "hunter 22"),
        ("sshpass -p hunter22 ssh a@b", "hunter22"),
        ("docker login -u bob -p hunter22 reg.io", "hunter22"),
        ("redis-cli -a hunter22 ping", "hunter22"),
        ("psql --password hunter22", "hunter22"),
        ("app --db-password hunter22", "hunter22"),
        ('app --password "two words" --x', "two words"),
        ('["--password", "hunter22"]', "hunter22"),
        ("curl -u bob:hunter22 https://x", "hunter22"),
        ("curl -ubob:hunter22 https://x", "hunter22"),
        ("password: two words", "two words"),
        ("db_password: correct horse battery staple", "horse battery staple"),
        ("passphrase = two words", "two words"),
        ("password: two words\nhost: db", "two words"),
    ],
)
def test_a_secret_by_its_command_its_flag_or_its_line_is_a_fingerprint(text: str, secret: str) -> None:
    written = redacted(text, KEY)
    assert "hmac:" in written
    assert not any(word in written for word in secret.split())
    assert written.startswith(text.split()[0].split("hunter")[0])


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("AKIA\u200bIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("ｓｋ－ant-api03-" + "a1B2" * 6, "sk-ant-api03-" + "a1B2" * 6),
        ("gh\u00adp_" + "a1B2" * 9, "ghp_" + "a1B2" * 9),
    ],
)
def test_a_disguised_secret_has_the_fingerprint_of_the_plain_one(text: str, same: str) -> None:
    assert redacted(f"日本 {text} と", KEY) == f"日本 {fingerprint(same, KEY)} と"


def test_a_disguised_name_marks_its_value() -> None:
    assert redacted("ｐａｓｓｗｏｒｄ＝hunter22", KEY) == "ｐａｓｓｗｏｒｄ＝" + fingerprint("hunter22", KEY)


@pytest.mark.parametrize(
    "text",
    [
        *("src/app.py", "password=", "PASSWORD=$DB_PASSWORD", "password: required", "8443", ""),
        *("mysql -u root -p shop", "mysql -P 3306 -h db", "mkdir -p /srv/x", "ssh -p 2222 host"),
        *("docker run -p8080:80 x", "docker run -u 1000:1000 x", "use the --password flag", "--password --user bob"),
        *("the --token is required", "password: see the vault for it", "Password: required for all users"),
        "the password policy: twelve characters",
        *("日本語ＡＢＣ：設定", "a\u200bb", "👩\u200d💻 ok"),
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert redacted(text, KEY) == text


@given(TEXTS)
def test_redaction_once_is_redaction(text: str) -> None:
    assert redacted(redacted(text, KEY), KEY) == redacted(text, KEY)


PERSONAL = ["jane@example.com", "+49 170 1234567", "DE89 3704 0044 0532 0130 00", "4111 1111 1111 1111"]


@pytest.mark.parametrize("text", PERSONAL)
def test_personal_data_is_a_fingerprint_only_on_demand(text: str) -> None:
    assert redacted(text, KEY) == text
    assert redacted(text, KEY, personal=True).startswith("hmac:")


@pytest.mark.parametrize("text", ["4111 1111 1111 1112", "DE89 3704 0044 0532 0130 02", "1234567890123"])
def test_a_number_without_its_check_digits_is_nobodys(text: str) -> None:
    assert redacted(text, KEY, personal=True) == text


def test_the_callers_patterns_are_redacted_whole() -> None:
    written = redacted("customer C-1029 pays", KEY, patterns=[re.compile(r"C-\d+")])
    assert written == f"customer {fingerprint('C-1029', KEY)} pays"


def test_a_handle_is_a_plain_tuple() -> None:
    assert extract("see src/app.py") == [Handle("path", "src/app.py", 4, 14)]
