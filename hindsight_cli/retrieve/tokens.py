"""Text -> terms: the same words for what is stored and what is asked.

Latin words are stemmed; an identifier gives its parts and itself without separators
(`host.docker.internal` -> host, docker, internal, hostdockerinternal), so that any
spelling of it matches; a run of Chinese, Japanese or Korean gives its characters and
its pairs of neighbours, because FTS5 takes a whole run for one word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hindsight_cli.retrieve.stem import stem

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_MAX_WORD = 64  # characters; longer ones are data, not words


class Word:
    """One word of a text as written, with the terms it is stored under.

    A plain class, as all that a search builds by the hundred: making a dataclass costs a
    millisecond at import, and a search has sixty in all.
    """

    __slots__ = ("is_cjk", "parts", "surface", "whole")

    def __init__(
        self, surface: str, parts: tuple[str, ...], whole: str = "", *, is_cjk: bool = False
    ) -> None:
        self.surface = surface
        self.parts = parts  # stems; of a CJK run its pairs (or its only character)
        self.whole = whole  # an identifier without its separators; "" when there is one part
        self.is_cjk = is_cjk


@lru_cache(maxsize=1)
def _chunk_pattern() -> re.Pattern[str]:
    return re.compile(r"\b[cCfF](?:\+\+|\#)(?!\w)|\w+(?:(?:[-.'’]|::|->)\w+)*")


@lru_cache(maxsize=1)
def _script_pattern() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+|[^{_CJK}]+")


def _chunks(text: str) -> Iterator[str]:
    """Runs of letters and digits with what joins them, apart where the script changes."""
    text = _folded(text)
    for match in _chunk_pattern().finditer(text):
        chunk = match.group()
        if chunk.isascii():
            yield chunk
        else:
            for run in _script_pattern().findall(chunk):
                if trimmed := run.strip("-.'’:>"):
                    yield trimmed


@lru_cache(maxsize=1)
def _seam_pattern() -> re.Pattern[str]:
    return re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[-._'’]+|::|->")


def words(text: str) -> Iterator[Word]:
    """The words of `text` in order. Any text is fine: what is no letter or digit is skipped."""
    for chunk in _chunks(text):
        yield from _words_of(chunk)


def terms(text: str) -> list[str]:
    """Everything `text` is stored under, in order, repeats kept."""
    found: list[str] = []
    for chunk in _chunks(text):
        found.extend(_terms_of(chunk))
    return found


def joined(identifier: str) -> str:
    """The one term an identifier of several parts is stored under; "" for a plain word."""
    return _latin(identifier).whole


def is_noise(term: str) -> bool:
    """Numbers and ids change from run to run: to share one tells much, to lack one nothing."""
    digits = sum(character.isdigit() for character in term)
    return digits == len(term) or (len(term) > 3 and digits * 2 >= len(term))  # noqa: PLR2004


@lru_cache(maxsize=65536)
def _terms_of(chunk: str) -> tuple[str, ...]:
    found: list[str] = []
    for word in _words_of(chunk):
        if word.is_cjk and len(word.surface) > 1:
            found.extend(word.surface)  # the single characters: a name is often just one
        found.extend(word.parts)
        if word.whole:
            found.append(word.whole)
    return tuple(found)


def _words_of(chunk: str) -> list[Word]:
    if _is_cjk(chunk[0]):
        pairs = tuple(chunk[i : i + 2] for i in range(len(chunk) - 1))
        return [Word(chunk, pairs or (chunk,), is_cjk=True)]
    if chunk[-1] in "+#":
        return [Word(chunk, (chunk[0].lower() + ("pp" if chunk[-1] == "+" else "sharp"),))]
    if len(chunk) > _MAX_WORD:  # a chain such as a dotted path: its pieces are words
        pieces = _seam_pattern().split(chunk)
        return [_latin(piece) for piece in pieces if piece and len(piece) <= _MAX_WORD]
    word = _latin(chunk)
    return [word] if word.parts else []


def _latin(chunk: str) -> Word:
    if "'" in chunk or "’" in chunk:  # don't, it's
        chunk = re.sub(r"['’](?:s|t|re|ll|ve|d|m)$", "", chunk)
    if chunk.isalpha() and (chunk.islower() or chunk[1:].islower()):  # the usual case, cheaply
        return Word(chunk, (stem(chunk.lower()),))
    pieces = [piece.lower() for piece in _seam_pattern().split(chunk) if piece]
    whole = stem("".join(pieces)) if len(pieces) > 1 else ""
    return Word(chunk, tuple(map(stem, pieces)), whole)


def _is_cjk(character: str) -> bool:
    return character >= "\u3040" and not "\ud7b0" <= character < "\uf900"


def _folded(text: str) -> str:
    """Full-width and accented letters as plain ones."""
    if text.isascii():
        return text
    import unicodedata  # only text beyond ASCII pays for it

    def plain(character: str) -> str:
        accented = "\u00c0" <= character < "\u0250"
        return unicodedata.normalize("NFKD", character)[0] if accented else character

    return "".join(map(plain, unicodedata.normalize("NFKC", text)))
