"""Programs that write to something that is no file here: a database, a host, a cluster, a branch, a bucket."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from cenotaph.core.audit.calls.files import patched
from cenotaph.core.audit.calls.shell import Simple
from cenotaph.core.audit.calls.words import (
    DRY,
    NO_FILES,
    Handler,
    Target,
    arguments,
    fed,
    has_flag,
    host_of,
    in_folder,
    option,
)
from cenotaph.core.audit.verdicts.words import word_set

__all__ = ["SERVICE_PROGRAMS", "stated"]

# Hosts, databases, clusters, branches ------------------------------------------------------------------

_SQL_COMMENT: Final = re.compile(r"--[^\n]*|/\*(?:[^*]|\*(?!/))*\*/")
_SQL_NAME: Final = r"[\"`\[]?(?P<{}>[\w$.\"`-]+)"
_SQL_WRITE: Final = re.compile(
    r"(?:^|;|\bbegin\b)\s*(?:explain\s+analyze\s+)?(?:with\b[^;]*?\)\s*)?"
    r"(?P<verb>insert\s+(?:or\s+\w+\s+)?into|replace\s+into|update(?:\s+only)?|delete\s+from(?:\s+only)?"
    r"|drop\s+(?:table|view|index|database|schema|role|user|column|materialized\s+view)(?:\s+if\s+exists)?"
    r"|truncate(?:\s+table)?|alter\s+(?:table|database|schema|role|user)(?:\s+if\s+exists)?(?:\s+only)?"
    r"|create\s+(?:or\s+replace\s+)?(?:unique\s+)?(?:temp\s+)?(?:table|view|index|database|schema|role|user)"
    r"(?:\s+if\s+not\s+exists)?|grant|revoke|vacuum|reindex|\\copy)\s+" + _SQL_NAME.format("table"),
    re.IGNORECASE,
)
_DOCUMENT_WRITE: Final = re.compile(
    r"\.(?:delete|update|insert|replace)(?:One|Many)\(|\.(?:drop|dropDatabase|remove|bulkWrite|findOneAnd\w+)\(",
)
_KEY_WRITE: Final = word_set("""
    SET DEL FLUSHALL FLUSHDB UNLINK HSET HDEL LPUSH RPUSH SADD SREM ZADD EXPIRE RENAME MSET INCR DECR LPOP RPOP""")
_NO_TABLES: Final = word_set("select all on the to only if")


def stated(sql: str) -> Iterator[tuple[str, str]]:
    """(how, table) of each statement that writes; reads give none."""
    for match in _SQL_WRITE.finditer(_SQL_COMMENT.sub(" ", sql)):
        verb = match["verb"].lower()
        how = "delete" if verb.startswith(("delete", "drop", "truncate")) else "sql"
        yield how, "" if verb in ("grant", "revoke", "vacuum") else match["table"].strip('"`[]')


_URL: Final = re.compile(r"\w+(?:\+\w+)?://(?:[^@/\s]*@)?([\w.-]*)(?::\d+)?(?:/([\w.-]+))?")
_DATABASE_VALUED: Final = word_set("""
    -h -d -U -p -P -u -f -c -e -v -o -F -D -S -Q -n -a -i --host --dbname --username --port --command --file --execute
    --database --user --password --set --eval""")


def _database(simple: Simple) -> Iterator[Target]:
    """A client that is handed a statement that writes; what it is connected to, by its options and settings."""
    args = simple.words[1:]
    given = [*args, *fed(simple)]
    writes = [one for text in given for one in stated(text)]
    if any(_DOCUMENT_WRITE.search(text) for text in given):
        writes.append(("sql", ""))
    if simple.program == "redis-cli" and any(word.upper() in _KEY_WRITE for word in arguments(args, _DATABASE_VALUED)):
        writes.append(("delete" if "FLUSH" in " ".join(args).upper() else "sql", ""))
    from_file = option(args, ("-f", "--file")) is not None
    if not writes and not from_file:
        return
    how = next((how for how, _ in writes), "sql")
    for kind, name in _connected(simple.program, args, simple.settings):
        yield Target(kind, name, how, certain=bool(writes))
    for one, table in writes:
        if table and table.lower() not in _NO_TABLES:
            yield Target("table", table, one)
            if "." in table:
                yield Target("table", table.split(".", 1)[0], one)


def _connected(program: str, args: Sequence[str], settings: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(kind, name) of the host and the database of a client."""
    loose = [arg for arg in arguments(args, _DATABASE_VALUED) if not any(sign in arg for sign in " ;(")]
    if program == "sqlite3":
        yield from (("path", name) for name in loose[:1])
        return
    named = option(args, ("-d", "--dbname", "--database") if program == "psql" else ("-D", "--database", "-d"))
    hosts = [option(args, ("-h", "--host", "-S" if program == "sqlcmd" else "--host")), settings.get("PGHOST")]
    names = [named, settings.get("PGDATABASE"), *(loose[:1] if program != "redis-cli" else ())]
    for text in names:
        url = _URL.match(text or "")
        if url is not None:
            yield "host", url[1]
            if url[2]:
                yield "database", url[2]
        elif text:
            settings_in = dict(re.findall(r"(\w+)=([^\s']+)", text))
            hosts.append(settings_in.get("host"))
            yield "database", settings_in.get("dbname", text)
    yield from (("host", host) for host in hosts if host)


