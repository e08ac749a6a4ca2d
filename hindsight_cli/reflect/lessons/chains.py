"""Experiences from failed calls: what ended the failure, or that nothing did."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import edits_of, is_lookup, path_of, same_file, similarity
from hindsight_cli.reflect.essence import (
    Change,
    changed_arguments,
    changes_between,
    command_text,
    short_path,
    sources_of,
    telling_line,
)
from hindsight_cli.reflect.findings import Chain, Nature
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.telling import error_key, error_lines, error_text, quoted

_NOT_READ = re.compile(
    r"not been read|read it first|must (?:first )?read|has been (?:modified|changed) since", re.I
)
_NOT_UNIQUE = re.compile(
    r"\b(?:multiple|[2-9]|\d{2,}) (?:matches|occurrences)|not unique|uniquely|appears? \d+ times",
    re.I,
)
_VALUES = re.compile(r"(?<![\w.])(?:\d[\d.,]*\d|\d)(?![\w.])|'[^'\n]{2,40}'|\"[^\"\n]{2,40}\"")
_WORTH = {
    Nature.TOOL: 4.0,
    Nature.CHECK: 3.2,
    Nature.SHELL: 3.0,
    Nature.EDIT: 2.2,
    Nature.LOOKUP: 1.0,
}
_MANY = 3


def draft_chain(writer: Writer, chain: Chain) -> Draft | None:
    """An experience for one chain, None when there is nothing to learn."""
    if chain.is_luck:
        return None
    if chain.fix is None:
        return _draft_open(writer, chain)
    if chain.expected:
        return _draft_red_green(writer, chain)
    drafts = {
        Nature.EDIT: _draft_edit,
        Nature.CHECK: _draft_check,
        Nature.SHELL: _draft_shell,
        Nature.TOOL: _draft_tool,
        Nature.LOOKUP: _draft_lookup,
    }
    return drafts[chain.nature](writer, chain, chain.fix)


def _lesson(
    writer: Writer, chain: Chain, texts: dict[str, str], worth: float, *, workaround: bool = False
) -> Draft:
    cited = [chain.failed[0], *([chain.fix] if chain.fix else []), *chain.failed[1:]]
    proposal = writer.proposal(ExperienceKind.FAILURE_LESSON, texts, cited, workaround=workaround)
    more = 0.3 * min(len(chain.failed) - 1, 4)
    return Draft(worth=worth + more, proposal=proposal, key=error_key(chain.failed[0]))


def _with_cites(writer: Writer, draft: Draft, extra: Sequence[Call]) -> Draft:
    cited = draft.proposal["cites"]
    known = {cite["step"] for cite in cited}
    for call in extra:
        if call.step_index not in known and len(cited) < 8:  # noqa: PLR2004
            known.add(call.step_index)
            cited.append({"step": call.step_index, "tool": call.tool_name})
    cited.sort(key=lambda cite: cite["step"])
    return draft


def _draft_check(writer: Writer, chain: Chain, fix: Call) -> Draft | None:
    failed = chain.failed[0]
    first = writer.reading.index_of[failed.step_index]
    last = writer.reading.index_of[fix.step_index]
    inside = writer.reading.calls[first + 1 : last]
    about = " ".join(error_lines(failed, 3)) + " " + " ".join(error_lines(chain.last, 2))
    changes = changes_between(writer.reading, inside, about)
    if not changes:
        return _draft_shell(writer, chain, fix)
    command, errors = writer.command(failed), writer.errors(failed, 3)
    olds = [c.old for c in changes if c.old]
    texts = {
        "scenario": writer.say(
            "check",
            "scenario",
            command=command,
            error=quoted(error_text(failed)),
            task=writer.task(),
        ),
        "recommend": writer.say(
            "check",
            "recommend",
            Changes=writer.join(map(writer.change, changes)),
            fix=writer.command(fix),
        ),
        "avoid": writer.say("check", "avoid", old=quoted(olds[0]), command=command) if olds else "",
        "why": writer.say(
            "check", "why", failed=failed.step_index, errors=errors, fix_step=fix.step_index
        ),
    }
    draft = _lesson(writer, chain, texts, _WORTH[Nature.CHECK])
    return _with_cites(writer, draft, [c.call for c in changes])


def _draft_shell(writer: Writer, chain: Chain, fix: Call) -> Draft | None:
    failed = chain.failed[0]
    if fix.command == failed.command and not any(map(_acts, chain.between)):
        return None  # the same again, and it worked: luck
    steps = [c for c in chain.between if _acts(c) and c.command][-2:]
    prepared = (
        writer.say("check", "prepared", steps=writer.join(map(writer.command, steps)))
        if steps
        else ""
    )
    texts = {
        "scenario": writer.say(
            "shell",
            "scenario",
            command=writer.command(failed),
            error=quoted(error_text(failed)),
            task=writer.task(),
        ),
        "recommend": writer.say("shell", "recommend", Prepared=prepared, fix=writer.command(fix)),
        "avoid": writer.say("shell", "avoid", command=writer.command(failed)),
        "why": writer.say(
            "shell",
            "why",
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
        ),
    }
    return _with_cites(writer, _lesson(writer, chain, texts, _WORTH[Nature.SHELL]), steps)


def _draft_edit(writer: Writer, chain: Chain, fix: Call) -> Draft:
    failed = chain.failed[0]
    tried, accepted = edits_of(failed), edits_of(fix)
    sent = tried[0].old or tried[0].new if tried else ""
    old = quoted(telling_line(_lines(sent)) or command_text(failed))
    reads = [c for c in chain.between if is_lookup(c) and same_file(path_of(c), path_of(failed))]
    error = error_text(failed)
    reason = " ".join(error_lines(failed, 3))
    if not accepted:
        recommend = writer.say("edit", "recommend_shell", fix=writer.command(fix))
    elif _NOT_READ.search(reason):
        read = (
            quoted(f"{reads[-1].tool_name} {short_path(path_of(reads[-1]))}") if reads else "`Read`"
        )
        recommend = writer.say("edit", "recommend_read", reads=read, old=old)
    else:
        recommend = _accepted_edit(writer, chain, fix, old)
    count = sum(similarity(_sent(c), _sent(failed)) > 0.5 for c in chain.failed)  # noqa: PLR2004
    avoid = "avoid_repeat" if count > 1 else "avoid"
    file = short_path(path_of(failed)) or (short_path(path_of(fix)) or "?")
    errors = list(dict.fromkeys(line for c in chain.failed for line in error_lines(c, 2)))[:3]
    texts = {
        "scenario": writer.say(
            "edit", "scenario", file=file, tool=f"`{failed.tool_name}`", error=quoted(error)
        ),
        "recommend": recommend,
        "avoid": writer.say("edit", avoid, old=old, n=count),
        "why": writer.say(
            "edit",
            "why",
            failed=writer.steps(chain.failed[:4]),
            errors=writer.join(map(quoted, errors)),
            fix_step=fix.step_index,
            between=writer.words("between").format(steps=writer.steps(reads[-2:])) if reads else "",
        ),
    }
    worth = _WORTH[Nature.EDIT] - (
        0 if _NOT_UNIQUE.search(reason) or _NOT_READ.search(reason) else 0.8
    )
    draft = _lesson(writer, chain, texts, worth, workaround=not accepted)
    return _with_cites(writer, draft, reads[-1:])


def _accepted_edit(writer: Writer, chain: Chain, fix: Call, old: str) -> str:
    """What was different about the edit that was taken."""
    before, after = edits_of(chain.last)[:1], edits_of(fix)[:1]
    known = set(_lines(before[0].old)) if before else set()
    context = telling_line([line for line in _lines(after[0].old) if line not in known])
    if after[0].old and context:
        return writer.say(
            "edit", "recommend_context", old=old, fix_step=fix.step_index, context=quoted(context)
        )
    bad, good = changed_arguments(chain.last, fix)
    how = writer.join(writer.words("argument").format(name=n, value=quoted(v)) for n, v in good)
    target = f"`{fix.tool_name}`" if fix.tool_kind is not ToolKind.SHELL else writer.command(fix)
    return writer.say("edit", "recommend_other", fix=target, how=f" ({how})" if how else "")


def _draft_tool(writer: Writer, chain: Chain, fix: Call) -> Draft:
    failed = chain.failed[0]
    bad, good = changed_arguments(failed, fix)
    sources = sources_of([value for _, value in good], _earlier(writer, chain, fix))
    tool = f"`{failed.tool_name}`"
    common = {"tool": tool, "fix_tool": f"`{fix.tool_name}`"}
    named = writer.join(f"`{c.tool_name}`" for c in sources[-2:])
    listing = writer.join(writer.words("argument").format(name=n, value=quoted(v)) for n, v in good)
    between = [c for c in chain.between if c.status is Status.OK and c not in sources]
    if fix.tool_name != failed.tool_name or not good:
        tools = list(dict.fromkeys(f"`{c.tool_name}`" for c in between))[:3]
        before = writer.say("tool", "before", tools=writer.join(tools)) if tools else ""
        recommend = writer.say("tool", "recommend_same", before=before, **common)
    else:
        source = writer.say("tool", "source", tools=named) if sources else ""
        recommend = writer.say("tool", "recommend", arguments=listing, source=source, **common)
    refused = writer.join(writer.words("argument").format(name=n, value=quoted(v)) for n, v in bad)
    texts = {
        "scenario": writer.say(
            "tool", "scenario", tool=tool, error=quoted(error_text(failed)), task=writer.task()
        ),
        "recommend": recommend,
        "avoid": writer.say("tool", "avoid", tool=tool, arguments=refused) if refused else "",
        "why": writer.say(
            "tool",
            "why",
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
            between=writer.words("between").format(steps=writer.steps(sources[-2:]))
            if sources
            else "",
        ),
    }
    return _with_cites(writer, _lesson(writer, chain, texts, _WORTH[Nature.TOOL]), sources[-2:])


def _earlier(writer: Writer, chain: Chain, fix: Call) -> Sequence[Call]:
    """Calls after the first failure, else all before the fix: where the right value may stem from."""
    start = writer.reading.index_of[chain.failed[0].step_index]
    return writer.reading.calls[start + 1 : writer.reading.index_of[fix.step_index]]


def _draft_lookup(writer: Writer, chain: Chain, fix: Call) -> Draft:
    failed = chain.failed[0]
    wanted = path_of(failed) or command_text(failed)
    found = path_of(fix) or command_text(fix)
    texts = {
        "scenario": writer.say(
            "lookup",
            "scenario",
            wanted=quoted(short_path(wanted)),
            error=quoted(error_text(failed)),
            task=writer.task(),
        ),
        "recommend": writer.say("lookup", "recommend", found=quoted(short_path(found))),
        "avoid": "",
        "why": writer.say(
            "lookup",
            "why",
            failed=failed.step_index,
            error=quoted(error_text(failed)),
            fix_step=fix.step_index,
        ),
    }
    return _lesson(writer, chain, texts, _WORTH[Nature.LOOKUP])


def _draft_open(writer: Writer, chain: Chain) -> Draft | None:
    """Nothing ended it: worth telling when it was sent more than once."""
    if len(chain.failed) < 2 or chain.expected or chain.nature is Nature.LOOKUP:  # noqa: PLR2004
        return None
    failed = chain.failed[0]
    error = error_text(failed)
    values = list(dict.fromkeys(m.group().strip("'\"") for m in _VALUES.finditer(error)))[:4]
    instead = []
    if values and chain.nature is Nature.TOOL:
        instead.append(
            writer.say("open", "recommend_values", values=writer.join(f"`{v}`" for v in values))
        )
    else:
        instead.append(writer.say("open", "recommend_stop"))
    following = writer.reading.calls[writer.reading.index_of[chain.last.step_index] + 1 :]
    led_on = next((c for c in following if c.status is Status.OK and _acts(c)), None)
    if led_on is not None and led_on.tool_name != failed.tool_name:
        instead.append(writer.say("open", "recommend_next", next=writer.command(led_on)))
    tool = f"`{failed.tool_name}`" if not failed.command else writer.command(failed)
    texts = {
        "scenario": writer.say(
            "open", "scenario", tool=tool, error=quoted(error), task=writer.task()
        ),
        "recommend": writer.say(
            "open", "recommend", errors=writer.errors(failed), Instead=" ".join(instead)
        ),
        "avoid": writer.say(
            "open", "avoid", arguments=_repeated_arguments(writer, chain), n=len(chain.failed)
        ),
        "why": writer.say("open", "why", steps=writer.steps(chain.failed), error=quoted(error)),
    }
    draft = _lesson(writer, chain, texts, 3.4)
    return _with_cites(writer, draft, [led_on] if led_on else [])


def _repeated_arguments(writer: Writer, chain: Chain) -> str:
    """What stayed the same in every attempt."""
    if chain.failed[0].command:
        return writer.command(chain.failed[0])
    from hindsight_cli.reflect.calls import flat_arguments

    sent = [flat_arguments(call) for call in chain.failed]
    error = error_text(chain.failed[0])
    same = [n for n, v in sent[0].items() if v and all(other.get(n) == v for other in sent[1:])]
    same.sort(key=lambda n: (sent[0][n] not in error, len(sent[0][n]) > 60))  # noqa: PLR2004
    shown = [
        writer.words("argument").format(name=n, value=quoted(sent[0][n], 80)) for n in same[:3]
    ]
    return writer.join(shown) or f"`{chain.failed[0].tool_name}`"


def _draft_red_green(writer: Writer, chain: Chain) -> Draft | None:
    """A failure that was wanted, turned green by a change: test first, or a reproduced bug."""
    failed, fix = chain.failed[0], chain.fix
    if fix is None or chain.nature is not Nature.CHECK:
        return None
    start, end = writer.reading.index_of[failed.step_index], writer.reading.index_of[fix.step_index]
    changes = changes_between(
        writer.reading, writer.reading.calls[start:end], writer.reading.trace.task
    )
    if not changes:
        return None
    texts = {
        "scenario": writer.say("red_green", "scenario", task=writer.task()),
        "recommend": writer.say(
            "red_green",
            "recommend",
            command=writer.command(failed),
            error=quoted(error_text(failed)),
            changes=writer.join(map(writer.change, changes)),
            fix=writer.command(fix),
        ),
        "avoid": writer.say("red_green", "avoid"),
        "why": writer.say("red_green", "why", failed=failed.step_index, fix_step=fix.step_index),
    }
    cited = [failed, fix, *(change.call for change in changes)]
    proposal = writer.proposal(ExperienceKind.SUCCESS_PATTERN, texts, cited)
    return Draft(worth=3.0, proposal=proposal, key=f"red-green {failed.step_index}")


def _acts(call: Call) -> bool:
    return not is_lookup(call) and call.tool_kind not in {ToolKind.PLAN, ToolKind.ASK}


def _sent(call: Call) -> str:
    return "\n".join(f"{e.old}\n{e.new}" for e in edits_of(call)) or call.command


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


__all__ = ["Change", "draft_chain"]
