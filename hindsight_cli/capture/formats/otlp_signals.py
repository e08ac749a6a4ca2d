"""Spans and log records out of OTLP JSON, and out of the files that JavaScript's SDK writes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from hindsight_cli.capture.draft import Problem
from hindsight_cli.capture.formats.atif_document import dicts_in, members
from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.capture.formats.jsonlines_reader import (
    MAX_LINE_BYTES,
    Record,
    no_record,
    parse_json,
    read_json_lines,
    why_not_read,
)
from hindsight_cli.records.jsonvalue import JsonValue

Members = Mapping[str, JsonValue]
_MAX_NANOS = 4_000_000_000 * 10**9
_MAX_DIGITS = 25
_LISTS = {  # of a request: what is under a resource, what under a scope
    "resourceSpans": ("scopeSpans", "spans"),
    "resourceLogs": ("scopeLogs", "logRecords"),
    "resourceMetrics": ("scopeMetrics", "metrics"),
}
_OLDER_SCOPES = {"scopeSpans": "instrumentationLibrarySpans"}
_FAILED = 2


class Kind(StrEnum):
    SPAN = "span"
    LOG = "log"
    METRIC = "metric"


_KINDS = {"spans": Kind.SPAN, "logRecords": Kind.LOG, "metrics": Kind.METRIC}


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One span, log record or metric."""

    kind: Kind
    line: int
    name: str
    attributes: Members
    resource: Members
    start: int | None = None  # nanoseconds since 1970
    end: int | None = None
    body: JsonValue = None
    trace_id: str = ""
    span_id: str = ""
    parent_id: str = ""
    failed: bool = False  # the status of a span
    message: str = ""
    events: tuple[tuple[str, Members], ...] = field(default=())

    @property
    def time(self) -> str | None:
        told = self.attributes.get("event.timestamp")
        return told if isinstance(told, str) and told else iso_of(self.start)

    @property
    def duration_ms(self) -> int | None:
        """As the program counted it, else from beginning to end."""
        told = number_of(self.attributes.get("duration_ms"))
        if told is not None:
            return round(told)
        if self.start is None or self.end is None or self.end < self.start:
            return None
        return (self.end - self.start) // 1_000_000

    def text(self, *names: str) -> str:
        """The first of these attributes that has a text."""
        return next((v for n in names if isinstance(v := self.attributes.get(n), str) and v), "")


def signals_of(path: Path) -> Iterator[Signal | Problem]:
    """Every span, log record and metric of a file in order; a request in memory at a time."""
    for line, value in _requests(path):
        if isinstance(value, Problem):
            yield value
        elif not isinstance(value, dict):
            yield no_record(line, value)
        else:
            yield from _in_request(value, line)


def _requests(path: Path) -> Iterator[tuple[int, JsonValue | Problem]]:
    if _is_lines(path):
        for item in read_json_lines(path):
            yield item.line, item.value if isinstance(item, Record) else item
        return
    with path.open("rb") as file:
        cursor, number = JsonCursor(file), 1
        cursor.skip("[")
        try:
            while cursor.peek() not in ("", "]"):
                for value in _parts(cursor):
                    yield number, value
                number += 1
        except (ValueError, RecursionError) as error:
            reason = why_not_read(error)
            yield number, Problem(line=number, reason=reason, excerpt=cursor.excerpt())


def _is_lines(path: Path) -> bool:
    """Whether the first line is whole: a request a line, as exporters and collectors write."""
    with path.open("rb") as file:
        first = file.readline(MAX_LINE_BYTES)
        more = file.read(1)
    try:
        parse_json(first.removeprefix(b"\xef\xbb\xbf").strip())
    except (ValueError, RecursionError):
        return False
    return bool(more)


def _parts(cursor: JsonCursor) -> Iterator[JsonValue]:
    """The document that comes next, its resources one by one where it has many.

    Raises:
        ValueError, RecursionError: as `JsonCursor.value`.
    """
    if cursor.peek() != "{":
        yield cursor.value()
        return
    rest: dict[str, JsonValue] = {}
    for key in members(cursor):
        if key in _LISTS and cursor.peek() == "[":
            for resource in cursor.elements():
                yield {key: [resource]}
        else:
            rest[key] = cursor.value()
    if rest:
        yield rest


