"""Experiences from tools that refused: the rule behind the refusal, not the values of one run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight_cli.records.event import Outcome, Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import flat_arguments
from hindsight_cli.reflect.essence import changed_arguments, leaf, sources_of
from hindsight_cli.reflect.findings import Chain, Nature
from hindsight_cli.reflect.lessons.lesson import Silence, acts, failure_lesson
from hindsight_cli.reflect.lessons.refusal_rules import (
    Refusal,
    Rule,
    kind_of,
    list_source,
    missing_marks,
    portable,
    refusal_of,
)
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.telling import (
    SHOWN_ERROR,
    error_text,
    excerpt,
    quoted_piece,
    stable,
)

_WORTH_TOOL = 4.0
_WORTH_OPEN = 2.4
_COUNTED = re.compile(r"amount|price|count|total", re.I)  # no name or id
_IRREVERSIBLE = re.compile(
    r"(?:^|[_.-])(?:cancel|delete|remove|drop|terminate|revoke|refund)(?=[_.-]|$)"
)


def draft_tool(writer: Writer, chain: Chain, fix: Call) -> Draft | Silence:
    """The rule the refusal states, with where the right value stood; silent when there is none."""
    refusal = refusal_of(chain.failed[0])
    texts, sources = _told(writer, chain, refusal, fix)
    if not texts:
        return Silence.NOTHING_TELLING
    failed = chain.failed[0]
    between = writer.words("between").format(steps=writer.steps(sources)) if sources else ""
    why = writer.say(
        "tool",
        "why",
        failed=failed.step_index,
        errors=writer.errors(failed),
        fix_step=fix.step_index,
        between=between,
    )
    return _lesson(writer, chain, {**texts, "why": why}, _WORTH_TOOL, sources)


def _lesson(
    writer: Writer, chain: Chain, texts: dict[str, str], worth: float, extra: Sequence[Call]
) -> Draft:
    failed = chain.failed[0]
    common = {"tool": f"`{failed.tool_name}`", "error": _shown_error(writer, failed, texts)}
    texts = {"scenario": writer.say("tool", "scenario", **common), **texts}
    draft = failure_lesson(writer, chain, texts, worth=worth, extra=extra)
    return Draft(
        worth=draft.worth,
        proposal=draft.proposal,
        key=f"{failed.tool_name} {stable(error_text(failed))}",
    )


def _shown_error(writer: Writer, failed: Call, texts: dict[str, str]) -> str:
    """The error; with the value it refuses where the advice holds for that value alone."""
    told = error_text(failed)
    sent = [value for value in flat_arguments(failed).values() if len(value) > 1]
    if any(value in told and f"`{value}`" in texts.get("avoid", "") for value in sent):
        clause = re.split(r"(?<=[.!?;。])\s", told)[0].strip().rstrip(".。")
        return quoted_piece(excerpt(clause, SHOWN_ERROR))
    return writer.error(failed)


def _told(
    writer: Writer, chain: Chain, refusal: Refusal, fix: Call
) -> tuple[dict[str, str], Sequence[Call]]:
    """Advice for the kind of refusal, and the calls it rests on."""
    failed = chain.failed[0]
    if fix.tool_name != failed.tool_name:
        return _other_tool(writer, failed, refusal, fix), ()
    if refusal.rule is Rule.FIGURE:
        return _figure(writer, failed, refusal), ()
    _, good = changed_arguments(failed, fix)
    if refusal.rule is Rule.BARRED:
        return _barred(writer, failed, refusal, fix), ()
    if refusal.rule in {Rule.ENOUGH, Rule.UNAVAILABLE}:
        return _looked_up(writer, chain, refusal)
    carried = _other_arguments(writer, failed, fix)
    source = _source(writer, chain, fix, good) if refusal.rule is Rule.UNKNOWN else None
    if not carried and source is not None:
        names = dict.fromkeys(f"`{name}`" for name, _ in good if not _COUNTED.search(name))
        common = {
            "tool": f"`{failed.tool_name}`",
            "argument": writer.join(names) or f"`{refusal.argument}`",
            "source": f"`{source.tool_name}`",
        }
        return _advice(writer, "unknown", common), (source,)
    return carried, ()


def _advice(writer: Writer, rule: str, common: dict[str, str]) -> dict[str, str]:
    return {name: writer.say(rule, name, **common) for name in ("recommend", "avoid")}


def _figure(writer: Writer, failed: Call, refusal: Refusal) -> dict[str, str]:
    common = {"tool": f"`{failed.tool_name}`", "figure": f"`{refusal.figure}`"}
    return _advice(writer, "figure", common)


def _barred(writer: Writer, failed: Call, refusal: Refusal, fix: Call) -> dict[str, str]:
    """Which kind of value is never taken, and which was."""
    sent, taken = flat_arguments(failed), flat_arguments(fix)
    for name, value in sent.items():
        bad, good = kind_of(value), kind_of(taken.get(name, ""))
        if bad and good and bad != good and bad.split("_")[0] in refusal.error.lower():
            common = {"argument": f"`{leaf(name)}`", "bad": f"`{bad}`", "good": f"`{good}`"}
            return _advice(writer, "barred", {"tool": f"`{failed.tool_name}`", **common})
    return _other_arguments(writer, failed, fix)


def _looked_up(
    writer: Writer, chain: Chain, refusal: Refusal
) -> tuple[dict[str, str], Sequence[Call]]:
    """What to compare beforehand, and where it stands."""
    if not refusal.argument:
        return {}, ()
    failed = chain.failed[0]
    start = writer.reading.index_of[failed.step_index]
    others = [c for c in writer.reading.calls if c.tool_name != failed.tool_name and not _acts(c)]
    before = [c for c in others if writer.reading.index_of[c.step_index] < start]
    source = list_source(refusal, before) or list_source(refusal, others)
    if source is None:
        return {}, ()
    common = {
        "tool": f"`{failed.tool_name}`",
        "argument": f"`{refusal.argument}`",
        "source": f"`{source.tool_name}`",
    }
    return _advice(writer, refusal.rule.value, common), (source,)


def _acts(call: Call) -> bool:
    """Whether a tool changes things, by its name."""
    changing = r"(?:^|[_.-])(?:update|book|create|set|send|modify|exchange|return|add|transfer)"
    return bool(_IRREVERSIBLE.search(call.tool_name) or re.search(changing, call.tool_name))


def _source(
    writer: Writer, chain: Chain, fix: Call, good: Sequence[tuple[str, str]]
) -> Call | None:
    """Where the right values stood: in an answer since the failure, else in the last before it."""
    values = [value for _, value in good]
    start = writer.reading.index_of[chain.failed[0].step_index]
    since = writer.reading.calls[start + 1 : writer.reading.index_of[fix.step_index]]
    found = sources_of(values, since)[-1:] or sources_of(values, writer.reading.calls[:start])[-1:]
    return next((c for c in found if c.tool_name != fix.tool_name and not c.command), None)


def _other_arguments(writer: Writer, failed: Call, fix: Call) -> dict[str, str]:
    """Arguments that mean the same in another run; {} when only one-off values changed."""
    bad, good = changed_arguments(failed, fix)
    tool = f"`{fix.tool_name}`"
    sent, taken = flat_arguments(failed), flat_arguments(fix)
    for name, value in taken.items():
        if marks := missing_marks(sent.get(name, ""), value):
            common = {"tool": tool, "argument": f"`{leaf(name)}`", "marks": f"`{marks}`"}
            return _advice(writer, "marks", common)
    lasting = portable(good, failed.output)
    listed = _listed(writer, lasting)
    if listed and len(lasting) == len(good):
        answer = failed.output
        for value in sent.values():
            whole = rf"(?<![\w:/-]){re.escape(value)}(?![\w:/-])"  # not a part of a longer name
            answer = re.sub(whole, "", answer) if len(value) > 1 else answer
        told = any(re.search(rf"(?<!\w){re.escape(v)}(?!\w)", answer) for _, v in good)
        note = writer.say("tool", "told") if told else ""
        avoid = _listed(writer, portable(bad, failed.output))
        return {
            "recommend": writer.say("tool", "recommend", tool=tool, arguments=listed, told=note),
            "avoid": writer.say("tool", "avoid", tool=tool, arguments=avoid) if avoid else "",
        }
    gone = [leaf(name) for name in sent if name not in taken]
    come = [leaf(name) for name in taken if name not in sent]
    spoken = error_text(failed)
    named = [name for name in (*come, *gone) if name and name in spoken]
    if not named:
        return {}
    kind = "recommend_with" if named[0] in come else "recommend_without"
    names = writer.join(f"`{name}`" for name in dict.fromkeys(named))
    return {"recommend": writer.say("tool", kind, tool=tool, arguments=names)}


def _other_tool(writer: Writer, failed: Call, refusal: Refusal, fix: Call) -> dict[str, str]:
    """What was asked about is gone: a tool of the same family starts it anew."""
    if refusal.rule is not Rule.UNKNOWN or not refusal.argument:
        return {}
    common = {
        "tool": f"`{failed.tool_name}`",
        "argument": f"`{refusal.argument}`",
        "fix_tool": f"`{fix.tool_name}`",
    }
    return _advice(writer, "gone", common)


def draft_open(writer: Writer, chain: Chain) -> Draft | None:
    """Nothing ended it: worth telling when it was sent more than once."""
    if len(chain.failed) < 2 or chain.expected or chain.nature is not Nature.TOOL:  # noqa: PLR2004
        return None
    failed = chain.failed[0]
    refusal = refusal_of(failed)
    led_on = _way_out(writer, chain)
    extra: Sequence[Call] = [led_on] if led_on else []
    if refusal.rule is Rule.FIGURE:
        texts = _figure(writer, failed, refusal)
    elif refusal.rule is Rule.ENOUGH:
        texts, extra = _looked_up(writer, chain, refusal)
    else:
        texts = _stop(writer, chain, led_on)
    if not texts:
        return None
    error = writer.error(failed)
    texts["why"] = writer.say(
        "open", "why", steps=writer.steps(chain.failed), errors=writer.errors(failed), error=error
    )
    return _lesson(writer, chain, texts, _WORTH_OPEN, extra)


def _stop(writer: Writer, chain: Chain, led_on: Call | None) -> dict[str, str]:
    """The inputs that stayed the same lead nowhere."""
    failed = chain.failed[0]
    sent = [flat_arguments(call) for call in chain.failed]
    error = error_text(failed).lower()
    same = [n for n, v in sent[0].items() if v and all(other.get(n) == v for other in sent[1:])]
    blamed = [n for n in same if len(sent[0][n]) > 1 and sent[0][n].lower() in error]
    names = writer.join(dict.fromkeys(f"`{leaf(name)}`" for name in blamed[:3]))
    common = {"tool": f"`{failed.tool_name}`", "names": names or writer.words("inputs")}
    following = writer.say("open", "recommend_next", next=writer.deed(led_on)) if led_on else ""
    return {
        "recommend": writer.say("open", "recommend", next=following, **common),
        "avoid": writer.say("open", "avoid", **common),
    }


def draft_irreversible(writer: Writer, chain: Chain) -> Draft | None:
    """Something was cancelled or deleted first, and what was to replace it never went through."""
    if chain.fix is not None or chain.nature is not Nature.TOOL:
        return None
    failed = chain.failed[0]
    before = writer.reading.calls[: writer.reading.index_of[failed.step_index]]
    done = [c for c in before if c.status is Status.OK and _IRREVERSIBLE.search(c.tool_name)]
    if not done:
        return None
    gone = done[-1]
    common = {"tool": f"`{gone.tool_name}`", "next": f"`{failed.tool_name}`"}
    common["error"] = writer.error(failed)
    why = {"step": gone.step_index, "steps": writer.steps(chain.failed)}
    texts = {
        "scenario": writer.say("irreversible", "scenario", **common),
        "recommend": writer.say("irreversible", "recommend", **common),
        "avoid": writer.say("irreversible", "avoid", **common),
        "why": writer.say("irreversible", "why", **why, **common),
    }
    draft = failure_lesson(writer, chain, texts, worth=_WORTH_TOOL, extra=[gone])
    return Draft(worth=_WORTH_TOOL, proposal=draft.proposal, key=f"irreversible {gone.tool_name}")


def _way_out(writer: Writer, chain: Chain) -> Call | None:
    """The last call of a run that succeeded all the same, when it is another tool."""
    if writer.reading.trace.outcome[0] is not Outcome.SUCCESS:
        return None
    last = writer.reading.calls[-1]
    is_other = last.tool_name != chain.last.tool_name and last.step_index > chain.last.step_index
    return last if is_other and last.status is Status.OK and acts(last) else None


def _listed(writer: Writer, pairs: Sequence[tuple[str, str]]) -> str:
    return writer.join(writer.argument(name, value) for name, value in pairs)
