"""What happened to an experience, and whether it helped. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from textual.content import Content

from hindsight_cli.records.experience import ExperienceState
from hindsight_cli.records.ledger import HUMAN, EntryKind, LedgerEntry
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.layout import DIM, hanging, stacked

_TONES = {
    EntryKind.APPROVED: "$success",
    EntryKind.EDITED: "$success",
    EntryKind.VERIFIED: "$success",
    EntryKind.REJECTED: "$error",
    EntryKind.SUSPENDED: "$error",
    EntryKind.PROPOSED: "$primary",
}
_NOTE_CHARS = 200
_MOST = 200  # entries shown; the use of an experience may leave thousands


def history_content(state: ExperienceState, entries: Sequence[LedgerEntry], width: int) -> Content:
    """Use and impact in numbers, then the ledger, the newest entry first."""
    lines = [Content.styled("use and impact", "bold $accent"), *_impact(state, width), Content("")]
    lines.append(Content.styled("history, newest first", "bold $accent"))
    for entry in entries[: -_MOST - 1 : -1]:
        lines += _entry(entry, width)
    if len(entries) > _MOST:
        lines.append(Content.styled(f"… {len(entries) - _MOST:,} older ones", f"italic {DIM}"))
    kinds = Counter(entry.entry.value for entry in entries)
    told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
    lines += [Content(""), *hanging(Content(), Content(), Content.styled(told, DIM), width)]
    return stacked(lines)


def _impact(state: ExperienceState, width: int) -> Iterator[Content]:
    facts = (
        ("shown to agents", f"{state.shown:,} times"),
        ("followed", f"{state.followed:,} times"),
        ("then it went", f"{state.success:,} times well, {state.failure:,} times not"),
        ("weight", f"{state.weight:.2f} of 1"),
        ("last verified", (state.last_verified_at or "never")[:10]),
    )
    for label, value in facts:
        first = Content.styled(label.ljust(17), DIM)
        yield from hanging(first, Content(" " * 17), Content(visible(value)), width)


def _entry(entry: LedgerEntry, width: int) -> Iterator[Content]:
    who = "you or a colleague" if entry.by == HUMAN else entry.by
    head = Content.assemble(
        (entry.at[:16].replace("T", " "), DIM),
        "  ",
        (entry.entry.value, f"bold {_TONES.get(entry.entry, '$warning')}"),
        (f"  by {visible(who)[:40]}", DIM),
    )
    yield from hanging(Content(), Content("  "), head, width)
    for key in ("reason", "outcome", "session_id"):
        value = entry.data.get(key)
        if isinstance(value, str) and value:
            note = Content(one_line(visible(value), _NOTE_CHARS))
            yield from hanging(Content("  "), Content("  "), note, width)
