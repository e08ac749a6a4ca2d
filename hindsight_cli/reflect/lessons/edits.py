"""Experiences from edits that were refused."""

from __future__ import annotations

import re

from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import edits_of, is_lookup, path_of, same_file, similarity
from hindsight_cli.reflect.essence import changed_arguments, command_text, short_path, telling_line
from hindsight_cli.reflect.findings import Chain
from hindsight_cli.reflect.lessons.lesson import failure_lesson, lines_of
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.telling import error_lines, error_text, excerpt, quoted

_NOT_READ = re.compile(
    r"not been read|read it first|must (?:first )?read|has been (?:modified|changed) since", re.I
)
_NOT_UNIQUE = re.compile(
    r"\b(?:multiple|[2-9]|\d{2,}) (?:matches|occurrences)|not unique|uniquely|appears? \d+ times",
    re.I,
)
_WORTH_RULE = 2.4  # the editor's own rules: met again in any file
_WORTH_TYPO = 1.5
_SAME_PLACE = 0.5
_BEGINNING = 40  # characters


def draft_edit(writer: Writer, chain: Chain, fix: Call) -> Draft:
    failed = chain.failed[0]
    old = quoted(_sent_line(failed))
    reads = [c for c in chain.between if is_lookup(c) and same_file(path_of(c), path_of(failed))]
    errors = list(dict.fromkeys(line for c in chain.failed for line in error_lines(c, 2)))
    reason = " ".join(errors)
    count = sum(similarity(_sent(c), _sent(failed)) > _SAME_PLACE for c in chain.failed)
    file = short_path(path_of(failed)) or short_path(path_of(fix))
    between = writer.words("between").format(steps=writer.steps(reads[-2:])) if reads else ""
    texts = {
        "scenario": writer.say(
            "edit",
            "scenario",
            file=quoted(file) if file else "",
            tool=f"`{failed.tool_name}`",
            error=quoted(error_text(failed)),
        ),
        "recommend": _read_first(writer, reads, old)
        if _NOT_READ.search(reason) and edits_of(fix)
        else _recommend(writer, chain, fix),
        "avoid": writer.say("edit", "avoid_repeat" if count > 1 else "avoid", old=old, n=count),
        "why": writer.say(
            "edit",
            "why",
            failed=writer.steps(chain.failed[:6]),
            errors=writer.join(map(quoted, _spread(errors, 3))),
            fix_step=fix.step_index,
            between=between,
        ),
    }
    is_rule = _NOT_UNIQUE.search(reason) or _NOT_READ.search(reason)
    worth = _WORTH_RULE if is_rule else _WORTH_TYPO
    draft = failure_lesson(writer, chain, texts, worth=worth, extra=reads[-1:])
    if not edits_of(fix):
        draft.proposal["workaround"] = True
    return draft


def _read_first(writer: Writer, reads: list[Call], old: str) -> str:
    read = writer.command(reads[-1]) if reads else "`Read`"
    return writer.say("edit", "recommend_read", reads=read, old=old)


def _recommend(writer: Writer, chain: Chain, fix: Call) -> str:
    """What was different about the edit that was taken."""
    accepted = edits_of(fix)[:1]
    if not accepted:
        return writer.say("edit", "recommend_shell", fix=writer.command(fix))
    known = {line for e in edits_of(chain.last) for line in lines_of(e.old)}
    context = telling_line([line for line in lines_of(accepted[0].old) if line not in known])
    if context and chain.last.tool_kind is not ToolKind.SHELL:
        return writer.say(
            "edit",
            "recommend_context",
            old=quoted(_sent_line(fix)),
            fix_step=fix.step_index,
            context=quoted(context),
        )
    if accepted[0].place:
        return writer.say("edit", "recommend_other", fix=quoted(accepted[0].place), how="")
    _, good = changed_arguments(chain.last, fix)
    how = writer.join(writer.argument(name, value) for name, value in good)
    return writer.say(
        "edit", "recommend_other", fix=f"`{fix.tool_name}`", how=f" ({how})" if how else ""
    )


def _sent_line(call: Call) -> str:
    """The telling line of the text an edit looked for, or of the place it named."""
    for edit in edits_of(call):
        found = edit.place or telling_line(lines_of(edit.old)) or telling_line(lines_of(edit.new))
        if found:
            return found
    return excerpt(command_text(call))


def _sent(call: Call) -> str:
    return "\n".join(f"{e.old}\n{e.new}" for e in edits_of(call)) or call.command


def _spread(errors: list[str], limit: int) -> list[str]:
    """Errors that differ in how they begin, up to `limit`."""
    kept: dict[str, str] = {}
    for error in errors:
        kept.setdefault(re.sub(r"`[^`]*`|\d+", "", error)[:_BEGINNING], error)
    return list(kept.values())[:limit]
