"""What a command line does, taken apart so that two of them can be compared. Pure.

A reading, not a shell: an option's value is the word after it, whether it takes one or not,
so a comparison never relies on that word alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hindsight_cli.reflect import programs, shell
from hindsight_cli.reflect.commands import segments
from hindsight_cli.reflect.shell import Invocation
from hindsight_cli.reflect.shell_syntax import HEREDOC, MAX_CHARS, simple_commands

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_NUMBER_OPTION = re.compile(r"(-[A-Za-z])(\d.*)", re.DOTALL)
_CLUSTER = re.compile(r"-[A-Za-z]{1,4}")
_NO_OPTION = re.compile(r"-\d|-$|[^-]|$")
_KEYWORDS = re.compile(r"^\s*(?:(?:until|while|if|then|elif|else|do|!)\s+)+")
_SWITCHES = frozenset("01")
_SETTERS = frozenset({"export", "env", "declare", "setenv"})
_NO_VERB = programs.LOOKERS | programs.FILTERS | programs.INTERPRETERS
_PLAIN_WORD = re.compile(r"[a-z][a-z-]+")
_NUMBER = re.compile(r"[\d.:,x-]*\d[\d.:,x-]*(?:[A-Za-z%]{1,3}|/tcp|/udp)?|0[xX][0-9a-fA-F]+")
_ONE_OFF = re.compile(
    r"[<>{}$…*]|\.\.\.|://|\[REDACTED|\s|^[/~.]|/.*\.\w{1,5}$|\w\.[a-z]{1,5}$|^[0-9a-f]{7,}$"
    r"|^[A-Z][A-Z0-9_]*$|^[xX]{2,}$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One program started, or one setting made, by a command line."""

    program: str
    intent: str  # "docker run", "git stash pop"; "" for settings alone
    options: Mapping[str, frozenset[str]]  # name -> the words after it, "" where there is none
    words: tuple[str, ...]  # every other word, options' values included
    assigned: Mapping[str, str]  # variables set for it, or by it
    piped: bool
    rehearsed: bool  # only shows help, or what would be done

    @property
    def looks(self) -> bool:
        """Whether it only shows something."""
        if self.program in programs.LOOKERS | programs.FILTERS:
            return not (self.program in {"sed", "perl"} and self.has("-i"))
        return any(self.intent == s or self.intent.startswith(s + " ") for s in programs.SHOWING)

    def has(self, option: str) -> bool:
        """Whether an option was given, alone or in a cluster such as `-xzf`."""
        if option in self.options:
            return True
        letters = {c for name in self.options if _CLUSTER.fullmatch(name) for c in name[1:]}
        return _CLUSTER.fullmatch(option) is not None and set(option[1:]) <= letters


@lru_cache(maxsize=2048)
def deeds_of(command: str) -> tuple[Deed, ...]:
    """Everything the line starts or sets, in order; what it echoes or writes down is neither."""
    text = HEREDOC.sub(r" \3\n", command[:MAX_CHARS])
    return tuple(deed for part in segments(text) for deed in _read(_KEYWORDS.sub("", part)))


def _read(part: str) -> Iterator[Deed]:
    words = next((words for words, _ in simple_commands(part)), [])
    assigned = _assignments(words)
    started = shell.invocations(part)
    rehearsed = shell.is_rehearsal(part) or words[:2] in (["command", "-v"], ["command", "-V"])
    for one in started:
        options, plain = options_of(_own_words(one))
        yield Deed(
            program=one.program,
            intent=_whole_intent(one.program, one.intent, one.words),
            options=options,
            words=plain,
            assigned=assigned,
            piped=one.piped,
            rehearsed=rehearsed,
        )
    if not started and words[:1] in (["cd"], ["pushd"], ["source"], ["."]) and words[1:]:
        yield _setting(words[0], words[1:], {})
    elif not started and assigned:
        yield _setting("", [], assigned)


def _own_words(one: Invocation) -> tuple[str, ...]:
    """The arguments of what is run: those after the module in `python -m pip install x`."""
    is_module = one.program == "python" and "-m" in one.words and one.intent[:6] != "python"
    return one.words[one.words.index("-m") + 2 :] if is_module else one.words


def _setting(program: str, words: Sequence[str], assigned: Mapping[str, str]) -> Deed:
    return Deed(
        program=program,
        intent=program,
        options={},
        words=tuple(words),
        assigned=assigned,
        piped=False,
        rehearsed=False,
    )


def _assignments(words: Sequence[str]) -> dict[str, str]:
    """Variables set before the program, or by `export` and `env`."""
    found: dict[str, str] = {}
    for word in words:
        if match := _ASSIGNED.fullmatch(word):
            found[match.group(1)] = match.group(2)
        elif word not in _SETTERS | programs.WRAPPERS and not word.startswith("-"):
            break
    return found


def options_of(words: Sequence[str]) -> tuple[dict[str, frozenset[str]], tuple[str, ...]]:
    """Options with the words after them, and all words that are no option."""
    options: dict[str, frozenset[str]] = {}
    plain = []
    for word, following in zip(words, [*words[1:], ""], strict=False):
        if _NO_OPTION.match(word):
            plain.append(word)
            continue
        name, has_value, value = word.partition("=")
        if match := _NUMBER_OPTION.fullmatch(word):
            name, value = match.groups()
        elif not has_value:
            value = following if _NO_OPTION.match(following) else ""
        options[name] = options.get(name, frozenset()) | {value}
    return options, tuple(plain)


def _whole_intent(program: str, intent: str, words: Sequence[str]) -> str:
    """With the second word of `git stash pop`, and the first one of programs we do not know."""
    last = intent.rpartition(" ")[2]
    following: Sequence[str] = ()
    if last in programs.GROUPS and last in words:
        following = words[list(words).index(last) + 1 :][:1]
    elif intent == program and program not in _NO_VERB and words:
        following = words[:1]
    return " ".join((intent, *(w for w in following if _PLAIN_WORD.fullmatch(w))))


def is_number(word: str) -> bool:
    """A count, a port, a duration, a version: another one may do as well; 0 and 1 are switches."""
    return _NUMBER.fullmatch(word) is not None and word not in _SWITCHES


def is_one_off(word: str) -> bool:
    """A path, an address, a message, a placeholder: it differs from run to run."""
    return is_number(word) or _ONE_OFF.search(word) is not None
