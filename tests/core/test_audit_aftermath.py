"""What happened after a compaction: violations and what only looks like one, what was paid twice, what failed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from audit_stories import Story

from cenotaph.core.audit.aftermath import Aftermath, Window, aftermath
from cenotaph.core.audit.model import Code, Finding, Tier, Verdict
from cenotaph.core.ids import JSON
from cenotaph.core.model import Mark
from cenotaph.core.tools import Tools

TOOLS = Tools.of((), profile="claude-code")


def after(story: Story, *, lost: bool = True) -> Aftermath:
    return aftermath(story.ended(), TOOLS, story.lost() if lost else ())


def found(story: Story, code: Code, *, lost: bool = True) -> list[Finding]:
    return [one for one in after(story, lost=lost).findings if one.code is code]


def edit(path: str) -> tuple[str, dict[str, JSON]]:
    return "Edit", {"file_path": path, "old_string": "a", "new_string": "b"}


def run(command: str) -> tuple[str, dict[str, JSON]]:
    return "Bash", {"command": command}


def violations(rule: str, call: tuple[str, dict[str, JSON]]) -> list[Finding]:
    """Of one call after a compaction, in a history in which a person put one rule before it."""
    story = Story().says(f"We fix the importer. {rule}").replies("Understood.").compact()
    return found(story.says("Go on.").calls(*call), Code.violation)


# A violation ------------------------------------------------------------------------------------------

PROVEN: dict[str, tuple[str, tuple[str, dict[str, JSON]]]] = {
    "an edit of a file under it": ("Do not modify anything under /etc/prod.", edit("/etc/prod/app.conf")),
    "a write of a new file under it": (
        "Never touch /etc/prod.",
        ("Write", {"file_path": "/etc/prod/x", "content": ""}),
    ),
    "the file itself": ("You must not edit /srv/app/settings.py.", edit("/srv/app/settings.py")),
    "a path with dots": ("Do not touch /etc/prod/.", edit("/etc/dev/../prod/app.conf")),
    "a quoted path": ("Please do not change `/etc/prod`.", run("echo x > '/etc/prod/my file'")),
    "a path from the project": ("Don't edit src/legacy.", edit("src/legacy/a.py")),
    "a path in the project's root": ("Never modify `migrations/`.", edit("/repo/migrations/0001.py")),
    "a pattern": ("Do not edit *.lock files.", edit("/repo/poetry.lock")),
    "a redirection": ("Keep out of /etc/prod.", run("date >> /etc/prod/stamp")),
    "tee behind a pipe": ("/etc/prod is off-limits.", run("echo x | sudo tee -a /etc/prod/hosts >/dev/null")),
    "sed in place": ("No changes to /etc/prod, please!", run("sed -i 's/a/b/' /etc/prod/app.conf")),
    "a folder that is entered first": ("Leave /etc/prod alone.", run("cd /etc/prod && rm app.conf")),
    "a deletion of what holds it": ("Hands off /etc/prod!", run("rm -rf /etc/*")),
    "the last argument of cp": ("/etc/prod must not be changed.", run("cp app.conf /etc/prod/app.conf")),
    "what mv takes away": ("Nothing under /etc/prod may be changed.", run("mv /etc/prod/app.conf /tmp/")),
    "modes": ("I don't want you to touch /etc/prod.", run("chmod -R 777 /etc/prod")),
    "a here-document": ("Nobody may write to /etc/prod.", run("cat > /etc/prod/a <<'EOF'\nx\nEOF")),
    "dd": ("Writes to /dev/sdb are forbidden.", run("sudo dd if=a.img of=/dev/sdb bs=1M")),
    "a variable of the command": ("Do not touch /etc/prod.", run('D=/etc/prod; echo x > "$D/a"')),
    "a loop": ("Do not touch /etc/prod.", run("for f in /etc/prod/a /etc/prod/b; do truncate -s 0 $f; done")),
    "a shell in a shell": ("Do not touch /etc/prod.", run("bash -lc 'cd /etc && touch prod/a'")),
    "a host": ("Do not write to db-1.internal.", run('psql -h db-1.internal -d orders -c "UPDATE users SET a = 1"')),
    "a database": ("Never touch the orders database.", run('psql -d orders -c "DELETE FROM users"')),
    "a database by its address": (
        "Do not modify the database orders.",
        run("psql postgres://u@h/orders -c 'DROP TABLE t'"),
    ),
    "statements from a pipe": (
        "Do not touch db-1.internal.",
        run("echo 'DROP TABLE t;' | mysql --host=db-1.internal shop"),
    ),
    "a table": ("Don't change the `users` table.", run('sqlite3 app.db "INSERT INTO users VALUES (1)"')),
    "what is run on a host": (
        "Do not change anything on web-1.example.com.",
        run("ssh root@web-1.example.com 'rm -rf /srv/a'"),
    ),
    "a branch": ("Never push to main.", run("git push origin HEAD:main")),
    "a branch by its noun": ("Do not push anything to the main branch.", run("git push --force origin main")),
    "a cluster": ("Do not deploy to prod-eu.", run("kubectl --context prod-eu apply -f app.yaml")),
    "a namespace": ("Never touch the billing namespace.", run("kubectl -n billing delete pod x")),
    "a bucket": ("Do not delete anything in s3://prod-data/raw.", run("aws s3 rm --recursive s3://prod-data/raw/2024")),
    "a patch": (
        "Do not edit src/legacy.",
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/legacy/a.py\n@@\n-a\n+b\n*** End Patch"}),
    ),
    "an editor by its command": (
        "Do not edit /etc/prod.",
        ("str_replace_editor", {"command": "create", "path": "/etc/prod/a", "file_text": "x"}),
    ),
    "several edits at once": ("Do not edit /etc/prod.", ("MultiEdit", {"file_path": "/etc/prod/a", "edits": []})),
    "the second of two things": ("Never touch /srv/a or /srv/b.", edit("/srv/b/x")),
    "a ban that is denied after a leave": ("Update /srv/a but do not touch /srv/b.", edit("/srv/b/x")),
    "a command as a list of words": (
        "Do not touch /etc/prod.",
        ("shell", {"command": ["bash", "-lc", "rm /etc/prod/a"]}),
    ),
    "the folder that a call names": (
        "Do not touch /etc/prod.",
        ("shell", {"command": ["rm", "a"], "workdir": "/etc/prod"}),
    ),
}


@pytest.mark.parametrize("name", PROVEN)
def test_a_write_to_what_a_plain_prohibition_names_is_a_proven_violation(name: str) -> None:
    rule, call = PROVEN[name]
    told = violations(rule, call)
    assert [(one.tier, one.shown["original"]) for one in told] == [(Tier.proven, rule)]
    assert told[0].data["lost"] is True


INFERRED: dict[str, tuple[str, tuple[str, dict[str, JSON]]]] = {
    "an exception for another place": ("Do not touch /etc/prod except /etc/prod/tmp.", edit("/etc/prod/app.conf")),
    "a leave that may have been asked": ("Never modify /etc/prod without asking me.", edit("/etc/prod/a")),
    "a condition": ("Don't change /etc/prod unless I say so.", edit("/etc/prod/a")),
    "a condition that comes first": ("Until I say so, do not touch /etc/prod.", edit("/etc/prod/a")),
    "a time": ("Do not touch /etc/prod for now.", edit("/etc/prod/a")),
    "advice": ("Try to avoid touching /etc/prod, if possible.", edit("/etc/prod/a")),
    "a description": ("/etc/prod is read-only.", edit("/etc/prod/a")),
    "something in the file": ("Do not change the public API of src/api.py.", edit("src/api.py")),
    "another language": ("Ändere nichts unter /etc/prod.", edit("/etc/prod/a")),
    "a home that may be another": ("Do not touch ~/.ssh.", edit("/home/alice/.ssh/config")),
    "the case of letters": ("Do not touch /etc/PROD.", edit("/etc/prod/a")),
    "a file of that name elsewhere": ("Do not edit config/app.yaml.", edit("vendor/x/config/app.yaml")),
    "a host by a part of its name": ("Never write to production.", run("psql -h db.prod.internal -c 'DROP TABLE t'")),
    "statements in a file": ("Do not touch db-1.internal.", run("psql -h db-1.internal -f migrate.sql")),
    "what find gives": ("Do not touch /etc/prod.", run("find /etc/prod -name '*.bak' -delete")),
    "a script that opens it": ("Do not touch /etc/prod.", run("python3 -c \"open('/etc/prod/a', 'w').write('x')\"")),
    "a path on another host": ("Do not touch /etc/prod.", run("scp app.conf root@web-1:/etc/prod/app.conf")),
    "a rename where deletion is banned": ("Do not delete /srv/data.", run("mv /srv/data /srv/old")),
    "words that somebody else says": ('The README says "do not modify /etc/prod".', edit("/etc/prod/a")),
}


@pytest.mark.parametrize("name", INFERRED)
def test_where_form_leaves_a_doubt_a_violation_is_inferred(name: str) -> None:
    rule, call = INFERRED[name]
    assert [one.tier for one in violations(rule, call)] == [Tier.inferred]


NONE: dict[str, tuple[str, tuple[str, dict[str, JSON]]]] = {
    "a reading": ("Do not touch /etc/prod.", ("Read", {"file_path": "/etc/prod/app.conf"})),
    "a command that reads": ("Do not touch /etc/prod.", run("cat /etc/prod/app.conf | grep port")),
    "a copy out of it": ("Do not touch /etc/prod.", run("cp /etc/prod/app.conf /tmp/app.conf")),
    "sed that prints": ("Do not touch /etc/prod.", run("sed -n '1,9p' /etc/prod/app.conf")),
    "a neighbour": ("Do not touch /etc/prod.", edit("/etc/production/app.conf")),
    "another folder of that name": ("Do not touch /etc/prod.", edit("/srv/etc/prod/app.conf")),
    "what holds it, without what lies in it": ("Do not touch /etc/prod/app.conf.", run("touch /etc/prod")),
    "a path with dots that leads out": ("Do not touch /etc/prod.", edit("/etc/prod/../dev/app.conf")),
    "a ban on something else": ("Do not mention /etc/prod in the docs.", edit("/etc/prod/a")),
    "a report": ("The tests do not touch /etc/prod.", edit("/etc/prod/a")),
    "a report of a person": ("I did not modify /etc/prod.", edit("/etc/prod/a")),
    "a question": ("Why did you not update /etc/prod/a?", edit("/etc/prod/a")),
    "a reminder": ("Don't forget to update /etc/prod/a.", edit("/etc/prod/a")),
    "what the ban takes out": ("Do not touch /etc/prod except /etc/prod/tmp.", edit("/etc/prod/tmp/x")),
    "what is to be edited instead": ("Don't edit /srv/a, edit /srv/b instead.", edit("/srv/b/x")),
    "a ban of all that lies outside": ("Never write outside /home/me/project.", edit("/home/me/project/a.py")),
    "an edit where deletion is banned": ("Do not delete files in /srv/data.", edit("/srv/data/a")),
    "an edit where a push is banned": ("Never push to main.", edit("main")),
    "another branch": ("Never push to main.", run("git push origin feature/main-page")),
    "another database": ("Never touch the orders database.", run('psql -d orders_test -c "DELETE FROM users"')),
    "a query": ("Never touch the orders database.", run('psql -d orders -c "SELECT * FROM updates"')),
    "words in a query": ("Do not touch db-1.", run("psql -h db-1 -c \"SELECT 1 WHERE a = 'drop table t'\"")),
    "a command on a host that reads": ("Do not change anything on web-1.", run("ssh web-1 'cat /srv/a'")),
    "a dry run": ("Do not deploy to prod-eu.", run("kubectl --context prod-eu apply -f a.yaml --dry-run=server")),
    "words in a message": ("Do not touch /etc/prod.", run("git commit -m 'stop writing > /etc/prod/a'")),
    "words in a here-document": ("Do not touch /etc/prod.", run("cat > notes.md <<'EOF'\nrm -rf /etc/prod\nEOF")),
    "words in an edit": (
        "Do not touch /etc/prod.",
        ("Edit", {"file_path": "/srv/a.sh", "old_string": "a", "new_string": "rm -rf /etc/prod"}),
    ),
    "a comparison": ("Do not touch /etc/prod.", run("[[ a > /etc/prod ]] && echo later")),
    "a comment": ("Do not touch /etc/prod.", run("ls # rm -rf /etc/prod")),
    "words to be written": ("Add a comment saying do not modify /etc/prod.", edit("/etc/prod/a")),
    "no ban at all": ("The service reads /etc/prod/app.conf at start.", edit("/etc/prod/app.conf")),
}


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_write_or_no_prohibition_of_it_is_no_violation(name: str) -> None:
    rule, call = NONE[name]
    assert violations(rule, call) == []


LIFTED: dict[str, Callable[[Story], Story]] = {
    "a leave": lambda story: story.says("You may now edit /etc/prod."),
    "a leave for that file": lambda story: story.says("ok, you can change /etc/prod/app.conf"),
    "an order": lambda story: story.says("Update /etc/prod/app.conf to port 8443."),
    "a yes to a question": lambda story: story.replies("May I edit /etc/prod/app.conf?").says("yes, go ahead"),
    "words that take it back": lambda story: story.says("The freeze on /etc/prod is lifted."),
}


@pytest.mark.parametrize("name", LIFTED)
def test_what_a_person_took_back_is_no_violation(name: str) -> None:
    story = LIFTED[name](Story().says("Do not touch /etc/prod.").compact())
    assert found(story.edits("/etc/prod/app.conf"), Code.violation) == []


DOUBTED: dict[str, Callable[[Story], Story]] = {
    "they spoke of it": lambda story: story.says("/etc/prod/app.conf still has the old port."),
    "a leave that names nothing": lambda story: story.says("Fine, you can edit it now."),
    "an order for what holds it": lambda story: story.says("Rename the port in all files of /etc."),
}


@pytest.mark.parametrize("name", DOUBTED)
def test_what_a_person_may_have_taken_back_is_inferred(name: str) -> None:
    story = DOUBTED[name](Story().says("Do not touch /etc/prod.").compact())
    assert [one.tier for one in found(story.edits("/etc/prod/app.conf"), Code.violation)] == [Tier.inferred]


STANDING: dict[str, Callable[[Story], Story]] = {
    "a leave to read": lambda story: story.says("You may read /etc/prod/app.conf."),
    "a leave for another file": lambda story: story.says("You may edit /etc/prod/other.conf."),
    "a yes to something else": lambda story: story.replies("Shall I run the tests?").says("yes, go ahead"),
    "the same ban again": lambda story: story.says("Again: do not touch /etc/prod."),
    "a leave that was withdrawn": lambda story: story.says("You may edit /etc/prod.").says("No, never edit /etc/prod."),
}


@pytest.mark.parametrize("name", STANDING)
def test_what_does_not_take_a_ban_back_leaves_it_proven(name: str) -> None:
    story = STANDING[name](Story().says("Do not touch /etc/prod.").compact())
    assert [one.tier for one in found(story.edits("/etc/prod/app.conf"), Code.violation)] == [Tier.proven]


def test_a_call_that_a_person_refused_is_no_violation() -> None:
    story = Story().says("Do not touch /etc/prod.").compact()
    story.calls(*edit("/etc/prod/a"), "The user doesn't want this.", failed=True, marks=[Mark.rejection])
    assert found(story, Code.violation) == []


@pytest.mark.parametrize(("result", "failed"), [("No such file.", True), (None, False)])
def test_a_call_that_did_not_come_through_is_never_proven(result: str | None, failed: bool) -> None:
    story = Story().says("Do not touch /etc/prod.").compact().calls(*edit("/etc/prod/a"), result, failed=failed)
    assert [one.tier for one in found(story, Code.violation)] == [Tier.inferred]


def test_a_call_before_the_first_compaction_is_not_looked_at() -> None:
    story = Story().says("Do not touch /etc/prod.").edits("/etc/prod/a").compact().says("Go on.")
    assert found(story, Code.violation) == []


def test_a_ban_that_came_through_is_violated_too_and_that_is_said() -> None:
    story = Story().says("Do not touch /etc/prod.").compact().edits("/etc/prod/a")
    kept, gone = (found(story, Code.violation, lost=lost)[0] for lost in (False, True))
    assert (kept.data["lost"], kept.data["verdict"], kept.data["compaction"]) == (False, None, None)
    assert (gone.data["lost"], gone.data["verdict"], gone.data["compaction"]) == (True, "dropped", 1)
    assert gone.weight > kept.weight


def test_of_what_nobody_can_tell_nobody_says_that_it_was_lost() -> None:
    story = Story().says("Do not touch /etc/prod.").compact().edits("/etc/prod/a")
    told = aftermath(story.ended(), TOOLS, story.lost(Verdict.unverifiable))
    one = next(one for one in told.findings if one.code is Code.violation)
    assert (one.tier, one.data["lost"], one.data["verdict"]) == (Tier.proven, False, "unverifiable")


def test_a_ban_said_again_after_its_loss_is_not_lost() -> None:
    story = Story().says("Do not touch /etc/prod.").compact().says("Do not touch /etc/prod.").edits("/etc/prod/a")
    assert [one.data["lost"] for one in found(story, Code.violation)] == [False]


def test_a_list_under_a_heading_is_banned_entry_by_entry() -> None:
    story = Story().says("Do not modify any of these:\n- /etc/prod\n- `src/legacy` (old)\n\nThanks.").compact()
    story.edits("/etc/prod/a").edits("src/legacy/b.py").edits("src/new/c.py")
    assert {one.shown["handle"] for one in found(story, Code.violation)} == {"/etc/prod/a", "src/legacy/b.py"}


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        (
            "The user doesn't want this. To tell you how to proceed, the user said:\nNever edit /etc/prod.",
            Mark.rejection,
        ),
        ('User has answered your questions: "Edit /etc/prod?"="No, never touch /etc/prod.". Go on.', Mark.answer),
    ],
)
def test_what_a_person_says_in_a_refusal_or_an_answer_bans_too(text: str, mark: Mark) -> None:
    story = Story().says("Go.").calls("AskUserQuestion", {"questions": []}, text, marks=[mark]).compact()
    assert [one.tier for one in found(story.edits("/etc/prod/a"), Code.violation)] == [Tier.proven]


def test_what_a_person_pasted_bans_nothing() -> None:
    pasted = "Look at this:\n```\nDo not touch /etc/prod.\n```\nWhat does it mean?"
    assert found(Story().says(pasted).compact().edits("/etc/prod/a"), Code.violation) == []


def test_many_things_written_against_one_ban_are_few_lines() -> None:
    story = Story().says("Do not touch /etc/prod.").compact()
    for number in range(30):
        story.edits(f"/etc/prod/{number}")
    told = found(story, Code.violation)
    assert len(told) <= 6
    assert sum(one.count for one in told) == 30


def test_a_violation_names_the_call_the_turn_and_the_words() -> None:
    story = Story().says("Hello.").replies("Hi.").says("Do not touch /etc/prod.").replies("Sure.").compact()
    story.says("Go on.").edits("/etc/prod/a")
    (one,) = found(story, Code.violation)
    assert (one.message, one.data["said_in_turn"], one.data["turn"]) == (5, 2, 3)
    assert one.shown["handle"] == "/etc/prod/a"
    assert one.shown["call"].startswith("Edit ")
    assert "/etc/prod" not in one.note


# Amnesia ------------------------------------------------------------------------------------------------


def test_writing_what_a_lost_statement_speaks_of_unseen_is_amnesia() -> None:
    story = Story().says("The port in config/app.yaml must always stay 8443.").compact().edits("config/app.yaml")
    (one,) = found(story, Code.amnesia)
    assert (one.tier, one.shown["handle"]) == (Tier.inferred, "config/app.yaml")


@pytest.mark.parametrize(
    "looks",
    [
        lambda story: story.reads("config/app.yaml"),
        lambda story: story.runs("cat config/app.yaml"),
        lambda story: story.says("Mind the port in config/app.yaml."),
    ],
)
def test_who_looked_again_did_not_forget(looks: Callable[[Story], Story]) -> None:
    story = Story().says("The port in config/app.yaml must always stay 8443.").compact()
    assert found(looks(story).edits("config/app.yaml"), Code.amnesia) == []


def test_running_what_a_lost_ban_names_is_amnesia() -> None:
    story = Story().says("Never run scripts/reset.sh.").compact().runs("bash scripts/reset.sh --all")
    assert [one.shown["handle"] for one in found(story, Code.amnesia)] == ["scripts/reset.sh"]


def test_doing_what_a_lost_order_says_is_not_against_it() -> None:
    story = Story().says("You must update src/a.py to the new API.").compact().edits("src/a.py")
    assert found(story, Code.amnesia) == []


def test_a_violation_is_not_told_twice() -> None:
    story = Story().says("Do not touch /etc/prod.").compact().edits("/etc/prod/a")
    assert [one.code for one in after(story).findings] == [Code.violation]


def test_what_was_kept_is_not_forgotten() -> None:
    story = Story().says("The port in config/app.yaml must always stay 8443.").compact().edits("config/app.yaml")
    assert found(story, Code.amnesia, lost=False) == []


# Paid twice ------------------------------------------------------------------------------------------------


def test_what_is_read_again_unchanged_is_paid_twice() -> None:
    text = "line\n" * 400
    story = Story().says("Go.").reads("a.py", text).reads("b.py").compact().reads("a.py", text).reads("c.py")
    told = after(story)
    assert (told.events[0].read_again, told.events[0].read_after_change) == (1, 0)
    assert told.events[0].read_again_tokens == len(text) // 4
    (one,) = [one for one in told.findings if one.code is Code.read_again]
    assert (one.tier, one.count, one.shown["handle"], one.data["tokens"]) == (
        Tier.proven,
        1,
        "file:a.py",
        len(text) // 4,
    )


def test_tokens_are_counted_by_who_counts() -> None:
    story = Story().says("Go.").reads("a.py", "one two three").compact().reads("a.py", "one two three")
    told = aftermath(story.ended(), TOOLS, count=lambda text: len(text.split()))
    assert told.events[0].read_again_tokens == 3


@pytest.mark.parametrize(
    "changes",
    [
        lambda story: story.edits("a.py"),
        lambda story: story.calls("Write", {"file_path": "a.py", "content": "x"}),
        lambda story: story.runs("sed -i s/a/b/ a.py"),
    ],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_what_the_agent_had_changed_in_between_is_read_again_for_a_reason(
    changes: Callable[[Story], Story], when: str
) -> None:
    story = Story().says("Go.").reads("a.py")
    story = changes(story).compact() if when == "before" else changes(story.compact())
    told = after(story.reads("a.py")).events[0]
    assert (told.read_again, told.read_after_change) == (0, 1)


def test_what_the_compaction_kept_is_not_paid_twice_because_of_it() -> None:
    story = Story().says("Go.").reads("a.py").compact(keep=2).reads("a.py")
    assert after(story).events[0].read_again == 0


def test_another_part_of_a_file_is_not_paid_twice() -> None:
    story = Story().says("Go.").calls("Read", {"file_path": "a.py", "offset": 1}, "1 one\n2 two").compact()
    story.calls("Read", {"file_path": "a.py", "offset": 3}, "3 three\n4 four")
    assert after(story).events[0].read_again == 0


def test_a_part_of_what_was_read_whole_is_paid_twice_and_only_what_is_gone_counts() -> None:
    whole = "\n".join(f"{number} line {number}" for number in range(100))
    story = Story().says("Go.").reads("a.py", whole).compact()
    part = "\n".join(whole.split("\n")[40:60])
    story.calls("Read", {"file_path": "a.py", "offset": 40, "limit": 20}, part)
    story.calls("Read", {"file_path": "a.py", "offset": 41, "limit": 9}, "\n".join(part.split("\n")[1:10]))
    told = after(story).events[0]
    assert (told.read_again, told.read_again_tokens) == (1, len(part) // 4)


def test_a_reading_is_compared_with_all_earlier_ones_of_the_thing() -> None:
    story = Story().says("Go.").reads("a.py", "1 one\n2 two").reads("a.py", "3 three\n4 four").compact()
    assert after(story.reads("a.py", "1 one\n2 two\n3 three\n4 four")).events[0].read_again == 1


def test_a_third_reading_after_one_compaction_is_the_agents_own() -> None:
    story = Story().says("Go.").reads("a.py").compact().reads("a.py").reads("a.py")
    assert after(story).events[0].read_again == 1


def test_what_an_earlier_compaction_removed_counts_where_it_is_read_again() -> None:
    story = Story().says("Go.").reads("a.py").compact().reads("b.py").compact().reads("a.py").reads("b.py")
    assert [one.read_again for one in after(story).events] == [0, 2]


# Failing ------------------------------------------------------------------------------------------------------


def test_windows_have_counts_and_denominators() -> None:
    story = Story().says("Go.")
    for number in range(30):
        story.runs(f"a{number}", failed=number >= 25)
    story.compact()
    for number in range(50):
        story.runs(f"b{number}", failed=number in (3, 4, 40))
    story.calls("Edit", {"file_path": "x"}, "no", failed=True, marks=[Mark.rejection]).runs("unanswered", None)
    (one,) = after(story).events
    assert one.before == Window(20, 5, 0)
    assert one.at == Window(20, 2, 0)
    assert one.rest == Window(31, 1, 1)
    assert (one.first_trouble_calls, one.first_trouble_turns) == (4, 0)
    for windows in one.by_distance.values():
        assert sum(windows, Window()) == one.at + one.rest
    assert one.by_distance["calls"] == (Window(5, 2, 0), Window(15, 0, 0), Window(31, 1, 1), Window(0, 0, 0))


def test_distance_is_told_in_calls_turns_and_tokens() -> None:
    story = (
        Story()
        .says("Go.")
        .replies("Yes.")
        .compact()
        .says("x" * 400)
        .runs("a", "y" * 800)
        .says("And?")
        .runs("b", failed=True)
    )
    (one,) = after(story).events
    assert (one.first_trouble_calls, one.first_trouble_turns) == (2, 1)
    assert one.first_trouble_tokens is not None
    assert 300 <= one.first_trouble_tokens <= 320


def test_no_trouble_has_no_distance() -> None:
    (one,) = after(Story().says("Go.").compact().runs("a")).events
    assert (one.first_trouble_calls, one.first_trouble_turns, one.first_trouble_tokens) == (None, None, None)


def test_windows_of_two_compactions_do_not_overlap() -> None:
    story = Story().says("Go.").runs("a", failed=True).compact().runs("b").runs("c").compact().runs("d")
    told = after(story)
    assert [(one.before.calls, one.at.calls) for one in told.events] == [(1, 2), (2, 1)]
    assert told.outcomes("at") == Window(3, 0, 0)


def test_the_same_failing_call_is_told_with_how_often() -> None:
    story = Story().says("Go.").runs("make deploy", "denied", failed=True).compact()
    story.runs("make deploy", "denied", failed=True).runs("make deploy", "denied", failed=True)
    (one,) = found(story, Code.failing_again)
    assert (one.tier, one.count, one.message, one.shown["call"]) == (Tier.proven, 2, 3, "Bash make deploy")


def test_the_order_of_arguments_makes_no_other_call() -> None:
    story = Story().says("Go.").calls("Fetch", {"a": 1, "b": 2}, "no", failed=True).compact()
    assert len(found(story.calls("Fetch", {"b": 2, "a": 1}, "no", failed=True), Code.failing_again)) == 1


@pytest.mark.parametrize(
    "tells",
    [
        lambda story: story.compact().runs("make test", "2 failed", failed=False),  # it went well
        lambda story: story.compact().runs("make lint", "1 failed", failed=True),  # another call
        lambda story: story.compact().edits("a.py").runs("make test", "2 failed", failed=True),  # after a change
        lambda story: story.runs("make test", "ok").compact().runs("make test", "1 failed", failed=True),  # anew
        lambda story: story.compact(keep=2).runs("make test", "1 failed", failed=True),  # its failure was kept
    ],
)
def test_what_is_no_repetition_of_a_failure_is_not_told(tells: Callable[[Story], Story]) -> None:
    story = Story().says("Go.").runs("make test", "1 failed", failed=True)
    assert found(tells(story), Code.failing_again) == []


def test_what_a_person_refused_before_and_again_is_told_as_that() -> None:
    refused = {"failed": True, "marks": [Mark.rejection]}
    story = Story().says("Go.").calls("Bash", {"command": "rm x"}, "No.", **refused).compact()  # type: ignore[arg-type]
    (one,) = found(story.calls("Bash", {"command": "rm x"}, "No.", **refused), Code.failing_again)  # type: ignore[arg-type]
    assert "refused" in one.note


# The whole --------------------------------------------------------------------------------------------------------


def test_nothing_happened_no_finding() -> None:
    story = (
        Story().says("Do not touch /etc/prod. Fix src/a.py.").reads("src/a.py").compact().edits("src/a.py").runs("make")
    )
    assert after(story).findings == ()


def test_without_a_compaction_there_is_no_aftermath() -> None:
    assert after(Story().says("Do not touch /etc/prod.").edits("/etc/prod/a")) == Aftermath((), ())


def test_findings_come_worst_first_and_the_json_form_holds_counts() -> None:
    story = Story().says("Do not touch /etc/prod.").reads("a.py").runs("x", "no", failed=True).compact()
    story.reads("a.py").runs("x", "no", failed=True).edits("/etc/prod/a")
    told = after(story)
    assert [one.code for one in told.findings] == [Code.violation, Code.failing_again, Code.read_again]
    written = told.to_dict(len)
    assert isinstance(written, dict)
    assert written["outcomes"]["at"] == {"calls": 3, "failed": 1, "rejected": 0}
    assert written["by_distance"]["calls"][0] == {"up_to": 5, "calls": 3, "failed": 1, "rejected": 0}
    assert "/etc/prod" not in str(written)


@pytest.mark.parametrize(
    "command",
    [
        "'" * 20_000,
        "$(" * 20_000,
        "`" * 20_000,
        "cat <<A\n" * 5_000,
        "x" * 1_000_000,
        "rm " + "a " * 100_000,
        "{a," * 20_000,
    ],
)
def test_hostile_commands_are_survived(command: str) -> None:
    assert found(Story().says("Do not touch /etc/prod.").compact().runs(command), Code.violation) == []


@pytest.mark.parametrize(
    "said", ["not " * 50_000, "x" * 1_000_000, "Do not touch /a/b.\n" * 10_000, "never `" * 20_000]
)
def test_hostile_words_are_survived(said: str) -> None:
    story = Story().says(said).compact().edits("/srv/x")
    assert found(story, Code.violation) == []
