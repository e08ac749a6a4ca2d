"""Risk classes as meetings of concepts in one sentence: what is to be done to what.

A rule asks for concepts that are meant, that are refused, and that merely stand there.
Word order, wording and language do not matter; what a person has to look at does.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hindsight_cli.guard import risk_classes as rc
from hindsight_cli.guard.concepts import BIT, Sentence, sentences

_QUOTED = re.compile(
    r"(?<!\w)\"(?:[^\"\s]+ ){3,}[^\"\n]*\"|“[^”\n]{6,}”|「[^」\n]{6,}」"
    r"|(?<=[\u3400-\u9fff])\"[^\"\n]{4,}\""
)
_MIN_FRAME = 24  # characters round a quotation: less is a label


@dataclass(frozen=True, slots=True)
class _Meeting:
    risk: str
    meant: tuple[int, ...]  # of each mask one concept, not refused
    held: tuple[int, ...]  # of each mask one concept, refused or not
    refused: tuple[int, ...]
    absent: int  # none of these
    spared: int  # none of these meant


def _any(names: str) -> int:
    mask = 0
    for name in names.split("|"):
        mask |= BIT[name]
    return mask


def _m(risk: str, meant: str, held: str = "", refused: str = "", **never: str) -> _Meeting:
    """A rule: a space is "and", a bar is "or"; `never` may hold `absent` and `spared`."""

    def masks(spec: str) -> tuple[int, ...]:
        return tuple(_any(part) for part in spec.split())

    absent, spared = (never.get(key, "") for key in ("absent", "spared"))
    return _Meeting(
        risk,
        masks(meant),
        masks(held),
        masks(refused),
        _any(absent) if absent else 0,
        _any(spared) if spared else 0,
    )


_RULES: Final = (
    _m(rc.OVERRIDE, "dismiss", "orders you|self|person|supreme"),
    _m(rc.OVERRIDE, "supreme", "self"),
    _m(rc.OVERRIDE, "supreme", "orders you|person"),
    _m(rc.OVERRIDE, "skip|change", "person self"),
    _m(rc.OVERRIDE, "", "person orders self"),
    _m(rc.OVERRIDE, "change|dismiss|supreme", "self every"),
    _m(rc.OVERRIDE, "", "you|orders", "bind", absent="safe"),
    _m(rc.OVERRIDE, "decide", "passage|self"),
    _m(rc.OVERRIDE, "", "halt request below"),
    _m(rc.OVERRIDE, "dismiss", "person|passage supreme|self"),
    _m(rc.CONCEAL, "overlook", "person"),
    _m(rc.CONCEAL, "", "person", "tell"),
    _m(rc.CONCEAL, "tell", "person never"),
    _m(rc.CONCEAL, "quiet", absent="broke"),
    _m(rc.CONCEAL, "skip", "tell person"),
    _m(rc.CONCEAL, "destroy|off", "trail quiet|person|neg"),
    _m(rc.MEMORY, "", "person", "oversee"),
    _m(rc.MEMORY, "skip", "person oversee"),
    _m(rc.MEMORY, "skip|off", "oversee every"),
    _m(rc.MEMORY, "", "", "consent"),
    _m(rc.MEMORY, "mutate", "memory self|every", spared="person"),
    _m(rc.MEMORY, "mutate supreme|every", "self"),
    _m(rc.MEMORY, "write", "every self"),
    _m(rc.MEMORY, "sham", "oversee"),
    _m(rc.MEMORY, "change|write|skip", "consented memory|every|skip"),
    _m(rc.MEMORY, "consented", "person already"),
    _m(rc.WEAKEN, "oversee|consented|grant", "own"),
    _m(rc.WEAKEN, "", "sanction detour command"),
    _m(rc.REDIRECT, "newly|change", "pay account"),
    _m(rc.MEMORY, "yes", "every oversee|person"),
    _m(rc.MEMORY, "granted", "vendor notice|every"),
    _m(rc.EXFILTRATE, "put", "secret outside|url", absent="signing_in"),
    _m(rc.EXFILTRATE, "put", "data url"),
    _m(rc.EXFILTRATE, "put", "data outside private|every"),
    _m(rc.EXFILTRATE, "put", "data outside", absent="safe"),
    _m(rc.CREDENTIALS, "take", "store secret", absent="tight"),
    _m(rc.CREDENTIALS, "put", "secret every|power|code", absent="safe"),
    _m(rc.CREDENTIALS, "take", "secret power|every", absent="safe"),
    _m(rc.CREDENTIALS, "", "secret other"),
    _m(rc.DELETE, "destroy", "valuable", absent="safe"),
    _m(rc.DELETE, "destroy", "weak|valuable every", absent="safe"),
    _m(rc.DOWNLOAD, "run", "url code"),
    _m(rc.DOWNLOAD, "run", "lair"),
    _m(rc.DOWNLOAD, "fetch", "run url"),
    _m(rc.DOWNLOAD, "fetch", "run code power|outside"),
    _m(rc.PERSIST, "write", "startup code|url|every|store|secret"),
    _m(rc.WEAKEN, "off", "guard"),
    _m(rc.WEAKEN, "bare", "secret|put", absent="safe"),
    _m(rc.WEAKEN, "grant", "power"),
    _m(rc.WEAKEN, "escape", "sanction"),
    _m(rc.REDIRECT, "change", "money"),
    _m(rc.REDIRECT, "change|put", "endpoint|official url"),
    _m(rc.MISREPORT, "false", "result"),
    _m(rc.TRIGGER, "trigger", "odd secret|power|destroy|quiet|money"),
)


def meetings(text: str) -> Iterator[tuple[str, str]]:
    """(risk class, sentence) for each rule that `text`, folded, meets."""
    for sentence in sentences(_unquoted(text)):
        for risk in met(sentence):
            yield risk, sentence.text.strip()[:80]


def _unquoted(text: str) -> str:
    """`text` without what it quotes, unless the quotation is all there is."""
    bare = _QUOTED.sub(" ", text)
    return bare if len(bare.strip()) >= _MIN_FRAME and "{" not in text else text


def met(sentence: Sentence) -> Iterator[str]:
    """The risk classes of the rules a sentence meets."""
    if sentence.distinct == 0:
        return
    meant, held, refused = sentence.meant, sentence.held, sentence.refused
    for rule in _RULES:
        if held & rule.absent or meant & rule.spared:
            continue
        if (
            _has_each(meant, rule.meant)
            and _has_each(held, rule.held)
            and _has_each(refused, rule.refused)
        ):
            yield rule.risk


def _has_each(bits: int, masks: tuple[int, ...]) -> bool:
    return 0 not in [bits & mask for mask in masks]
