"""Risk classes of a text: what a human has to see in red before it becomes memory.

Two levels. Hostile: the text gives the reader orders about its own rules, hides, or carries
data out; kept apart. Risky: a command an agent should not take from memory without a
person's look. Negated ("never run X") and quoted text weigh less.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from hindsight_cli.guard import lexicon as lx
from hindsight_cli.guard.anchors import grams_of
from hindsight_cli.guard.risk_classes import (
    DELETE,
    EXFILTRATE,
    FORGERY,
    HOSTILE,
    MEMORY,
    MISREPORT,
    OVERRIDE,
    RuleIndex,
)
from hindsight_cli.guard.rules_actions import COMMAND_RULES, EXFIL_RULES, REDIRECT_RULES
from hindsight_cli.guard.rules_address import ADDRESS_RULES, FORGERY_MARKS
from hindsight_cli.guard.views import turned, views

__all__ = [
    "EXFILTRATE",
    "HOSTILE",
    "MEMORY",
    "MISREPORT",
    "Hit",
    "scan",
    "scan_joined",
    "scan_turned",
]


@dataclass(frozen=True, slots=True)
class Hit:
    risk: str
    words: str  # what was found, for people
    quoted: bool = False  # stands as an example, not as advice
    around: str = ""  # the text it stands in


_READ_RULES = RuleIndex((*ADDRESS_RULES, *EXFIL_RULES))
_ALL_RULES = RuleIndex((*ADDRESS_RULES, *EXFIL_RULES, *REDIRECT_RULES, *COMMAND_RULES))
# Split over fields only these make sense: other families would join unrelated sentences.
_JOINED_RULES = RuleIndex((ADDRESS_RULES[0], ADDRESS_RULES[1], EXFIL_RULES[0]))
_TURNED_RULES = RuleIndex((ADDRESS_RULES[0], *EXFIL_RULES))

_REFUSED = re.compile(
    r"(?:\b(?:not|never|no|avoid|instead of|rather than|refused?|refuse to|reject(?:ed)?|denied|"
    r"declined|blocked|beware of|against)\b|n't)"
    r"[^\w,;:.!?]{0,3}(?:[\w'-]+[^\w,;:.!?]+){0,4}$"
)
_REFUSED_CJK = re.compile(
    r"(?:不要|切勿|禁止|避免|别|不能|不可|而不是|勿|不应|不得)[^,，。;；\n]{0,6}$"
)
_DOCUMENT = re.compile(rf"\b{lx.DOCUMENT}\b")
_OF_DOCUMENT = re.compile(
    rf"\W{{0,2}}(?:in|of|from|for|on) (?:the |our |its |this |that )?(?:\w+ )?{lx.DOCUMENT}\b"
)
_YOURS = re.compile(r"\b(?:you|your|system|user|owner|developer|all|every|everything|any)\b")
_LAYOUT_CJK = re.compile("样式|主题|布局|模板|级联")
_TRIAL = re.compile(
    r"(?<![a-z])(?:tests?|tmp|temp|staging|scratch|sandbox)(?![a-z])|(?<![a-z/])dev(?![a-z])"
)
_REAL = re.compile(r"(?<![a-z])(?:prod|production|live|all|rm\s+-\w+\s+/)(?![a-z])")
_IN_HEADER = re.compile(lx.IN_HEADER)
_QUOTES = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|'[^'\n]{3,}'(?!\w)")
_JSON_BEFORE = re.compile(r"(?:[\"']\s*:|[\[{])\s*$")
_MIN_FRAME = 8  # characters round a quotation
_MAX_MATCHES = 40  # of one class in one text: more tell nothing more
_AROUND = 120
_SPACES = re.compile(r"[ \t\u3000]+")


def scan(text: str, *, commands: bool = True) -> list[Hit]:
    """Every risk found in `text`, in any of its readings, each class once.

    `commands` False: only what addresses the reader (for prose that is merely read,
    such as a README, where `rm -rf` is no attack).
    """
    return _each_once(scan_every(text, commands=commands))


def scan_every(text: str, *, commands: bool = True) -> Iterator[Hit]:
    """Like `scan`, but every hit (up to a bound a class), so that each can be weighed."""
    rules = _ALL_RULES if commands else _READ_RULES
    for view in views(text):
        yield from _hits(view, rules)
        yield from _marks(view)


def scan_joined(parts: Sequence[str]) -> list[Hit]:
    """What `parts` say only when read as one sentence."""
    joined = " ".join(part.strip() for part in parts if part.strip())
    found = _hits(views(joined)[0], _JOINED_RULES)
    return _each_once(hit for hit in found if not hit.quoted)


def scan_turned(text: str) -> list[Hit]:
    """What `text` says backwards, upside down or in rot13."""
    return _each_once(hit for view in turned(text) for hit in _hits(view, _TURNED_RULES))


def _each_once(hits: Iterable[Hit]) -> list[Hit]:
    """The first hit of each class; quoted ones only where no plain one is."""
    found: dict[tuple[str, bool], Hit] = {}
    for hit in hits:
        found.setdefault((hit.risk, hit.quoted), hit)
    return [h for h in found.values() if not h.quoted or (h.risk, False) not in found]


def _marks(text: str) -> Iterator[Hit]:
    matches = list(islice(FORGERY_MARKS.finditer(text), _MAX_MATCHES))
    quotes = _quotations(text) if matches else []
    for match in matches:
        yield Hit(FORGERY, match.group().strip()[:80], _is_quoted(match, quotes))


def _hits(text: str, rules: RuleIndex) -> Iterator[Hit]:
    folded = _SPACES.sub(" ", text.casefold().replace("’", "'"))
    grams = grams_of(folded)
    quotes: list[tuple[int, int]] | None = None
    for choice in rules.worth_trying(folded, grams):
        for match in islice(choice.pattern.finditer(folded), _MAX_MATCHES):
            if not _is_excused(choice.risk, folded, match):
                quotes = _quotations(folded) if quotes is None else quotes
                around = folded[max(0, match.start() - _AROUND) : match.end() + _AROUND]
                quoted = _is_quoted(match, quotes)
                yield Hit(choice.risk, match.group().strip()[:80], quoted, around)


def _is_excused(risk: str, text: str, match: re.Match[str]) -> bool:
    """Whether the words around a match turn it into something else."""
    before = text[max(0, match.start() - 48) : match.start()].rsplit("\n", maxsplit=1)[-1]
    if _REFUSED.search(before) or _REFUSED_CJK.search(before):
        return True
    if risk == DELETE and _TRIAL.search(match.group()) and not _REAL.search(match.group()):
        return True
    if risk == OVERRIDE:
        if _LAYOUT_CJK.search(match.group()):
            return True
        of_document = _DOCUMENT.search(match.group()) or _OF_DOCUMENT.match(text, match.end())
        return of_document is not None and _YOURS.search(match.group()) is None
    if risk == EXFILTRATE:
        around = text[max(0, match.start() - 12) : match.end() + 24]
        return _IN_HEADER.search(around) is not None and "query" not in around
    return False


def _quotations(text: str) -> list[tuple[int, int]]:
    """Where something stands as an example inside a longer text; a JSON string is no example."""
    return [
        quote.span()
        for quote in _QUOTES.finditer(text)
        if len(text) - len(quote.group()) > _MIN_FRAME
        and not _JSON_BEFORE.search(text[max(0, quote.start() - _AROUND) : quote.start()])
    ]


def _is_quoted(match: re.Match[str], quotes: list[tuple[int, int]]) -> bool:
    return any(start < match.start() and match.end() < end for start, end in quotes)
