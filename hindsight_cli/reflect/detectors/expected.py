"""Failures the agent wanted: a test that must fail first, a bug reproduced."""

from __future__ import annotations

import re

from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import arguments
from hindsight_cli.reflect.reading import Reading

_WANTED = re.compile(
    r"\b(?:should|must|will|expect(?:ed|s)?(?: it| them| this)? to|verify (?:it|that it|they"
    r"|the tests?)|confirm (?:it|that it|they|the tests?)"
    r"|see (?:it|them)|watch it|make sure it|ensure it)\b[^.\n]{0,30}\bfail"
    r"|\bfailing (?:test|case)s? first|\breproduc(?:e|es|ing|tion)\b|\bexpected to fail"
    r"|\bbefore (?:the|my) fix"
    r"|\bto see (?:the|what|which|if)\b[^.\n]{0,40}\bfail"
    r"|应该(?:会)?失败|预期失败|先(?:让|看)?.{0,6}失败|复现|重现",
    re.I,
)


def is_expected(reading: Reading, call: Call) -> bool:
    """Whether the agent said, before or in the call, that it should fail."""
    told = reading.said_before[reading.index_of[call.step_index]]
    about = str(arguments(call).get("description", ""))
    return _WANTED.search(told[-600:]) is not None or _WANTED.search(about) is not None
