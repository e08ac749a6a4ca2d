"""What a hook was told, in our words: its kind, its session, and the events it makes. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hindsight_cli.capture.draft import DraftEvent, SessionInfo
from hindsight_cli.capture.formats.content import take_out_encoded
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.hooks import Dialect
from hindsight_cli.capture.hooks.payload import HookKind, ToolUse, string
from hindsight_cli.capture.nesting import is_deeper
from hindsight_cli.capture.toolkinds import split_server, tool_kind
from hindsight_cli.records.event import FAILED_STATUSES, Actor, EventType, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.capture.status import Verdict

_LONGEST_REASON = 100
_MAX_DEPTH = 200
# `/clear`, `/deploy prod`, `!ls`; a path such as `/srv/app is broken` is none.
_COMMAND = re.compile(r"\s*(?:/[A-Za-z][\w:.-]*(?:\s|\Z)|[!#])")
_ANSWERS = ("last_assistant_message", "prompt_response")
_COMMAND_KEYS = ("command", "cmd", "script")
NATIVE_TYPE = "hook"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One call of a hook."""

    kind: HookKind
    agent: str
    session_id: str
    cwd: str
    transcript: str  # "" where the agent names none
    text: str = ""  # what the person said, or the agent at its rest
    tool: ToolUse | None = None
    verdict: Verdict | None = None  # of the tool's answer
    reason: str = ""  # why the session began or ended

    @property
    def failed(self) -> bool:
        return self.verdict is not None and self.verdict.status in FAILED_STATUSES

    @property
    def session(self) -> SessionInfo:
        return SessionInfo(session_id=self.session_id, agent=self.agent, cwd=self.cwd or None)


def told_of(dialect: Dialect, event: str, payload: JsonValue) -> Told | None:
    """What a payload says; None where there is nothing for us in it."""
    kind = dialect.KINDS.get(event)
    if kind is None or not isinstance(payload, dict) or is_deeper(payload, _MAX_DEPTH):
        return None
    data = dialect.unpacked(payload)
    session_id = string(data, "session_id")
    if not session_id:
        return None
    tool = dialect.tool_use_of(event, data) if kind is HookKind.TOOL else None
    if tool is not None and not tool.name:
        return None
    return Told(
        kind=kind,
        agent=dialect.AGENT,
        session_id=session_id,
        cwd=string(data, "cwd"),
        transcript=string(data, "transcript_path"),
        text=_said(kind, data),
        tool=tool,
        verdict=_verdict(tool) if tool is not None else None,
        reason=_word(string(data, "reason", "source")),
    )


def task_in(text: str) -> str:
    """What a person asks for in a prompt: "" for a command of the program and for notices."""
    said = "\n".join(part for part, injected in split_injected(text) if not injected)
    return "" if _COMMAND.match(said) else said.strip()


def events_of(told: Told, now: str) -> Sequence[DraftEvent]:
    """The events of one call of a hook, in order."""
    if told.tool is not None and told.verdict is not None:
        return _tool_events(told.tool, told.verdict, now)
    if told.kind is HookKind.PROMPT and (task := task_in(told.text)):
        return [_event(EventType.TASK, Actor.USER, now, task)]
    if told.kind is HookKind.STOP and told.text.strip():
        return [_event(EventType.MESSAGE, Actor.AGENT, now, told.text)]
    if told.kind is HookKind.END:
        extra = {"end_state": "completed", "reason": told.reason}
        return [
            DraftEvent(event_type=EventType.END, actor=Actor.SYSTEM, timestamp=now, extra=extra)
        ]
    return []


def _word(text: str) -> str:
    """A reason is a word or two; a long text is none. Never a part: it may hold half a secret."""
    return text if len(text) <= _LONGEST_REASON else ""


def _said(kind: HookKind, data: Mapping[str, JsonValue]) -> str:
    if kind is HookKind.PROMPT:
        return string(data, "prompt")
    return string(data, *_ANSWERS) if kind is HookKind.STOP else ""


def _event(event_type: EventType, actor: Actor, now: str, text: str) -> DraftEvent:
    return DraftEvent(event_type=event_type, actor=actor, timestamp=now, text=text)


def _tool_events(tool: ToolUse, verdict: Verdict, now: str) -> list[DraftEvent]:
    kind, server = tool_kind(tool.name, tool.arguments), split_server(tool.name)[0]
    text, encoded = take_out_encoded(tool.text)
    call = DraftEvent(
        event_type=EventType.TOOL_CALL,
        actor=Actor.AGENT,
        timestamp=now,
        tool_name=tool.name,
        tool_kind=kind,
        server=server,
        call_id=tool.call_id,
        input=tool.arguments,
    )
    result = DraftEvent(
        event_type=EventType.TOOL_RESULT,
        actor=Actor.TOOL,
        timestamp=now,
        text=text,
        tool_name=tool.name,
        tool_kind=kind,
        server=server,
        call_id=tool.call_id,
        status=verdict.status,
        status_rule=verdict.rule,
        native_status=None if tool.flag is None else "error" if tool.flag else "ok",
        exit_code=verdict.exit_code,
        error_type=verdict.error_type,
        duration_ms=tool.duration_ms,
        blobs=encoded,
    )
    return [call, result]


def _verdict(tool: ToolUse) -> Verdict:
    from hindsight_cli.capture.status import ToolOutput, derive_status  # no prompt needs it

    kind = tool_kind(tool.name, tool.arguments)
    return derive_status(
        ToolOutput(
            text=tool.text,
            tool_kind=kind,
            command=_command(tool.arguments) if kind is ToolKind.SHELL else "",
            flag=tool.flag,
            exit_code=tool.exit_code,
            interrupted=tool.interrupted,
            exit_meaning=tool.exit_meaning,
        )
    )


def _command(arguments: JsonValue) -> str:
    if isinstance(arguments, dict):
        return string(arguments, *_COMMAND_KEYS)
    return arguments if isinstance(arguments, str) else ""
