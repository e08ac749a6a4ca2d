"""Secrets out of text, before any byte reaches disk, index, log or model.

Pure: no I/O, clock, environment or global state. Importing is cheap; rules load on first use.
"""

from __future__ import annotations

from hindsight_cli.redact.engine import Redactor
from hindsight_cli.redact.spans import Span

__all__ = ["Redactor", "Span"]
