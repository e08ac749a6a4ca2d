"""One row of the table in field_reports.py."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldReport:
    owed: str
    tests: tuple[str, ...]  # `path::name` from the root of the project
    open: str = ""  # what of it is not built, and why
