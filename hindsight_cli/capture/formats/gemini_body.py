"""The messages that Gemini CLI and Qwen Code share: parts with texts, calls and responses.

Source: `Content` and `Part` of the Gemini API; docs/reference/native-formats.md.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from hindsight_cli.capture import status_phrases as phrases
from hindsight_cli.capture.draft import Blob, DraftEvent
from hindsight_cli.capture.formats.calls import Call, CallMemory, call_of
from hindsight_cli.capture.formats.content import decoded_blob, take_out_encoded, text_of
from hindsight_cli.capture.formats.gemini_shell import read_shell_output, without_wrapper
from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.status import ToolOutput, Verdict, derive_status
from hindsight_cli.records.event import Actor, EventType, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

Record = Mapping[str, JsonValue]

_MAX_ANSWERED = 50_000
_POLICY_ERRORS = frozenset({"policy_violation", "execution_denied"})
_FILES_BEGIN = "--- Content from referenced files ---"
_FILES_END = "--- End of content ---"
_SUMMARY = re.compile(r"\s*<(?:state_snapshot|compressed_chat)\b")
_DENIED = re.compile(
    r"\buser (?:denied|did not allow|didn't allow|rejected|declined)", re.IGNORECASE
)
_STOPPED = re.compile(
    r"Command (?:timed out after|was automatically cancel+ed because it exceeded)"
)
_COMMAND = re.compile(r"\s*[/?]([a-z][a-z-]*)\b(?!/)")
# Commands of the programs themselves; any other slash command asks for work.
_SESSION_COMMANDS = frozenset(
    {"about", "agents", "approval-mode", "auth", "bug", "chat", "clear", "compress", "config"}
    | {"context", "copy", "corgi", "directory", "dir", "docs", "editor", "exit", "export"}
    | {"extensions", "footer", "help", "history", "hooks", "ide", "language", "logout", "lsp"}
    | {"mcp", "memory", "model", "permissions", "policies", "privacy", "quit", "rename"}
    | {"restore", "resume", "rewind", "settings", "setup-github", "shells", "shortcuts"}
    | {"skills", "stats", "status", "statusline", "tasks", "terminal-setup", "theme", "tools"}
    | {"trust", "upgrade", "usage", "vim"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a record tells of the result of a call beside the response itself."""

    name: str = ""
    call_id: str | None = None
    native_status: str | None = None  # success, error, cancelled ...
    error_type: str = ""
    display: str = ""  # what the person saw, for a result without a response
    decision: str = ""  # of the person: accept, reject ...
    duration_ms: int | None = None
    agent_id: str = ""


def string(record: Record, *keys: str) -> str:
    """The first of the members that is a string with something in it."""
    return next((value for key in keys if isinstance(value := record.get(key), str) and value), "")


def mapping(value: JsonValue) -> Record:
    return value if isinstance(value, dict) else {}


def parts_of(content: JsonValue) -> Iterator[Record]:
    """The parts of a content: a string, one part, a list of both, or an object with `parts`."""
    if isinstance(content, dict) and isinstance(content.get("parts"), str | list):
        content = content["parts"]
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, str):
            yield {"text": item}
        elif isinstance(item, dict):
            yield item


