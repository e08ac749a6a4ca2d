"""How often an experience was shown and followed, and how that ended. Pure.

Each injection of it has one credit, whatever the number of entries about it: a person's
word before any automatic one, a known outcome before an unknown one, then the latest.
Source: docs/explanation/learning-from-outcomes.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hindsight_cli.experiences.weights import harm_of, weight_of
from hindsight_cli.records.ledger import HUMAN, EntryKind, LedgerEntry

_APPROVING = frozenset({EntryKind.APPROVED, EntryKind.EDITED, EntryKind.PROMOTED})
_NEW_WORDS = frozenset({EntryKind.EDITED, EntryKind.PROMOTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    shown: int = 0
    followed: int = 0
    success: int = 0  # followed, and so is failure
    failure: int = 0
    wrong: int = 0  # a person said so

    @property
    def weight(self) -> float:
        return weight_of(self.success, self.failure, self.wrong)

    @property
    def harm(self) -> str:
        """Why it should be suspended, or ""."""
        return harm_of(self.success, self.failure, self.wrong)


def counts_of(entries: Sequence[LedgerEntry]) -> Counts:
    """The counts of one experience from its entries in force, in time order.

    New words, and an approval after a suspension, begin a new count: what was said of
    other words, or looked at by a person since, says nothing any more.
    """
    begin = count_begins(entries)
    counted = [e for e in entries if e.at > begin]
    in_force = credits_of(counted)
    wrong = [e for e in in_force if _is_called_wrong(e)]
    followed = [e for e in in_force if e.data.get("followed") is True and e not in wrong]
    outcomes = [e.data.get("outcome") for e in followed]
    return Counts(
        shown=sum(e.entry is EntryKind.INJECTED for e in counted),
        followed=len(followed),
        success=outcomes.count("success"),
        failure=outcomes.count("failure"),
        wrong=len(wrong),
    )


def credits_of(entries: Iterable[LedgerEntry]) -> list[LedgerEntry]:
    """The `outcome` entry in force of each injection, from entries in time order."""
    found: dict[str, LedgerEntry] = {}
    for entry in entries:
        if entry.entry is EntryKind.OUTCOME:
            injection = str(entry.data.get("injection_id") or entry.entry_id)
            if injection not in found or _rank(entry) >= _rank(found[injection]):
                found[injection] = entry
    return list(found.values())


def count_begins(entries: Iterable[LedgerEntry]) -> str:
    """When the present count began, "" when nothing ever ended one."""
    begin, suspended = "", False
    for entry in entries:
        if entry.entry is EntryKind.SUSPENDED:
            suspended = True
        elif entry.by == HUMAN and entry.entry in _APPROVING:
            if suspended or entry.entry in _NEW_WORDS:
                begin = entry.at
            suspended = False
    return begin


def _rank(entry: LedgerEntry) -> tuple[bool, bool]:
    is_known = entry.data.get("outcome") not in (None, "unknown") or _is_called_wrong(entry)
    return is_known and entry.by == HUMAN, is_known


def _is_called_wrong(entry: LedgerEntry) -> bool:
    return entry.by == HUMAN and bool(entry.data.get("wrong"))
