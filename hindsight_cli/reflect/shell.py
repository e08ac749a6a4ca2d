"""What a shell command line asks for: its programs, what they are to do, the files it writes.

Good enough to tell that two lines want the same thing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from hindsight_cli.reflect import programs
from hindsight_cli.reflect.programs import CheckKind
from hindsight_cli.reflect.shell_syntax import HEREDOC, MAX_CHARS, simple_commands

_MAX_NESTING = 3
_CACHED = 4096
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_WRITTEN = re.compile(r"(?<![\d&>])>{1,2}\s*([\w./~$@{}+-]+)")
_REHEARSED = frozenset({"--dry-run", "--help", "--version", "--collect-only", "--list"})
_MIN_SCRIPT_WORDS = 3  # bash -c "..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One program started by a command line."""

    program: str  # base name, or as written when it begins with ./
    words: tuple[str, ...]  # its arguments, unquoted
    intent: str  # program and what it is to do: "git rebase", "npm run build", "python seed.py"
    piped: bool = False  # reads the output of the one before

    @property
    def check(self) -> CheckKind | None:
        return programs.check_kind(self.program, self.intent)


@lru_cache(maxsize=_CACHED)
def invocations(command: str) -> tuple[Invocation, ...]:
    """Every program the line starts, in order; shell words such as `cd` and `echo` left out."""
    return tuple(_read(command, 0))


@lru_cache(maxsize=_CACHED)
def intents(command: str) -> frozenset[str]:
    """What the line is for. Filters behind a pipe are not what it is for."""
    found = [i for i in invocations(command) if not (i.piped and i.program in programs.FILTERS)]
    return frozenset(i.intent for i in found)


@lru_cache(maxsize=_CACHED)
def checks(command: str) -> frozenset[CheckKind]:
    return frozenset(i.check for i in invocations(command) if i.check is not None)


def bare(command: str) -> str:
    """The beginning of a line without the texts of its here-documents."""
    return HEREDOC.sub(r" \3 ", command[:MAX_CHARS])


@lru_cache(maxsize=_CACHED)
def written_files(command: str) -> tuple[str, ...]:
    """Files the line writes itself: redirections, `tee`, `sed -i`, `cp` and `mv` targets."""
    found = _WRITTEN.findall(bare(command))
    for one in invocations(command):
        plain = [w for w in one.words if not w.startswith("-")]
        if one.program == "tee":
            found += plain
        elif one.program in {"sed", "perl"} and any(re.match(r"-\w*i", w) for w in one.words):
            found += plain[1:] or plain
        elif one.program in {"cp", "mv"} and plain:
            found.append(plain[-1])
    return tuple(f for f in dict.fromkeys(found) if not f.startswith("/dev/"))


def removed_files(command: str) -> tuple[str, ...]:
    """Files or folders the line removes."""
    return tuple(
        word
        for one in invocations(command)
        if one.program in {"rm", "rmdir", "unlink"} or one.intent == "git rm"
        for word in one.words
        if not word.startswith("-") and word != "rm"
    )


def is_rehearsal(command: str) -> bool:
    """Whether the line only shows what would be done, or prints help or a version."""
    return any(
        _REHEARSED & set(one.words)
        or one.words[-1:] == ("-h",)  # followed by a word it names a host
        or (one.program in {"make", "gmake", "ninja"} and "-n" in one.words)
        for one in invocations(command)[:1]
    )


def only_shows(command: str) -> bool:
    """Whether nothing the line starts changes or checks anything."""
    return intents(command) <= programs.SHOWING or is_rehearsal(command)


def _read(command: str, depth: int) -> Iterator[Invocation]:
    if depth > _MAX_NESTING:
        return
    for words, piped in simple_commands(command):
        yield from _invocation(words, piped, depth)


def _invocation(words: list[str], piped: bool, depth: int) -> Iterator[Invocation]:
    words = _unwrapped(words)
    if not words:
        return
    program = programs.plain_name(words[0].rstrip("/").rpartition("/")[2] or words[0])
    inner = _inner_command(program, words)
    if inner is not None:
        yield from _invocation(inner, piped, depth + 1) if depth < _MAX_NESTING else ()
    elif program in programs.SHELLS and _runs_text(words):
        yield from _read(words[2], depth + 1)
    elif program not in programs.TRIVIAL:
        arguments = tuple(words[1:])
        if words[0].startswith("./"):
            program = words[0]
        intent = programs.intent_of(program, arguments)
        yield Invocation(program=program, words=arguments, intent=intent, piped=piped)


def _runs_text(words: list[str]) -> bool:
    return len(words) >= _MIN_SCRIPT_WORDS and re.fullmatch(r"-\w*c", words[1]) is not None


def _inner_command(program: str, words: list[str]) -> list[str] | None:
    """What `npx`, `uv run` and the like start; None for any other program."""
    leads = programs.RUNNERS.get(program)
    rest = [word for word in words[1:] if not word.startswith("-")]
    if leads is None or not rest:
        return None
    if not leads:
        return words[words.index(rest[0]) :]
    if rest[0] not in leads or len(rest) == 1:
        return None
    # Options may take values: an interpreter among the words is what is started.
    started = next((w for w in rest[1:] if w in programs.INTERPRETERS), rest[1])
    return words[words.index(started, words.index(rest[0]) + 1) :]


def _unwrapped(words: list[str]) -> list[str]:
    """The command without assignments, `sudo`, `timeout 30` and the like before it."""
    while words:
        if words[0] == "timeout":
            words = [w for w in words[1:] if not w.startswith("-")][1:]
        elif _ASSIGNMENT.match(words[0]) or words[0] in programs.WRAPPERS:
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
        else:
            break
    return words