class Conversation:
    """One session: which calls it made, which were answered, whether its task was said."""

    def __init__(self) -> None:
        self._calls = CallMemory()
        self._answered: OrderedDict[str, None] = OrderedDict()
        self.has_task = False

    # what a person says, and what comes with it

    def user_events(
        self, content: JsonValue, timestamp: str | None, *, display: JsonValue = None
    ) -> Iterator[DraftEvent]:
        """The events of a user message, in order; `display` is what was typed, if recorded."""
        typed = text_of(display) if display else ""
        if typed.strip():
            yield from self._spoken(typed, timestamp)
        is_file = False
        for part in parts_of(content):
            text = string(part, "text")
            response = part.get("functionResponse")
            if isinstance(response, dict):
                yield from self.response_events(response, timestamp)
            elif text.strip():
                is_file = is_file or text.strip().startswith(_FILES_BEGIN)
                if typed.strip() or is_file:
                    yield _event(EventType.MESSAGE, Actor.SYSTEM, text, timestamp, injected=True)
                else:
                    yield from self._spoken(text, timestamp)
                is_file = is_file and not text.strip().endswith(_FILES_END)
            elif blob := _blob(part):
                yield _blob_event(blob, timestamp, Actor.USER)

    def _spoken(self, text: str, timestamp: str | None) -> Iterator[DraftEvent]:
        if _SUMMARY.match(text):
            yield _event(EventType.COMPACTION, Actor.SYSTEM, text, timestamp, injected=True)
            return
        command = _COMMAND.match(text)
        if command and command[1] in _SESSION_COMMANDS and "\n" not in text.strip():
            yield _event(EventType.MESSAGE, Actor.SYSTEM, text, timestamp, injected=True)
            return
        for part, injected in split_injected(text):
            if injected:
                yield _event(EventType.MESSAGE, Actor.SYSTEM, part, timestamp, injected=True)
            else:
                kind = EventType.MESSAGE if self.has_task else EventType.TASK
                self.has_task = True
                yield _event(kind, Actor.USER, part, timestamp)

    # what the model says and asks for

    def model_events(
        self, content: JsonValue, timestamp: str | None, *, with_thoughts: bool = True
    ) -> Iterator[DraftEvent]:
        """The events of a reply: thoughts, then words, then calls not told of before."""
        parts = list(parts_of(content))
        thoughts = [string(part, "text") for part in parts if part.get("thought") is True]
        if with_thoughts:
            yield from (reasoning(text, timestamp) for text in thoughts if text.strip())
        words = [string(part, "text") for part in parts if part.get("thought") is not True]
        if text := "".join(words).strip():
            yield _event(EventType.MESSAGE, Actor.AGENT, text, timestamp)
        for part in parts:
            call = part.get("functionCall")
            if isinstance(call, dict) and not self.knows(string(call, "id")):
                yield self.call_event(call, call.get("args"), timestamp)
            elif blob := _blob(part):
                yield _blob_event(blob, timestamp, Actor.AGENT)

    def knows(self, call_id: str) -> bool:
        """Whether a call with this id was told of."""
        return bool(call_id) and self._calls.find(call_id) is not None

    def call_event(self, call: Record, arguments: JsonValue, timestamp: str | None) -> DraftEvent:
        made = call_of(string(call, "name"), arguments)
        call_id = string(call, "id") or None
        if call_id:
            self._calls.add(call_id, made)
            self._answered.pop(call_id, None)
        return DraftEvent(
            event_type=EventType.TOOL_CALL,
            actor=Actor.AGENT,
            timestamp=timestamp,
            tool_name=made.name,
            tool_kind=made.kind,
            server=made.server,
            call_id=call_id,
            input=arguments,
        )

    # what tools answer

    def response_events(
        self, response: Record, timestamp: str | None, answer: Answer | None = None
    ) -> Iterator[DraftEvent]:
        """The result that a `functionResponse` is; nothing when its call is answered already."""
        call_id = string(response, "id") or (answer.call_id if answer else None)
        if call_id in self._answered:
            return
        if call_id:
            self._answered[call_id] = None
            if len(self._answered) > _MAX_ANSWERED:
                self._answered.popitem(last=False)
        answer = answer or Answer(name=string(response, "name"), call_id=call_id)
        call = self._calls.find(call_id) if call_id else None
        call = call or call_of(answer.name or string(response, "name"), None)
        yield _result_event(call, call_id, response, answer, timestamp)


def notice(text: str, timestamp: str | None, error_type: str | None = None) -> DraftEvent:
    """What the program told the person; neither the task nor evidence."""
    return DraftEvent(
        event_type=EventType.OTHER,
        actor=Actor.SYSTEM,
        timestamp=timestamp,
        text=text,
        error_type=error_type,
        injected=True,
    )


def api_error_type(text: str) -> str:
    """Whether a failed request to the model failed on the network or at the API."""
    return "network" if phrases.NETWORK.search(text) else "api"


def rewind_event(target: str, timestamp: str | None) -> DraftEvent:
    """A person went back: what was said and done since is abandoned."""
    return DraftEvent(
        event_type=EventType.OTHER,
        actor=Actor.USER,
        timestamp=timestamp,
        text="went back to an earlier message",
        injected=True,
        extra={"rewound_to": target} if target else {},
    )


