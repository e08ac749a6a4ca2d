"""Credentials in HTTP headers: Authorization with its schemes, and cookies. Pure."""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator
from functools import lru_cache

from hindsight_cli.redact.literals import read_bare
from hindsight_cli.redact.names import meaning_of
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.values import is_placeholder, is_random, is_secret, is_shape

_COOKIE_CHARS = 4_096
_SESSION_WORDS = ("sess", "sid", "auth", "token", "remember", "jwt", "login", "csrf", "xsrf")


@lru_cache(maxsize=1)
def _scheme() -> re.Pattern[str]:
    return re.compile(
        r"\\*[\"'`]?[\])]?[ \t]*(?:[:=]>?|,|%3A)[ \t]*(?:%20|\+)?\\*[\"'`]?[ \t]*"
        r"(?P<scheme>(?:[A-Za-z][\w-]{1,24}(?:[ \t]+|%20|\+))?(?:[A-Za-z]{2,12}=)?)\\?[\"']?"
    )


def authorization_value(text: str, end: int) -> Hit | None:
    """The credential of an Authorization header whose name ends at `end`; its scheme stays."""
    head = _scheme().match(text, end, end + 120)
    value = read_bare(text, head.end()) if head else None
    if head is None or value is None:
        return None
    candidate = text[value.start : value.end]
    if head["scheme"].lower().startswith("basic"):
        return Hit(value.start, value.end, "basic_auth") if is_basic(candidate) else None
    if not is_secret(candidate, Level.SECRET, quoted=False):
        return None
    return Hit(value.start, value.end, "bearer_token" if head["scheme"] else "credential")


def is_basic(value: str) -> bool:
    """Whether the value is `user:password` in base64."""
    if is_placeholder(value) or len(value) < 6:
        return False
    try:
        decoded = a2b_base64(value + "=" * (-len(value) % 4))
    except Base64Error:
        return False
    return b":" in decoded or is_random(value, 16)


def find_bearers(text: str, low: str) -> Iterator[Hit]:
    """`Bearer x` outside of a header: in prose, logs and code."""
    at = low.find("bearer ")
    while at >= 0:
        value = read_bare(text, at + len("bearer "))
        found = text[value.start : value.end] if value else ""
        if value is not None and is_random(found, 16) and not is_placeholder(found):
            yield Hit(value.start, value.end, "bearer_token")
        at = low.find("bearer ", at + 1)


def find_cookies(text: str, low: str) -> Iterator[Hit]:
    """The values of a Cookie header that identify somebody: random, or named like a session."""
    at = low.find("cookie")
    while at >= 0:
        head = re.compile(r"cookies?\d?\\*[\"']?[ \t]*[:=]?[ \t]*\\*[\"']?(?=[\w.-]+=)", re.I).match(text, at)
        end = at + len("cookie")
        if head is not None:
            stop = re.compile(r"[^\r\n\"'`\\]*").match(text, head.end(), head.end() + _COOKIE_CHARS)
            end = stop.end() if stop else end
            yield from _cookie_pairs(text, head.end(), end)
        at = low.find("cookie", end)


def find_curl_cookies(text: str, low: str) -> Iterator[Hit]:
    """`curl -b name=value`."""
    at = low.find(" -b ")
    while at >= 0:
        if "curl" in low[max(0, at - 400) : at]:
            pairs = re.compile(r" -b +[\"']?([^\n\"'|>]{4,1000})").match(text, at)
            if pairs is not None:
                yield from _cookie_pairs(text, pairs.start(1), pairs.end(1))
        at = low.find(" -b ", at + 1)


def _cookie_pairs(text: str, start: int, end: int) -> Iterator[Hit]:
    for pair in re.compile(r"([\w.%-]+)=([^;\s,]+)").finditer(text, start, end):
        name, value = pair[1].lower(), pair[2]
        named = any(word in name for word in _SESSION_WORDS) or meaning_of(name).level
        if is_placeholder(value) or len(value) < 8:
            continue
        if is_random(value, 16) or (named and is_secret(value, Level.TOKEN)) or (
            named and is_shape("uuid", value)
        ):
            yield Hit(pair.start(2), pair.end(2), "cookie")
