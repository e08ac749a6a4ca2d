"""Experiences from tools that refused: other arguments, another tool, or no way out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight_cli.records.event import Outcome, Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import flat_arguments, path_of, words_of
from hindsight_cli.reflect.essence import (
    changed_arguments,
    command_text,
    leaf,
    short_path,
    sources_of,
)
from hindsight_cli.reflect.findings import Chain, Nature
from hindsight_cli.reflect.lessons.lesson import acts, failure_lesson
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.telling import error_text, quoted

_WORTH_TOOL = 4.0
_WORTH_LOOKUP = 1.0
_WORTH_OPEN = 2.4
_VALUES = re.compile(
    r"(?<![\w.:/-])\d[\d.,]*\d(?![\w.:/-])|'[^'\n]{2,40}'|\"[^\"\n]{2,40}\"|`[^`\n]{2,40}`"
)
_IRREVERSIBLE = re.compile(
    r"(?:^|[_.-])(?:cancel|delete|remove|drop|terminate|revoke|refund)(?=[_.-]|$)"
)
_LONG_ARGUMENT = 60


def draft_tool(writer: Writer, chain: Chain, fix: Call) -> Draft:
    failed = chain.failed[0]
    bad, good = changed_arguments(failed, fix)
    sources = _sources(writer, chain, fix, [value for _, value in good])
    tool = f"`{failed.tool_name}`"
    between = writer.words("between").format(steps=writer.steps(sources)) if sources else ""
    texts = {
        "scenario": writer.say(
            "tool", "scenario", tool=tool, error=quoted(error_text(failed)), task=writer.task()
        ),
        "recommend": _other_arguments(writer, failed, fix, sources)
        if fix.tool_name == failed.tool_name and (good or bad)
        else _other_tool(writer, chain, fix),
        "avoid": writer.say("tool", "avoid", tool=tool, arguments=_listed(writer, bad))
        if bad
        else "",
        "why": writer.say(
            "tool",
            "why",
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
            between=between,
        ),
    }
    return failure_lesson(writer, chain, texts, worth=_WORTH_TOOL, extra=sources)


def _sources(writer: Writer, chain: Chain, fix: Call, values: Sequence[str]) -> Sequence[Call]:
    """Where the right values stood: in an answer since the failure, else in the last before it."""
    start = writer.reading.index_of[chain.failed[0].step_index]
    since = writer.reading.calls[start + 1 : writer.reading.index_of[fix.step_index]]
    return sources_of(values, since)[-2:] or sources_of(values, writer.reading.calls[:start])[-1:]


def _other_arguments(writer: Writer, failed: Call, fix: Call, sources: Sequence[Call]) -> str:
    bad, good = changed_arguments(failed, fix)
    tool = f"`{fix.tool_name}`"
    if not good:
        return writer.say("tool", "recommend_without", tool=tool, arguments=_listed(writer, bad))
    told = [value for _, value in good if _is_in(value, error_text(failed))]
    if told:
        source = writer.say("tool", "told", values=writer.join(f"`{v}`" for v in told))
    elif sources:
        named = writer.join(dict.fromkeys(f"`{c.tool_name}`" for c in sources))
        source = writer.say("tool", "source", tools=named)
    else:
        source = ""
    return writer.say(
        "tool", "recommend", fix_tool=tool, arguments=_listed(writer, good), source=source
    )


def _other_tool(writer: Writer, chain: Chain, fix: Call) -> str:
    """Another tool was called, perhaps before the refused one was called again."""
    failed = chain.failed[0]
    passed = [c for c in chain.between if c.status is Status.OK and acts(c)]
    names = list(dict.fromkeys(f"`{c.tool_name}`" for c in passed))[:3]
    later = writer.reading.calls[writer.reading.index_of[fix.step_index] :]
    again = any(c.tool_name == failed.tool_name and c.status is Status.OK for c in later)
    return writer.say(
        "tool",
        "recommend_same" if again else "recommend_other",
        before=writer.say("tool", "before", tools=writer.join(names)) if names else "",
        tool=f"`{failed.tool_name}`",
        fix_tool=f"`{fix.tool_name}`",
    )


def _is_in(value: str, text: str) -> bool:
    return len(value) > 1 and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def draft_lookup(writer: Writer, chain: Chain, fix: Call) -> Draft:
    failed = chain.failed[0]
    wanted = path_of(failed) or command_text(failed)
    found = path_of(fix) or command_text(fix)
    steps = {"failed": failed.step_index, "fix_step": fix.step_index}
    error = quoted(error_text(failed))
    texts = {
        "scenario": writer.say(
            "lookup", "scenario", wanted=quoted(short_path(wanted)), error=error, task=writer.task()
        ),
        "recommend": writer.say("lookup", "recommend", found=quoted(short_path(found))),
        "why": writer.say("lookup", "why", error=error, **steps),
    }
    return failure_lesson(writer, chain, texts, worth=_WORTH_LOOKUP)


def draft_open(writer: Writer, chain: Chain) -> Draft | None:
    """Nothing ended it: worth telling when it was sent more than once."""
    if len(chain.failed) < 2 or chain.expected or chain.nature is Nature.LOOKUP:  # noqa: PLR2004
        return None
    failed = chain.failed[0]
    error = error_text(failed)
    tool = f"`{failed.tool_name}`" if not failed.command else writer.command(failed)
    led_on = _way_out(writer, chain)
    instead = [_instead(writer, chain, error)]
    if led_on is not None:
        instead.append(writer.say("open", "recommend_next", next=writer.command(led_on)))
    texts = {
        "scenario": writer.say(
            "open", "scenario", tool=tool, error=quoted(error), task=writer.task()
        ),
        "recommend": writer.say(
            "open", "recommend", errors=writer.errors(failed), Instead=" ".join(instead)
        ),
        "avoid": writer.say(
            "open", "avoid", arguments=_kept_arguments(writer, chain), n=len(chain.failed)
        ),
        "why": writer.say("open", "why", steps=writer.steps(chain.failed), error=quoted(error)),
    }
    extra = [led_on] if led_on else []
    return failure_lesson(writer, chain, texts, worth=_WORTH_OPEN, extra=extra)


def draft_irreversible(writer: Writer, chain: Chain) -> Draft | None:
    """Something was cancelled or deleted first, and what was to replace it never went through."""
    if chain.fix is not None or chain.nature is not Nature.TOOL:
        return None
    failed = chain.failed[0]
    before = writer.reading.calls[: writer.reading.index_of[failed.step_index]]
    gone = next(
        (
            c
            for c in reversed(before)
            if c.status is Status.OK and _IRREVERSIBLE.search(c.tool_name)
        ),
        None,
    )
    if gone is None:
        return None
    common = {
        "tool": f"`{gone.tool_name}`",
        "next": f"`{failed.tool_name}`",
        "error": quoted(error_text(failed)),
    }
    texts = {
        "scenario": writer.say("irreversible", "scenario", task=writer.task(), **common),
        "recommend": writer.say("irreversible", "recommend", **common),
        "avoid": writer.say("irreversible", "avoid", **common),
        "why": writer.say(
            "irreversible",
            "why",
            step=gone.step_index,
            steps=writer.steps(chain.failed),
            **common,
        ),
    }
    draft = failure_lesson(writer, chain, texts, worth=_WORTH_TOOL, extra=[gone])
    return Draft(worth=_WORTH_TOOL, proposal=draft.proposal, key=f"irreversible {gone.tool_name}")


def _instead(writer: Writer, chain: Chain, error: str) -> str:
    """The error may hold the answer: values it names that were not sent."""
    sent = " ".join(v for call in chain.failed for v in flat_arguments(call).values())
    named = dict.fromkeys(m.group().strip("'\"`") for m in _VALUES.finditer(error))
    values = [value for value in named if value not in sent][:3]
    if values and chain.nature is Nature.TOOL:
        return writer.say("open", "recommend_values", values=writer.join(f"`{v}`" for v in values))
    return writer.say("open", "recommend_stop")


def _way_out(writer: Writer, chain: Chain) -> Call | None:
    """The last call of a run that succeeded all the same, when it is another tool."""
    if writer.reading.trace.outcome[0] is not Outcome.SUCCESS:
        return None
    last = writer.reading.calls[-1]
    is_other = last.tool_name != chain.last.tool_name and last.step_index > chain.last.step_index
    return last if is_other and last.status is Status.OK and acts(last) else None


def _kept_arguments(writer: Writer, chain: Chain) -> str:
    """What stayed the same in every attempt, what the error speaks of first."""
    if chain.failed[0].command:
        return writer.command(chain.failed[0])
    sent: Sequence[dict[str, str]] = [flat_arguments(call) for call in chain.failed]
    error = error_text(chain.failed[0]).lower()
    spoken = words_of(error)

    def rank(name: str) -> tuple[bool, int, bool]:
        value = sent[0][name]
        shared = len(words_of(f"{name.replace('_', ' ')} {value}".lower()) & spoken)
        named = len(value) > 1 and re.search(rf"(?<!\w){re.escape(value.lower())}(?!\w)", error)
        return (not named, -shared, len(value) > _LONG_ARGUMENT)

    same = [n for n, v in sent[0].items() if v and all(other.get(n) == v for other in sent[1:])]
    shown = [(leaf(name), sent[0][name]) for name in sorted(same, key=rank)[:3]]
    return _listed(writer, shown) or f"`{chain.failed[0].tool_name}`"


def _listed(writer: Writer, pairs: Sequence[tuple[str, str]]) -> str:
    return writer.join(writer.argument(name, value) for name, value in pairs)
