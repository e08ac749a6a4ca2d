"""The records that `claude -p` prints, brought into the shape that transcripts have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem, SessionInfo
from hindsight_cli.capture.formats.claude_records import BrokenRecordError, events_of
from hindsight_cli.capture.formats.claude_sessions import SessionTracker
from hindsight_cli.capture.formats.content import blocks_of, text_of, type_of
from hindsight_cli.capture.formats.injected_text import CONTINUED
from hindsight_cli.capture.formats.jsonlines_reader import Record, problem_of
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

# Record types that carry nothing to keep: pieces of replies that come whole as well, states.
_SILENT = frozenset(
    {"stream_event", "tool_progress", "auth_status", "rate_limit_event", "keep_alive"}
    | {"tool_use_summary", "prompt_suggestion", "control_request", "control_response"}
    | {"control_cancel_request", "streamlined_text", "streamlined_tool_use_summary"}
)
_SPEAKING = frozenset({"system", "user", "assistant", "result"})
_END_STATES = {"success": "completed"}
_RESULT_FACTS = ("subtype", "terminal_reason", "num_turns", "duration_ms", "total_cost_usd")
_MAX_DETAIL_CHARS = 2_000
_MAX_FORETOLD = 100_000
_REFUSED = "permission"

_Fields = Mapping[str, JsonValue]


@dataclass(slots=True)
class Foretold:
    """What a run tells of a call only after it."""

    refused: set[str] = field(default_factory=set)  # ids of calls that were not permitted
    agents: dict[str, str] = field(default_factory=dict)  # call id -> id of the subagent it began


def foretold(records: Iterable[Record]) -> Foretold:
    """Read a run through for what is told late. Bounded: of a great many calls, the first."""
    told = Foretold()
    for record in records:
        value = record.value
        if not isinstance(value, dict) or len(told.refused) + len(told.agents) > _MAX_FORETOLD:
            continue
        told.refused.update(_refused(value))
        for call_id, agent_id in _agents(value):
            told.agents.setdefault(call_id, agent_id)
    return told


def _refused(record: _Fields) -> Iterator[str]:
    if type_of(record) == "system" and record.get("subtype") == "permission_denied":
        yield _string(record, "tool_use_id")
    denials = record.get("permission_denials") if type_of(record) == "result" else None
    for denial in denials if isinstance(denials, list) else []:
        if isinstance(denial, dict):
            yield _string(denial, "tool_use_id")


def _agents(record: _Fields) -> Iterator[tuple[str, str]]:
    """Pairs of the call that began a subagent and the subagent's id."""
    if type_of(record) == "user":
        facts = record.get("tool_use_result")
        agent_id = _string(facts, "agentId") if isinstance(facts, dict) else ""
        call_ids = [_string(block, "tool_use_id") for block in _results(record)]
        if agent_id and len(call_ids) == 1 and call_ids[0]:
            yield call_ids[0], agent_id
    elif type_of(record) == "system" and record.get("subtype") == "task_started":
        call_id, agent_id = _string(record, "tool_use_id"), _string(record, "task_id")
        if call_id and agent_id and record.get("task_type", "local_agent") == "local_agent":
            yield call_id, agent_id


def _results(record: _Fields) -> Iterator[_Fields]:
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return (block for block in blocks_of(content) if type_of(block) == "tool_result")


