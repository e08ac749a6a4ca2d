"""Credentials in HTTP headers: Authorization with its schemes, and cookies. Pure."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.literals import read_bare
from hindsight_cli.redact.names import meaning_of
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.shapes import is_placeholder, is_random, is_shape
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_secret

_HEAD_CHARS = 120
_COOKIE_CHARS = 4_096
_RANDOM_CHARS = 16
_COOKIE_VALUE_CHARS = 8
_BASIC_CHARS = 6
_SESSION_WORDS = ("sess", "sid", "auth", "token", "remember", "jwt", "login", "csrf", "xsrf")
_SCHEME = (
    r"\\*[\"'`]?[\])]?[ \t]*(?:[:=]>?|,|%3A)[ \t]*(?:%20|\+)?\\*[\"'`]?[ \t]*"
    r"(?P<scheme>(?:[A-Za-z][\w-]{1,24}(?:[ \t]+|%20|\+))?(?:[A-Za-z]{2,12}=)?)\\?[\"']?"
)


def authorization_value(text: str, end: int) -> Hit | None:
    """The credential of an Authorization header whose name ends at `end`; its scheme stays."""
    head = compiled(_SCHEME).match(text, end, end + _HEAD_CHARS)
    value = read_bare(text, head.end()) if head else None
    if head is None or value is None:
        return None
    candidate = text[value.start : value.end]
    if head["scheme"].lower().startswith("basic"):
        return Hit(value.start, value.end, "basic_auth") if _is_basic(candidate) else None
    if not is_secret(candidate, Level.SECRET, quoted=False):
        return None
    return Hit(value.start, value.end, "bearer_token" if head["scheme"] else "credential")


def _is_basic(value: str) -> bool:
    """Whether the value is `user:password` in base64."""
    if is_placeholder(value) or len(value) < _BASIC_CHARS:
        return False
    try:
        decoded = a2b_base64(value + "=" * (-len(value) % 4))
    except Base64Error:
        return False
    return b":" in decoded or is_random(value, _RANDOM_CHARS)


def after_bearer(text: str, end: int) -> Hit | None:
    """`Bearer x` outside of a header: in prose, logs and code."""
    value = read_bare(text, end + 1) if text[end : end + 1] == " " else None
    candidate = text[value.start : value.end] if value else ""
    if value is None or is_placeholder(candidate) or not is_random(candidate, _RANDOM_CHARS):
        return None
    return Hit(value.start, value.end, "bearer_token")


def after_cookie(text: str, end: int) -> tuple[list[Hit], int]:
    """The pairs of a Cookie header, or of curl's --cookie, that follow the name; and their end."""
    head = compiled(r"\\*[\"']?[ \t]*[:=]?[ \t]*\\*[\"']?(?=[\w.%-]+=)").match(text, end)
    if head is None:
        return [], end
    line = compiled(r"[^\r\n\"'`\\]*").match(text, head.end(), head.end() + _COOKIE_CHARS)
    return list(cookie_pairs(text, head.end())), line.end() if line else end


def cookie_pairs(text: str, start: int) -> Iterator[Hit]:
    """The values of cookies that identify somebody: random, or named like a session."""
    line = compiled(r"[^\r\n\"'`\\]*").match(text, start, start + _COOKIE_CHARS)
    for pair in compiled(r"([\w.%-]+)=([^;\s,]+)").finditer(text, start, line.end() if line else 0):
        name, value = pair[1].lower(), pair[2]
        if len(value) < _COOKIE_VALUE_CHARS or is_placeholder(value):
            continue
        named = any(word in name for word in _SESSION_WORDS) or meaning_of(name).level
        told = named and (is_secret(value, Level.TOKEN) or is_shape("uuid", value))
        if told or is_random(value, _RANDOM_CHARS):
            yield Hit(pair.start(2), pair.end(2), "cookie")
