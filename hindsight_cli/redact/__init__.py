"""Secrets out of text, before any byte reaches disk, index, log or model.

Pure: no I/O, clock, environment or global state. Importing is cheap; rules load on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hindsight_cli.redact.engine import Redactor
from hindsight_cli.redact.spans import Span

if TYPE_CHECKING:
    from hindsight_cli.redact.jsonvalue import JsonValue

__all__ = ["JsonValue", "Redactor", "Span"]
