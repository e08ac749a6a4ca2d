"""What a shell command line runs, as far as needed to judge whose output and status we see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

_MAX_CHARS = 20_000
_MAX_COMMANDS = 500
_MAX_DEPTH = 3
_HEREDOC = re.compile(r"(?<!<)<<-?\s*(?!<)(['\"]?)(?P<tag>\w+)\1(?P<rest>[^\n]*)\n")
_QUOTED = r"""'[^']*'|"(?:\\.|[^"\\])*\""""
_TOKEN = re.compile(
    rf"""(?P<gap>[ \t]+|\\\n)
    |(?P<comment>(?<![^\s;|&])\#[^\n]*)
    |(?P<redirect>\d*(?:>>|>&|<&|&>>?|>\||>|<<<|<)\s*(?:&?\d\b|(?:{_QUOTED}|[^\s;|&()<>])+)?)
    |(?P<join>&&|\|\||\|&|;;|[;|&\n])
    |(?P<paren>[{{}}](?=\s|;|$)|[()])
    |(?P<word>(?:\\.|{_QUOTED}|\$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|\$\{{[^}}]*\}}
        |[^\s;|&()<>'"\\])+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_TO_FILE = re.compile(r"1?>>?\s*(?![&\s])|&>")
_ASSIGNMENT = re.compile(r"\w+\+?=")
# Words before a command that leave its output and status its own.
_PREFIXES = frozenset(
    {"sudo", "doas", "env", "time", "nice", "nohup", "exec", "stdbuf", "unbuffer", "builtin"}
    | {"then", "do", "else", "elif", "if", "while", "until", "!"}
)
_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish"})
_BLOCK_WORDS = frozenset({"for", "done", "fi", "case", "esac", "function", "select", "in"})


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command of a line."""

    program: str  # name without its directory
    words: tuple[str, ...]  # arguments, quotes removed
    joined: str = ""  # operator before it: "", "&&", "||", ";", "|", "&"
    silenced: bool = False  # its output goes elsewhere

    @property
    def subcommand(self) -> str:
        """The first argument that is not an option."""
        return next((word for word in self.words if not word.startswith("-")), "")


def parse_line(line: str) -> tuple[Command, ...]:
    """The simple commands of a line, in order; a best effort that never fails."""
    return tuple(islice(_commands(line[:_MAX_CHARS], depth=0), _MAX_COMMANDS))


def pipelines(commands: tuple[Command, ...]) -> list[list[Command]]:
    """Commands grouped by the pipes between them."""
    groups: list[list[Command]] = []
    for command in commands:
        if command.joined == "|" and groups:
            groups[-1].append(command)
        else:
            groups.append([command])
    return groups


def replaced_statuses(groups: list[list[Command]], *, errexit: bool = False) -> list[bool]:
    """For every pipeline, whether a later one decides the status of the line in its stead."""
    carrying = {"&&", ";"} if errexit else {"&&"}
    replaced: list[bool] = []
    behind = False
    for group in reversed(groups):
        replaced.append(behind)
        behind = behind or group[0].joined not in carrying
    return replaced[::-1]


def _commands(line: str, *, depth: int) -> Iterator[Command]:
    for joined, words, silenced in _segments(_without_heredocs(line)):
        yield from _expanded(words, joined=joined, silenced=silenced, depth=depth)


def _without_heredocs(line: str) -> str:
    """The line without the texts it carries for its commands' input."""
    kept: list[str] = []
    at = 0
    while match := _HEREDOC.search(line, at):
        kept.append(line[at : match.start()] + match["rest"])
        end = re.compile(rf"^[ \t]*{match['tag']}\b", re.MULTILINE).search(line, match.end())
        at = end.end() if end else len(line)
    return "".join([*kept, line[at:]])


def _segments(line: str) -> Iterator[tuple[str, list[str], bool]]:
    """The words between operators: the operator before them, and whether they print elsewhere."""
    words: list[str] = []
    joined, silenced = "", False
    for match in _TOKEN.finditer(line + "\n"):
        kind, token = match.lastgroup, match.group()
        if kind == "word":
            words.append(token)
        elif kind == "redirect":
            silenced = silenced or bool(_TO_FILE.match(token))
        elif kind in {"join", "paren"}:
            if words:
                yield joined, words, silenced
                joined, words, silenced = ";", [], False
            if kind == "join":
                joined = _operator(token, before=joined)


def _operator(token: str, *, before: str) -> str:
    if token == "\n":
        return before or ";"
    return {"|&": "|", ";;": ";"}.get(token, token)


def _expanded(words: list[str], *, joined: str, silenced: bool, depth: int) -> Iterator[Command]:
    words = _without_prefixes([_unquoted(word) for word in words])
    if not words:
        return
    program, arguments = words[0].rsplit("/", 1)[-1], words[1:]
    if program in _SHELLS and depth < _MAX_DEPTH:
        flag = next((i for i, word in enumerate(arguments) if re.fullmatch(r"-\w*c", word)), None)
        if flag is not None and flag + 1 < len(arguments):
            for number, inner in enumerate(_commands(arguments[flag + 1], depth=depth + 1)):
                yield replace(inner, joined=joined) if number == 0 else inner
            return
    yield Command(program, tuple(arguments), joined, silenced)


def _without_prefixes(words: list[str]) -> list[str]:
    at = 0
    while at < len(words):
        word = words[at]
        if word == "timeout":
            at += 1
            while at < len(words) and (words[at].startswith("-") or words[at][:1].isdigit()):
                at += 1
        elif _ASSIGNMENT.match(word) or word in _PREFIXES:
            at += 1
        else:
            break
    return [] if at < len(words) and words[at] in _BLOCK_WORDS else words[at:]


def _unquoted(word: str) -> str:
    if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"":
        return word[1:-1]
    return word.replace("'", "").replace('"', "").replace("\\", "") if "=" not in word else word
