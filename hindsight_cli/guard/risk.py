"""Risk classes of a text: what a human has to see in red before it becomes memory.

Two levels. Hostile: the text gives the reader orders about its own rules, hides, or carries
data out; kept apart. Risky: a command an agent should not take from memory without a
person's look. Negated ("never run X") and quoted text weigh less.

Source: security research W5; docs/explanation/trust.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hindsight_cli.guard import lexicon as lx
from hindsight_cli.guard.risk_classes import (
    EXFILTRATE,
    FORGERY,
    HOSTILE,
    MEMORY,
    MISREPORT,
    OVERRIDE,
    Rule,
)
from hindsight_cli.guard.rules_actions import COMMAND_RULES, EXFIL_RULES, REDIRECT_RULES
from hindsight_cli.guard.rules_address import ADDRESS_RULES, FORGERY_MARKS
from hindsight_cli.guard.views import turned, views

__all__ = ["EXFILTRATE", "HOSTILE", "MEMORY", "MISREPORT", "Hit", "scan", "scan_joined"]


@dataclass(frozen=True, slots=True)
class Hit:
    risk: str
    words: str  # what was found, for people
    quoted: bool = False  # stands as an example, not as advice
    around: str = ""  # the text it stands in


_READ_RULES = (*ADDRESS_RULES, *EXFIL_RULES)
_ALL_RULES = (*_READ_RULES, *REDIRECT_RULES, *COMMAND_RULES)
# Split over fields only these make sense: other families would join unrelated sentences.
_JOINED_RULES = (ADDRESS_RULES[0], ADDRESS_RULES[1], EXFIL_RULES[0])
_TURNED_RULES = (ADDRESS_RULES[0], *EXFIL_RULES)

_REFUSED = re.compile(
    r"(?:\b(?:not|never|no|avoid|instead of|rather than|refuse to|reject|beware of|against)\b|n't)"
    r"[^\w,;:.!?]{0,3}(?:[\w'-]+[^\w,;:.!?]+){0,4}$"
)
_REFUSED_CJK = re.compile(
    r"(?:不要|切勿|禁止|避免|别|不能|不可|而不是|勿|不应|不得)[^,，。;；\n]{0,6}$"
)
_DOCUMENT = re.compile(lx.DOCUMENT)
_IN_HEADER = re.compile(lx.IN_HEADER)
_QUOTES = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|'[^'\n]{3,}'(?!\w)")
_AROUND = 120
_SPACES = re.compile(r"[ \t\u3000]+")


def scan(text: str, *, commands: bool = True) -> list[Hit]:
    """Every risk found in `text`, in any of its readings, each class once.

    `commands` False: only what addresses the reader (for prose that is merely read,
    such as a README, where `rm -rf` is no attack).
    """
    found: dict[tuple[str, bool], Hit] = {}
    for hit in _all_hits(text, commands=commands):
        found.setdefault((hit.risk, hit.quoted), hit)
    return [h for h in found.values() if not h.quoted or (h.risk, False) not in found]


def scan_joined(parts: Sequence[str]) -> list[Hit]:
    """What `parts` say only when read as one sentence."""
    joined = " ".join(part.strip() for part in parts if part.strip())
    found = [hit for view in views(joined)[:1] for hit in _hits(view, _JOINED_RULES)]
    return list({hit.risk: hit for hit in found if not hit.quoted}.values())


def _all_hits(text: str, *, commands: bool) -> Iterator[Hit]:
    for view in views(text):
        yield from _hits(view, _ALL_RULES if commands else _READ_RULES)
        for match in FORGERY_MARKS.finditer(view):
            yield Hit(FORGERY, match.group().strip()[:80], _is_quoted(view, match))
    for view in turned(text):
        yield from _hits(view, _TURNED_RULES)


def _hits(text: str, rules: Iterable[Rule]) -> Iterator[Hit]:
    folded = _SPACES.sub(" ", text.casefold().replace("’", "'"))
    for risk, pattern in rules:
        for match in pattern.finditer(folded):
            if not _is_excused(risk, folded, match):
                around = folded[max(0, match.start() - _AROUND) : match.end() + _AROUND]
                yield Hit(risk, match.group().strip()[:80], _is_quoted(folded, match), around)


def _is_excused(risk: str, text: str, match: re.Match[str]) -> bool:
    """Whether the words around a match turn it into something else."""
    before = text[max(0, match.start() - 48) : match.start()].split("\n")[-1]
    if _REFUSED.search(before) or _REFUSED_CJK.search(before):
        return True
    around = text[max(0, match.start() - 12) : match.end() + 24]
    if risk == OVERRIDE:
        return _DOCUMENT.search(around) is not None and "system" not in match.group()
    if risk == EXFILTRATE:
        return _IN_HEADER.search(around) is not None and "query" not in around
    return False


def _is_quoted(text: str, match: re.Match[str]) -> bool:
    return any(
        q.start() < match.start() and match.end() < q.end() and q.end() - q.start() < len(text) - 8
        for q in _QUOTES.finditer(text)
    )
