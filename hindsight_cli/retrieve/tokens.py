"""Text -> terms: the same words for what is stored and what is asked.

Latin words are stemmed; an identifier gives its parts and itself without separators
(`host.docker.internal` -> host, docker, internal, hostdockerinternal), so that any
spelling of it matches; a run of Chinese, Japanese or Korean gives its characters and
its pairs of neighbours, because FTS5 takes a whole run for one word.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from hindsight_cli.retrieve.stem import stem

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_MAX_WORD = 64  # characters; longer ones are data, not words
_MAX_ID_DIGITS = 6


class Word(NamedTuple):
    """One word of a text as written, with the terms it is stored under."""

    surface: str
    parts: tuple[str, ...]  # stems; of a CJK run its pairs (or its only character)
    whole: str  # the identifier without separators, "" when there is one part
    is_cjk: bool


@lru_cache(maxsize=None)
def _chunks() -> re.Pattern[str]:
    latin = rf"[^\W_{_CJK}]"
    return re.compile(
        rf"(?P<cjk>[{_CJK}]+)|(?P<sharp>\b[cCfF](?:\+\+|\#)(?!\w))"
        rf"|(?P<latin>{latin}+(?:(?:[-._']|::|->)?_*{latin}+)*)"
    )


@lru_cache(maxsize=None)
def _camel() -> re.Pattern[str]:
    return re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-._']+|::|->")


def words(text: str) -> list[Word]:
    """The words of `text` in order. Any text is fine: what is no letter or digit is skipped."""
    if not text.isascii():
        text = _folded(text)
    found: list[Word] = []
    for match in _chunks().finditer(text):
        chunk = match.group()
        if match.lastgroup == "cjk":
            found.append(Word(chunk, _pairs(chunk), "", is_cjk=True))
        elif match.lastgroup == "sharp":
            name = chunk[0].lower() + ("pp" if chunk.endswith("+") else "sharp")
            found.append(Word(chunk, (name,), "", is_cjk=False))
        elif len(chunk) <= _MAX_WORD:
            word = _latin(chunk)
            if word.parts:
                found.append(word)
        else:  # a joined chain such as a dotted path: its pieces are words
            found.extend(
                _latin(piece) for piece in _camel().split(chunk) if 1 < len(piece) <= _MAX_WORD
            )
    return found


def terms(text: str) -> list[str]:
    """Everything `text` is stored under, in order, repeats kept."""
    found: list[str] = []
    for word in words(text):
        if word.is_cjk:
            found.extend(word.surface)  # single characters too: names are often one
        if not word.is_cjk or len(word.surface) > 1:
            found.extend(word.parts)
        if word.whole:
            found.append(word.whole)
    return found


def is_noise(term: str) -> bool:
    """Numbers and ids change from run to run: matching one says something, missing one nothing."""
    return not term.isalpha() and (
        term.isdigit() or (sum(c.isdigit() for c in term) * 2 >= len(term) and len(term) > 3)  # noqa: PLR2004
    )


def _latin(chunk: str) -> Word:
    pieces = [piece.lower() for piece in _camel().split(chunk) if piece]
    if pieces and pieces[-1] in ("s", "t", "re", "ll", "ve") and "'" in chunk:
        pieces.pop()  # don't, it's
        chunk = chunk.rpartition("'")[0]
    parts = tuple(stem(piece) for piece in pieces)
    whole = "".join(pieces) if len(pieces) > 1 else ""
    return Word(chunk, parts, whole, is_cjk=False)


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(run[i : i + 2] for i in range(len(run) - 1)) or (run,)


def _folded(text: str) -> str:
    """Full-width and accented letters as plain ones."""
    import unicodedata  # only text beyond ASCII pays for it

    text = unicodedata.normalize("NFKC", text)
    return "".join(
        unicodedata.normalize("NFKD", c)[0] if "\u00c0" <= c < "\u0250" else c for c in text
    )