def abandoned(events: Iterable[DraftEvent]) -> tuple[DraftEvent, ...]:
    """Events of a branch that a person left."""
    return tuple(replace(event, extra={**event.extra, "branch": "abandoned"}) for event in events)


def reasoning(text: str, timestamp: str | None) -> DraftEvent:
    return _event(EventType.REASONING, Actor.AGENT, text, timestamp)


def _event(
    kind: EventType, actor: Actor, text: str, timestamp: str | None, *, injected: bool = False
) -> DraftEvent:
    return DraftEvent(
        event_type=kind, actor=actor, timestamp=timestamp, text=text, injected=injected
    )


def _result_event(
    call: Call, call_id: str | None, response: Record, answer: Answer, timestamp: str | None
) -> DraftEvent:
    text, failed = _response_text(response)
    text = without_wrapper(text or answer.display)
    text, encoded = take_out_encoded(text)
    text, verdict = _judged(text, call, answer, failed=failed)
    return DraftEvent(
        event_type=EventType.TOOL_RESULT,
        actor=Actor.TOOL,
        timestamp=timestamp,
        text=text,
        tool_name=call.name or None,
        tool_kind=call.kind,
        server=call.server,
        call_id=call_id,
        status=verdict.status,
        status_rule=verdict.rule,
        native_status=answer.native_status,
        exit_code=verdict.exit_code,
        error_type=verdict.error_type,
        duration_ms=answer.duration_ms,
        blobs=tuple(_blobs(response)) + encoded,
        extra={"agent_id": answer.agent_id} if answer.agent_id else {},
    )


def _response_text(response: Record) -> tuple[str, bool]:
    """The text of a response, and whether it is an error's."""
    body = response.get("response")
    if not isinstance(body, dict):
        return text_of(body), False
    error = body.get("error")
    if error and "output" not in body:
        return text_of(error), True
    if isinstance(body.get("output"), str | list):
        return text_of(body["output"]), False
    return (json.dumps(body, ensure_ascii=False) if body else ""), False


def _judged(text: str, call: Call, answer: Answer, *, failed: bool) -> tuple[str, Verdict]:
    """The text without its frame, and the status: a shell's "success" only says that it ran."""
    status = answer.native_status or ""
    flag = True if failed or status == "error" else None
    exit_code = None
    if call.kind is ToolKind.SHELL:
        shell = read_shell_output(text)
        text, exit_code = shell.text, shell.exit_code
        if flag is None and shell.framed:
            flag = False
        elif flag is None and _STOPPED.match(text):
            flag = True
    elif flag is None and status == "success":
        flag = False
    verdict = derive_status(
        ToolOutput(
            text=text,
            tool_kind=call.kind,
            command=call.command,
            flag=flag,
            exit_code=exit_code,
            refusal=_refusal(answer, text),
        )
    )
    return text, verdict


def _refusal(answer: Answer, text: str) -> str:
    """Why a call did not run, where the program says so."""
    if answer.decision == "reject":
        return "user-rejected"
    if answer.error_type in _POLICY_ERRORS:
        return "permission"
    if answer.native_status == "cancelled":
        return "user-rejected" if _DENIED.search(text[:400]) else "cancelled"
    return ""


# pictures and files


def _blob(part: Record) -> Blob | None:
    inline = part.get("inlineData")
    if not isinstance(inline, dict) or not isinstance(inline.get("data"), str):
        return None
    return decoded_blob(string(inline, "mimeType") or "application/octet-stream", inline["data"])


def _blobs(response: Record) -> Iterator[Blob]:
    nested = response.get("parts")
    for part in parts_of(nested) if nested else ():
        if blob := _blob(part):
            yield blob


def _blob_event(blob: Blob, timestamp: str | None, actor: Actor) -> DraftEvent:
    return DraftEvent(
        event_type=EventType.MESSAGE,
        actor=actor,
        timestamp=timestamp,
        text=f"[{blob.mime}, {len(blob.data)} bytes]",
        blobs=(blob,),
    )
