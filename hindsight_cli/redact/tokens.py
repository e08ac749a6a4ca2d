"""Keys that betray themselves: a provider's prefix, or the build of a prefixed token.

Long words are found in one pass over the text; each is looked up by its first two letters,
so the number of rules costs nothing on ordinary text. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from hindsight_cli.redact.rules import RULES, Rule
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_placeholder, is_random, is_sequence, is_shape, is_wordy

_WORD_CHARS = 16
_BODY_CHARS = 300
_ESCAPES = "nrt"
# Words of a prefix that say: what follows is a credential.
_QUALIFIERS = frozenset(
    "live test prod pat sk rk key token tok secret sec api apikey access refresh oauth auth admin"
    " service svc sat pw password cred personal bot v1 v2 v3 usr user org".split()
)
_STRONG = frozenset("live pat sk secret token tok apikey pw password cred".split())
# Prefixes of identifiers, which are as random as keys and open to everybody.
_IDS = frozenset(
    "toolu msg call chatcmpl req resp file asst thread run step evt cus sub pi pm price session"
    " ses conv item fc rs cs in ch seti prod trace span sha sha1 sha256 sha384 sha512 md5 main chunk"
    " vendor index bundle batch asset commit build layer img image doc page event job task user org team"
    " project chat message block".split()
)


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9_.-]{16,}")


@lru_cache(maxsize=1)
def _by_prefix() -> Mapping[str, tuple[Rule, ...]]:
    index: dict[str, list[Rule]] = {}
    for rule in RULES:
        for head in {prefix[:2] for prefix in rule.prefixes}:  # one letter stands for itself
            index.setdefault(head, []).append(rule)
    return MappingProxyType({head: tuple(rules) for head, rules in index.items()})


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """A rule's pattern, compiled when its prefix is first seen."""
    return re.compile(pattern)


@lru_cache(maxsize=1)
def _inner() -> re.Pattern[str]:
    # Formats without a prefix, or strong enough to be seen inside a longer word.
    return re.compile(
        r"(?P<tail>-us\d|_mmk|\.atlasv1\.)"
        r"|(?P<inside>gh[posru]_[A-Za-z0-9]{36}|github_pat_|glpat-|sk-ant-|[sr]k_live_|xox[bp]-\d)"
    )


def find_tokens(text: str) -> Iterator[Hit]:
    """Provider keys and prefixed random tokens."""
    index = _by_prefix()
    for found in _words().finditer(text):
        start = found.start()
        if start and text[start - 1] in "\\%":  # \nghp_... and %3Dghp_...
            start += 1 if text[start - 1] == "\\" and text[start] in _ESCAPES else 0
            start += 2 if text[start - 1] == "%" else 0
        rules = index.get(text[start : start + 2]) or index.get(text[start])
        hit = _first_match(text, start, rules) if rules else None
        if hit is None:
            hit = _inside(text, start, found.end())
        if hit is None and start + _WORD_CHARS < found.end():
            hit = _prefixed(text, start, found.end())
        if hit is not None:
            yield hit


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
    if is_placeholder(body) or is_sequence(body) or len(set(body)) < 7:
        return False
    if not rule.digits:
        return not body.isalpha() or (not body.islower() and not is_wordy(body))
    wordy = body != body.upper() and is_wordy(body)  # capitals alone always look like words
    return any(char.isdigit() for char in body) and not wordy


def _inside(text: str, start: int, end: int) -> Hit | None:
    inner = _inner().search(text, start, end)
    if inner is None:
        return None
    if inner.lastgroup == "inside":
        at = inner.start()
        rules = _by_prefix().get(text[at : at + 2], ())
        return _first_match(text, at, rules)
    for rule in RULES:
        match = None if rule.prefixes else compiled(rule.pattern).search(text, start, end)
        if match and _is_key(match.group(), rule):
            return Hit(match.start(), match.end(), rule.kind, sure=2)
    return None


def _prefixed(text: str, start: int, end: int) -> Hit | None:
    """A token of an unknown provider: short words, then a long random body."""
    head = compiled(r"(?:[a-z][a-z0-9]{0,11}[_-]){1,4}").match(text, start, end)
    if head is None or (start and text[start - 1] in "/+="  and text[start - 1] != "="):
        return None
    words = {*re.split("[_-]", head.group())} - {""}
    body = text[head.end() : end].rstrip(".-_")
    hexadecimal = is_shape("hex", body)
    if words & _IDS or head.group().startswith("test_") or is_shape("uuid", body) or "." in body:
        return None
    least = 32 if hexadecimal else 20
    if not words & (_STRONG if hexadecimal else _QUALIFIERS):
        least = 32
        if hexadecimal or not body.isalnum() or len(words) > 2:
            return None
    mixed = hexadecimal or (body != body.lower() and body != body.upper())
    digits = sum(char.isdigit() for char in body)
    if not mixed or len(body) > _BODY_CHARS or digits < max(2, len(body) // 16):
        return None
    if is_random(body, least) and not is_placeholder(body):
        return Hit(start, head.end() + len(body), "token", sure=2)
    return None
