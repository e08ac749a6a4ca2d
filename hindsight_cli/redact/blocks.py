"""Private keys in blocks: PEM, PGP, PuTTY, JWK, also cut off at either end. Pure.

Output is kept as head and tail, so a key often shows up without its END or its BEGIN.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.spans import Hit

_BODY_CHARS = 16_384
_LEAST_BODY = 40  # a shorter body is an ellipsis, or code that mentions the marker
_LINE_CHARS = 16
_DASHES, _MARK_CHARS = 6, 80
_KIND = "private_key"

_MARK = r"-{4,5} ?%s [A-Z0-9 ]{0,40}?(?:PRIVATE|SECRET) KEY(?: BLOCK)? ?-{4,5}"
# What stands between two lines of a key: a line end, real or escaped, and whatever a diff,
# a list, a string literal, a comment or `cat -n` puts round it.
_GAP = r"(?:\s|\\{1,7}[nrt]|[>+|*#\"'`,-]|\d{1,5}(?=[\t:|→]))"
_CHUNK = (
    rf"(?:[A-Za-z0-9+/]{{16,}}={{0,2}}|[A-Za-z0-9+/]{{2,}}={{1,2}}|=[A-Za-z0-9+/]{{4}}"
    rf"|[A-Za-z0-9+/]{{1,15}}(?={_GAP}{{1,12}}-{{4}})|[A-Z][A-Za-z-]{{2,20}}: [^\n\\]{{0,80}})"
)


def find_blocks(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Private key blocks, whole or cut."""
    if " KEY" in text:
        end = 0
        for hit in _pem(text):
            end = hit.end
            yield hit
        yield from _headless(text, end)
    if "Private-Lines" in text:
        yield from _putty(text)
    if "kty" in text:
        yield from _jwk(text)


def _pem(text: str) -> Iterator[Hit]:
    at = text.find("BEGIN ")
    while at >= 0:
        head = _mark(text, at, "BEGIN")
        end = _body_end(text, head.end()) if head else None
        if head is not None and end is not None:
            yield Hit(head.start(), end, _KIND, sure=3)
        at = text.find("BEGIN ", end or at + 6)


def _mark(text: str, at: int, word: str) -> re.Match[str] | None:
    """The BEGIN or END line whose word stands at `at`."""
    found = compiled(_MARK % word).search(text, max(0, at - _DASHES), at + _MARK_CHARS)
    return found if found and found.start() < at else None


def _body_end(text: str, start: int) -> int | None:
    """Where the key whose BEGIN line ends at `start` ends; None if what follows is no key."""
    body = compiled(rf"(?>{_GAP}*+{_CHUNK})*+").match(text, start, start + _BODY_CHARS)
    stop = body.end() if body else start
    if sum(char.isalnum() for char in text[start:stop]) < _LEAST_BODY:
        return None
    tail = compiled(rf"{_GAP}{{0,40}}?{_MARK % 'END'}").match(text, stop, stop + 160)
    return tail.end() if tail else stop


def _headless(text: str, floor: int) -> Iterator[Hit]:
    """A key whose BEGIN was cut away: the lines of base64 that lead up to its END."""
    at = text.find("END ", floor)
    while at >= 0:
        end = _mark(text, at, "END")
        if end is not None:
            floor = max(floor, end.start() - _BODY_CHARS)
            other = text.rfind("-----", floor, end.start())
            start = _first_line(text, floor if other < 0 else other + 5, end.start())
            if start is not None:
                yield Hit(start, end.end(), _KIND, sure=3)
            floor = end.end()
        at = text.find("END ", at + 4)


def _first_line(text: str, floor: int, end: int) -> int | None:
    """Where the unbroken lines of base64 before `end` begin; None if there are too few."""
    start, long = end, False
    line = compiled(rf"{_GAP}*([A-Za-z0-9+/=]*){_GAP}*")
    breaks = [m.end() for m in compiled(r"\\{1,7}n|\n").finditer(text, floor, end)]
    for begin, stop in zip(reversed([floor, *breaks]), [end, *reversed(breaks)], strict=True):
        found = line.fullmatch(text, begin, stop)
        if found is None or (long and len(found[1]) < _LINE_CHARS):
            break  # only the last lines of a key are short
        long = long or len(found[1]) >= _LINE_CHARS
        start = found.start(1) if found[1] else start
    return start if sum(char.isalnum() for char in text[start:end]) >= _LEAST_BODY else None


def _putty(text: str) -> Iterator[Hit]:
    at = text.find("Private-Lines:")
    while at >= 0:
        block = compiled(
            rf"Private-Lines: ?\d+(?:{_GAP}+[A-Za-z0-9+/=]{{16,80}})+(?:{_GAP}+Private-MAC: \w+)?"
        ).match(text, at, at + _BODY_CHARS)
        if block is not None:
            yield Hit(at, block.end(), _KIND, sure=3)
        at = text.find("Private-Lines:", at + 1)


def _jwk(text: str) -> Iterator[Hit]:
    part = compiled(r"\"(?:d|p|q|dp|dq|qi|k)\\*\"\s{0,8}:\s{0,8}\\*\"([\w-]{20,1000})")
    for found in part.finditer(text):
        yield Hit(found.start(1), found.end(1), _KIND, sure=3)