def _string(record: _Fields, key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


class Run:
    """One printed run. Lines that name no session are the one's before them."""

    def __init__(self, path: Path, told: Foretold) -> None:
        self._told = told
        self._tracker = SessionTracker(path)
        self._session_id = path.stem
        self._about: dict[str, JsonValue] = {}
        self._model: str | None = None

    def draft_of(self, line: int, record: _Fields) -> tuple[Draft | Problem, str | None]:
        """The record as a draft, and what identifies the reply that it counts the tokens of."""
        kind = type_of(record)
        self._note(record)
        native = self._as_transcript(record)
        session = self._session(record, native)
        try:
            events = tuple(self._events(record, native, session.session_id))
        except BrokenRecordError as error:
            return problem_of(Record(line, dict(record)), f"{kind} record {error}"), None
        draft = Draft(
            session=session,
            line=line,
            native_type=kind or "(no type)",
            native_id=_string(record, "uuid") or None,
            events=events,
            usage=_usage(record),
            known=kind in _SILENT or kind in _SPEAKING,
        )
        return draft, self._tracker.reply_key(native)

    def _note(self, record: _Fields) -> None:
        self._session_id = _string(record, "session_id") or self._session_id
        if type_of(record) == "system" and record.get("subtype") == "init":
            self._model = _string(record, "model") or None
            version = record.get("claude_code_version")
            self._about = {"cwd": record.get("cwd"), "version": version}

    def _as_transcript(self, record: _Fields) -> dict[str, JsonValue]:
        native: dict[str, JsonValue] = {**record, **self._about, "sessionId": self._session_id}
        if "tool_use_result" in record:
            native["toolUseResult"] = record["tool_use_result"]
        if parent := _string(record, "parent_tool_use_id"):
            native["isSidechain"] = True
            native["agentId"] = self._told.agents.get(parent, parent)
        if record.get("isSynthetic") is True:
            native["isMeta"] = not _is_summary(record)
        if type_of(record) == "assistant" and _string(record, "error"):
            native["isApiErrorMessage"] = True
        if type_of(record) == "user":
            metas: list[JsonValue] = [
                {"id": call_id, "non_execution_kind": _REFUSED}
                for block in _results(record)
                if (call_id := _string(block, "tool_use_id")) in self._told.refused
            ]
            if metas and "tool_result_meta" not in record:
                native["toolResultMeta"] = metas
        return native

    def _session(self, record: _Fields, native: _Fields) -> SessionInfo:
        session = self._tracker.session_of(native)
        if session.parent_session_id is not None:
            call_id = _string(record, "parent_tool_use_id") or None
            return replace(session, parent_call_id=call_id)
        return replace(session, model=session.model or self._model, closes=True)

    def _events(self, record: _Fields, native: _Fields, session_id: str) -> Iterator[DraftEvent]:
        kind, subtype = type_of(record), record.get("subtype")
        if kind == "result":
            yield _end(record)
        elif kind == "system" and subtype == "api_retry":
            yield _retry(record)
        elif kind == "system" and subtype == "compact_boundary":
            about = record.get("compact_metadata")
            yield DraftEvent(
                event_type=EventType.COMPACTION,
                actor=Actor.SYSTEM,
                text="Conversation compacted",
                injected=True,
                extra=about if isinstance(about, dict) else {},
            )
        elif kind in {"user", "assistant"}:
            yield from events_of(native, self._tracker.memory_of(session_id))


def _is_summary(record: _Fields) -> bool:
    message = record.get("message")
    text = text_of(message.get("content")) if isinstance(message, dict) else ""
    return text.lstrip().startswith(CONTINUED)


def _usage(record: _Fields) -> Mapping[str, JsonValue] | None:
    """Tokens of a reply. Those of the whole run, in its result, would count them twice."""
    message = record.get("message")
    usage = message.get("usage") if isinstance(message, dict) else None
    if type_of(record) != "assistant" or not isinstance(usage, dict):
        return None
    return {key: value for key, value in usage.items() if isinstance(value, int | float | str)}


def _retry(record: _Fields) -> DraftEvent:
    """An API call made again; without an HTTP status there was no answer at all."""
    names = {"attempt": "retryAttempt", "max_retries": "maxRetries", "retry_delay_ms": "retryInMs"}
    extra = {
        new: record[old] for old, new in names.items() if type(record.get(old)) in (int, float)
    }
    status = record.get("error_status")
    words = [_string(record, "error") or "unknown", str(status) if type(status) is int else ""]
    return DraftEvent(
        event_type=EventType.OTHER,
        actor=Actor.SYSTEM,
        text=" ".join(filter(None, words)),
        error_type="api" if type(status) is int else "network",
        extra=extra,
    )


def _end(record: _Fields) -> DraftEvent:
    """The end of a run. That the program came to its end does not say that the task did."""
    subtype = _string(record, "subtype")
    failed = record.get("is_error") is True
    state = "crashed" if failed else _END_STATES.get(subtype, "crashed")
    extra: dict[str, JsonValue] = {"end_state": state}
    extra.update((key, record[key]) for key in _RESULT_FACTS if _is_plain(record.get(key)))
    usage = record.get("usage")
    if isinstance(usage, dict):
        extra["run_usage"] = {key: value for key, value in usage.items() if type(value) is int}
    denials = record.get("permission_denials")
    if isinstance(denials, list) and denials:
        extra["permission_denials"] = len(denials)
    if state != "completed" and (detail := text_of(record.get("errors") or record.get("result"))):
        extra["detail"] = detail[:_MAX_DETAIL_CHARS]
    return DraftEvent(
        event_type=EventType.END,
        actor=Actor.SYSTEM,
        timestamp=_string(record, "timestamp") or None,
        extra=extra,
    )


def _is_plain(value: JsonValue) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool)
