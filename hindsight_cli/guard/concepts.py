"""The concepts in each sentence of a text, and whether each is meant or refused.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from hindsight_cli.guard.concept_words import WORDS, ZH_WORDS

CONCEPTS: Final = (*WORDS, "url", "store", "lair")
BIT: Final = {name: 1 << at for at, name in enumerate(CONCEPTS)}

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[\n。!?;！？；]+")
_CLAUSE = frozenset(",:;，、：()")
_REACH = 6  # words a negation reaches forward
_MAX_PHRASE = 3
_MIN_STEM = 4  # letters of one that may end in a doubled one

_HOME_HOSTS = (
    r"localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|\[::1|[\w-]+[:/]|pypi\.org|registry\.npmjs\.org|"
    r"(?:[\w-]+\.)*(?:github|gitlab|pytorch|golang|docker|python|rust-lang|ubuntu|debian|"
    r"googleapis|microsoft|pythonhosted|npmjs|readthedocs)\.(?:com|org|io|net)"
)
_TOKEN = re.compile(
    rf"(?P<home>https?://(?:{_HOME_HOSTS})[^\s\"'`,，。;)]*)"
    r"|(?P<url>[a-z][a-z0-9+.-]{1,10}://[^\s\"'`,，。;)]+|[\w.+-]+@[\w-]+\.[a-z][\w.-]+"
    r"|(?<![\w.])(?!0\.0|127\.|10\.|192\.168)\d{1,3}(?:\.\d{1,3}){3}(?![\w.])"
    r"|(?<![\w.])(?:[a-z0-9-]+\.)+(?:test|example|xyz|top|ru|click)\b)"
    r"|(?P<store>~?/?\.(?:ssh|aws|gnupg|kube|netrc|npmrc|pypirc|pgpass|docker/config|git-credentials|"
    r"config/gh)\b[\w./-]*|(?<![\w.])\.env\b(?!\.(?:example|sample|template))[\w.]*|/etc/(?:shadow|"
    r"passwd|sudoers)|id_(?:rsa|ed25519)|169\.254\.169\.254\S*|chrome profile)"
    r"|(?P<lair>(?:/tmp|/var/tmp|/dev/shm|/opt|/usr\S*)/\.[\w./-]+)"
    r"|(?P<each>\$\()|(?P<word>[^\W\d_](?:[\w'’.-]*\w)?|0?777\b|0?[467]00\b|0\.0\.0\.0(?:/0)?)|(?P<mark>[,:;，、：()])",
    re.IGNORECASE,
)
_CJK = re.compile("[\u3400-\u9fff]")
_ENDINGS = (
    ("ies", "y"), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("es", ""), ("es", "e"),
    ("s", ""), ("'s", ""), ("ly", ""), ("d", ""),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    meant: int  # concepts, as bits, that no negation stands before
    refused: int  # concepts a negation stands before
    distinct: int  # words that carry a concept

    @property
    def held(self) -> int:
        return self.meant | self.refused


@cache
def _by_word() -> dict[str, int]:
    table: dict[str, int] = {}
    for name, words in WORDS.items():
        for word in words.split():
            table[word] = table.get(word, 0) | BIT[name]
    return table


@cache
def _zh() -> tuple[re.Pattern[str], dict[str, int]]:
    table: dict[str, int] = {}
    for name, words in ZH_WORDS.items():
        for word in words.split():
            table[word] = table.get(word, 0) | BIT[name]
    longest_first = sorted(table, key=len, reverse=True)
    return re.compile(f"(?=({'|'.join(map(re.escape, longest_first))}))"), table


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of `text` (folded to lower case) with what they speak of."""
    for part in _SENTENCE.split(text):
        if part.strip():
            yield _read(part)


def _read(text: str) -> Sentence:
    meant = refused = distinct = 0
    words: list[str] = []
    negated = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "mark":
            negated = 0
            words.clear()
            continue
        bits = _bits(match, words)
        if bits & BIT["neg"]:  # "never without" refuses nothing that follows
            negated = 0 if negated else _REACH + 1
        if bits:
            distinct += 1
        if negated:
            refused |= bits
        else:
            meant |= bits
        negated -= negated > 0
    if _CJK.search(text):
        m, r, d = _read_zh(text)
        meant, refused, distinct = meant | m, refused | r, distinct + d
    return Sentence(text, meant, refused, distinct)


def _bits(match: re.Match[str], words: list[str]) -> int:
    if match["home"]:
        return 0
    if match["url"]:
        return BIT["url"]
    if match["store"]:
        return BIT["store"] | BIT["secret"]
    if match["lair"]:
        return BIT["lair"]
    if match["each"]:
        return BIT["every"]
    word = match["word"].replace("’", "'").rstrip(".")
    words.append(word)
    table = _by_word()
    bits = _of(word)
    for size in range(2, _MAX_PHRASE + 1):
        if len(words) >= size:
            phrase = "-".join(words[-size:])
            bits |= table.get(phrase, 0) or table.get(phrase.removesuffix("s"), 0)
    return bits


@lru_cache(maxsize=4096)
def _of(word: str) -> int:
    table = _by_word()
    bits = table.get(word, 0)
    if bits:
        return bits
    if "_" in word or "-" in word:  # `app_test` is a thing of the tests
        parts = re.split("[_-]", word)
        return BIT["safe"] if any(table.get(part, 0) & BIT["safe"] for part in parts) else 0
    if word.endswith("n't"):
        return BIT["neg"]
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)] + instead
            bits = table.get(stem, 0)
            if bits:
                return bits
            if len(stem) >= _MIN_STEM and stem[-1] == stem[-2] and table.get(stem[:-1], 0):
                return table[stem[:-1]]
    return 0


def _read_zh(text: str) -> tuple[int, int, int]:
    """Chinese words overlap, so every place is tried; a negation reaches a few characters."""
    pattern, table = _zh()
    meant = refused = distinct = 0
    until = -1
    for match in pattern.finditer(text):
        word = match[1]
        bits = table[word]
        distinct += 1
        if bits & BIT["neg"]:
            until = match.start() + len(word) + 6
        if match.start() < until:
            refused |= bits
        else:
            meant |= bits
    return meant, refused, distinct
