"""What `codex exec --json` prints: one event a line, without times and without the task.

Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem, SessionInfo
from hindsight_cli.capture.formats.codex_events import end_event, error_event
from hindsight_cli.capture.formats.codex_history import AGENT
from hindsight_cli.capture.formats.codex_items import (
    Rollout,
    call_event,
    event,
    result_event,
    string,
)
from hindsight_cli.capture.formats.codex_results import Answer, facts_of
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import (
    Record,
    parse_json,
    problem_of,
    read_json_lines,
)
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

_STARTS = frozenset({"thread.started", "session.created"})
_TURN_ENDS = frozenset({"turn.completed", "turn.failed"})
_ITEM_TYPES = frozenset({"item.started", "item.updated", "item.completed"})
_SILENT = frozenset({"turn.started", "item.plan.delta", "request_user_input"})
_KNOWN = _STARTS | _TURN_ENDS | _ITEM_TYPES | _SILENT | {"error"}
_TOLD = {"agent_message": EventType.MESSAGE, "assistant_message": EventType.MESSAGE}
_TOLD |= {"plan": EventType.MESSAGE, "reasoning": EventType.REASONING}
_CALLS = frozenset(
    {
        *("command_execution", "file_change", "mcp_tool_call", "collab_tool_call"),
        *("web_search", "todo_list"),
    }
)
_KNOWN_ITEMS = _CALLS | _TOLD.keys() | {"error"}
_SHELLS = ("sh", "bash", "zsh", "dash")
_SHELL_WORDS = 3  # bash -lc SCRIPT
_MAX_HEAD_LINES = 50


def recognizes(path: Path, head: bytes) -> bool:
    """Whether one of the first lines is an event of a thread, a turn or an item."""
    for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n")[:_MAX_HEAD_LINES]:
        if not line.startswith(b"{"):
            continue  # a program's own words in the same file
        try:
            record = parse_json(line.strip())
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, dict):
            return False
        kind = type_of(record)
        if kind in _STARTS:
            return string(record, "thread_id", "session_id") is not None
        if kind in _ITEM_TYPES:
            return isinstance(record.get("item"), dict)
        if kind not in _KNOWN:
            return False
        if kind != "error":
            return True
    return False


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every line in file order. A stream names its thread first, and may be followed by others."""
    stream = _Stream(path)
    for item in read_json_lines(path):
        if isinstance(item, Problem):
            yield item
        elif not isinstance(item.value, dict):
            kind = type(item.value).__name__
            yield problem_of(item, f"a JSON {kind} where an event was expected")
        else:
            yield stream.draft(item, item.value)


class _Stream:
    """The events of one stream; which calls are open in it."""

    def __init__(self, path: Path) -> None:
        self._rollout = Rollout()
        self._rollout.session = _session(f"codex-exec-{_mark_of(path)}")
        self._open: set[str] = set()

    def draft(self, item: Record, record: Mapping[str, JsonValue]) -> Draft | Problem:
        kind = type_of(record)
        if kind in _STARTS and (thread := string(record, "thread_id", "session_id")):
            self._rollout = Rollout()
            # Not the thread's own id: its rollout tells the same steps once more.
            self._rollout.session = _session(f"{thread}-exec")
            self._open.clear()
        body = record.get("item")
        if kind in _ITEM_TYPES and not isinstance(body, dict):
            return problem_of(item, f"{kind} event without an item")
        inner = _item_type(body) if isinstance(body, dict) else ""
        known = kind in _KNOWN and (kind not in _ITEM_TYPES or inner in _KNOWN_ITEMS)
        events = tuple(self._events(kind, record)) if known else ()
        usage = record.get("usage")
        return Draft(
            session=self._rollout.session,
            line=item.line,
            native_type=f"{kind}/{inner}" if inner else kind or "(no type)",
            native_id=_id_of(item, record, body) if events else None,
            events=events,
            usage=usage if isinstance(usage, dict) and events else None,
            known=known,
        )

    def _events(self, kind: str, record: Mapping[str, JsonValue]) -> Iterator[DraftEvent]:
        item = record.get("item")
        if kind in _TURN_ENDS:
            yield end_event(record, None)
        elif kind == "error":
            yield error_event(record, None)
        elif isinstance(item, dict) and _item_type(item) in _CALLS:
            yield from self._call(kind, item)
        elif isinstance(item, dict) and kind == "item.completed":
            yield from _said(item)

    def _call(self, kind: str, item: Mapping[str, JsonValue]) -> Iterator[DraftEvent]:
        """The call where it is first told of, its result where it is last."""
        call_id = string(item, "id") or ""
        is_plan = _item_type(item) == "todo_list"
        if call_id not in self._open or (is_plan and kind == "item.updated"):
            self._open.add(call_id)
            name, arguments = _named(item)
            yield call_event(call_id or None, name, arguments, None, self._rollout)
        elif is_plan:
            self._open.discard(call_id)
            return
        if kind == "item.completed" or is_plan:
            self._rollout.note_facts(call_id, facts_of(item, with_text=True))
            result = result_event(call_id or None, Answer(text=""), None, self._rollout)
            yield replace(result, **_agents(item))
        if kind == "item.completed":
            self._open.discard(call_id)


