"""Keys that betray themselves: a provider's prefix, or the build of a prefixed token.

Long words are found in one pass over the text; each is looked up by its first letters, so
the number of rules costs nothing on ordinary text. Pure.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.rules import RULES, Rule
from hindsight_cli.redact.shapes import (
    is_placeholder,
    is_random,
    is_scrambled,
    is_sequence,
    is_shape,
    is_wordy,
)
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.vocabulary import words

_WORD_CHARS = 16
_LONG_WORD_CHARS = 24  # from here a key may stand inside a longer word
_BODY_CHARS = 300
_BESIDE_CHARS = 200
_FEW_DIGITS = 2  # with so many a body is no word
_DISTINCT = 7  # different characters in the body of any key
_ESCAPES = "nrt"
_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_ALIKE = bytes(ord("w") if byte in _WORD else ord(" ") for byte in range(256))
# Words of a prefix that say: what follows is a credential.
_QUALIFIERS = words(
    "live test prod pat sk rk key token tok secret api apikey access refresh oauth auth",
    "admin service svc sat pw password cred personal bot v1 v2 v3 usr user org",
)
_STRONG = words("live pat sk secret token tok apikey pw password cred")
_QUALIFIED_CHARS = 20
_UNQUALIFIED_CHARS = 32
# Prefixes of identifiers, which are as random as keys and open to everybody.
_IDS = words(
    "toolu msg call chatcmpl req resp file asst thread run step evt cus sub pi pm price",
    "session ses conv item fc rs cs in ch seti prod trace span sha sha1 sha256 sha384 sha512",
    "md5 main chunk vendor index bundle batch asset commit build layer img image doc page",
    "event job task user org team project chat message block",
)
_TAILS = ("-us", "_mmk", ".atlasv1.")  # what formats without a prefix contain
_STRONG_WITHIN = r"gh[posru]_[A-Za-z0-9]{36}|github_pat_|glpat-|sk-ant-|[sr]k_live_|xox[bp]-\d"
# What a prefixed token has at least: a first word, then a capital or a long hexadecimal run.
_PREFIXED = (
    r"[a-z][a-z0-9]{0,11}+[_-]"
    r"(?:[a-z0-9_-]{0,360}+[A-Z]|(?=[a-z0-9_-]{32})[a-z0-9_-]{0,60}?[0-9a-f]{30})"
)
_PREFIXED_CHARS = _QUALIFIED_CHARS + 2  # a letter and a dash before the body
_NEVER = sys.maxsize


class _Rules(NamedTuple):
    """The rules whose prefixes begin alike, and all of their prefixes."""

    prefixes: tuple[str, ...]
    rules: tuple[Rule, ...]


@lru_cache(maxsize=1)
def _by_prefix() -> Mapping[str, _Rules]:
    """Rules by the first two letters of their prefixes; one of one letter with any second."""
    index: dict[str, list[Rule]] = {}
    for rule in RULES:
        for head in {prefix[:2] for prefix in rule.prefixes}:
            index.setdefault(head, []).append(rule)
    for letter in [head for head in index if len(head) == 1]:
        for second in _WORD.decode():
            index.setdefault(letter + second, index[letter])
    return MappingProxyType(
        {
            head: _Rules(tuple(p for rule in rules for p in rule.prefixes), tuple(rules))
            for head, rules in index.items()
        }
    )


def find_tokens(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Provider keys and prefixed random tokens; a place may lie inside a word that is a key."""
    rules_of, begins = _by_prefix().get, text.startswith
    may_be_prefixed = compiled(_PREFIXED).match
    is_escaped = "\\" in text or "%" in text
    inner = iter(places)
    sign = next(inner, _NEVER)
    for word in _long_words(text):
        first, end = word.span()
        start = first
        if is_escaped and text[first - 1] in "\\%" and first:
            start = _after_escape(text, first)
        rules = rules_of(text[start : start + 2])
        while sign < first:
            sign = next(inner, _NEVER)
        hit = None
        if rules is not None and begins(rules.prefixes, start):
            hit = _first_match(text, start, rules.rules)
        if hit is None and sign < end and compiled(r"\d").search(text, start, end):
            hit = _inside(text, start, end)
        if hit is None and end - start >= _PREFIXED_CHARS and may_be_prefixed(text, start, end):
            hit = _prefixed(text, start, end)
        if hit is not None:
            yield hit
            if hit.kind == "aws_access_key_id":
                yield from _secret_beside(text, hit)


