"""The `experiences` table: folded states, made anew from the ledger whenever it changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from hindsight_cli.experiences.rows import state_from_json, state_to_json
from hindsight_cli.providers.database import Database, Migrations
from hindsight_cli.records.experience import ExperienceState, ReviewStatus

migrations = Migrations("hindsight.experiences")


@migrations()
def m001_experiences(db: Database) -> None:
    db.table("experiences").create(
        {"experience_id": str, "status": str, "kind": str, "created_at": str, "state": str},
        pk="experience_id",
    )
    db.table("experiences").create_index(["status", "created_at"])


class ExperienceStore:
    """States in, states out; rows never leave it. One connection, one thread."""

    def __init__(self, db: Database) -> None:
        migrations.apply(db)
        self._table = db.table("experiences")

    def replace_all(self, states: Iterable[ExperienceState]) -> None:
        """Make the table hold exactly `states`; in the caller's transaction.

        Rows that stay as they are are not written again.
        """
        old = {row["experience_id"]: row["state"] for row in self._table.rows}
        rows = {state.experience.experience_id: _to_row(state) for state in states}
        changed = [row for key, row in rows.items() if old.get(key) != row["state"]]
        if changed:
            self._table.insert_all(changed, replace=True)
        for key in old.keys() - rows.keys():
            self._table.delete(key)

    def find(self, experience_id: str) -> ExperienceState | None:
        rows = self._table.rows_where("experience_id = ?", [experience_id])
        return next((state_from_json(row["state"]) for row in rows), None)

    def matching_prefix(self, prefix: str) -> list[ExperienceState]:
        """Every experience whose id begins with `prefix`."""
        escaped = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self._table.rows_where("experience_id like ? escape '\\'", [escaped + "%"])
        return [state_from_json(row["state"]) for row in rows]

    def with_status(self, *statuses: ReviewStatus) -> list[ExperienceState]:
        """Every experience in one of `statuses` (all when none is given), oldest first."""
        wanted = [s.value for s in statuses or tuple(ReviewStatus)]
        rows = self._table.rows_where(
            "status in (select value from json_each(?))",
            [json.dumps(wanted)],
            order_by="created_at, experience_id",
        )
        return [state_from_json(row["state"]) for row in rows]


def _to_row(state: ExperienceState) -> dict[str, Any]:
    return {
        "experience_id": state.experience.experience_id,
        "status": state.status.value,
        "kind": state.experience.content.kind.value,
        "created_at": state.created_at,
        "state": state_to_json(state),
    }
