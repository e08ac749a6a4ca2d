"""What Codex records beside the conversation: ends of calls and turns, errors, compaction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.capture.formats.codex_items import (
    Rollout,
    call_event,
    event,
    from_agent,
    result_event,
    spoken,
    string,
)
from hindsight_cli.capture.formats.codex_results import Answer, Facts, facts_of, integer
from hindsight_cli.capture.formats.content import text_of, type_of
from hindsight_cli.capture.status import error_type_of
from hindsight_cli.records.event import Actor, EventType
from hindsight_cli.records.jsonvalue import JsonValue

# How each kind of call is named when Codex tells of its end.
_CALL_ENDS = {
    **dict.fromkeys(("exec_command_end", "CommandExecution"), "exec_command"),
    **dict.fromkeys(("patch_apply_end", "FileChange"), "apply_patch"),
    **dict.fromkeys(("mcp_tool_call_end", "McpToolCall"), "mcp"),
    **dict.fromkeys(("dynamic_tool_call_response", "DynamicToolCall"), "dynamic"),
}
_TURN_ENDS = {
    **dict.fromkeys(("task_complete", "turn_complete", "turn.completed"), "completed"),
    **dict.fromkeys(("turn_aborted",), "interrupted"),
    **dict.fromkeys(("turn.failed", "turn_failed"), "failed"),
}
_WORDS = frozenset({"user_message", "agent_message", "agent_reasoning"})
_ERRORS = frozenset({"error", "stream_error"})
_CUT_OFF = re.compile(r"\b(?:reconnecting|(?:stream|connection) (?:closed|disconnected))\b", re.I)
TELLING = frozenset(
    {
        *_CALL_ENDS,
        *_TURN_ENDS,
        *_ERRORS,
        *("item_completed", "thread_rolled_back", "undo_completed"),
        *("entered_review_mode", "exited_review_mode"),
        *("collab_agent_spawn_end", "sub_agent_activity", "guardian_assessment"),
    }
)
# Copies of items, progress, and the state of the program.
_COPIES_AND_STATE = """
    user_message agent_message agent_reasoning agent_reasoning_raw_content
    agent_reasoning_section_break token_count task_started turn_started turn.started
    context_compacted web_search_begin web_search_end view_image_tool_call
    image_generation_begin image_generation_end mcp_tool_call_begin exec_command_begin
    exec_command_output_delta terminal_interaction patch_apply_begin patch_apply_updated
    dynamic_tool_call_request exec_approval_request apply_patch_approval_request
    request_permissions request_user_input elicitation_request session_configured
    thread_settings_applied thread_name_updated thread_goal_updated
    item_started plan_update turn_diff collab_agent_spawn_begin
    collab_agent_interaction_begin collab_agent_interaction_end collab_waiting_begin
    collab_waiting_end collab_close_begin collab_close_end collab_resume_begin
    collab_resume_end background_event warning guardian_warning deprecation_notice
    model_reroute model_verification turn_moderation_metadata safety_buffering
    hook_started hook_completed mcp_startup_update mcp_startup_complete shutdown_complete
    raw_response_item agent_message_delta agent_message_content_delta
    agent_reasoning_delta agent_reasoning_raw_content_delta plan_delta
    reasoning_content_delta reasoning_raw_content_delta realtime_conversation_started
    realtime_conversation_sdp realtime_conversation_realtime realtime_conversation_closed
    realtime_conversation_list_voices_response undo_started conversation_path
    get_history_entry_response mcp_list_tools_response list_custom_prompts_response
    list_skills_response skills_update_available
