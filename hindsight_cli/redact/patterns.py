"""Patterns, compiled on first use: start-up pays for none, a text only for those it needs."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern, compiled once."""
    return re.compile(pattern)
