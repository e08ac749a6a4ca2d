"""Chat messages: OpenAI and Anthropic lists, Responses items, tau-bench result files.

One message is one native record, numbered through the file. Source:
docs/reference/native-formats.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from hindsight_cli.capture.draft import Draft, DraftEvent, Problem, SessionInfo
from hindsight_cli.capture.formats.content import type_of
from hindsight_cli.capture.formats.jsonlines_reader import excerpt_of, parse_json
from hindsight_cli.capture.formats.message_events import Chat, calls_tool, role_of
from hindsight_cli.capture.formats.message_runs import Run, is_message, message_list, read_runs
from hindsight_cli.records.event import Actor, EventType, Outcome
from hindsight_cli.records.jsonvalue import JsonValue

_ID_KEYS = ("task_id", "instance_id", "id", "uuid", "conversation_id", "session_id")
_NEAR_BYTES = 64 * 1024  # searched; what is longer is parsed only where that tells nothing
_FIRST_MESSAGE = re.compile(
    rb'"(?:messages|traj|trajectory|conversations)"\s*:\s*\[\s*\{\s*'
    rb'(?:"\w+"\s*:\s*(?:"(?:\\.|[^"\\])*"|[\w.+-]+|\[\s*\])\s*,\s*)*"(?:role|from)"\s*:'
    rb'|"(?:messages|conversations)"\s*:\s*"\[\s*\{\s*\\"(?:role|content)\\"'
)
_BARE_MESSAGE = re.compile(
    rb'\[\s*\{\s*(?:"\w+"\s*:\s*(?:"(?:\\.|[^"\\])*"|[\w.+-]+)\s*,\s*)*"role"\s*:'
)


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file begins with a chat message, or with a run that holds some."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head[:1] not in (b"[", b"{"):
        return False
    near, line = head[:_NEAR_BYTES], head.split(b"\n", 1)[0]
    is_long = len(line) > _NEAR_BYTES
    if head.startswith(b"[") or is_long:
        if (head.startswith(b"[") and _BARE_MESSAGE.match(head)) or _FIRST_MESSAGE.search(near):
            return True
        if not is_long:
            return False
    try:
        first = parse_json(line)
    except (ValueError, RecursionError):
        return bool(_FIRST_MESSAGE.search(near))
    if isinstance(first, list):
        first = next(iter(first), None)
    return (is_message(first) and "payload" not in first) or bool(message_list(first))


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every message of every run in the file, in order."""
    index = 0
    used: Counter[str] = Counter()
    for run in read_runs(path):
        if isinstance(run, Problem):
            yield replace(run, line=max(run.line, index + 1))
            continue
        for record in _records(run, used):
            index += 1
            yield replace(record, line=index)


def _records(run: Run, used: Counter[str]) -> Iterator[Draft | Problem]:
    """The drafts of one run, numbered within it; the outcome goes to the last message."""
    opening, rest = _opening(run.messages)
    session = _session(run.about, opening)
    used[session.session_id] += 1
    if used[session.session_id] > 1:  # the same beginning twice: two runs all the same
        session = replace(session, session_id=f"{session.session_id}-{used[session.session_id]}")
    chat = Chat()
    outcome = _outcome_event(run.about)
    held: Draft | Problem | None = None
    for position, message in enumerate(chain(opening, rest)):
        if held is not None:
            yield held
        held = _record(message, position, session, chat)
    if isinstance(held, Draft) and outcome is not None:
        held = replace(held, events=(*held.events, outcome))
    if held is not None:
        yield held


def _opening(
    messages: Iterator[JsonValue | Problem],
) -> tuple[list[JsonValue | Problem], Iterator[JsonValue | Problem]]:
    """The messages up to the first call: what identifies a run that still grows."""
    opening: list[JsonValue | Problem] = []
    for message in messages:
        opening.append(message)
        if calls_tool(message):
            break
    return opening, messages


def _session(about: Mapping[str, JsonValue], opening: Iterable[JsonValue]) -> SessionInfo:
    named = next((about[key] for key in _ID_KEYS if about.get(key) is not None), None)
    beginning = [message for message in opening if not isinstance(message, Problem)]
    digest = _digest([named, about.get("trial"), beginning])[:16]
    agent = "openai-messages"
    if "reward" in about and "task_id" in about:
        agent = "tau-bench"
    elif "reward_info" in about:
        agent = "tau2-bench"
    elif any(_is_anthropic(message) for message in beginning):
        agent = "anthropic-messages"
    model = about.get("model", about.get("model_name"))
    return SessionInfo(
        session_id=f"{agent}-{digest}",
        agent=agent,
        model=model if isinstance(model, str) else None,
    )


def _is_anthropic(message: JsonValue) -> bool:
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, list) and any(
        isinstance(block, dict) and type_of(block) in {"tool_use", "tool_result", "thinking"}
        for block in content
    )


def _record(
    message: JsonValue | Problem, position: int, session: SessionInfo, chat: Chat
) -> Draft | Problem:
    if isinstance(message, Problem):
        return message
    if not isinstance(message, dict):
        kind = type(message).__name__
        excerpt = excerpt_of(json.dumps(message)[:400].encode())
        return Problem(
            line=1, reason=f"a JSON {kind} where a message was expected", excerpt=excerpt
        )
    known = is_message(message)
    usage = message.get("usage")
    return Draft(
        session=session,
        line=1,
        native_type=role_of(message) or type_of(message) or "(no type)",
        native_id=f"m{position}-{_digest(message)[:8]}",
        events=tuple(chat.events_of(message)) if known else (),
        usage=usage if isinstance(usage, dict) else None,
        known=known,
    )


def _digest(value: JsonValue) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _outcome_event(about: Mapping[str, JsonValue]) -> DraftEvent | None:
    """What a benchmark says of the run: a reward, or whether the task was resolved."""
    info = about.get("reward_info")
    reward = about.get("reward", info.get("reward") if isinstance(info, dict) else None)
    if isinstance(reward, int | float):
        value = float(reward)
        outcome = Outcome.PARTIAL
        if value >= 1.0:
            outcome = Outcome.SUCCESS
        elif value <= 0.0:
            outcome = Outcome.FAILURE
        extra: dict[str, JsonValue] = {
            "outcome": outcome.value,
            "source": "reward",
            "reward": value,
        }
    else:
        resolved = about.get("resolved", about.get("target"))
        if not isinstance(resolved, bool):
            return None
        outcome = Outcome.SUCCESS if resolved else Outcome.FAILURE
        extra = {"outcome": outcome.value, "source": "resolved"}
    return DraftEvent(event_type=EventType.OUTCOME, actor=Actor.SYSTEM, extra=extra)