"""
TOLD_ELSEWHERE = frozenset(_COPIES_AND_STATE.split())


def events_of_message(
    kind: str, payload: Mapping[str, JsonValue], time: str | None, rollout: Rollout
) -> Iterator[DraftEvent]:
    """The events of a record that is no item of the conversation."""
    inner = type_of(payload)
    if kind == "compacted":
        yield event(
            EventType.COMPACTION,
            Actor.SYSTEM,
            time,
            string(payload, "message") or "",
            injected=True,
        )
    elif kind == "inter_agent_communication":
        yield from from_agent(text_of(payload.get("content")), time, rollout)
    elif inner in _TURN_ENDS:
        yield end_event(payload, time)
    elif inner in _ERRORS:
        yield error_event(payload, time)
    elif inner == "item_completed":
        item = payload.get("item")
        if isinstance(item, dict):
            yield from _completed(item, time, rollout)
    elif inner in _CALL_ENDS:
        yield from _call_end(inner, payload, time, rollout)
    elif rollout.told_in_events and inner in _WORDS:
        yield from _words(inner, payload, time, rollout)
    else:
        yield from _rest(inner, payload, time, rollout)


def _words(
    inner: str, payload: Mapping[str, JsonValue], time: str | None, rollout: Rollout
) -> Iterator[DraftEvent]:
    """What was said, in a rollout that holds no items of the conversation."""
    text = string(payload, "message", "text") or ""
    if inner == "user_message":
        yield from spoken(text, time, rollout)
    elif text.strip():
        kind = EventType.MESSAGE if inner == "agent_message" else EventType.REASONING
        yield event(kind, Actor.AGENT, time, text)


def _rest(
    inner: str, payload: Mapping[str, JsonValue], time: str | None, rollout: Rollout
) -> Iterator[DraftEvent]:
    if inner == "thread_rolled_back":
        text = f"The last {payload.get('num_turns', 'few')} turns were taken back."
        yield event(EventType.OTHER, Actor.SYSTEM, time, text, injected=True)
    elif inner == "undo_completed":
        text = string(payload, "message") or "The last change was undone."
        yield event(EventType.OTHER, Actor.SYSTEM, time, text, injected=True)
    elif inner in ("entered_review_mode", "exited_review_mode"):
        rollout.is_review = inner == "entered_review_mode"
        if rollout.is_review and not rollout.has_task:
            rollout.has_task = True
            hint = string(payload, "user_facing_hint", "prompt") or ""
            yield event(EventType.TASK, Actor.USER, time, f"/review {hint}".strip())
    elif inner in ("collab_agent_spawn_end", "sub_agent_activity"):
        _note_agent(payload, rollout)
    elif inner == "guardian_assessment" and string(payload, "status") == "denied":
        refused = string(payload, "target_item_id", "id") or ""
        rollout.note_facts(refused, Facts(refusal="permission", native_status="denied"))


def end_event(payload: Mapping[str, JsonValue], time: str | None) -> DraftEvent:
    """The end of a turn. That the agent came to it does not say that it solved its task."""
    error = payload.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    detail = message if isinstance(message, str) else ""
    kept: dict[str, JsonValue] = {"end_state": "failed" if detail else _TURN_ENDS[type_of(payload)]}
    if reason := string(payload, "reason"):
        kept["reason"] = reason
    return replace(
        event(EventType.END, Actor.SYSTEM, time, detail),
        extra=kept,
        duration_ms=integer(payload.get("duration_ms")),
        error_type=_error_type(detail) if detail else None,
    )


def error_event(payload: Mapping[str, JsonValue], time: str | None) -> DraftEvent:
    text = string(payload, "message") or ""
    error_type = "network" if type_of(payload) == "stream_error" else _error_type(text)
    return replace(event(EventType.OTHER, Actor.SYSTEM, time, text), error_type=error_type)


def _error_type(text: str) -> str:
    """What of the way to the model failed: the network, or the service."""
    return "network" if _CUT_OFF.search(text) or error_type_of(text) == "network" else "api"


def _completed(
    item: Mapping[str, JsonValue], time: str | None, rollout: Rollout
) -> Iterator[DraftEvent]:
    kind = type_of(item)
    if kind in _CALL_ENDS:
        yield from _call_end(kind, item, time, rollout)
    elif kind in ("CollabAgentToolCall", "SubAgentActivity"):
        _note_agent(item, rollout)
    elif kind == "Plan" and (text := string(item, "text")):
        yield event(EventType.MESSAGE, Actor.AGENT, time, text)


def _note_agent(told: Mapping[str, JsonValue], rollout: Rollout) -> None:
    """Which subagent a call made."""
    call_id = string(told, "call_id", "event_id", "id")
    made = told.get("receiver_thread_ids", told.get("receiverThreadIds"))
    first = made[0] if isinstance(made, list) and made else None
    agent_id = string(told, "new_thread_id", "agent_thread_id") or first
    if call_id and isinstance(agent_id, str) and rollout.calls.find(call_id):
        rollout.note_facts(call_id, Facts(agent_id=agent_id))


def _call_end(
    kind: str, told: Mapping[str, JsonValue], time: str | None, rollout: Rollout
) -> Iterator[DraftEvent]:
    """Facts for the answer to come; of a call that has no item, the call and its result."""
    call_id = string(told, "call_id", "callId", "id")
    if call_id is None:
        return
    if rollout.calls.find(call_id) is not None:
        rollout.note_facts(call_id, facts_of(told, with_text=False))
        return
    name, arguments = _named(_CALL_ENDS[kind], told)
    typed = "user" in (string(told, "source") or "")
    if not (typed or rollout.runs_scripts or rollout.is_review or rollout.told_in_events):
        return
    call = call_event(call_id, name, arguments, time, rollout)
    yield replace(call, actor=Actor.USER) if typed else call
    rollout.note_facts(call_id, facts_of(told, with_text=True))
    yield result_event(call_id, Answer(text=""), time, rollout)


def _named(kind: str, told: Mapping[str, JsonValue]) -> tuple[str, JsonValue]:
    if kind == "exec_command":
        return kind, {"command": told.get("command")}
    if kind == "apply_patch":
        return kind, {"changes": told.get("changes")}
    asked = told.get("invocation")
    asked = asked if isinstance(asked, dict) else told
    server, tool = string(asked, "server"), string(asked, "tool") or kind
    name = f"mcp__{server}__{tool}" if server else tool
    return name, asked.get("arguments")