def _drops_database(how: str) -> Handler:
    def handler(simple: Simple) -> Iterator[Target]:
        args = simple.words[1:]
        host = option(args, ("-h", "--host"))
        yield from (Target("database", name, how) for name in arguments(args, _DATABASE_VALUED)[:1])
        if host:
            yield Target("host", host, how)

    return handler


_CLUSTER_WRITES: Final = word_set("""
    apply delete create replace patch scale edit set drain cordon uncordon annotate label taint run expose autoscale
    upgrade install uninstall rollback cp""")
_ROLLOUTS: Final = word_set("restart undo pause resume")
_CLUSTER_VALUED: Final = word_set("-n --namespace --context --kube-context --kubeconfig -f -o -l -c --cluster -s -k")


def _cluster(simple: Simple) -> Iterator[Target]:
    args = simple.words[1:]
    named = arguments(args, _CLUSTER_VALUED)
    verb = named[0] if named else ""
    rolls = verb == "rollout" and named[1:2] and named[1] in _ROLLOUTS
    if (verb not in _CLUSTER_WRITES and not rolls) or any(arg.startswith("--dry-run") for arg in args):
        return
    how = "delete" if verb in ("delete", "uninstall") else "apply"
    context = option(args, ("--context", "--kube-context", "--cluster"))
    space = option(args, ("-n", "--namespace"))
    if context:
        yield Target("cluster", context, how)
    if space:
        yield Target("namespace", space, how)
    if verb in ("delete", "create") and named[1:2] and named[1] in ("ns", "namespace"):
        yield from (Target("namespace", name, how) for name in named[2:])


def _terraform(simple: Simple) -> Iterator[Target]:
    args = simple.words[1:]
    verb = next(iter(arguments(args)), "")
    folder = next((arg.split("=", 1)[1] for arg in args if arg.startswith("-chdir=")), None)
    if verb in ("apply", "destroy", "import", "taint") and folder is not None:
        yield Target("path", folder, "delete" if verb == "destroy" else "apply", certain=False)


_GIT_VALUED: Final = word_set("-C -c --git-dir --work-tree -m -F -o --message --source -s")


