"""Secrets known by value: those of the process's own environment, in every usual escaping. Pure.

Matching the value itself has the highest recall and no false alarm; nothing is guessed.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.shapes import is_path, is_wordy
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.vocabulary import PLACEHOLDERS

_LEAST_CHARS = 6  # a shorter value occurs by chance
_LEAST_DIGITS = 8
_DISTINCT = 3
_KIND_CHARS = 40
_UNRESERVED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"
_LEAST_BASE64 = 12  # of a core inside something longer
_WHOLE_WORD_CHARS = 16  # a shorter word must stand alone: `hunter` is not in `huntergreen`


class _Variant(NamedTuple):
    kind: str
    value: str
    is_word: bool  # to be found as a whole word only


class KnownValues:
    """The variants of known secrets, and where a text has them."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = {name: value for name, value in values.items() if _is_worth(value)}
        self._variants: dict[str, _Variant] | None = None  # made when first needed

    def find(self, text: str) -> Iterator[Hit]:
        """Every occurrence of a known value, as is or escaped."""
        if self._variants is None:
            self._variants = dict(_all_variants(self._values))
        for variant, known in self._variants.items():
            at = text.find(variant)
            while at >= 0:
                end = at + len(variant)
                if not known.is_word or _stands_alone(text, at, end):
                    yield Hit(at, end, known.kind, sure=3, secret=known.value)
                at = text.find(variant, end)


def _all_variants(values: dict[str, str]) -> Iterator[tuple[str, _Variant]]:
    for name, value in reversed(values.items()):  # of two names of one value the first tells
        kind = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:_KIND_CHARS] or "known"
        for variant in _variants(value):
            is_word = len(variant) < _WHOLE_WORD_CHARS and is_wordy(variant)
            yield variant, _Variant(kind, value, is_word)


def _is_worth(value: str) -> bool:
    """Whether a value is worth looking for: not a word, a path or a number that occurs anyway."""
    if len(value) < _LEAST_CHARS or value.lower() in PLACEHOLDERS or len(set(value)) < _DISTINCT:
        return False
    return not (is_wordy(value) and is_path(value)) and not (
        value.isdigit() and len(value) < _LEAST_DIGITS
    )


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no word goes on before or behind; an escape such as %20 or \\n is no word."""
    before, after = text[max(0, start - 3) : start], text[end : end + 1]
    if after.isalnum() and text[end - 1].isalnum():
        return False
    joined = before[-1:].isalnum() and text[start].isalnum()
    return not joined or compiled(r"%[0-9A-Fa-f]{2}|.?\\[nrt]").fullmatch(before) is not None


def _variants(value: str) -> set[str]:
    """The value as it is and as URLs, JSON, HTML, shells and base64 would show it."""
    plain: set[str] = set()
    for text in {value, value.strip()}:
        plain |= _in_json(text) | _in_html(text) | _in_urls(text.encode("utf-8", "surrogatepass"))
        plain |= {text, repr(text)[1:-1], text.replace("'", "'\\''")}
        plain |= {re.sub(r"([^\w@%+=:,./-])", r"\\\1", text)}
        plain |= _in_base64(text.encode("utf-8", "surrogatepass"))
    return {text for text in plain if len(text) >= _LEAST_CHARS}


def _in_json(text: str) -> set[str]:
    import json

    dumped = json.dumps(text)[1:-1]
    hidden = dumped.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    twice = {json.dumps(form)[1:-1] for form in (dumped, hidden)}
    return {
        dumped,
        hidden,
        dumped.replace("/", "\\/"),
        json.dumps(text, ensure_ascii=False)[1:-1],
    } | twice


def _in_html(text: str) -> set[str]:
    tags = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    quotes = tags.replace('"', "&quot;")
    return {tags, quotes, quotes.replace("'", "&#x27;"), quotes.replace("'", "&#39;")}


def _in_urls(data: bytes) -> set[str]:
    out = set()
    for safe in (b"", b"/", b"!~*'()"):
        kept = _UNRESERVED + safe
        for escape in ("%{:02X}", "%{:02x}"):
            quoted = "".join(chr(b) if b in kept else escape.format(b) for b in data)
            out |= {quoted, quoted.replace("%20", "+")}
    return out


def _in_base64(data: bytes) -> set[str]:
    """Base64 of the value, alone or inside something longer, at each of three alignments."""
    out = {_base64(data), _base64(data + b"\n")}
    for shift in range(3):
        core = _base64(b"\0" * shift + data)
        skip = (0, 2, 3)[shift]
        whole = (len(data) + shift) // 3 * 4  # the last group depends on what follows
        if whole - skip >= _LEAST_BASE64:
            out.add(core[skip:whole])
    return out | {text.replace("+", "-").replace("/", "_") for text in out}


def _base64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode()
