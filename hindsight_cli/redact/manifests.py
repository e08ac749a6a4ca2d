"""Kubernetes Secrets: every value under `data` is one, whatever its name. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.shapes import is_placeholder
from hindsight_cli.redact.spans import Hit

_DOCUMENT_CHARS = 32_768
_LEAST_CHARS = 10  # of base64: shorter ones are "true" and "admin"


def find_manifests(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Values under data and stringData in manifests of kind Secret, as YAML or JSON."""
    kind = compiled(r"kind\\*[\"']?:[ \t]*\\*[\"']?secret\\*[\"']?(?=[\s,}\\]|$)")
    done = 0
    for at in places:
        if at >= done and kind.match(low, at):
            start = max(done, low.rfind("\n---", max(0, at - _DOCUMENT_CHARS), at) + 1)
            start = max(start, at - _DOCUMENT_CHARS)
            end = low.find("\n---", at, at + _DOCUMENT_CHARS)
            done = end if end >= 0 else min(len(text), at + _DOCUMENT_CHARS)
            yield from _data(text, start, done)


def _data(text: str, start: int, end: int) -> Iterator[Hit]:
    block = compiled(
        r"(?m)^([ \t]*)(?:data|stringData):[ \t]*\r?\n((?:\1[ \t]+\S.*(?:\r?\n|$)|[ \t]*\r?\n)+)"
    )
    line = compiled(
        r"(?m)^[ \t]+(?:[\w.-]+:[ \t]*)?(?:[|>][-+]?[ \t]*)?"
        r"[\"']?([A-Za-z0-9+/_.-]{2,}={0,2})[\"']?[ \t]*\r?$"
    )
    for found in block.finditer(text, start, end):
        for value in line.finditer(text, found.start(2), found.end(2)):
            if len(value[1]) >= _LEAST_CHARS and not is_placeholder(value[1]):
                yield Hit(value.start(1), value.end(1), "secret", sure=2)
    fields = compiled(r"\"(?:data|stringData)\\*\":\s*\{([^{}]*)\}")
    for found in fields.finditer(text, start, end):
        for value in compiled(r"\":\s*\\*\"([^\"\\]{10,})").finditer(
            text, found.start(1), found.end(1)
        ):
            if not is_placeholder(value[1]):
                yield Hit(value.start(1), value.end(1), "secret", sure=2)
