"""From credits to ledger entries: what is new is written, harm suspends, success verifies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hindsight_cli.api.experiences import list_experiences
from hindsight_cli.api.project import Project
from hindsight_cli.api.receipts import Receipt
from hindsight_cli.api.reviewing import moment_after
from hindsight_cli.experiences.credits import count_begins, counts_of
from hindsight_cli.experiences.fold import without_undone
from hindsight_cli.records.event import Outcome
from hindsight_cli.records.experience import Content, ExperienceState, ReviewStatus
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.ledger import EntryKind, LedgerEntry, new_entry_id

_BY_OUTCOME = "outcome"  # who suspends and verifies
_OPINIONS = frozenset({"agent"})  # a claim of success that nothing but its own words bears out


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """How one injection of one experience went."""

    outcome: Outcome
    followed: bool | None  # None: nothing shows it
    step_index: int | None  # the step that shows it; None where somebody's word does
    source: str  # where the outcome is known from: reward | test | human | agent ...
    wrong: bool = False  # a person says that the experience is


@dataclass(frozen=True, slots=True)
class FeedbackReport:
    """What feedback changed."""

    updated: tuple[ExperienceState, ...]  # weight, counts or status moved; as they are since
    messages: tuple[str, ...]

    @property
    def suspensions(self) -> list[str]:
        """A line for each experience that was taken out of use."""
        return [
            f"{s.experience.experience_id} is suspended: {s.reason}."
            for s in self.updated
            if s.status is ReviewStatus.SUSPENDED
        ]


def seen_before(
    entries: Iterable[LedgerEntry], receipt: Receipt, *, by: str
) -> tuple[bool | None, int | None] | None:
    """(followed, step) of the last credit that `by` gave for a receipt, None without any."""
    last = _last(entries, receipt, by)
    if last is None:
        return None
    is_followed, step = last.data.get("followed"), last.data.get("step_index")
    return (
        is_followed if isinstance(is_followed, bool) else None,
        step if isinstance(step, int) else None,
    )


def _last(entries: Iterable[LedgerEntry], receipt: Receipt, by: str) -> LedgerEntry | None:
    own = [
        e
        for e in entries
        if e.entry is EntryKind.OUTCOME
        and e.by == by
        and e.experience_id == receipt.experience_id
        and e.data.get("injection_id") == receipt.injection_id
    ]
    return max(own, key=lambda e: (e.at, e.entry_id), default=None)


class Crediting:
    """The credits that one speaker gives at one moment; `commit` writes them."""

    def __init__(self, project: Project, *, by: str) -> None:
        self._project = project
        self._by = by
        self.entries = sorted(project.ledger.read()[0], key=lambda e: (e.at, e.entry_id))
        self._before = _states(project)
        self._new: list[LedgerEntry] = []
        self._messages: list[str] = []

    def content_of(self, receipt: Receipt) -> Content | None:
        """The words in force; None when they are gone, or are not those that were shown."""
        own = receipt.experience_id
        state = self._before.get(own)
        if state is None or state.status is ReviewStatus.FORGOTTEN:
            return None
        if receipt.at <= count_begins(without_undone(self._own(own))):
            self._messages.append(f"A person decided on {own} since it was shown: not counted.")
            return None
        return state.experience.content

    def add(self, receipt: Receipt, credit: Credit) -> None:
        """Note a credit, unless this speaker said the same before."""
        data: dict[str, JsonValue] = {
            "injection_id": receipt.injection_id,
            "outcome": credit.outcome.value,
            "followed": credit.followed,
            "step_index": credit.step_index,
            "source": credit.source,
        }
        if credit.wrong:
            data["wrong"] = True
        self._tell(receipt.experience_id, credit)
        last = _last(self.entries, receipt, self._by)
        if last is None or dict(last.data) != data:
            self._note(EntryKind.OUTCOME, receipt.experience_id, self._by, data)
            self._conclude(receipt, credit)

    def commit(self) -> FeedbackReport:
        if self._new:
            self._project.ledger.append(self._new)
        after = _states(self._project) if self._new else self._before
        updated = tuple(s for i, s in after.items() if s != self._before.get(i))
        return FeedbackReport(updated, tuple(self._messages))

    def _conclude(self, receipt: Receipt, credit: Credit) -> None:
        """Harm takes an experience out of use; a success that a trace shows verifies it."""
        own = receipt.experience_id
        entries = without_undone([*self._own(own), *self._new_of(own)])
        is_suspended = any(e.entry is EntryKind.SUSPENDED for e in self._new_of(own))
        if self._before[own].status is not ReviewStatus.APPROVED or is_suspended:
            return
        if harm := counts_of(entries).harm:
            self._note(EntryKind.SUSPENDED, own, _BY_OUTCOME, {"reason": harm})
            self._messages.append(
                f"{own} is suspended: {harm}. Look at it: `hindsight experiences show {own}`."
            )
        elif _verifies(credit) and not _is_verified_by(entries, receipt.injection_id):
            data = {"injection_id": receipt.injection_id, "step_index": credit.step_index}
            self._note(EntryKind.VERIFIED, own, _BY_OUTCOME, data)

    def _tell(self, own: str, credit: Credit) -> None:
        if credit.wrong:
            return
        if credit.followed is False:
            self._messages.append(f"{own} was not followed in that run: its weight stays.")
        elif credit.followed is None:
            self._messages.append(f"Nothing shows whether {own} was followed: its weight stays.")
        elif credit.outcome not in (Outcome.SUCCESS, Outcome.FAILURE):
            self._messages.append(f"The outcome is {credit.outcome}: the weight of {own} stays.")

    def _own(self, experience_id: str) -> list[LedgerEntry]:
        return [e for e in self.entries if e.experience_id == experience_id]

    def _new_of(self, experience_id: str) -> list[LedgerEntry]:
        return [e for e in self._new if e.experience_id == experience_id]

    def _note(
        self, kind: EntryKind, experience_id: str, by: str, data: Mapping[str, JsonValue]
    ) -> None:
        entry = LedgerEntry(
            entry_id=new_entry_id(),
            entry=kind,
            experience_id=experience_id,
            at=moment_after(self._project, self._own(experience_id)),
            by=by,
            data=data,
        )
        self._new.append(entry)


def _verifies(credit: Credit) -> bool:
    shown = credit.followed is True and credit.step_index is not None and not credit.wrong
    return shown and credit.outcome is Outcome.SUCCESS and credit.source not in _OPINIONS


def _is_verified_by(entries: Iterable[LedgerEntry], injection_id: str) -> bool:
    return any(
        e.entry is EntryKind.VERIFIED and e.data.get("injection_id") == injection_id
        for e in entries
    )


def _states(project: Project) -> dict[str, ExperienceState]:
    found = list_experiences(project, tuple(ReviewStatus))
    return {s.experience.experience_id: s for s in found}
