"""Where agents keep the sessions they have run on this machine.

Source: docs/reference/agents.md. Only looked at when a person asks for it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_CWD = re.compile(rb'"cwd"\s*:\s*("(?:[^"\\\n]|\\.)*")')
_FIRST_BYTES = 16 * 1024
_MOST_BYTES = 1024 * 1024  # a first record may quote long instructions before the folder


@dataclass(frozen=True, slots=True, kw_only=True)
class PastFile:
    """A transcript on this machine."""

    agent: str
    path: Path
    size_bytes: int
    modified_ns: int
    cwd: str | None  # where its session began; None: not told, or many sessions in one file
    holds_many: bool = False  # sessions of several folders: to be told apart when it is read


@dataclass(frozen=True, slots=True, kw_only=True)
class _Store:
    agent: str
    root: Callable[[Mapping[str, str]], str | None]
    patterns: tuple[str, ...]
    holds_many: bool = False


def past_files(env: Mapping[str, str], folders: Sequence[str]) -> Iterator[PastFile]:
    """Every transcript of every agent that can be read, whatever project it is of.

    `folders` are paths that a folder named by a hash may stand for. A file that cannot be
    looked at is left out.
    """
    hashed = {hashlib.sha256(f.encode("utf-8", "surrogateescape")).hexdigest(): f for f in folders}
    for store in _STORES:
        root = store.root(env)
        if root is None or not Path(root).is_dir():
            continue
        paths = {p for pattern in store.patterns for p in Path(root).glob(pattern)}
        for path in sorted(paths):
            found = _looked_at(store, path, hashed)
            if found is not None:
                yield found


def agents() -> list[str]:
    return sorted({store.agent for store in _STORES})


def _looked_at(store: _Store, path: Path, hashed: Mapping[str, str]) -> PastFile | None:
    try:
        if not path.is_file():
            return None
        parts = [path.stat()]
        log = path.with_name(f"{path.name}-wal")  # where a database keeps what is new
        if store.holds_many and log.is_file():
            parts.append(log.stat())
        cwd = None if store.holds_many else _cwd_of(path, hashed)
    except OSError:
        return None
    return PastFile(
        agent=store.agent,
        path=path,
        size_bytes=sum(part.st_size for part in parts),
        modified_ns=max(part.st_mtime_ns for part in parts),
        cwd=cwd,
        holds_many=store.holds_many,
    )


def _cwd_of(path: Path, hashed: Mapping[str, str]) -> str | None:
    """The folder a session began in: as its folder says, else as its first records do."""
    for folder in path.parents[:4]:
        if folder.name in hashed:
            return hashed[folder.name]
        marker = folder / ".project_root"
        if marker.is_file():
            return marker.read_text(encoding="utf-8", errors="replace").strip()
    with path.open("rb") as file:
        for size in (_FIRST_BYTES, _MOST_BYTES):
            file.seek(0)
            match = _CWD.search(file.read(size))
            if match is not None:
                break
    if match is None:
        return None
    try:
        return str(json.loads(match[1]))
    except ValueError:
        return None


def _home(env: Mapping[str, str], *parts: str) -> str | None:
    home = env.get("HOME")
    return str(Path(home, *parts)) if home else None


def _claude(env: Mapping[str, str]) -> str | None:
    return env.get("CLAUDE_CONFIG_DIR") or _home(env, ".claude")


def _codex(env: Mapping[str, str]) -> str | None:
    return env.get("CODEX_HOME") or _home(env, ".codex")


def _gemini(env: Mapping[str, str]) -> str | None:
    home = env.get("GEMINI_CLI_HOME")
    return str(Path(home, ".gemini")) if home else _home(env, ".gemini")


def _qwen(env: Mapping[str, str]) -> str | None:
    return env.get("QWEN_RUNTIME_DIR") or env.get("QWEN_HOME") or _home(env, ".qwen")


def _opencode(env: Mapping[str, str]) -> str | None:
    data = env.get("XDG_DATA_HOME")
    return str(Path(data, "opencode")) if data else _home(env, ".local", "share", "opencode")


def _pi(env: Mapping[str, str]) -> str | None:
    return env.get("PI_CODING_AGENT_DIR") or _home(env, ".pi", "agent")


_STORES = (
    _Store(
        agent="claude-code",
        root=_claude,
        patterns=("projects/*/*.jsonl", "projects/*/*/subagents/**/*.jsonl"),
    ),
    _Store(
        agent="codex",
        root=_codex,
        patterns=("sessions/**/rollout-*.jsonl", "archived_sessions/**/rollout-*.jsonl"),
    ),
    _Store(agent="gemini-cli", root=_gemini, patterns=("tmp/*/chats/**/*.json*",)),
    _Store(
        agent="qwen-code",
        root=_qwen,
        patterns=("projects/*/chats/**/*.jsonl", "projects/*/subagents/**/*.jsonl"),
    ),
    _Store(
        agent="opencode",
        root=_opencode,
        patterns=("opencode.db", "opencode-*.db"),
        holds_many=True,
    ),
    _Store(agent="pi", root=_pi, patterns=("sessions/**/*.jsonl",)),
    _Store(
        agent="openclaw",
        root=lambda env: _home(env, ".openclaw"),
        patterns=("agents/*/sessions/*.jsonl",),
    ),
    _Store(
        agent="copilot-cli",
        root=lambda env: env.get("COPILOT_HOME") or _home(env, ".copilot"),
        patterns=("session-state/*/events.jsonl",),
    ),
)
