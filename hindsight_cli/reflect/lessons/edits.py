"""Experiences from edits that were refused: the editor's own rules, the same in any file."""

from __future__ import annotations

import re
from dataclasses import replace

from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import edits_of, is_lookup, path_of, same_file, similarity
from hindsight_cli.reflect.findings import Chain, Nature
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
            r"|did not appear|no replacement was performed|could not find",
            re.I,
        ),
    ),
)
_GENERAL = re.compile(r"no replacement was performed", re.I)
_WORTH_RULE = 2.4  # met again in any file
_SAME_PLACE = 0.5
_TAIL_CHARS = 400


def draft_edit(writer: Writer, chain: Chain, fix: Call) -> Draft | Silence:
    """Which of the editor's rules was broken; silent when it is none of those that return."""
    drafts = _drafts(writer, chain, fix)
    return drafts[0] if drafts else Silence.NOTHING_TELLING


def draft_other_rules(writer: Writer, chain: Chain) -> list[Draft]:
    """The other rules that were broken until one edit was accepted."""
    is_edit = chain.nature is Nature.EDIT and not chain.is_luck and not chain.expected
    return _drafts(writer, chain, chain.fix)[1:] if is_edit and chain.fix else []


def _drafts(writer: Writer, chain: Chain, fix: Call) -> list[Draft]:
    """One for each rule, in the order in which they were broken first."""
    if not edits_of(fix):
        return []
    broken: dict[str, list[Call]] = {}
    for call in chain.failed:
        if rule := _broken_rule(call):
            broken.setdefault(rule, []).append(call)
    found = (
        _draft_rule(writer, replace(chain, failed=tuple(calls)), fix, rule)
        for rule, calls in broken.items()
    )
    return [draft for draft in found if draft is not None]


def _draft_rule(writer: Writer, chain: Chain, fix: Call, rule: str) -> Draft | None:
    failed = chain.failed[0]
    reads = [c for c in chain.between if is_lookup(c) and same_file(path_of(c), path_of(failed))]
    if rule == "not_read" and not reads:
        return None
    count = sum(similarity(_sent(c), _sent(failed)) > _SAME_PLACE for c in chain.failed)
    told = writer.join(dict.fromkeys(map(_quoted, _message(failed))))
    common = {"tool": f"`{failed.tool_name}`", "error": told}
    texts = {
        "scenario": writer.say("edit", "scenario", **common),
        "recommend": writer.say("edit", f"recommend_{rule}", **common),
        "avoid": writer.say("edit", f"avoid_{rule}", **common),
        "why": writer.say(
            "edit",
            "why",
            failed=writer.steps(chain.failed[:6]),
            errors=told,
            fix_step=fix.step_index,
            repeated=writer.say("edit", "repeated", n=count) if count > 1 else "",
            between=writer.words("between").format(steps=writer.steps(reads[-2:])) if reads else "",
        ),
    }
    draft = failure_lesson(writer, chain, texts, worth=_WORTH_RULE, extra=reads[-1:])
    draft.proposal["layer"] = "general"
    return replace(draft, key=f"{failed.tool_name} {rule}")


def _broken_rule(call: Call) -> str:
    lines = [*error_lines(call, 3), *_message(call)]
    return next((rule for rule, told in _RULES if any(map(told.search, lines))), "")


def _message(call: Call) -> tuple[str, ...]:
    """What the editor says, without the text it was given, which may stand in the middle."""
    first = error_lines(call, 1)
    if not first or first[0].count("`") % 2 == 0:
        sentences = re.split(r"(?<=[.!?])\s+", first[0]) if first else []
        said = [text for text in sentences if any(told.search(text) for _, told in _RULES)]
        telling = [text for text in said if not _GENERAL.match(text)]
        return tuple((telling or said)[:1]) or first
    head = first[0].rpartition("`")[0]
    last = call.output[-_TAIL_CHARS:].strip().rpartition("\n")[2]
    tail = last.rpartition("`")[2].strip() if last.count("`") % 2 else ""
    return tuple(text for text in (head.strip(" ,:"), tail) if text)


def _quoted(line: str) -> str:
    text = stable(line)
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _sent(call: Call) -> str:
    if call.tool_kind is ToolKind.SHELL:
        return call.command
    return "\n".join(f"{e.old}\n{e.new}" for e in edits_of(call)) or call.command
