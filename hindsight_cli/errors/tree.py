"""The root of the tree, and the error of a wrong command line."""

from __future__ import annotations


class HindsightError(Exception):
    """Base of all expected errors.

    `code` is stable and documented; scripts may match on it. Text may change.
    """

    code = "error"
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(HindsightError):
    code = "usage"
    exit_code = 2
