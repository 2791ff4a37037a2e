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
    r"(?i)((?<!\S)(?:--?(?:password|passwd|pass|token|secret|api-key)[ =]|(?:-u|--user)[ =][^\s:]{1,64}:))"
    r"([^\s\"']{3,512})"
)
_SPOKEN: Final = re.compile(
    r"(?i)(\bpass(?:word|phrase) (?:is|was|ist|war)[: ]\s{0,2})([^\s\"',;]{4,512}?)(?=[.!?]?(?:\s|$))"
)
_URL_TOKEN: Final = re.compile(r"(?<=://)()([A-Za-z0-9_-]{16,255})@")
_BEARER: Final = re.compile(r"(?i)((?<![\w])(?:bearer|basic|token)\s{1,4})([A-Za-z0-9+/=._~-]{12,2048})")
_PLAIN_VALUE: Final = re.compile(
    r"(?i)hmac:[0-9a-f]{16}|true|false|none|null|nil|required|optional|\*+|<.*|\$\{?\w+.*|%\w+%?"
)

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
    value = _SECRET.sub(lambda m: mark(m.group()), value)
    if "@" in value and "://" in value:
        value = _URL_TOKEN.sub(lambda m: f"{mark(m[2])}@", value)
    value = _FLAG.sub(marked, value)
    value = _SPOKEN.sub(marked, value)
    value = _BEARER.sub(marked, value)
    value = _NAMED.sub(marked, value)
    return _personal(value, mark) if personal else value
