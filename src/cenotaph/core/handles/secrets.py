"""Secrets and personal data inside handles: what must not stand in a record as it is."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Iterable
from typing import Final

__all__ = ["fingerprint", "redacted"]

_URL_SECRET: Final = re.compile(r"(?<=://)([^/\s:@]{0,255}):([^/\s@]{1,255})@")
_SECRET: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{12,32}|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_\w{20,255}"
    r"|sk-[A-Za-z0-9_-]{16,255}|(?:sk|pk|rk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,255}|xox[abeprs]-[\w-]{10,255}"
    r"|xapp-[\w-]{10,255}|eyJ[\w-]{10,2048}\.[\w-]{10,2048}\.[\w-]{5,2048}|AIza[\w-]{30,64}|ya29\.[\w-]{20,255}"
    r"|glpat-[\w-]{15,64}|npm_[A-Za-z0-9]{30,64}|pypi-[\w-]{40,255}|hf_[A-Za-z0-9]{30,64}|SG\.[\w-]{16,64}\.[\w-]{16,64}"
    r"|(?<=hooks\.slack\.com/services/)[\w/]{10,255}"
    r"|dop_v1_[0-9a-f]{40,64}|AGE-SECRET-KEY-[0-9A-Z]{40,64})"
)
_BLOCK: Final = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BLOCK_END: Final = "-----END"
_NAMED: Final = re.compile(
    r"(?i)((?:pass(?:word|wd|phrase)|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token"
    r"|refresh[_-]?token|client[_-]?secret|_token|_secret|_password|_key|account[_-]?key|session[_-]?id"
    r"|(?<![a-z])(?:token|pass))\\{0,2}[\"']?\s{0,4}[:=：]\s{0,4}(?=\S))"
    r"(\\{0,2}\"[^\"\n]{3,512}\"|'[^'\n]{3,512}'|[^\s\"',;&]{3,512})"
)
_FLAG: Final = re.compile(
    r"(?i)((?<![^\s\"'\[(,`])(?:--?(?:[a-z]{2,20}-){0,2}(?:password|passwd|pass|passphrase|token|secret|api-?key)"
    r"(?:=|[\"'],\s{0,4}|[ ]{1,4})"
    r"(?!-|(?:flag|option|argument|parameter|switch|file|prompt|value|is|was|are|and|or|for|from|to|in|on|with|must|will"
    r"|can|should|when|if|instead|via|has|only|because|here|there|as|at|by|the|an?|not|no)(?!\S))"
    r"|(?:-u[ =]?|--user[ =])[ ]{0,3}(?![\"']?\d+:\d+(?!\S))[\"']?[^\s:\"']{1,64}:))"
    r"(\"[^\"\n]{3,512}\"|'[^'\n]{3,512}'|[^\s\"'`]{3,512})"
)
"""A flag and its value, in one word, in two, or in two items of a list; `-u 1000:1000` is a user and a group."""
_QUOTED_OR_WORD: Final = r"(\"[^\"\n]{2,512}\"|'[^'\n]{2,512}'|[^\s\"'`|;&]{2,512})"
_COMMAND: Final = re.compile(
    r"((?<![\w.-])(?:(?:mysql\w{0,20}|mariadb(?:-\w{1,20})?|7za?)(?![\w.-])[^\n|;&]{0,255}?\s-p(?!\s)"
    r"|(?:sshpass|mongo\w{0,20}|(?:docker|podman|buildah|skopeo|oras|az|cf|registry) login)(?![\w.-])[^\n|;&]{0,255}?"
    r"\s-p[ ]{0,3}"
    r"|redis-cli(?![\w.-])[^\n|;&]{0,255}?\s-a[ ]{1,3}|ldap\w{1,20}(?![\w.-])[^\n|;&]{0,255}?\s-w[ ]{1,3}"
    r"|(?:un)?zip(?![\w.-])[^\n|;&]{0,255}?\s-P[ ]{0,3}|openssl(?![\w.-])[^\n|;&]{0,255}?\spass:)(?!-))"
    + _QUOTED_OR_WORD
)
"""Commands whose short flag is a password, each by its manual; the same letters are a port or a mode elsewhere."""
_PHRASE: Final = re.compile(
    r"(?im)((?:pass(?:word|wd|phrase)|pwd)[\"']?(?:[ \t]{0,4}[:：]|[ \t]{1,4}=)[ \t]{1,4})"
    r"(?!(?:required|optional|must|should|may|can|cannot|will|see|ask|in|is|are|was|not|never|the|an?|your|my|our|stored"
    r"|set|use|please|change|changed|forgot|reset|none|no|missing|incorrect|wrong|invalid|expired|authentication|login"
    r"|string|at|from|for|to|with|same|hidden|unchanged|unknown|protected|rotated|as|on|by|and|or|it|if|when|minimum|max"
    r"|error|failed|denied|mismatch|accepted|ok|wird|ist|nicht|siehe|est|es)(?!\w))"
    r"([^\s\"',;&=()<>$*{}]{1,64}(?:[ ][^\s\"',;&=()<>:]{1,64}){1,11})(?=[.!]?[ \t\r]*$)"
)
"""A passphrase of several words without quotes; it ends with its line."""
_SPOKEN: Final = re.compile(
    r"(?i)(\bpass(?:word|phrase) (?:is|was|ist|war)[: ]\s{0,2})([^\s\"',;]{4,512}?)(?=[.!?]?(?:\s|$))"
)
_URL_TOKEN: Final = re.compile(r"(?<=://)()([A-Za-z0-9_-]{16,255})@")
_BEARER: Final = re.compile(r"(?i)((?<![\w])(?:bearer|basic|token)\s{1,4})([A-Za-z0-9+/=._~-]{12,2048})")
_PLAIN_VALUE: Final = re.compile(
    r"(?i)hmac:[0-9a-f]{16}|true|false|none|null|nil|required|optional|\*+|<.*|\$\{?\w+.*|%\w+%?"
    r"|see|ask|must|should|may|can|cannot|will|is|are|was|not|never|the|your|incorrect|invalid|expired|missing"
)

_MARKED: Final = (
    (_COMMAND, ("mysql", "mariadb", "7z", "sshpass", "mongo", "login", "redis", "ldap", "zip", "pass:")),
    (_FLAG, ("-u", "pass", "token", "secret", "key")),
    (_PHRASE, ("pass", "pwd")),
    (_SPOKEN, ("pass",)),
    (_BEARER, ("bearer", "basic", "token")),
    (_NAMED, ("pass", "pwd", "secret", "key", "token", "session")),
)
"""Patterns that mark a value behind its name, in order; and words of which each match holds one, in any case. To look
for a word costs far less than to look for a pattern."""

_EMAIL: Final = re.compile(r"[\w.+-]{1,64}@[A-Za-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){1,8}")
_PHONE: Final = re.compile(
    r"(?<![\w.+-])(?<!\d )(?:\+\d{1,3}[ .-]?|00\d{1,3}[ .-]?)(?:\(?\d{1,4}\)?[ .-]?){2,5}\d{2,4}(?![\w-])"
)
_IBAN: Final = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?(?!\w)")
_CARD: Final = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")


def fingerprint(value: str, key: bytes) -> str:
    """What stands for a secret: keyed, so that it can be compared and not guessed."""
    digest = hmac.new(key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
    return f"hmac:{digest[:16]}"


def _luhn(digits: str) -> bool:
    """The check digit of card numbers (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        doubled = int(digit) * (1 + place % 2)
        total += doubled - 9 if doubled > 9 else doubled
    return total % 10 == 0


def _iban(text: str) -> bool:
    """The check digits of an IBAN (ISO 13616: the rearranged number is 1 modulo 97)."""
    plain = text.replace(" ", "")
    return int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1


def _personal(value: str, mark: Callable[[str], str]) -> str:
    value = _EMAIL.sub(lambda m: mark(m.group()), value)
    value = _IBAN.sub(lambda m: mark(m.group()) if _iban(m.group()) else m.group(), value)
    value = _CARD.sub(lambda m: mark(m.group()) if _luhn(re.sub(r"\D", "", m.group())) else m.group(), value)
    return _PHONE.sub(lambda m: mark(m.group()), value)


def _without_blocks(text: str, mark: Callable[[str], str]) -> str:
    """The text with a fingerprint in the place of the body of each private key; an unclosed one has no end."""
    pieces: list[str] = []
    position = 0
    while (found := _BLOCK.search(text, position)) is not None:
        end = text.find(_BLOCK_END, found.end())
        end = len(text) if end < 0 else end
        body = text[found.end() : end]
        pieces += [text[position : found.end()], mark(body) if body and not _PLAIN_VALUE.fullmatch(body) else body]
        position = end
    return "".join([*pieces, text[position:]])


def _folded(text: str) -> str:
    """The text in one case, with all that a pattern without case takes for a Latin letter as that letter."""
    folded = text.casefold()
    return folded if folded.isascii() else folded.replace("i\u0307", "i").replace("\u0131", "i")


_INVISIBLE: Final = (
    *(0xAD, 0x34F, 0x61C, 0x180E, 0xFEFF),
    *range(0x200B, 0x2010),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2070),
)
"""Characters without a width: soft hyphen, joiners, marks of direction (Unicode, general category Cf)."""
_PLAIN: Final = {
    **dict.fromkeys(_INVISIBLE),
    **{wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)},  # the full-width forms of ASCII
}


