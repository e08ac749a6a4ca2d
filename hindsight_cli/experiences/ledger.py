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
                    entries.append(entry_from_dict(line.data or {}))
                except (ValueError, KeyError, TypeError):
                    reason = line.problem or "not a ledger entry"
                    bad.append(BadEntry(str(path), line.number, reason))
        return entries, bad

    def erase(self, experience_id: str) -> None:
        """Take every trace of an experience's content out of both files.

        Raises:
            StorageError: nothing was changed in that file.
        """

        def drop(line: appendlog.Line) -> dict[str, JsonValue] | None:
            same = line.data is not None and line.data.get("experience_id") == experience_id
            return None if same else line.data

        for path in (self.shared, self.local):
            if path.exists():
                appendlog.rewrite(path, drop)
