"""Experiences from edits that were refused: the editor's own rules, the same in any file."""

from __future__ import annotations

import re

from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import edits_of, is_lookup, path_of, same_file, similarity
from hindsight_cli.reflect.findings import Chain
from hindsight_cli.reflect.lessons.lesson import Silence, failure_lesson
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.telling import error_lines, stable

_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "not_read",
        re.compile(
            r"not been read|read it first|must (?:first )?read|has been (?:modified|changed) since",
            re.I,
        ),
    ),
    (
        "not_unique",
        re.compile(
            r"\b(?:multiple|[2-9]|\d{2,}) (?:matches|occurrences)|not unique|uniquely"
            r"|appears? \d+ times",
            re.I,
        ),
    ),
    (
        "not_found",
        re.compile(
            r"(?:string|text|old_str\w*|block|context|lines?)\b.{0,60}\bnot (?:found|match|appear)"
            r"|(?:no|did not find|failed to find|0) (?:match|occurrence|expected lines)"
            r"|no replacement was performed|could not find",
            re.I,
        ),
    ),
)
_WORTH_RULE = 2.4  # met again in any file
_SAME_PLACE = 0.5


def draft_edit(writer: Writer, chain: Chain, fix: Call) -> Draft | Silence:
    """Which of the editor's rules was broken; silent when it is none of those that return."""
    found = next(((r, c, line) for c in chain.failed for r, c, line in _broken(c)), None)
    if found is None or not edits_of(fix):
        return Silence.NOTHING_TELLING
    rule, failed, line = found
    reads = [c for c in chain.between if is_lookup(c) and same_file(path_of(c), path_of(failed))]
    if rule == "not_read" and not reads:
        return Silence.NOTHING_TELLING
    count = sum(similarity(_sent(c), _sent(failed)) > _SAME_PLACE for c in chain.failed)
    common = {"tool": f"`{failed.tool_name}`", "error": _quoted(line)}
    texts = {
        "scenario": writer.say("edit", "scenario", **common),
        "recommend": writer.say("edit", f"recommend_{rule}", **common),
        "avoid": writer.say("edit", f"avoid_{rule}", **common),
        "why": writer.say(
            "edit",
            "why",
            failed=writer.steps(chain.failed[:6]),
            errors=_quoted(line),
            fix_step=fix.step_index,
            repeated=writer.say("edit", "repeated", n=count) if count > 1 else "",
            between=writer.words("between").format(steps=writer.steps(reads[-2:])) if reads else "",
        ),
    }
    draft = failure_lesson(writer, chain, texts, worth=_WORTH_RULE, extra=reads[-1:])
    draft.proposal["layer"] = "general"
    return draft


def _broken(call: Call) -> list[tuple[str, Call, str]]:
    lines = error_lines(call, 3)
    return [(rule, call, line) for rule, told in _RULES for line in lines if told.search(line)]


def _quoted(line: str) -> str:
    text = stable(line)
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _sent(call: Call) -> str:
    if call.tool_kind is ToolKind.SHELL:
        return call.command
    return "\n".join(f"{e.old}\n{e.new}" for e in edits_of(call)) or call.command
