"""Names of the risk classes, and how a rule for one is put together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
class Rule:
    """One risk class and how it is written, apart for texts with and without CJK."""

    risk: str
    plain: re.Pattern[str]
    cjk: re.Pattern[str]

    def found_in(self, text: str, *, has_cjk: bool) -> Iterator[re.Match[str]]:
        yield from self.plain.finditer(text)
        if has_cjk:
            yield from self.cjk.finditer(text)


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
    plain = [choice for choice in choices if not _CJK.search(choice)]
    cjk = [choice for choice in choices if _CJK.search(choice)]
    return Rule(risk, re.compile("|".join(plain) or "(?!)"), re.compile("|".join(cjk) or "(?!)"))


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