def _git(simple: Simple) -> Iterator[Target]:
    args = simple.words[1:]
    named = arguments(args, _GIT_VALUED)
    folder = option(args[: args.index(named[0])] if named else args, ("-C",)) or ""
    verb, rest = (named[0], named[1:]) if named else ("", [])
    if verb == "push" and not has_flag(args, "n", *DRY):
        deletes = has_flag(args, "d", "--delete")
        forces = has_flag(args, "f", "--force") or any(arg.startswith("--force-") for arg in args)
        for name in rest[1:]:
            branch = name.rsplit(":", 1)[-1].lstrip("+").removeprefix("refs/heads/")
            how = "delete" if deletes or name.startswith(":") else "force" if forces or name[0] == "+" else "push"
            yield Target("branch", branch, how)
    elif verb == "branch" and has_flag(args, "D", "--delete"):
        yield from (Target("branch", name, "delete") for name in rest)
    elif verb in ("rm", "mv", "clean", "restore", "add") and not has_flag(args, "n", *DRY):
        how = {"rm": "delete", "mv": "move", "clean": "delete", "restore": "write", "add": "commit"}[verb]
        if not (verb == "restore" and "--staged" in args) and not (verb == "rm" and "--cached" in args):
            yield from (Target("path", in_folder(folder, name), how, deep=how != "commit") for name in rest)
    elif verb == "checkout" and "--" in args:
        yield from (Target("path", in_folder(folder, name)) for name in args[args.index("--") + 1 :])
    elif verb == "apply":
        for text in fed(simple):
            yield from (replace(one, name=in_folder(folder, one.name), certain=False) for one in patched(text))


_SENDING: Final = word_set("POST PUT PATCH DELETE")
_DATA: Final = ("-d", "--data", "--data-raw", "--data-binary", "--json", "-F", "--form", "-T", "--upload-file")


def _http(simple: Simple) -> Iterator[Target]:
    """A request that sends something, and the file that an answer is put in."""
    args = simple.words[1:]
    method = (option(args, ("-X", "--request", "--method")) or "").upper()
    sends = method in _SENDING or (not method and any(arg in _DATA or arg.startswith("--post-") for arg in args))
    urls = [arg for arg in args if re.match(r"https?://", arg)]
    if sends:
        how = "delete" if method == "DELETE" else "remote"
        yield from (Target("host", host_of(url), how, certain=method in _SENDING) for url in urls)
    names = ("-o", "--output") if simple.program == "curl" else ("-O", "--output-document", "-P")
    bundled = [arg for arg in args if simple.program == "curl" and re.fullmatch(r"-[a-zA-Z]+o", arg)]
    into = option(args, (*names, *bundled))
    if into is not None and into not in NO_FILES and not into.startswith("-"):
        yield Target("path", into)


def _bucket(simple: Simple) -> Iterator[Target]:
    """`aws s3`, `gsutil`: paths in a store of objects."""
    named = arguments(simple.words[1:], word_set("--profile --region --exclude --include --acl --endpoint-url"))
    if simple.program == "aws":
        if named[:1] != ["s3"]:
            return
        named = named[1:]
    verb, places = (named[0], named[1:]) if named else ("", [])
    if not DRY.isdisjoint(simple.words):
        return
    if verb in ("rm", "rb"):
        yield from (Target("path", name, "delete", deep=True) for name in places)
    elif verb in ("cp", "sync", "rsync", "mv", "mb") and places:
        yield Target("path", places[-1])
        yield from (Target("path", name, "move", deep=True) for name in places[:-1] if verb == "mv")


SERVICE_PROGRAMS: Final[Mapping[str, Handler]] = {
    **dict.fromkeys(
        ("psql", "mysql", "mariadb", "sqlite3", "mongosh", "mongo", "redis-cli", "clickhouse-client", "sqlcmd"),
        _database,
    ),
    "dropdb": _drops_database("delete"),
    "createdb": _drops_database("create"),
    **dict.fromkeys(("kubectl", "helm", "oc"), _cluster),
    **dict.fromkeys(("terraform", "tofu"), _terraform),
    "git": _git,
    **dict.fromkeys(("curl", "wget", "http", "https"), _http),
    **dict.fromkeys(("aws", "gsutil"), _bucket),
}
"""What each program writes, by its own arguments."""