def _session(session_id: str) -> SessionInfo:
    return SessionInfo(session_id=session_id, agent=AGENT, closes=True)


def _mark_of(path: Path) -> str:
    """What tells a stream that does not name its thread from others: how it begins."""
    with path.open("rb") as file:
        return hashlib.sha256(file.readline(1 << 20)).hexdigest()[:16]


def _item_type(item: Mapping[str, JsonValue]) -> str:
    return type_of(item) or string(item, "item_type") or "(no type)"


def _id_of(item: Record, record: Mapping[str, JsonValue], body: JsonValue) -> str:
    """The item's id, which a resumed thread uses again, with a mark of place and content."""
    own = string(body, "id") if isinstance(body, dict) else None
    text = json.dumps([item.line, record], sort_keys=True)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
    return f"{own or type_of(record)}-{digest}"


def _said(item: Mapping[str, JsonValue]) -> Iterator[DraftEvent]:
    kind = _item_type(item)
    text = string(item, "text", "message") or ""
    if kind == "error":  # a warning as often as an error: the run goes on
        yield event(EventType.OTHER, Actor.SYSTEM, None, text)
    elif text.strip():
        yield event(_TOLD[kind], Actor.AGENT, None, text)


def _named(item: Mapping[str, JsonValue]) -> tuple[str, JsonValue]:
    """The tool of a call, named as in a rollout, and its arguments."""
    match _item_type(item):
        case "command_execution":
            return "exec_command", {"command": _script(item.get("command"))}
        case "file_change":
            return "apply_patch", {"changes": item.get("changes")}
        case "mcp_tool_call":
            server, tool = string(item, "server"), string(item, "tool") or ""
            return f"mcp__{server}__{tool}" if server else tool, item.get("arguments")
        case "collab_tool_call":
            asked = {key: item.get(key) for key in ("prompt", "receiver_thread_ids")}
            return string(item, "tool") or "agent", asked
        case "todo_list":
            return "update_plan", {"plan": item.get("items")}
    action = item.get("action")
    return "web_search", {"query": item.get("query"), "action": action}


def _script(command: JsonValue) -> JsonValue:
    """The script in `/bin/bash -lc 'SCRIPT'`, which is how every command is started."""
    if not isinstance(command, str):
        return command
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    is_script = len(words) == _SHELL_WORDS and words[1] in ("-c", "-lc", "-ic", "-lic")
    return words[2] if is_script and words[0].rsplit("/", 1)[-1] in _SHELLS else command


def _agents(item: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Of a call to other agents: which one it made, and what they said."""
    made, states = item.get("receiver_thread_ids"), item.get("agents_states")
    changed: dict[str, JsonValue] = {}
    if isinstance(states, dict):
        said = [string(state, "message") for state in states.values() if isinstance(state, dict)]
        changed["text"] = "\n".join(text for text in said if text)
    if isinstance(made, list) and made and isinstance(made[0], str):
        changed["extra"] = {"agent_id": made[0]}
    return changed
