"""Log records of Claude Code and Gemini CLI as events.

What was said is in them where the person let it be logged; what tools answered is not,
but for the message of a failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from hindsight_cli.capture.draft import Draft, DraftEvent
from hindsight_cli.capture.formats.calls import Call
from hindsight_cli.capture.formats.otlp_signals import Signal, flag_of, number_of, parsed, text_in
from hindsight_cli.capture.formats.otlp_state import (
    Conversation,
    Conversations,
    call_event,
    digest_of,
    draft_of,
    spoken,
)
from hindsight_cli.capture.formats.results import Said, denied_result, judged_result
from hindsight_cli.capture.status import ToolOutput, derive_status, error_type_of
from hindsight_cli.records.event import Actor, EventType, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_AGENTS = frozenset({"claude-code", "gemini-cli", "qwen-code"})
_DIALECT = re.compile(r"\A(?:claude_code|gemini_cli|qwen-code|qwen_code)\.")
# Requests that the program makes for itself: titles, summaries for its own screen.
_HOUSEKEEPING = re.compile(r"generate_|title|topic|summary|suggestion|classif|quota", re.IGNORECASE)
_NO_DECISION_BY_USER = frozenset({"config", "hook", "policy", "classifier", "settings"})
_NO_ARGUMENTS = frozenset({"bash_command", "full_command", "mcp_server_name", "mcp_tool_name"})
_ACCEPTED = frozenset({"accept", "auto_accept", "modify", "approved", "allow", ""})
_TOKENS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_creation_tokens": "cache_creation_input_tokens",
    "cost_usd": "cost_usd",
    "input_token_count": "input_tokens",
    "output_token_count": "output_tokens",
    "cached_content_token_count": "cached_tokens",
    "thoughts_token_count": "thoughts_tokens",
}
# Events that tell of the program, not of what the agent did.
_SILENT_NAMES = """
    api_request_body api_response_body api_refusal api_retries_exhausted auth at_mention config
    cli_config session_start hook_registered hook_execution_start hook_execution_complete
    hook_call hook_plugin_metrics internal_error feedback_survey plugin_loaded plugin_installed
    skill_activated mcp_server_connection permission_mode_changed ide_connection flash_fallback
    next_speaker_check slash_command slash_command.model file_operation model_routing
    conversation_finished startup_stats extension_install extension_uninstall extension_enable
    extension_disable extension_update tool_output_truncated tool_output_masking
    ripgrep_fallback loop_detected loop_detection_disabled malformed_json_response
    invalid_chunk chat.invalid_chunk chat.content_retry chat.content_retry_failure
    content_retry content_retry_failure user_feedback start_session end_session
    approval_mode_switch approval_mode_duration plan_execution edit_strategy edit_correction
    llm_loop_check web_fetch_fallback_attempt recovery_attempt agent.start agent.finish
    agent.recovery_attempt network_retry_attempt rewind keychain.availability
    token_storage.initialization onboarding.start onboarding.success
