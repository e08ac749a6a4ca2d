"""mini-swe-agent trajectories: `*.traj.json`, formats mini-swe-agent-1 and 1.1, bare lists.

One message is one native record, numbered through the file. The agent writes the whole
file anew after every step. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from hindsight_cli.capture.draft import Draft, Problem, SessionInfo
from hindsight_cli.capture.formats.json_members import JsonCursor
from hindsight_cli.capture.formats.jsonlines_reader import NOT_READ, excerpt_of, why_not_read
from hindsight_cli.capture.formats.mini_swe_events import SENTINELS, Run
from hindsight_cli.capture.formats.mini_swe_messages import (
    KNOWN_ROLES,
    is_unexecuted,
    mapping,
    role_of,
    time_of,
)
from hindsight_cli.records.jsonvalue import JsonValue

_AGENT = "mini-swe-agent"
_TAIL_BYTES = 16 * 1024
_BEGINNING_BYTES = 2 * 1024
_SIGN = re.compile(rb'"trajectory_format"\s*:\s*"mini-swe-agent|"mini_version"\s*:\s*"')
_MEMBER = re.compile(rb'\A\{\s*"|[{,]\s*"(?:info|messages)"\s*:')
_BARE_LIST = re.compile(rb'\A\[\s*\{\s*"(?:role|content)"\s*:')
_BARE_SIGNS = (b"mswea_bash_command", b"<returncode>")


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file names mini-swe-agent's format, or is a list with its command words."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"{"):
        if _SIGN.search(head):
            return True
        return bool(_MEMBER.search(head[:_BEGINNING_BYTES]) and _SIGN.search(_tail(path)))
    return bool(
        _BARE_LIST.match(head)
        and any(sentinel.encode() in head for sentinel in SENTINELS)
        and any(sign in head for sign in _BARE_SIGNS)
    )


def _tail(path: Path) -> bytes:
    """The end of a file: where the format is named when something long comes first."""
    try:
        with path.open("rb") as file:
            file.seek(max(file.seek(0, 2) - _TAIL_BYTES, 0))
            return file.read()
    except OSError:
        return b""


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every message of every run in the file, in order; one message in memory at a time."""
    with path.open("rb") as file:
        cursor = JsonCursor(file)
        line = 0
        while cursor.peek():
            info: dict[str, JsonValue] = {}
            numbered = _numbered(_messages(cursor, info), line)
            for record in _records(numbered, info):
                line = record.line
                yield record
                if isinstance(record, Problem) and record.reason.startswith(NOT_READ):
                    return


def _messages(cursor: JsonCursor, info: dict[str, JsonValue]) -> Iterator[JsonValue | Problem]:
    """The messages of the run that begins at the cursor; fills `info` on the way."""
    try:
        if cursor.peek() == "[":
            yield from cursor.elements()
            return
        if not cursor.skip("{"):
            raise ValueError("no object")
        while not cursor.skip("}"):
            key = cursor.value()
            if not cursor.skip(":"):
                raise ValueError("no member")
            if key == "messages" and cursor.peek() == "[":
                yield from cursor.elements()
                continue
            value = cursor.value()
            if key == "info" and isinstance(value, dict):
                info.update(value)
    except (ValueError, RecursionError) as error:
        yield Problem(line=1, reason=why_not_read(error), excerpt=cursor.excerpt())


Numbered = tuple[int, JsonValue | Problem]


def _numbered(messages: Iterator[JsonValue | Problem], before: int) -> Iterator[Numbered]:
    for index, message in enumerate(messages, start=1):
        yield before + index, message


def _records(messages: Iterator[Numbered], info: dict[str, JsonValue]) -> Iterator[Draft | Problem]:
    """One draft a message, made when it is known what follows it."""
    opening, rest = _opening(messages)
    if not opening:
        return
    first = opening[0][0]
    session = _session(opening, info)
    run = Run(info)
    held: list[Numbered] = []
    for numbered in chain(opening, rest):
        message = numbered[1]
        follows = isinstance(message, dict) and not is_unexecuted(message)
        if held and (follows or not is_unexecuted(held[-1][1])):
            # An action that did not run is explained by what comes behind all such.
            following = message if isinstance(message, dict) else {}
            yield from (_record(one, following, run, session, first) for one in held)
            held = []
        held.append(numbered)
    yield from (_record(one, None, run, session, first) for one in held)


def _opening(messages: Iterator[Numbered]) -> tuple[list[Numbered], Iterator[Numbered]]:
    """The messages up to the first with a time: two runs of one task differ in it.

    Files without times are written once, when the run is over, so that all of them counts.
    """
    opening: list[Numbered] = []
    for numbered in messages:
        opening.append(numbered)
        if isinstance(numbered[1], dict) and time_of(numbered[1]) is not None:
            break
    return opening, messages


def _session(opening: list[Numbered], info: Mapping[str, JsonValue]) -> SessionInfo:
    config = mapping(info.get("config"))
    model = mapping(config.get("model")).get("model_name")
    cwd = mapping(config.get("environment")).get("cwd")
    version = info.get("mini_version")
    known = [message for _, message in opening if not isinstance(message, Problem)]
    return SessionInfo(
        session_id=f"{_AGENT}-{_digest(known)[:16]}",
        agent=_AGENT,
        agent_version=version if isinstance(version, str) else None,
        cwd=cwd if isinstance(cwd, str) and cwd else None,
        model=model if isinstance(model, str) else None,
    )


def _record(
    numbered: Numbered,
    following: Mapping[str, JsonValue] | None,
    run: Run,
    session: SessionInfo,
    first: int,
) -> Draft | Problem:
    line, message = numbered
    if isinstance(message, Problem):
        return Problem(line=line, reason=message.reason, excerpt=message.excerpt)
    if not isinstance(message, dict):
        excerpt = excerpt_of(json.dumps(message)[:400].encode())
        kind = type(message).__name__
        return Problem(
            line=line, reason=f"a JSON {kind} where a message was expected", excerpt=excerpt
        )
    role = role_of(message)
    known = role in KNOWN_ROLES
    return Draft(
        session=session,
        line=line,
        native_type=role or "(no role)",
        native_id=f"m{line - first}-{_digest(message)[:8]}",
        events=tuple(run.events_of(message, following)) if known else (),
        usage=_usage(message),
        known=known,
    )


def _usage(message: Mapping[str, JsonValue]) -> Mapping[str, JsonValue] | None:
    """Tokens and cost of the reply that a message is or tells of."""
    extra = mapping(message.get("extra"))
    usage = mapping(mapping(extra.get("response")).get("usage")) or mapping(message.get("usage"))
    numbers = {**usage, "cost": extra.get("cost")}
    kept = {k: v for k, v in numbers.items() if type(v) in (int, float)}
    return kept or None


def _digest(value: JsonValue) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
