"""The JSON form of a state in the index, and the read-only path over it.

Standard library only: `search` and `inject` start here, before any heavy import.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import fields

from hindsight_cli.records.experience import (
    ExperienceState,
    ReviewStatus,
    experience_from_dict,
    experience_to_dict,
)
from hindsight_cli.text import plain_utf8

_PLAIN = tuple(f.name for f in fields(ExperienceState) if f.name not in ("experience", "status"))


def state_to_json(state: ExperienceState) -> str:
    data = {name: getattr(state, name) for name in _PLAIN}
    data["status"] = state.status.value
    data["experience"] = experience_to_dict(state.experience)
    return plain_utf8(json.dumps(data, ensure_ascii=False))


def state_from_json(text: str) -> ExperienceState:
    data = json.loads(text)
    return ExperienceState(
        experience=experience_from_dict(data["experience"]),
        status=ReviewStatus(data["status"]),
        **{name: data[name] for name in _PLAIN},
    )


def retrievable_states(
    connection: sqlite3.Connection, experience_ids: list[str]
) -> list[ExperienceState]:
    """The approved and trusted ones of `experience_ids`, in that order."""
    found = {}
    for experience_id in experience_ids:
        row = connection.execute(
            "select state from experiences where experience_id = ? and status = ?",
            (experience_id, ReviewStatus.APPROVED.value),
        ).fetchone()
        if row is not None:
            found[experience_id] = state_from_json(row[0])
    return [found[i] for i in experience_ids if i in found and found[i].retrievable]


def all_retrievable(connection: sqlite3.Connection) -> list[ExperienceState]:
    """Every approved and trusted one, by id."""
    rows = connection.execute(
        "select state from experiences where status = ? order by experience_id",
        (ReviewStatus.APPROVED.value,),
    )
    return [state for (text,) in rows if (state := state_from_json(text)).retrievable]


def count_by_status(connection: sqlite3.Connection) -> dict[str, int]:
    """How many experiences there are in each status."""
    return dict(connection.execute("select status, count(*) from experiences group by status"))
