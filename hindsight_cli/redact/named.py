"""One pass over the words that talk of secrets; each is asked what it says of its value. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hindsight_cli.redact.assignments import assigned
from hindsight_cli.redact.commands import COMMANDS_BY_NAME, command_hits
from hindsight_cli.redact.headers import after_bearer, after_cookie
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.prose import told_after
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.tables import Table

# Grouped by first letter: faster than a flat list. Commonest words that only begin
# like one of them (passed, tokenize, keyword, author) are sorted out here, for speed alone.
_WORDS = (
    r"p(?:ass(?!ed\b|es\b|ing\b|iv|age|eng)|wd|s[kw]\b|arola|in\b|hrase\b)"
    r"|s(?:ecret(?!ar)|enha|eed\b|k\b|alt\b|ig(?:nature)?\b|as\b|essionid)"
    r"|t(?:oken(?!s\b|i[sz])|icket\b)|k(?:ey(?!s\b|word|board|error|fr|stro|point)|ennwort)"
    r"|c(?:red(?!it\b|its\b)|ontrase|ookie|ode\b|vv)|a(?:uth(?!ors?\b|ent)|ppid|k\b)"
    r"|m(?:nemonic|otdepasse|dp\b)|jwt|bearer|otp\b|h(?:e|a)slo"
)
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$ñ"
_NAME_CHARS = 64
_CROWDED_CHARS = 32  # names closer than this are looked up before they are looked at
_BEFORE_CHARS, _AFTER_CHARS = 128, 640
_REMEMBERED = 512
_FOLLOWERS = frozenset("\"'`\\]): \t=：＝?|&+<>-,(\n%是为*;\r")
_CELL_ENDS = frozenset("\"',|\t; \r\n")


def find_named(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Values of names that promise a secret. `low` is `text` in lower case, equally long."""
    done, last, table = 0, -_CROWDED_CHARS, Table(text)
    in_vain: set[tuple[int, str]] = (
        set()
    )  # surroundings that held no secret: hostile text repeats itself
    is_word = compiled(_WORDS).match
    for at in places:
        if at < done or not is_word(low, at):
            continue
        before = text[max(0, at - _NAME_CHARS) : at]
        start = at - len(before) + len(before.rstrip(_NAME))
        after = text[at : at + _NAME_CHARS]
        done = end = at + len(after) - len(after.lstrip(_NAME))
        follower = text[end : end + 1]
        if (follower and follower not in _FOLLOWERS) or end - start >= _NAME_CHARS:
            continue
        crowded = start - last < _CROWDED_CHARS
        last = start
        floor = max(0, start - _BEFORE_CHARS)
        # The place belongs to it: in a short text all names have the same surroundings.
        around = (start - floor, text[floor : end + _AFTER_CHARS]) if crowded else (0, "")
        if crowded and around in in_vain:
            continue
        hits, done = _said(text, low, start, end)
        if not hits and follower in _CELL_ENDS:
            hits = table.below(start, end)
        if crowded and not hits:
            if len(in_vain) >= _REMEMBERED:
                in_vain.clear()
            in_vain.add(around)
        yield from hits


def _said(text: str, low: str, start: int, end: int) -> tuple[list[Hit], int]:
    """What follows the name at `start:end`, a value, a header or a sentence; and its end."""
    name = low[start:end].lstrip("-")
    if name.endswith(("cookie", "cookies", "cookie2")):
        return after_cookie(text, end)
    if name in COMMANDS_BY_NAME:
        return command_hits(text, name, start), end
    if name == "bearer":
        hit = after_bearer(text, end)
    else:
        hit = assigned(text, start, end) or told_after(text, low, start, end)
    return ([hit], hit.end) if hit else ([], end)