def _long_words(text: str) -> Iterator[re.Match[bytes]]:
    """Where `[A-Za-z0-9_.-]{16,}` matches: looked for in a copy in which these are all alike.

    The copy has a byte for each character. A pattern of classes would try again at every
    letter of every short word, one that begins with as many equal letters does not.
    """
    return _alike_word().finditer(text.encode("latin-1", "replace").translate(_ALIKE))


@lru_cache(maxsize=1)
def _alike_word() -> re.Pattern[bytes]:
    return re.compile(b"w" * _WORD_CHARS + b"w*")


def _secret_beside(text: str, key_id: Hit) -> Iterator[Hit]:
    """The secret of an AWS key has no prefix, but rarely stands far from its id."""
    beside = compiled(r"(?<![\w/+=])[A-Za-z0-9/+]{40}(?![\w/+=])")
    near = max(0, key_id.start - _BESIDE_CHARS), key_id.end + _BESIDE_CHARS
    for found in beside.finditer(text, *near):
        value = found.group()
        if value != value.lower() and is_random(value, len(value)):
            yield Hit(found.start(), found.end(), "aws_secret_access_key", sure=2)


def _after_escape(text: str, start: int) -> int:
    """Where the word at `start` begins behind an escape: \\nghp_... and %3Dghp_..."""
    before = text[start - 1]
    if before == "%":
        return start + 2
    return start + 1 if before == "\\" and text[start] in _ESCAPES else start


def _first_match(text: str, start: int, rules: tuple[Rule, ...]) -> Hit | None:
    for rule in rules:
        if text.startswith(rule.prefixes, start):
            match = compiled(rule.pattern).match(text, start)
            if match and _is_key(match.group(), rule):
                return Hit(start, match.end(), rule.kind, sure=2)
    return None


def _is_key(value: str, rule: Rule) -> bool:
    prefix = max((p for p in rule.prefixes if value.startswith(p)), key=len, default="")
    body = value[len(prefix) :]
    if is_placeholder(body) or is_sequence(body) or len(set(body)) < _DISTINCT:
        return False
    digits = sum(char.isdigit() for char in body)
    joined = "-" in body or "_" in body
    if (joined or digits < _FEW_DIGITS) and body != body.upper() and is_wordy(body):
        return False  # capitals alone always look like words
    return bool(digits) or not rule.digits or is_scrambled(body)


def _inside(text: str, start: int, end: int) -> Hit | None:
    """A format that has no prefix, or one strong enough to be seen inside a longer word."""
    word = text[start:end]
    if any(tail in word for tail in _TAILS):
        for rule in RULES:
            match = None if rule.prefixes else compiled(rule.pattern).search(text, start, end)
            if match and _is_key(match.group(), rule):
                return Hit(match.start(), match.end(), rule.kind, sure=2)
    if end - start >= _LONG_WORD_CHARS:
        strong = compiled(_STRONG_WITHIN).search(text, start + 1, end)
        if strong:
            rules = _by_prefix().get(text[strong.start() : strong.start() + 2])
            return _first_match(text, strong.start(), rules.rules) if rules else None
    return None


def _prefixed(text: str, start: int, end: int) -> Hit | None:
    """A token of an unknown provider: short words, then a long random body."""
    head = compiled(r"(?:[a-z][a-z0-9]{0,11}[_-]){1,4}").match(text, start, end)
    if head is None or end - head.end() < _QUALIFIED_CHARS or text[end : end + 1] == "(":
        return None
    if compiled(r"[/+]|(?:sha\d{1,3}|md5)[-=:]").search(text, max(0, start - 8), start):
        return None  # within a path or base64, or a digest
    heads = set(compiled(r"[a-z0-9]+").findall(head.group()))
    body = text[head.end() : end].rstrip(".-_")
    if heads & _IDS or head.group().startswith("test_") or "." in body or len(body) > _BODY_CHARS:
        return None
    hexadecimal = is_shape("hex", body)
    least = _QUALIFIED_CHARS
    if hexadecimal or not heads & _QUALIFIERS:
        least = _UNQUALIFIED_CHARS
    if hexadecimal:
        fits = bool(heads & _STRONG)
    else:
        fits = body != body.lower() and body != body.upper() and not is_shape("uuid", body)
        fits = fits and bool(heads & _QUALIFIERS or (body.isalnum() and len(heads) == 1))
    digits = sum(char.isdigit() for char in body)
    if not fits or digits < max(2, len(body) // 16):
        return None
    if is_random(body, least) and not is_placeholder(body):
        return Hit(start, head.end() + len(body), "token", sure=2)
    return None
