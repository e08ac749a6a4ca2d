"""Fills sentences and shapes a proposal as the model-answer schema has it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hindsight_cli.records.event import Outcome
from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import edits_of, path_of, query_of
from hindsight_cli.reflect.commands import SHORT, short_command
from hindsight_cli.reflect.essence import Change, short_path
from hindsight_cli.reflect.lines import whole_line
from hindsight_cli.reflect.reading import Reading
from hindsight_cli.reflect.tags import task_tags, tool_tags
from hindsight_cli.reflect.telling import error_lines, quoted, quoted_piece, short_error
from hindsight_cli.reflect.wording import language_of, sentences
from hindsight_cli.text import plain_utf8

_TASK_CHARS = 80
MAX_SCENARIO = 200
_ERROR_CHARS = 160
_QUERY_CHARS = 60
_TAGGED = 4  # citations, the telling ones first
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")
# A greeting, a question, the heading of a longer text: none of them tells the task.
_NO_TASK = re.compile(r"^\s*(?:hi|hello|hey|dear|thanks|你好|您好)\b|[?？:：]\s*$", re.I)
_TASK_LOOKED_AT = 8_000
_TASK_LINE = 400
_ARGUMENT_CHARS = 110
_TELLING = re.compile(r"(?:[^\W\d_]{2,}\W+){2}|[\u3400-\u9fff]{3}")
_MARKUP = re.compile(r"[<#/{\[|=-]")
MAX_CITES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A proposal and how much it is worth keeping (higher first)."""

    worth: float
    proposal: dict[str, JsonValue]
    key: str = ""  # findings with the same key say the same: the first is kept


@dataclass(frozen=True)
class Writer:
    """Sentences in the language of the task. Not slotted: holds the parsed templates."""

    reading: Reading
    outcome: Outcome = Outcome.UNKNOWN

    @property
    def language(self) -> str:
        return language_of(self.reading.trace.task)

    def say(self, family: str, name: str, **literals: object) -> str:
        template: str = sentences(self.language)[family][name]
        return template.format(**literals)

    def words(self, name: str) -> str:
        found: Any = sentences(self.language)["common"][name]
        return str(found)

    def scenario(self, family: str, **literals: object) -> str:
        """The situation in at most MAX_SCENARIO characters; the task only where it fits."""
        text = self.say(family, "scenario", task=self.task(), **literals)
        if len(text) > MAX_SCENARIO:
            text = self.say(family, "scenario", task="", **literals)
        return text

    def task(self) -> str:
        """` (task: ...)`, "" when no short sentence tells it whole."""
        text = self.task_text()
        return self.words("task").format(task=text) if text else ""

    def task_text(self) -> str:
        """The first telling sentence of the task, without backticks; "" when it is long."""
        task = self.reading.trace.task[:_TASK_LOOKED_AT]
        lines = [line.strip()[:_TASK_LINE] for line in task.split("\n")]
        telling = [line for line in lines if _TELLING.search(line) and not _MARKUP.match(line)]
        text = _SENTENCE.split(telling[0])[0] if telling else ""
        if len(text) > _TASK_CHARS or _NO_TASK.search(text):
            return ""
        return text.replace("`", "'").rstrip(" .。:：,，;；")

    def join(self, parts: Iterable[str]) -> str:
        return self.words("list").join(parts)

    def then(self, parts: Iterable[str]) -> str:
        return self.words("and").join(parts)

    def argument(self, name: str, value: str) -> str:
        """Name and value, or the value alone when the tool takes bare text."""
        shown = quoted(value, _ARGUMENT_CHARS)
        return self.words("argument").format(name=name, value=shown) if name else shown

    def steps(self, calls: Iterable[Call]) -> str:
        return self.join(str(call.step_index) for call in calls)

    def command(self, call: Call, wanted: frozenset[str] = frozenset(), chars: int = SHORT) -> str:
        """What was called, quoted: the telling part of the line, or tool and file or question."""
        if call.command:
            return quoted_piece(short_command(call.command, wanted, chars))
        about = short_path(path_of(call)) if edits_of(call) else query_of(call)
        about = about or short_path(path_of(call))
        short = len(about) <= _QUERY_CHARS
        return f"`{call.tool_name}` {quoted(about)}" if about and short else f"`{call.tool_name}`"

    def deed(self, call: Call) -> str:
        """What to do as `call` did it: a whole command line, "" when it cannot be told whole."""
        return whole_line(call) if call.command else self.command(call)

    def error(self, call: Call) -> str:
        """The telling part of the error, quoted; for a tool the same in every run."""
        return quoted_piece(short_error(call)) or f"`{call.status}`"

    def errors(self, call: Call, limit: int = 2) -> str:
        """Telling lines of the output, quoted; they stand for the whole."""
        lines = error_lines(call, limit)
        return self.join(quoted(line, _ERROR_CHARS) for line in lines) or f"`{call.status}`"

    def change(self, change: Change) -> str:
        name = "change" if change.old and change.new else "remove" if change.old else "add"
        text = self.words("move" if change.moved else name).format(
            file=change.file, old=quoted(change.old), new=quoted(change.new)
        )
        return text.replace(self.words("nowhere"), "")

    def proposal(
        self,
        kind: ExperienceKind,
        texts: dict[str, str],
        calls: Sequence[Call],
        *,
        workaround: bool = False,
    ) -> dict[str, JsonValue]:
        """The plain dict of one experience; `calls` are its citations, the telling ones first."""
        cited = list({call.step_index: call for call in calls}.values())[:MAX_CITES]
        cited.sort(key=lambda call: call.step_index)
        return {
            "kind": kind.value,
            "scenario": _sentence(texts["scenario"]),
            "recommend": _sentence(texts["recommend"]),
            "avoid": _sentence(texts.get("avoid", "")),
            "why": _sentence(self._why(texts.get("why", ""))),
            "cites": [{"step": call.step_index, "tool": call.tool_name} for call in cited],
            "workaround": workaround,
            "layer": "specific",
            "scope": {},
            "tool_tags": tool_tags(calls[:_TAGGED]),
            "task_tags": task_tags(cited),
        }

    def _why(self, text: str) -> str:
        """The reason, and a note when the run that gives it failed all the same."""
        failed = self.outcome is Outcome.FAILURE and text
        return f"{text} {self.words('failed_run')}" if failed else text


def _sentence(text: str) -> str:
    """First letter large, white space folded, nothing in it that cannot be shown."""
    text = " ".join(plain_utf8(text).split())
    text = "".join(char for char in text if char.isprintable())
    return text[:1].upper() + text[1:]
