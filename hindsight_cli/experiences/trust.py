"""This user's list of approvals: an approval counts only when it is on it.

The list lies in the user's data folder, never in a repository, so that cloning a
repository does not make its approvals ours. Source: docs/explanation/trust.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from hindsight_cli import appendlog
from hindsight_cli.records.ledger import LedgerEntry


class TrustList:
    def __init__(self, path: Path) -> None:
        self.path = path

    def digests(self) -> frozenset[str]:
        """The digests of all trusted entries: an entry changed on disk is not among them."""
        return frozenset(
            str(line.data["sha256"])
            for line in appendlog.read_lines(self.path)
            if line.data is not None and "sha256" in line.data
        )

    def add(self, entries: Iterable[LedgerEntry], *, at: str) -> None:
        """Remember entries as this user's own.

        Raises:
            StorageError: the list cannot be written.
        """
        lines = [{"entry_id": e.entry_id, "sha256": e.digest, "at": at} for e in entries]
        appendlog.append(self.path, lines, durable=True)
