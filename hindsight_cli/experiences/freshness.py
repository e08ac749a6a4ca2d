"""When an approved experience needs a person to look again. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from hindsight_cli.records.experience import ExperienceState, ReviewStatus

WORKAROUND_DAYS = 14  # a workaround is temporary: its root cause is still open


def parse_time(text: str | None) -> datetime | None:
    """An ISO 8601 time with its zone, or None when `text` is none."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


def age_days(state: ExperienceState, now: datetime) -> float:
    """Days since it was last verified or approved; never below 0, whatever the clock does."""
    verified = parse_time(state.last_verified_at or state.created_at)
    return 0.0 if verified is None else max(0.0, (now - verified) / timedelta(days=1))


def staleness(state: ExperienceState, now: datetime, *, stale_days: int) -> str:
    """Why `state` is stale, or "" when it is fresh or was never approved."""
    if state.status is not ReviewStatus.APPROVED:
        return ""
    if state.stale:
        return state.stale_reason or "sent back for review"
    age = age_days(state, now)
    if age > stale_days:
        return f"not verified for {_days(age)}"
    if state.experience.content.workaround and age > min(WORKAROUND_DAYS, stale_days):
        return f"a workaround not verified for {_days(age)}"
    return ""


def _days(age: float) -> str:
    whole = int(age)
    return "less than a day" if whole == 0 else "1 day" if whole == 1 else f"{whole} days"


def with_freshness(state: ExperienceState, now: datetime, *, stale_days: int) -> ExperienceState:
    """`state` with `stale` as it is at `now`."""
    reason = staleness(state, now, stale_days=stale_days)
    return replace(state, stale=bool(reason), stale_reason=reason)
