"""The redaction engine: every detector over a text, overlaps settled, secrets replaced."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from hindsight_cli.redact.colours import Uncoloured, has_colours
from hindsight_cli.redact.spans import Hit, Span, merged

if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue
    from hindsight_cli.redact.known import KnownValues

_PASSES = 4  # one nearly always does
_LONG_CHARS = 32_768
_AROUND_CHARS = 2_048
_LINE_CHARS = 4_096  # a neighbourhood begins and ends with a line, if there is one that near
_LEAST_CHARS = 6


class Redactor:
    """Finds secrets and replaces each by `[REDACTED:kind:h4]`.

    h4 is four hex digits of HMAC-SHA256(key, secret): within one store equal secrets stay
    recognisable, and without its key nothing can be tried against them. `known_values` are
    name -> value of secrets known from the process's environment; they are matched as they
    are and URL-, base64- and JSON-escaped, and are kept in memory only.
    """

    def __init__(self, *, key: bytes = b"", known_values: Mapping[str, str] | None = None) -> None:
        self._key = key
        self._known_values = dict(known_values or {})

    @cached_property
    def _known(self) -> KnownValues:
        from hindsight_cli.redact.known import KnownValues

        return KnownValues(self._known_values)

    def spans(self, text: str) -> list[Span]:
        """The secrets in `text`, in order, not overlapping; offsets are code points."""
        return [Span(hit.start, hit.end, hit.kind) for hit in self._hits(text)]

    def text(self, text: str) -> str:
        """`text` with each secret replaced. Applying it again changes nothing."""
        hits = self._hits(text)
        if not hits:
            return text
        clean, marks = self._replaced(text, hits)
        if len(clean) <= _LONG_CHARS:
            return self._settled(clean)
        # Replacing one secret may bring another to light, but only near it.
        parts, at = [], 0
        for start, end in _neighbourhoods(clean, marks):
            parts += [clean[at:start], self._settled(clean[start:end])]
            at = end
        return "".join([*parts, clean[at:]])

    def _settled(self, text: str) -> str:
        """The text, redacted until nothing more is found."""
        for _ in range(_PASSES):
            hits = self._hits(text)
            if not hits:
                break
            text, _ = self._replaced(text, hits)
        return text

    def value(self, value: JsonValue) -> JsonValue:
        """A copy of a JSON value without secrets in its strings, keys and named fields."""
        from hindsight_cli.redact.jsonvalue import Tools, Walker

        return Walker(Tools(self._hits, self._replaced_again, self._mark)).walk(value)

    def _replaced_again(self, text: str, hits: list[Hit]) -> str:
        return self._settled(self._replaced(text, hits)[0])

    def _hits(self, text: str) -> list[Hit]:
        if len(text) < _LEAST_CHARS:
            return []
        hits = _uncoloured(text) if has_colours(text) else _detected(text)
        if self._known_values:
            hits.extend(self._known.find(text))
        return _without_placeholders(text, merged(hits)) if hits else []

    def _replaced(self, text: str, hits: list[Hit]) -> tuple[str, list[int]]:
        """The text with its hits replaced, and where the replacements end."""
        parts: list[str] = []
        marks: list[int] = []
        at = length = 0
        for hit in hits:
            mark = self._mark(hit.kind, hit.secret or text[hit.start : hit.end])
            mark = f"{hit.quote}{mark}{hit.quote}"
            parts += [text[at : hit.start], mark]
            length += hit.start - at + len(mark)
            marks.append(length)
            at = hit.end
        return "".join([*parts, text[at:]]), marks

    def _mark(self, kind: str, secret: str) -> str:
        import hmac

        digest = hmac.digest(self._key, secret.encode("utf-8", "surrogatepass"), "sha256")
        return f"[REDACTED:{kind}:{digest[:2].hex()}]"


def _uncoloured(text: str) -> list[Hit]:
    plain = Uncoloured(text)
    return [plain.restored(hit) for hit in _detected(plain.text)]


def _neighbourhoods(text: str, marks: list[int]) -> list[tuple[int, int]]:
    """The parts of the text around the marks, in order, not overlapping, cut between lines."""
    out: list[tuple[int, int]] = []
    for mark in marks:
        start = _cut(text, max(0, mark - _AROUND_CHARS), -1)
        end = _cut(text, min(len(text), mark + _AROUND_CHARS), 1)
        if out and start <= out[-1][1]:
            start = out.pop()[0]
        out.append((start, end))
    return out


def _cut(text: str, at: int, step: int) -> int:
    """The nearest line's end from `at` on, or back; else the nearest space; else `at`."""
    for gap in ("\n", " "):
        if step < 0:
            found = text.rfind(gap, max(0, at - _LINE_CHARS), at) + 1
        else:
            found = text.find(gap, at, at + _LINE_CHARS)
        if found > 0:
            return found
    return at


def _detected(text: str) -> list[Hit]:
    from hindsight_cli.redact.detectors import detected

    return detected(text, _lower(text))


def _lower(text: str) -> str:
    """Lower case of equal length: one capital grows a dot of its own in lower case."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("İ", "i").lower()


@lru_cache(maxsize=1)
def _placeholder() -> re.Pattern[str]:
    return re.compile(r"\[REDACTED:[a-z0-9_]+:[0-9a-f]{4}\]")


def _without_placeholders(text: str, hits: list[Hit]) -> list[Hit]:
    """Hits outside of what an earlier redaction wrote."""
    if "[REDACTED:" not in text:
        return hits
    marks = [mark.span() for mark in _placeholder().finditer(text)]
    ends = [end for _, end in marks]
    kept = []
    for hit in hits:
        after = bisect_right(ends, hit.start)  # the first mark that ends behind the hit's start
        if after == len(marks) or marks[after][0] >= hit.end:
            kept.append(hit)
    return kept
