"""Spans of time as people type them."""

from __future__ import annotations

import re

from hindsight_cli.errors import UsageError

_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0}


def days_of(text: str) -> float:
    """`12h`, `30d` or `2w` in days.

    Raises:
        UsageError: it is none of these.
    """
    match = re.fullmatch(r"(\d{1,5})([hdw])", text.strip().lower())
    if match is None:
        raise UsageError(f"{text!r} is no span of time.", hint="Like 12h, 30d or 2w.")
    return int(match[1]) * _DAYS[match[2]]
