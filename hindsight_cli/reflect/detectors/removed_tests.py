"""Tests that an edit takes out or switches off."""

from __future__ import annotations

import re

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import edits_of

_TEST_NAME = re.compile(
    r"\bfunc (Test\w+)|\bdef (test\w+)|\b(?:it|test|describe)\(\s*['\"]([^'\"\n]{3,80})"
    r"|#\[test\]\s*(?:async )?fn (\w+)"
    r"|@Test\s+(?:public )?(?:void|fun) (\w+)"
)


def removed_tests(call: Call) -> frozenset[str]:
    """Names of tests defined in the old text of an accepted edit and not in the new one."""
    if call.status is not Status.OK:
        return frozenset()
    found: set[str] = set()
    for edit in edits_of(call):
        added = _names(edit.new) - _names(edit.old)
        if not added:  # else it was renamed or rewritten
            found |= _names(edit.old) - _names(edit.new)
    return frozenset(found)


def _names(text: str) -> set[str]:
    return {next(filter(None, m.groups())) for m in _TEST_NAME.finditer(text)}
