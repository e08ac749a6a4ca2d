"""The redaction engine: every detector over a text, overlaps settled, secrets replaced."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from hindsight_cli.redact.colours import Uncoloured, has_colours
from hindsight_cli.redact.spans import Hit, Span, merged

if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue
    from hindsight_cli.redact.known import KnownValues

_PASSES = 4  # replacing one secret may bring another to light; two passes nearly always do
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
        self._known: KnownValues | None = None
        if known_values:
            from hindsight_cli.redact.known import KnownValues

            self._known = KnownValues(known_values)

    def spans(self, text: str) -> list[Span]:
        """The secrets in `text`, in order, not overlapping; offsets are code points."""
        return [Span(hit.start, hit.end, hit.kind) for hit in self._hits(text)]

    def text(self, text: str) -> str:
        """`text` with each secret replaced. Applying it again changes nothing."""
        for _ in range(_PASSES):
            hits = self._hits(text)
            if not hits:
                break
            text = self._replaced(text, hits)
        return text

    def value(self, value: JsonValue) -> JsonValue:
        """A copy of a JSON value without secrets in its strings, keys and named fields."""
        from hindsight_cli.redact.jsonvalue import Tools, Walker

        return Walker(Tools(self._hits, self._replaced_again, self._mark)).walk(value)

    def _replaced_again(self, text: str, hits: list[Hit]) -> str:
        return self.text(self._replaced(text, hits))

    def _hits(self, text: str) -> list[Hit]:
        if len(text) < _LEAST_CHARS:
            return []
        hits = _uncoloured(text) if has_colours(text) else _detected(text)
        if self._known is not None:
            hits.extend(self._known.find(text))
        return _without_placeholders(text, merged(hits)) if hits else []

    def _replaced(self, text: str, hits: list[Hit]) -> str:
        parts, at = [], 0
        for hit in hits:
            mark = self._mark(hit.kind, hit.secret or text[hit.start : hit.end])
            parts += [text[at : hit.start], hit.quote, mark, hit.quote]
            at = hit.end
        return "".join([*parts, text[at:]])

    def _mark(self, kind: str, secret: str) -> str:
        import hmac

        digest = hmac.digest(self._key, secret.encode("utf-8", "surrogatepass"), "sha256")
        return f"[REDACTED:{kind}:{digest[:2].hex()}]"


def _uncoloured(text: str) -> list[Hit]:
    plain = Uncoloured(text)
    return [plain.restored(hit) for hit in _detected(plain.text)]


def _detected(text: str) -> list[Hit]:
    from hindsight_cli.redact.detectors import DETECTORS

    low = _lower(text)
    return [hit for find in DETECTORS for hit in find(text, low)]


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
    return [
        hit for hit in hits if not any(hit.start < end and start < hit.end for start, end in marks)
    ]
