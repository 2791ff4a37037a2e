"""Whether a call does what a ban forbids: the kind of act, and whether what it writes to lies in what is named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from cenotaph.core.audit.aftermath.bans import Ban, Named
from cenotaph.core.audit.calls.places import Roots, place_of
from cenotaph.core.audit.calls.words import Target
from cenotaph.core.audit.verdicts.words import word_set

__all__ = ["covers", "is_act"]

_ANY: Final = word_set("write create delete move mode sql apply push force remote")
_FORBIDDEN: Final[Mapping[str, Mapping[str, bool]]] = {
    "change": dict.fromkeys(_ANY, True),
    "delete": {"delete": True, "move": False},
    "create": {"create": True, "write": False},
    "move": {"move": True},
    "deploy": {"apply": True, "remote": False, "push": False, "force": False, "sql": False},
    "push": {"push": True, "force": True},
    "force": {"force": True},
    "commit": {"commit": False, "push": False, "force": False},
    "run": {"sql": False, "apply": False, "remote": False},
    "access": dict.fromkeys(_ANY, True),
}
"""Kind of act that is banned -> how a call writes -> whether it surely is such an act; what is missing is none."""
_ALIASES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("production", "prod", "live"), word_set("production prod live")),
    **dict.fromkeys(("staging", "stage"), word_set("staging stage")),
    **dict.fromkeys(("development", "dev"), word_set("development dev")),
}
_URL_HOST: Final = re.compile(
    r"(?P<scheme>\w+(?:\+\w+)?)://(?:[^@/\s]*@)?(?P<host>[\w.-]+)(?::\d+)?(?:/(?P<rest>[^\s?#]*))?"
)
_STORES: Final = word_set("file s3 gs az abfs hdfs")


def is_act(ban: Ban, target: Target) -> bool | None:
    """Whether a call that writes so does what is banned; False if it is likely; None if it does not."""
    found = [_FORBIDDEN[act].get(target.how) for act in ban.acts]
    if "deploy" in ban.acts and target.how == "write" and (target.host or "://" in target.name):
        found.append(True)
    return True if True in found else False if False in found else None


def covers(named: Named, target: Target, roots: Roots) -> bool | None:
    """Whether what is written to is, or lies in, what is named; as `Roots.covers`."""
    url = _URL_HOST.match(named.text)
    if url is not None and url["scheme"].lower() not in _STORES:
        return _covers_url(url, target)
    if target.kind == "path":
        if target.host and named.text.casefold() == target.host.casefold():
            return True
        return _covers_path(named, target, roots)
    return _same_name(named, target) if named.kind == "name" else None


def _covers_url(url: re.Match[str], target: Target) -> bool | None:
    host, rest = url["host"].casefold(), (url["rest"] or "").casefold()
    if target.kind == "host" and target.name.casefold() == host:
        return not rest
    return True if target.kind == "database" and rest and target.name.casefold() == rest else None


def _covers_path(named: Named, target: Target, roots: Roots) -> bool | None:
    if named.kind == "name" and (named.noun not in ("", "folder", "host") or "://" in target.name):
        return True if "://" in target.name and named.text == target.name.split("://", 1)[1].split("/")[0] else None
    outer, inner = place_of(named.text), place_of(target.name)
    if outer is None or inner is None:
        return None
    found = roots.covers(outer, inner)
    if found is None and target.deep and target.how in ("delete", "move", "mode"):
        found = roots.covers(inner, outer)  # all that lies in it goes with it
    if found is None:
        return None
    return found and not target.host and named.kind == "path"


def _same_name(named: Named, target: Target) -> bool | None:
    wanted, name = named.text.casefold(), target.name.casefold()
    fits = named.noun in ("", target.kind) or (named.noun == "cluster" and target.kind == "namespace")
    if wanted == name or (target.kind == "table" and named.noun in ("", "table") and name.rsplit(".", 1)[-1] == wanted):
        return fits
    if target.kind == "branch" or (target.kind == "table" and named.noun != "table"):
        return None
    if target.kind == "host" and (name.startswith(f"{wanted}.") or name.endswith(f".{wanted}")):
        return False
    pieces = set(re.split(r"[^a-z0-9]+", name))
    return False if wanted in _ALIASES and not pieces.isdisjoint(_ALIASES[wanted]) else None