def _undisguised(value: str, mark: Callable[[str], str]) -> str:
    """The text without secrets that full-width letters or characters without a width keep from their shapes.

    They are looked for in the plain form of the text; what is replaced is what they are written as. The fingerprint is
    that of the plain form, so a disguised secret is known for the same.
    """
    plain = value.translate(_PLAIN)
    if plain == value:
        return value
    places = [place for place, char in enumerate(value) if _PLAIN.get(ord(char), 0) is not None]
    found = [(match.span(), match.span()) for match in _SECRET.finditer(plain)]
    for pattern, _ in _MARKED:
        found += [
            (match.span(2), match.span()) for match in pattern.finditer(plain) if not _PLAIN_VALUE.fullmatch(match[2])
        ]
    pieces: list[str] = []
    position = 0
    for (start, end), (begin, stop) in sorted(found):
        first, last = places[start], places[end - 1] + 1
        if first >= position and value[places[begin] : places[stop - 1] + 1] != plain[begin:stop]:
            pieces += [value[position:first], mark(plain[start:end])]
            position = last
    return "".join([*pieces, value[position:]])


def redacted(value: str, key: bytes, *, personal: bool = False, patterns: Iterable[re.Pattern[str]] = ()) -> str:
    """The handle with secret-shaped pieces as fingerprints; itself if it has none.

    Args:
        value: A handle, or any text.
        key: The store's key, with which a fingerprint is made.
        personal: Whether e-mail addresses, phone numbers in international form, IBANs and card numbers (both by their
            check digits) are fingerprinted too.
        patterns: The caller's own patterns; each whole match is fingerprinted.
    """

    def mark(text: str) -> str:
        return fingerprint(text, key)

    def marked(match: re.Match[str]) -> str:
        return match[1] + (match[2] if _PLAIN_VALUE.fullmatch(match[2]) else mark(match[2]))

    for pattern in patterns:
        value = pattern.sub(lambda m: mark(m.group()) if m.group() else "", value)
    if "@" in value and "://" in value:
        value = _URL_SECRET.sub(lambda m: f"{m[1]}:{mark(m[2])}@", value)
    if "-----BEGIN " in value:
        value = _without_blocks(value, mark)
    if not value.isascii():
        value = _undisguised(value, mark)
    value = _SECRET.sub(lambda m: mark(m.group()), value)
    if "@" in value and "://" in value:
        value = _URL_TOKEN.sub(lambda m: f"{mark(m[2])}@", value)
    folded = _folded(value)
    for pattern, held in _MARKED:
        if any(word in folded for word in held):
            value = pattern.sub(marked, value)
    return _personal(value, mark) if personal else value
