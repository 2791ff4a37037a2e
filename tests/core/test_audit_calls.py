"""What a call writes, by its form alone; and whether one path lies in what another names."""

from __future__ import annotations

import pytest
from audit_stories import Story

from cenotaph.core.audit.calls import acts_in, written_by
from cenotaph.core.audit.calls.places import Roots, place_of
from cenotaph.core.audit.calls.programs import targets_of
from cenotaph.core.audit.calls.shell import simple_commands
from cenotaph.core.ids import JSON
from cenotaph.core.tools import Tools

WRITES: dict[str, list[tuple[str, str, str]]] = {
    "echo a > x 2>&1": [("path", "x", "write")],
    "make &> build.log": [("path", "build.log", "write")],
    "cd /srv && touch a && cd b && rm c": [("path", "/srv/a", "create"), ("path", "/srv/b/c", "delete")],
    "tee -a x y < z": [("path", "x", "write"), ("path", "y", "write")],
    "sed -i '' -e 's/a/b/' f g": [("path", "f", "write"), ("path", "g", "write")],
    "sed -i.bak s/a/b/ f": [("path", "f", "write")],
    "perl -pi -e 's/a/b/' f": [("path", "f", "write")],
    "cp -r a b c/": [("path", "c/", "write")],
    "cp -t dir a b": [("path", "dir", "write")],
    "mv a b": [("path", "b", "write"), ("path", "a", "move")],
    "ln -sf a b": [("path", "b", "create")],
    "chown -R me:me d": [("path", "d", "mode")],
    "dd if=a of=b": [("path", "b", "write")],
    "tar xzf a.tgz -C /opt": [("path", "/opt", "write")],
    "sudo -u root env A=1 timeout 5 rm x": [("path", "x", "delete")],
    "cp a.{conf,bak} /x": [("path", "/x", "write")],
    "rm a.{conf,bak}": [("path", "a.conf", "delete"), ("path", "a.bak", "delete")],
    "find /d -name '*.o' | xargs rm -f": [("path", "/d", "delete")],
    "find /d -exec sed -i s/a/b/ {} +": [("path", "/d", "write")],
    "git -C /r rm f": [("path", "/r/f", "delete")],
    "git checkout -- a b": [("path", "a", "write"), ("path", "b", "write")],
    "git push -u origin HEAD:refs/heads/main": [("branch", "main", "push")],
    "git push origin +dev": [("branch", "dev", "force")],
    "git push origin --delete old": [("branch", "old", "delete")],
    "ssh -p 2 u@h 'cd /s; rm a'": [("host", "h", "remote"), ("path", "/s/a", "delete")],
    "rsync -az d/ me@web:/w": [("path", "/w", "write")],
    "PGHOST=h psql -d d -c 'update t set a=1'": [("database", "d", "sql"), ("host", "h", "sql"), ("table", "t", "sql")],
    "psql postgres://u:p@h:5432/d <<< 'DROP TABLE t'": [
        ("host", "h", "delete"),
        ("database", "d", "delete"),
        ("table", "t", "delete"),
    ],
    "docker exec -it c mysql d -e 'truncate t'": [("database", "d", "delete"), ("table", "t", "delete")],
    "redis-cli -h h FLUSHALL": [("host", "h", "delete")],
    "kubectl --context=c -n n delete pod p": [("cluster", "c", "delete"), ("namespace", "n", "delete")],
    "helm upgrade a b --kube-context c": [("cluster", "c", "apply")],
    "curl -X DELETE https://u@h:8/a": [("host", "h", "delete")],
    "curl -so f https://h/a": [("path", "f", "write")],
    "aws s3 cp a s3://b/c": [("path", "s3://b/c", "write")],
    r"Remove-Item -Recurse -Force C:\a\b": [("path", r"C:\a\b", "delete")],
    "apply_patch <<'E'\n*** Begin Patch\n*** Delete File: a\n*** Add File: b\n+x\n*** End Patch\nE": [
        ("path", "a", "delete"),
        ("path", "b", "create"),
    ],
}

READS = (
    "cat a | grep b 2>/dev/null",
    "sed -n 1,9p a",
    "cp a",
    "echo 'rm x > y'",
    "echo rm x",
    "ls # > x",
    "cat <<'E'\nrm x\nE",
    'git commit -m "$(cat <<\'E\'\nfix "a" > b; rm c\nE\n)"',
    "[[ a > b ]]",
    "python3 -c 'print(1 << n)'",
    "git push",
    "git restore --staged a",
    "psql -h h -c \"SELECT * FROM t WHERE a = 'delete from b'\"",
    "psql -h h -c 'SELECT * FROM update_log'",
    "mysql -e 'SHOW CREATE TABLE t'",
    "ssh h uptime",
    "kubectl -n prod get pods",
    "kubectl rollout status deploy/a --context c",
    "helm upgrade a b --kube-context c --dry-run",
    "rsync -n a/ h:/b",
    "curl https://h/a",
    "find . -name a",
)


