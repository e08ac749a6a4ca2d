"""What an experience rests on: the commands and arguments that went wrong, and those that did not.

What also stands in a call that failed is not what made the difference. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hindsight_cli.records.event import FAILED_STATUSES, Status
from hindsight_cli.records.experience import Content, Evidence
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.reflect.advice.deeds import Deed, deeds_of
from hindsight_cli.reflect.advice.demands import by_leaf, plain_tool
from hindsight_cli.reflect.advice.quotations import Quotation, quotations
from hindsight_cli.reflect.calls import flatten

_WRONG = frozenset({*FAILED_STATUSES, Status.DENIED})
_EDITOR = re.compile(r"edit|write|patch|replace", re.I)

Arguments = Mapping[str, frozenset[str]]  # argument's own name -> its values


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """The calls an experience cites, by how they ended, and the literals of its advice."""

    advice: tuple[Quotation, ...]  # the literals of the recommendation, also what it says to leave
    avoided: tuple[Quotation, ...]
    wrong_calls: tuple[Deed, ...]
    wrong: tuple[Deed, ...]  # what failed, and what is to be avoided
    right: tuple[Deed, ...]
    situation: tuple[Deed, ...]  # what the scenario names
    wrong_arguments: Mapping[str, Sequence[Arguments]]  # tool -> its failed calls
    right_arguments: Mapping[str, Sequence[Arguments]]
    edits: bool  # a file was changed

    @property
    def known(self) -> tuple[Deed, ...]:
        return (*self.wrong, *self.right, *self.situation)

    @property
    def tools(self) -> frozenset[str]:
        return frozenset({*self.wrong_arguments, *self.right_arguments})


def cases_of(content: Content) -> Cases:
    advice = quotations(content.recommend)
    avoided = tuple(q for q in quotations(content.avoid) if not q.lacking)
    left = tuple(q for q in advice if not q.to_do)
    failed = [e for e in content.evidence if e.status in _WRONG]
    passed = [e for e in content.evidence if e.status == Status.OK]
    wrong = _deeds(failed)
    return Cases(
        advice=advice,
        avoided=avoided,
        wrong_calls=wrong,
        wrong=(*wrong, *_quoted_deeds((*avoided, *left))),
        right=_deeds(passed),
        situation=_quoted_deeds(quotations(content.scenario)),
        wrong_arguments=_arguments(failed),
        right_arguments=_arguments(passed),
        edits=any(_is_editor(e.tool_name) for e in content.evidence),
    )


def _deeds(evidence: Iterable[Evidence]) -> tuple[Deed, ...]:
    commands = [e.input.rstrip("…") for e in evidence if e.input[:1] not in ("{", '"', "[")]
    return tuple(deed for command in commands for deed in deeds_of(command))


def _quoted_deeds(literals: Iterable[Quotation]) -> tuple[Deed, ...]:
    return tuple(deed for literal in literals for deed in deeds_of(literal.text))


def _arguments(evidence: Iterable[Evidence]) -> dict[str, list[Arguments]]:
    found: dict[str, list[Arguments]] = {}
    for one in evidence:
        if one.tool_name and one.input[:1] == "{" and not _is_editor(one.tool_name):
            given = by_leaf(dict(flatten("", _parsed(one.input))))
            found.setdefault(plain_tool(one.tool_name), []).append(given)
    return found


def _parsed(text: str) -> JsonValue:
    """The arguments; of a text that was cut off, those that are whole."""
    try:
        return json.loads(text)
    except ValueError:
        whole = re.findall(r'"([\w.-]+)": ("(?:\\.|[^"\\])*"|-?[\d.]+|true|false|null)', text)
        return {name: _value(value) for name, value in whole}


def _value(text: str) -> JsonValue:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _is_editor(tool: str | None) -> bool:
    return tool is not None and _EDITOR.search(tool) is not None
