"""Reading the value that follows a name: quoted, escaped or bare. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

QUOTED_CHARS = 8_192  # a kubeconfig's client key has 3,000
_BARE_CHARS = 4_096
_FIRST_LOOK = 256  # bounds the work on hostile text; only what fills it is read on
_FEW = 14  # fewer different characters than this in the first look: no secret
_CLOSERS = {"“": "”", "‘": "’", "「": "」", "『": "』"}


class Value(NamedTuple):
    """`text[start:end]`, without its quotes."""

    start: int
    end: int
    quote: str  # "" for a bare word; else the quote with the backslashes before it


@lru_cache(maxsize=1)
def _opening() -> re.Pattern[str]:
    # b"...", @"...", SecretStr("..."), {"...": the wrapper says nothing about the value.
    return re.compile(
        r"(?:[bBrRuUfFN@$]{1,2}(?=[\"'])|(?:new )?[A-Za-z_][\w.:]{0,40}\((?=\\*[\"'])"
        r"|[\[({](?=\\*[\"']))?(\\{0,7}(?:\"\"\"|'''|[\"'`])|[“‘「『]|&quot;|&#3[49];|%22)"
    )


@lru_cache(maxsize=1)
def _bare() -> re.Pattern[str]:
    # Up to white space, a quote, an escape such as \n, a tag, or the next pair of a list of pairs.
    return re.compile(
        r"(?:[^\s\"'`\\<>&;,\x00\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef“”‘’]+"
        r"|\\u00[0-9a-f]{2}|\\(?![nrtu0\"'\\])"
        r"|[&;,](?=[^\s\"'`\\&;,])(?![A-Za-z_][\w.-]{0,40}[=:]|quot;|#3[49];|[lg]t;)"
        r"|<(?![/A-Za-z]|\s|$)|>(?=[^\s<\"'`]))+"
    )


def read_value(text: str, at: int) -> Value | None:
    """The value that begins at `at`, or None.

    A quote that does not close on its line (output is often cut) is read as a bare word.
    """
    opening = _opening().match(text, at)
    if opening is None:
        return read_bare(text, at)
    start, quote = opening.end(), opening.group(1)
    end = _closing(text, start, quote)
    if end < 0:
        cut = read_bare(text, start)
        return cut._replace(quote=quote) if cut else None
    return Value(start, end, quote) if end > start else None


def _closing(text: str, start: int, quote: str) -> int:
    """Where the quote opened before `start` closes; -1 if it does not on this line."""
    limit = start + QUOTED_CHARS
    if quote in ('"""', "'''", "%22") or quote[0] == "&":
        return text.find(quote, start, limit)  # these may span lines or stand in for a quote
    newline = text.find("\n", start, limit)
    limit = newline if newline >= 0 else limit
    close = _CLOSERS.get(quote, quote[-1])
    depth = len(quote) - 1
    at = text.find(close, start, limit)
    while at >= 0:
        back = at
        while back > start and text[back - 1] == "\\":
            back -= 1
        slashes = at - back
        if slashes == depth if depth else slashes % 2 == 0:
            return at - depth
        at = text.find(close, at + 1, limit)
    return -1


def read_bare(text: str, at: int) -> Value | None:
    """The unquoted word that begins at `at`, without punctuation that closes a sentence."""
    run = _bare().match(text, at, at + _FIRST_LOOK)
    if run is not None and run.end() == at + _FIRST_LOOK:
        many = len(set(run.group())) >= _FEW
        run = _bare().match(text, at, at + _BARE_CHARS) if many else None
    if run is None:
        return None
    end = at + len(run.group().rstrip(",;"))
    while end > at and text[end - 1] in ")]}" and not _balanced(text[at:end]):
        end -= 1
    if end > at and text[end - 1] in ".:":
        end -= 1
    return Value(at, end, "") if end > at else None


def _balanced(word: str) -> bool:
    return all(word.count(a) >= word.count(b) for a, b in ("()", "[]", "{}"))
