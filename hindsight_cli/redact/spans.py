"""What a detector reports, and how overlapping reports become spans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Span:
    """A secret in a text, in code points; `text[start:end]` is what must not be kept."""

    start: int
    end: int
    kind: str  # lower case letters, digits and _


class Hit(NamedTuple):
    """A detector's report. Of overlapping hits the surest names the kind."""

    start: int
    end: int
    kind: str
    sure: int = 1  # 3 a known value or a key block, 2 a provider's own format, 1 context only
    secret: str = ""  # what the text stands for, where it is an escaped form of a known value
    quote: str = ""  # put around the placeholder, so that JSON in a text stays JSON


def merged(hits: Iterable[Hit]) -> list[Hit]:
    """Non-overlapping hits in text order; overlapping ones become one over both."""
    out: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if out and hit.start < out[-1].end:
            out[-1] = _joined(out[-1], hit)
        else:
            out.append(hit)
    return out


def _joined(first: Hit, second: Hit) -> Hit:
    surest = second if second.sure > first.sure else first
    end = max(first.end, second.end)
    if first.end == end:
        return first._replace(kind=surest.kind, sure=surest.sure)
    return surest._replace(start=first.start, end=end, secret="")
