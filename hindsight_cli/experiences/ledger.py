"""The ledger files: the truth about experiences. Appended to, folded, never edited.

`experiences.jsonl` is committed with the project, `local.jsonl` is not: text nobody
reviewed never reaches git, and using experiences never dirties the work tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli import appendlog
from hindsight_cli.records.ledger import (
    MALFORMED,
    SHARED_KINDS,
    LedgerEntry,
    entry_from_dict,
    entry_to_dict,
)

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue


@dataclass(frozen=True, slots=True)
class BadEntry:
    path: str
    line: int
    reason: str


def as_stored(entry: LedgerEntry) -> LedgerEntry:
    """The entry as reading it back will give it: what a digest must be taken of."""
    data, _ = appendlog.parse_object(appendlog.encode(entry_to_dict(entry)))
    return entry_from_dict(data or {})


class Ledger:
    """Both ledger files of a project."""

    def __init__(self, *, shared: Path, local: Path) -> None:
        self.shared = shared
        self.local = local

    def append(self, entries: Sequence[LedgerEntry], *, durable: bool = True) -> None:
        """Write entries, each to the file its kind belongs in; `durable`: and to the disk.

        Raises:
            StorageError: the disk refused; entries of that file were not written.
        """
        for path in (self.local, self.shared):
            mine = [e for e in entries if (e.entry in SHARED_KINDS) == (path is self.shared)]
            if mine:
                appendlog.append(path, [entry_to_dict(e) for e in mine], durable=durable)

    def read(self) -> tuple[list[LedgerEntry], list[BadEntry]]:
        """Every entry of both files, and the lines that are none."""
        entries: list[LedgerEntry] = []
        bad: list[BadEntry] = []
        for path in (self.shared, self.local):
            for line in appendlog.read_lines(path):
                try:
                    entry = entry_from_dict(line.data or {})
                except MALFORMED:
                    reason = line.problem or "not a ledger entry"
                    bad.append(BadEntry(str(path), line.number, reason))
                    continue
                # What anybody can commit holds decisions only: a proposal is made here.
                if path is self.local or entry.entry in SHARED_KINDS:
                    entries.append(entry)
                else:
                    bad.append(BadEntry(str(path), line.number, f"{entry.entry} is local"))
        return entries, bad

    def erase(self, experience_id: str, *, keep: str) -> None:
        """Take every trace of an experience's content out of both files, but entry `keep`.

        Raises:
            StorageError: nothing was changed in that file.
        """

        def drop(line: appendlog.Line) -> dict[str, JsonValue] | None:
            data = line.data or {}
            same = data.get("experience_id") == experience_id and data.get("entry_id") != keep
            return None if same else line.data

        for path in (self.shared, self.local):
            if path.exists():
                appendlog.rewrite(path, drop)
            # Fragments of records whose writer died may hold the text, too.
            path.with_name(path.name + ".torn").unlink(missing_ok=True)
