"""A filter that matched nothing while the value it meant was there under a longer name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import arguments, query_of, similarity, text_of
from hindsight_cli.reflect.findings import NearMiss
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.telling import is_empty

_NEAR = 4
_ALIKE = 0.4
_QUOTED = re.compile(r"\\?[\"']([A-Za-z][\w./:@-]{2,60}?)\\?[\"']")


def find_near_misses(reading: Reading) -> tuple[NearMiss, ...]:
    found = []
    for index, call in enumerate(reading.calls):
        if call.status is Status.OK and is_empty(call.output):
            later = reading.calls[index + 1 : index + 1 + _NEAR]
            found += list(_answers(call, later))[:1]
    return tuple(found)


def _answers(empty: Call, later: Sequence[Call]) -> Iterator[NearMiss]:
    for call in later:
        if call.status is not Status.OK or is_empty(call.output) or not _same_question(empty, call):
            continue
        for asked in _asked_values(empty):
            actual = _longer_name(asked, call.output)
            if actual and asked not in _asked_values(call):
                yield NearMiss(empty=empty, found=call, asked=asked, actual=actual)


def _same_question(one: Call, other: Call) -> bool:
    if one.tool_name != other.tool_name:
        return False
    if one.tool_kind is ToolKind.SHELL:
        alike = similarity(one.command, other.command) >= _ALIKE
        return alike and bool(shell.intents(one.command) & shell.intents(other.command))
    return similarity(_all_text(one), _all_text(other)) >= _ALIKE


def _asked_values(call: Call) -> list[str]:
    """Values a filter compares with."""
    if call.tool_kind is ToolKind.SHELL:
        return _QUOTED.findall(call.command)
    query = query_of(call)
    values = [text_of(v) for v in arguments(call).values() if isinstance(v, str) and len(v) < 60]  # noqa: PLR2004
    return [v for v in (query, *values) if re.fullmatch(r"[\w./:@-]{3,60}", v)]


def _longer_name(asked: str, output: str) -> str:
    """A quoted value of the output that begins with `asked` and says more."""
    pattern = rf"[\"']({re.escape(asked)}[^\s\"'\\,]{{1,24}})[\"']"
    match = re.search(pattern, output)
    return match.group(1) if match else ""


def _all_text(call: Call) -> str:
    return " ".join(text_of(v) for v in arguments(call).values())