@pytest.mark.parametrize("command", WRITES)
def test_a_command_shows_what_it_writes(command: str) -> None:
    assert [(one.kind, one.name, one.how) for one in targets_of(command)] == WRITES[command]


@pytest.mark.parametrize("command", READS)
def test_a_command_that_only_reads_or_speaks_writes_nothing(command: str) -> None:
    assert list(targets_of(command)) == []


@pytest.mark.parametrize(
    "command",
    [
        "find /d -delete",
        "psql -h h -f a.sql",
        "python3 -c \"open('a', 'w')\"",
        "curl -d x https://h/a",
        "ls /d | xargs rm",
    ],
)
def test_what_a_command_may_write_is_not_certain(command: str) -> None:
    assert [one.certain for one in targets_of(command)] == [False]


def test_a_name_that_hangs_on_a_substitution_stays_unknown() -> None:
    assert [place_of(one.name) for one in targets_of("rm -rf $(pwd)/build `cat list`/x $UNSET/y")] == [None] * 3


def test_a_command_inside_another_comes_first_and_the_outer_one_keeps_its_words() -> None:
    assert [one.words for one in simple_commands("rm $(cat list) /a")] == [["cat", "list"], ["rm", "$()", "/a"]]


CALLS: dict[str, tuple[str, dict[str, JSON], list[tuple[str, str, bool]]]] = {
    "a declared tool": ("Write", {"file_path": "/a", "content": ""}, [("path", "/a", True)]),
    "a tool that other clients have": ("write_file", {"path": "a", "content": ""}, [("path", "a", True)]),
    "a tool of a server": ("mcp__fs__write_file", {"path": "a", "content": ""}, [("path", "a", True)]),
    "a name that says it": ("mcp__fs__deleteEntry", {"path": "a"}, [("path", "a", False)]),
    "a statement": (
        "query",
        {"sql": "DELETE FROM t", "database": "d"},
        [("table", "t", True), ("database", "d", True)],
    ),
    "a query": ("query", {"sql": "SELECT 1", "database": "d"}, []),
    "a reading": ("Read", {"file_path": "/a"}, []),
    "a list of words": ("shell", {"command": ["bash", "-lc", "rm a"], "workdir": "/w"}, [("path", "/w/a", True)]),
    "a patch": (
        "apply_patch",
        {"input": "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch"},
        [("path", "a", True), ("path", "b", True)],
    ),
    "an unknown tool": ("Frobnicate", {"path": "/a"}, []),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_shows_what_it_writes(name: str) -> None:
    tool, args, wanted = CALLS[name]
    (act,) = acts_in(Story().calls(tool, args).messages, Tools.of((), profile="claude-code"))
    assert [(one.kind, one.name, one.certain) for one in written_by(act)] == wanted


COVERS: list[tuple[str, str, bool | None]] = [
    ("/etc/prod", "/etc/prod", True),
    ("/etc/prod/", "/etc/prod/a/b", True),
    ("/etc/prod", "/etc//./prod/../prod/a", True),
    ("`/etc/prod`", "'/etc/prod/a b'", True),
    ("/etc/prod/*", "/etc/prod/a", True),
    ("/etc/prod", "/etc/production", None),
    ("/etc/prod/a", "/etc/prod", None),
    ("/etc/prod", "/etc/PROD/a", False),
    ("/etc/prod", "/etc/*/a", False),
    ("~/a", "$HOME/a/b", True),
    ("~/a", "/home/me/a/b", False),
    ("~/a", "/srv/a", None),
    ("src/a", "src/a/b.py", True),
    ("src/a", "./src/a", True),
    ("src/a", "lib/src/a", False),
    ("src/a", "/repo/src/a/b.py", True),
    ("src/a", "/repo/vendor/src/a/b.py", False),
    ("src/a", "/repo/src/ab", None),
    ("*.lock", "/repo/poetry.lock", True),
    ("/src/a", "/repo/src/a/b.py", False),
    ("/etc/a", "/repo/etc/a", None),
    (r"C:\Prod", "c:/prod/a.txt", True),
    ("s3://b/raw", "s3://b/raw/2024", True),
    ("s3://b/raw", "s3://b/rawer", None),
    ("a.py:12", "a.py", True),
    ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
]


@pytest.mark.parametrize(("outer", "inner", "wanted"), COVERS)
def test_what_lies_in_a_path_is_sure_where_its_form_shows_it(outer: str, inner: str, wanted: bool | None) -> None:
    roots = Roots(["/repo/README.md", "/repo/src/main.py", "/repo/tests/a.py"])
    here, there = place_of(outer), place_of(inner)
    assert here is not None
    assert there is not None
    assert roots.covers(here, there) is wanted


@pytest.mark.parametrize("text", ["", "$X/a", "*"])
def test_what_names_no_known_place_has_none(text: str) -> None:
    assert place_of(text) is None
