"""Secrets known by value: those of the process's own environment, in every usual escaping. Pure.

Matching the value itself has the highest recall and no false alarm; nothing is guessed.
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator, Mapping

from hindsight_cli.redact.shapes import is_path, is_placeholder
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.vocabulary import PLACEHOLDERS

_LEAST_CHARS = 6  # a shorter value occurs by chance
_LEAST_DIGITS = 8
_LEAST_BASE64 = 12  # of a core inside something longer
_WHOLE_WORD_CHARS = 16  # a shorter word must stand alone: `hunter` is not in `huntergreen`


class KnownValues:
    """The variants of known secrets, and where a text has them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._variants: dict[str, tuple[str, str]] = {}
        for name, value in values.items():
            if _is_worth(value):
                kind = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:40] or "known"
                for variant in _variants(value):
                    self._variants.setdefault(variant, (kind, value))

    def find(self, text: str) -> Iterator[Hit]:
        """Every occurrence of a known value, as is or escaped."""
        for variant, (kind, value) in self._variants.items():
            at = text.find(variant)
            while at >= 0:
                end = at + len(variant)
                if _stands_alone(text, at, end):
                    yield Hit(at, end, kind, sure=3, secret=value)
                at = text.find(variant, end)


def _is_worth(value: str) -> bool:
    if len(value) < _LEAST_CHARS or value.lower() in PLACEHOLDERS:
        return False
    return not (
        is_placeholder(value) or is_path(value) or (value.isdigit() and len(value) < _LEAST_DIGITS)
    )


def _stands_alone(text: str, start: int, end: int) -> bool:
    if end - start >= _WHOLE_WORD_CHARS:
        return True
    before, after = text[start - 1 : start], text[end : end + 1]
    joined = (before.isalnum() and text[start].isalnum()) or (
        after.isalnum() and text[end - 1].isalnum()
    )
    return not joined


def _variants(value: str) -> set[str]:
    """The value as it is and as URLs, JSON, HTML, shells and base64 would show it."""
    import html
    import json
    from urllib.parse import quote, quote_plus

    plain = {value, value.strip()}
    for text in list(plain):
        dumped = json.dumps(text)[1:-1]
        plain |= {dumped, json.dumps(text, ensure_ascii=False)[1:-1], json.dumps(dumped)[1:-1]}
        plain |= {html.escape(text), html.escape(text, quote=False), repr(text)[1:-1]}
        plain |= {text.replace("'", "'\\''"), re.sub(r"([^\w@%+=:,./-])", r"\\\1", text)}
    for text in (value, value.strip()):
        for safe in ("", "/", "!~*'()"):
            quoted = quote(text.encode("utf-8", "surrogatepass"), safe=safe)
            plain |= {
                quoted,
                _lower_escapes(quoted),
                quote_plus(text.encode("utf-8", "surrogatepass"), safe=safe),
            }
        plain |= _base64(text.encode("utf-8", "surrogatepass"))
    return {text for text in plain if len(text) >= _LEAST_CHARS}


def _lower_escapes(quoted: str) -> str:
    return re.sub("%[0-9A-F]{2}", lambda m: m.group().lower(), quoted)


def _base64(data: bytes) -> set[str]:
    """Base64 of the value, alone or inside something longer, at each of three alignments."""
    out = set()
    for encode in (b64encode, urlsafe_b64encode):
        out |= {encode(data).decode(), encode(data + b"\n").decode()}
        for shift in range(3):
            core = encode(b"\0" * shift + data).decode()
            skip = (0, 2, 3)[shift]
            whole = (len(data) + shift) // 3 * 4  # the last group depends on what follows
            if whole - skip >= _LEAST_BASE64:
                out.add(core[skip:whole])
    return out
