"""The SQLite index over the trace files: derived, incremental, never needed for capture."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from hindsight_cli import appendlog
from hindsight_cli.fingerprint import error_fingerprint
from hindsight_cli.providers.database import Database, Migrations
from hindsight_cli.records.event import FAILED_STATUSES, Event, EventType
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import split_traces
from hindsight_cli.text import plain_utf8
from hindsight_cli.traces.files import SessionFile, event_of

migrations = Migrations("hindsight.traces")
ReadText = Callable[[Event], str]

_EVENT_COLUMNS = (
    *("session_id", "seq", "step_index", "trace_id", "event_type", "actor", "tool_name"),
    *("tool_kind", "status", "error_type", "timestamp", "summary", "fingerprint", "detail"),
)


@migrations()
def m001_traces(db: Database) -> None:
    db.table("session_files").create(
        {
            "session_id": str,
            "path": str,
            "signature": str,
            "offset": int,
            "lines": int,
            "bad_lines": int,
            "agent": str,
            "about": str,
        },
        pk="session_id",
    )
    db.table("events").create(
        dict.fromkeys(_EVENT_COLUMNS, str) | {"seq": int, "step_index": int},
        pk=("session_id", "seq"),
    )
    db.table("events").create_index(["trace_id"])
    db.table("events").create_index(["fingerprint"])


@migrations()
def m002_recovered_steps(db: Database) -> None:
    """Failed steps that something later ended, as reflection by rules sees it."""
    db.table("recovered_steps").create(
        {"session_id": str, "step_index": int}, pk=("session_id", "step_index")
    )
    db.table("recoveries_read").create({"session_id": str, "signature": str}, pk="session_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRow:
    """What `traces list` shows of a trace."""

    trace_id: str
    session_id: str
    path: str
    agent: str
    task: str
    started_at: str | None
    events: int
    steps: int
    tool_calls: int
    failed_tool_calls: int
    denied_tool_calls: int
    unanswered_tool_calls: int
    outcome: str
    end_state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureRow:
    """One kind of error and the sessions it came up in."""

    fingerprint: str
    tool_name: str
    example: str
    sessions: int
    count: int
    recovered: int
    last_seen: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailurePlace:
    """A step at which an error came up."""

    trace_id: str
    session_id: str
    step_index: int
    timestamp: str | None
    recovered: bool


class TraceIndex:
    """Rows in, rows out; a session whose file did not change is not read again."""

    def __init__(self, db: Database) -> None:
        migrations.apply(db)
        self._db = db
        self._connection: sqlite3.Connection = db.conn

    def sync(self, files: Sequence[SessionFile], read_text: ReadText) -> int:
        """Bring the index up to date with `files`; gives the number of sessions read."""
        known = {row["session_id"]: row for row in self._db.table("session_files").rows_where()}
        changed = 0
        for file in files:
            row = known.pop(file.session_id, None)
            stat = file.path.stat()
            signature = f"{stat.st_dev}:{stat.st_ino}:{stat.st_size}:{stat.st_mtime_ns}"
            if row is not None and row["signature"] == signature:
                continue
            same_file = row is not None and row["signature"].rsplit(":", 2)[0] == (
                f"{stat.st_dev}:{stat.st_ino}"
            )
            grown = row if row and same_file and row["offset"] <= stat.st_size else None
            self._read(file, signature, grown, read_text)
            changed += 1
        for session_id in known:
            self._forget(session_id)
        return changed

    def traces(self) -> list[TraceRow]:
        """Every trace, newest first."""
        rows = self._connection.execute(_TRACES_SQL)
        names = [d[0] for d in rows.description]
        return [_trace_row(dict(zip(names, row, strict=True))) for row in rows]

    def failures(self, since: str | None, *, min_sessions: int = 1) -> list[FailureRow]:
        """Errors by fingerprint, those in most sessions first; `since` is ISO 8601.

        Recovered are those that `save_recoveries` was told of.
        """
        rows = self._connection.execute(_FAILURES_SQL, (since or "", min_sessions))
        names = [d[0] for d in rows.description]
        return [FailureRow(**dict(zip(names, row, strict=True))) for row in rows]

    def failure_places(self, since: str | None, *, most: int) -> dict[str, list[FailurePlace]]:
        """By fingerprint where it came up, newest first, `most` of each; as `failures`."""
        places: dict[str, list[FailurePlace]] = {}
        for fingerprint, *row in self._connection.execute(_PLACES_SQL, (since or "", most)):
            trace_id, session_id, step, timestamp, recovered = row
            place = FailurePlace(
                trace_id=trace_id,
                session_id=session_id,
                step_index=step,
                timestamp=timestamp,
                recovered=bool(recovered),
            )
            places.setdefault(fingerprint, []).append(place)
        return places

    def sessions_with_unread_recoveries(self, reader: str) -> list[str]:
        """Sessions with failures that changed since `reader` (its version) looked for ends."""
        sql = """
          select f.session_id from session_files f
            left join recoveries_read r on r.session_id = f.session_id
            and r.signature = f.signature || ' ' || ?
          where r.session_id is null and exists (select 1 from events e
            where e.session_id = f.session_id and e.fingerprint is not null)
        """
        return [session_id for (session_id,) in self._connection.execute(sql, (reader,))]

    def save_recoveries(self, session_id: str, steps: Iterable[int], reader: str) -> None:
        """Replace what is known of the failed steps of a session that were got over."""
        self._forget_recoveries(session_id)
        self._connection.executemany(
            "insert or ignore into recovered_steps values (?, ?)", [(session_id, s) for s in steps]
        )
        self._connection.execute(
            "insert into recoveries_read select session_id, signature || ' ' || ? "
            "from session_files where session_id = ?",
            (reader, session_id),
        )

    def _read(
        self, file: SessionFile, signature: str, grown: JsonValue, read_text: ReadText
    ) -> None:
        if grown is None:
            self._forget(file.session_id)
        # The last line is read again: it may have been unfinished.
        offset, seen = (grown["offset"], grown["lines"]) if grown else (0, 0)
        number = max(seen - 1, 0)
        bad = grown["bad_lines"] if grown else 0
        about = json.loads(grown["about"]) if grown else {}
        events = []
        for line in appendlog.read_lines(file.path, offset=offset, number=number):
            event = event_of(line)
            number, offset = line.number, line.offset
            if event is None:
                bad += number > seen
                continue
            about = about or dict(event.extra.get("session") or {})
            events.append(event)
        if grown and (self._has_boundary(file.session_id) or _has_boundary(events)):
            self._read(file, signature, None, read_text)  # what is known may have moved
            return
        self._insert([_row(file.session_id, e, read_text) for e in _in_their_traces(events)])
        self._db.table("session_files").insert(
            {
                "session_id": file.session_id,
                "path": file.path.name,
                "signature": signature,
                "offset": offset,
                "lines": number,
                "bad_lines": bad,
                "agent": str(about.get("agent") or "unknown"),
                "about": plain_utf8(json.dumps(about)),
            },
            replace=True,
        )

    def _has_boundary(self, session_id: str) -> bool:
        sql = "select 1 from events where session_id = ? and event_type = 'boundary' limit 1"
        return self._connection.execute(sql, (session_id,)).fetchone() is not None

    def _insert(self, rows: list[tuple[JsonValue, ...]]) -> None:
        marks = ", ".join("?" * len(_EVENT_COLUMNS))
        self._connection.executemany(
            f"insert or ignore into events ({', '.join(_EVENT_COLUMNS)}) values ({marks})", rows
        )

    def _forget(self, session_id: str) -> None:
        self._connection.execute("delete from events where session_id = ?", (session_id,))
        self._connection.execute("delete from session_files where session_id = ?", (session_id,))
        self._forget_recoveries(session_id)

    def _forget_recoveries(self, session_id: str) -> None:
        for table in ("recovered_steps", "recoveries_read"):
            self._connection.execute(f"delete from {table} where session_id = ?", (session_id,))


def _has_boundary(events: Iterable[Event]) -> bool:
    return any(e.event_type is EventType.BOUNDARY for e in events)


def _in_their_traces(events: Sequence[Event]) -> Iterable[Event]:
    """The events as their boundaries have them; those themselves stay, to be known of."""
    if not _has_boundary(events):
        return events
    moved = [
        replace(event, trace_id=trace_id)
        for trace_id, own in split_traces(events).items()
        for event in own
    ]
    return [*moved, *(e for e in events if e.event_type is EventType.BOUNDARY)]


def _row(session_id: str, event: Event, read_text: ReadText) -> tuple[JsonValue, ...]:
    fingerprint = None
    if event.status in FAILED_STATUSES:
        fingerprint = error_fingerprint(event.tool_name or "", read_text(event)) or None
    detail = event.extra.get("outcome") or event.extra.get("end_state")
    values = (
        *(session_id, event.seq, event.step_index),
        *(event.trace_id, event.event_type.value, event.actor.value, event.tool_name),
        *(event.tool_kind, event.status, event.error_type, event.timestamp),
        *(event.output_summary, fingerprint, None if detail is None else str(detail)),
    )
    return tuple(plain_utf8(str(v)) if isinstance(v, str) else v for v in values)


_WAITING = (EventType.TASK, EventType.TOOL_RESULT, "user message")  # for the agent to go on


def _trace_row(row: dict[str, JsonValue]) -> TraceRow:
    # As `Trace.is_unfinished`, which has the events themselves.
    ended, last, closes = row.pop("ended"), row.pop("last_event"), row.pop("closes")
    waits = last in _WAITING and row["outcome"] == "unknown"  # what was judged is over
    if last == EventType.END:  # an earlier one closed a part: a session can be resumed
        state = str(ended)
    elif closes or row["unanswered_tool_calls"] or waits:
        state = "unfinished"
    else:
        state = "completed"
    return TraceRow(**row, end_state=state)


_TRACES_SQL = """
with summary as (
  select trace_id, session_id, min(timestamp) as started_at, count(*) as events,
    count(distinct nullif(step_index, 0)) as steps,
    sum(event_type = 'tool_call') as tool_calls,
    sum(coalesce(status, '') in ('error', 'timeout')) as failed_tool_calls,
    sum(coalesce(status, '') = 'denied') as denied_tool_calls,
    sum(event_type = 'tool_call') - count(distinct case when event_type = 'tool_result'
      and status != 'missing' then step_index end) as unanswered,
    max(case when event_type not in ('other', 'compaction', 'boundary', 'outcome')
      and not (event_type = 'message' and actor = 'system') then seq end)
      as last_seq
  from events where event_type != 'boundary' group by session_id, trace_id
)
select s.trace_id, s.session_id, f.path, f.agent,
  coalesce((select summary from events e where e.session_id = s.session_id
    and e.trace_id = s.trace_id and e.event_type = 'task' order by seq limit 1), '') as task,
  s.started_at, s.events, s.steps, s.tool_calls, s.failed_tool_calls, s.denied_tool_calls,
  max(s.unanswered, 0) as unanswered_tool_calls,
  coalesce((select detail from events e where e.session_id = s.session_id
    and e.trace_id = s.trace_id and e.event_type = 'outcome' order by seq desc limit 1),
    'unknown') as outcome,
  (select coalesce(detail, 'completed') from events e where e.session_id = s.session_id
    and e.trace_id = s.trace_id and e.event_type = 'end' order by seq desc limit 1) as ended,
  (select case when event_type = 'message' and actor = 'user' then 'user message'
    else event_type end from events e where e.session_id = s.session_id and e.seq = s.last_seq)
    as last_event,
  json_extract(f.about, '$.closes') and s.last_seq is max(s.last_seq) over
    (partition by s.session_id) as closes
from summary s join session_files f using (session_id)
order by s.started_at desc, s.session_id, s.trace_id
"""

_FAILED_SQL = """
with failed as (
  select session_id, trace_id, seq, step_index, fingerprint, tool_name, summary, timestamp,
    exists (select 1 from recovered_steps r where r.session_id = e.session_id
      and r.step_index = e.step_index) as recovered
  from events e where fingerprint is not null and coalesce(timestamp, '9999') >= ?
)
"""
_FAILURES_SQL = f"""{_FAILED_SQL}
select fingerprint, min(tool_name) as tool_name, min(summary) as example,
  count(distinct session_id) as sessions, count(*) as count, sum(recovered) as recovered,
  max(timestamp) as last_seen
from failed group by fingerprint having count(distinct session_id) >= ?
order by sessions desc, count desc, fingerprint
"""
_PLACES_SQL = f"""{_FAILED_SQL}
select fingerprint, trace_id, session_id, step_index, timestamp, recovered from (
  select *, row_number() over (partition by fingerprint
    order by timestamp is null, timestamp desc, session_id, seq desc) as place from failed)
where place <= ? order by fingerprint, place
"""