"""
_SILENT = frozenset(_SILENT_NAMES.split())


def is_dialect(signal: Signal) -> bool:
    named = bool(_DIALECT.match(name_of(signal)))
    return named or str(signal.resource.get("service.name")) in _AGENTS


def name_of(signal: Signal) -> str:
    """The whole name; Claude Code writes it as the body, and without its prefix as attribute."""
    body = signal.body
    return body if isinstance(body, str) and _DIALECT.match(body) else signal.name


@dataclass(slots=True)
class LogReader:
    """Turns log records into drafts; a permission waits for what its call came to."""

    conversations: Conversations
    waiting: dict[tuple[str, str], Signal] = field(default_factory=dict)

    def drafts(self, signal: Signal) -> Iterator[Draft]:
        name = _DIALECT.sub("", name_of(signal))
        conversation = self.conversations.of(signal)
        told = _told(name, signal, conversation)
        if told is not None:
            yield draft_of(signal, conversation, identity_of(name, signal), *told)
        elif name == "tool_decision":
            yield from self._decision(signal, conversation)
        elif name in ("tool_result", "tool_call"):
            yield from self._result(signal, conversation)
        elif name in ("api_request", "api_response"):
            self._count(signal, conversation)
            yield draft_of(signal, conversation, identity_of(name, signal))
        elif name in _SILENT:
            yield draft_of(signal, conversation, identity_of(name, signal))
        else:
            yield Draft(
                session=conversation.session,
                line=signal.line,
                native_type=f"log/{name_of(signal) or '(no name)'}",
                native_id=identity_of(name, signal),
                known=False,
            )

    def rest(self) -> Iterator[Draft]:
        """The calls that were allowed and never came to an end."""
        for (_, call_id), signal in self.waiting.items():
            event, _ = _call(signal, call_id)
            yield draft_of(signal, self.conversations.of(signal), _call_key(call_id, signal), event)

    def _count(self, signal: Signal, conversation: Conversation) -> None:
        if _HOUSEKEEPING.search(signal.text("query_source")):
            return
        counted = {
            ours: (number if key == "cost_usd" else int(number))
            for key, ours in _TOKENS.items()
            if (number := number_of(signal.attributes.get(key))) is not None
        }
        conversation.usage = counted or conversation.usage

    def _decision(self, signal: Signal, conversation: Conversation) -> Iterator[Draft]:
        call_id = signal.text("tool_use_id")
        if signal.text("decision") in _ACCEPTED:
            if call_id:
                self.waiting[conversation.session.session_id, call_id] = signal
            else:
                yield draft_of(signal, conversation, identity_of("tool_decision", signal))
            return
        event, call = _call(signal, call_id)
        denied = denied_result(
            call,
            by_user=signal.text("source") not in _NO_DECISION_BY_USER,
            timestamp=signal.time,
            call_id=call_id or None,
            native_status=signal.text("decision"),
        )
        yield draft_of(signal, conversation, _call_key(call_id, signal), event, denied)

    def _result(self, signal: Signal, conversation: Conversation) -> Iterator[Draft]:
        call_id = signal.text("tool_use_id", "call_id", "tool_call_id")
        allowed = self.waiting.pop((conversation.session.session_id, call_id), None)
        if allowed is not None:
            yield draft_of(allowed, conversation, identity_of("tool_decision", allowed))
        event, call = _call(signal, call_id)
        answer = _answer(signal, call, call_id)
        yield draft_of(signal, conversation, _call_key(call_id, signal), event, answer)


def identity_of(name: str, signal: Signal) -> str:
    told = [signal.attributes, signal.start, signal.body]
    return f"{name}-{digest_of(told)}"


def _call_key(call_id: str, signal: Signal) -> str:
    return f"tool-{call_id}" if call_id else identity_of("tool", signal)


def _told(name: str, signal: Signal, conversation: Conversation) -> list[DraftEvent] | None:
    """The events of a record that tells of words or of the program's own trouble."""
    if name == "user_prompt":
        return spoken(signal.text("prompt"), signal.time, conversation)
    if name == "assistant_response":
        text = signal.text("response")
        if _HOUSEKEEPING.search(signal.text("query_source")) or text == "<REDACTED>" or not text:
            return []
        return [_event(EventType.MESSAGE, Actor.AGENT, signal, text)]
    if name == "api_error":
        text = signal.text("error", "error_message", "error.message")
        kind = "network" if error_type_of(text) == "network" else "api"
        return [replace(_event(EventType.OTHER, Actor.SYSTEM, signal, text), error_type=kind)]
    if name in ("compaction", "chat_compression"):
        event = _event(EventType.COMPACTION, Actor.SYSTEM, signal, "")
        return [replace(event, injected=True)]
    return None


def _event(event_type: EventType, actor: Actor, signal: Signal, text: str) -> DraftEvent:
    return DraftEvent(event_type=event_type, actor=actor, timestamp=signal.time, text=text)


def _call(signal: Signal, call_id: str) -> tuple[DraftEvent, Call]:
    parameters = parsed(signal.attributes.get("tool_parameters"))
    parameters = parameters if isinstance(parameters, dict) else {}
    name = signal.text("tool_name", "function_name")
    server = _text(parameters, "mcp_server_name") or signal.text("mcp_server_name")
    inner = _text(parameters, "mcp_tool_name")
    if inner and server:
        name = f"mcp__{server}__{inner}"
    arguments = parsed(signal.attributes.get("tool_input", signal.attributes.get("function_args")))
    if arguments is None and parameters:
        arguments = _arguments(parameters)
    return call_event(name, arguments, call_id, signal.time, server or None)


def _arguments(parameters: Mapping[str, JsonValue]) -> JsonValue:
    """What the short form of the arguments tells of them."""
    command = _text(parameters, "full_command") or _text(parameters, "bash_command")
    rest = {k: v for k, v in parameters.items() if k not in _NO_ARGUMENTS}
    return {"command": command, **rest} if command else rest or None


def _text(holder: Mapping[str, JsonValue], key: str) -> str:
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def _answer(signal: Signal, call: Call, call_id: str) -> DraftEvent:
    success = flag_of(signal.attributes.get("success"))
    decision = signal.text("decision")
    error = text_in(signal.attributes.get("error"))
    text = error or text_in(signal.attributes.get("tool_output"))
    said: Said = {
        "timestamp": signal.time,
        "text": text,
        "call_id": call_id or None,
        "native_status": None if success is None else "success" if success else "error",
        "duration_ms": signal.duration_ms,
        "extra": {"error_class": kind} if (kind := signal.text("error_type")) else {},
    }
    if decision not in _ACCEPTED:
        return denied_result(call, by_user=True, **said)
    # Gemini CLI counts a command that ran as a success, whatever it came to.
    ran_only = success and call.kind is ToolKind.SHELL and "function_name" in signal.attributes
    code = number_of(signal.attributes.get("exit_code"))
    output = ToolOutput(
        text=text,
        tool_kind=call.kind,
        command=call.command,
        flag=None if success is None or ran_only else not success,
        exit_code=None if code is None else int(code),
    )
    return judged_result(call, derive_status(output), **said)