def _in_request(request: Members, line: int) -> Iterator[Signal | Problem]:
    if not request.keys() & _LISTS.keys():
        yield _plain(request, line) or no_record(line, dict(request))
        return
    for key, (scopes, records) in _LISTS.items():
        for holder in dicts_in(request.get(key)):
            about = holder.get("resource")
            resource = attributes_of(about) if isinstance(about, dict) else {}
            scoped = holder.get(scopes, holder.get(_OLDER_SCOPES.get(scopes, "")))
            for scope in dicts_in(scoped):
                for record in dicts_in(scope.get(records)):
                    yield _signal(record, _KINDS[records], resource, line)


def _signal(record: Members, kind: Kind, resource: Members, line: int) -> Signal:
    attributes = attributes_of(record)
    body = value_of(record.get("body"))
    names = (record.get("name"), record.get("eventName"), attributes.get("event.name"), body)
    status = record.get("status")
    status = status if isinstance(status, dict) else {}
    span_events = tuple(
        (str(event.get("name") or ""), attributes_of(event))
        for event in dicts_in(record.get("events"))
    )
    return Signal(
        kind=kind,
        line=line,
        name=next((name for name in names if isinstance(name, str) and name), ""),
        attributes=attributes,
        resource=resource,
        start=_nanos(record, "startTimeUnixNano", "timeUnixNano", "observedTimeUnixNano"),
        end=_nanos(record, "endTimeUnixNano"),
        body=body,
        trace_id=_string(record, "traceId"),
        span_id=_string(record, "spanId"),
        parent_id=_string(record, "parentSpanId"),
        failed=status.get("code") in (_FAILED, "STATUS_CODE_ERROR", "2"),
        message=_string(status, "message"),
        events=span_events,
    )


def _plain(record: Members, line: int) -> Signal | None:
    """A log record as the SDK prints it, with attributes that are a plain object."""
    attributes = record.get("attributes")
    is_log = "hrTime" in record and isinstance(attributes, dict)
    name = attributes.get("event.name") if is_log and isinstance(attributes, dict) else None
    if not isinstance(attributes, dict) or not is_log:
        return None
    resource = record.get("resource")
    about = resource.get("attributes") if isinstance(resource, dict) else None
    return Signal(
        kind=Kind.LOG if isinstance(name, str) else Kind.METRIC,
        line=line,
        name=name if isinstance(name, str) else "",
        attributes=attributes,
        resource=about if isinstance(about, dict) else {},
        body=record.get("body", record.get("_body")),
    )


def attributes_of(holder: Members) -> dict[str, JsonValue]:
    """`attributes` as an object; OTLP writes a list of keys and typed values."""
    return _pairs(holder.get("attributes"))


def _pairs(listed: JsonValue) -> dict[str, JsonValue]:
    return {
        pair["key"]: value_of(pair.get("value"))
        for pair in dicts_in(listed)
        if isinstance(pair.get("key"), str)
    }


def value_of(value: JsonValue) -> JsonValue:
    """A typed value of OTLP; 64-bit numbers come as text from some writers, bare from others."""
    if not isinstance(value, dict):
        return None
    for key in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if isinstance(value.get(key), str | bool | int | float):
            return value[key]
    if "intValue" in value:
        found = number_of(value["intValue"])
        return value["intValue"] if found is None else int(found)
    array, pairs = value.get("arrayValue"), value.get("kvlistValue")
    if isinstance(array, dict):
        return [value_of(one) for one in dicts_in(array.get("values"))]
    return _pairs(pairs.get("values")) if isinstance(pairs, dict) else None


def number_of(value: JsonValue) -> float | None:
    """A number, be it written as one or as text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if abs(found) < 1e15 else None  # noqa: PLR2004


def flag_of(value: JsonValue) -> bool | None:
    """A truth value, be it written as one or as text."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.lower()) if isinstance(value, str) else None


def parsed(value: JsonValue) -> JsonValue:
    """What a text holds where it is JSON, as attributes that may only be texts do."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return parse_json(value)
    except (ValueError, RecursionError):
        return value


def text_in(value: JsonValue) -> str:
    """A value as text: itself, or as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def iso_of(nanos: int | None) -> str | None:
    if nanos is None:
        return None
    moment = datetime.fromtimestamp(nanos / 1e9, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _nanos(record: Members, *keys: str) -> int | None:
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.isascii() and value.isdecimal():
            value = int(value) if len(value) < _MAX_DIGITS else None
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MAX_NANOS:
            return value
    return None


def _string(record: Members, key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""
