"""Names of the risk classes, and how a rule for one is put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hindsight_cli.guard.anchors import Grams, may_match, needed

OVERRIDE = "instruction_override"
FORGERY = "role_forgery"
CONCEAL = "concealment"
EXFILTRATE = "exfiltrate"
MEMORY = "addresses_memory_or_approval"
MISREPORT = "misreport"
TRIGGER = "hidden_trigger"
HIJACK = "tool_hijack"
REDIRECT = "redirection"
DELETE = "delete"
DOWNLOAD = "download_execute"
PERSIST = "persist"
WEAKEN = "weaken_security"
CREDENTIALS = "credentials"

HOSTILE = frozenset({OVERRIDE, FORGERY, CONCEAL, EXFILTRATE})

_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Choice:
    """One way in which a risk class is written."""

    risk: str
    pattern: re.Pattern[str]
    needed: tuple[Grams, ...]
    is_cjk: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """One risk class and the ways in which it is written."""

    risk: str
    choices: tuple[Choice, ...]


class RuleIndex:
    """The rules by what their patterns cannot match without: a text tries few of them."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._choices = [choice for one in rules for choice in one.choices]
        self._by_gram: dict[str, list[int]] = {}
        self._always = [at for at, choice in enumerate(self._choices) if not choice.needed]
        for at, choice in enumerate(self._choices):
            for gram in choice.needed[0] if choice.needed else ():
                self._by_gram.setdefault(gram, []).append(at)
        self._grams = frozenset(self._by_gram)

    def worth_trying(self, text: str, grams: Grams) -> Iterator[Choice]:
        """The choices that may match in `text`, whose `grams_of` are given."""
        found = set(self._always)
        for gram in self._grams & grams:
            found.update(self._by_gram[gram])
        cjk = has_cjk(text)
        for at in sorted(found):
            choice = self._choices[at]
            if (cjk or not choice.is_cjk) and may_match(choice.needed[1:], grams):
                yield choice


def has_cjk(text: str) -> bool:
    return not text.isascii() and _CJK.search(text) is not None


def near(first: str, second: str, gap: int = 40, *, either: bool = False) -> str:
    """A pattern: `first`, then `second` in the same sentence; in any order if `either`."""
    between = rf"(?:(?![.!?]\s)[^\n。!?]){{0,{gap}}}?"
    forward = f"(?:{first}){between}(?:{second})"
    return f"(?:{forward}|(?:{second}){between}(?:{first}))" if either else forward


def rule(risk: str, *patterns: str) -> Rule:
    """A rule of several patterns; an alternative with CJK in it is tried on CJK texts only."""
    choices = [choice for pattern in patterns for choice in _choices(pattern)]
    return Rule(risk, tuple(_choice(risk, choice) for choice in choices))


def _choice(risk: str, pattern: str) -> Choice:
    return Choice(risk, re.compile(pattern), needed(pattern), bool(_CJK.search(pattern)))


def _choices(pattern: str) -> list[str]:
    """The alternatives of `pattern` outside any group."""
    found, depth, start = [], 0, 0
    for token in _TOKEN.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if token.group() == "|" and depth == 0:
            found.append(pattern[start : token.start()])
            start = token.end()
    return [*found, pattern[start:]]


_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]")
