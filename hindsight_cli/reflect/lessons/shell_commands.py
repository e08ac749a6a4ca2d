"""Experiences from commands that worked when called otherwise, or after something was prepared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.commands import (
    LONG,
    dropped_flags,
    fresh_part,
    main_segment,
    program_and_verb,
    segments,
    short_command,
)
from hindsight_cli.reflect.detectors.recoveries import CONFLICT, Stage, stage_of
from hindsight_cli.reflect.detectors.workarounds import is_drastic
from hindsight_cli.reflect.findings import Chain, Nature
from hindsight_cli.reflect.lessons.lesson import acts, failure_lesson, shown_failure
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.programs import WEAK
from hindsight_cli.reflect.telling import error_lines, error_text, quoted_piece, stable

_WORTH_USAGE = 3.4  # how a command is called here: the next run needs it too
_WORTH_OTHER = 3.0
_WORTH_SLIP = 2.8  # put right with the very next call
_WORTH_PREPARED = 2.2
_WORTH_WEAK = 1.5
_NAMED = re.compile(r"\d{3,}|[\w./-]*[._/-][\w./-]+|[A-Za-z_]\w{5,}")
_LOOKED_AT = 4_000
_SCRATCH = re.compile(r"(?<![\w.])(?:/private)?/(?:tmp|var/folders)/")  # gone with the task
_CD = re.compile(r"^cd\s+(\S+)$")
_NO_FOLDER = re.compile(r"no such file or directory|can't cd|directory not found", re.I)


def draft_shell(writer: Writer, chain: Chain, fix: Call) -> Draft | None:
    """None when nothing but luck, or nothing that another run could use, made the difference."""
    failed = shown_failure(chain)
    if "--abort" in fix.command:
        return _draft_other_way(writer, chain, fix)
    if _is_of_this_task(failed) or is_drastic(fix.command) > is_drastic(failed.command):
        return None
    if failed.command.strip() == fix.command.strip():
        return draft_prepared(writer, chain, fix)
    if folder := _lost_folder(failed, fix):
        return _draft_folder(writer, chain, fix, folder)
    steps = _prepared(chain) or _diagnoses(chain)
    recommend = _recommend(writer, failed, fix, steps) if differs(failed, fix) or steps else ""
    return _draft(writer, chain, recommend, steps) if recommend else None


def _is_of_this_task(failed: Call) -> bool:
    """Whether a conflict was to be resolved by hand, or a scratch file was missing."""
    conflicts = any(CONFLICT.match(intent) for intent in shell.intents(failed.command))
    return conflicts or _SCRATCH.search(error_text(failed)) is not None


def draft_prepared(writer: Writer, chain: Chain, fix: Call) -> Draft | None:
    """The same command passed after another one: that one is the lesson."""
    failed = shown_failure(chain)
    prepared = _prepared(chain)
    acted = [call for call in chain.between if acts(call)]
    steps = prepared if len(acted) == 1 else [c for c in prepared if _concerns(c, failed)]
    if not steps:
        return None
    recommend = _recommend(writer, failed, fix, steps)
    draft = _draft(writer, chain, recommend, steps)
    return Draft(worth=max(draft.worth, _WORTH_PREPARED), proposal=draft.proposal, key=draft.key)


def differs(failed: Call, fix: Call) -> bool:
    """Whether something else was run; waiting before it is no method."""
    if failed.command.strip() == fix.command.strip():
        return False
    waited = "sleep" in fix.command or "sleep" in failed.command
    return not waited or shell.invocations(failed.command) != shell.invocations(fix.command)


def why_name(fix: Call) -> str:
    """Which reason holds: a command may get past one error and fail for another."""
    return "why_further" if fix.failed else "why"


def goal(failed: Call, fix: Call) -> frozenset[str]:
    """The intents both lines share: what the failed one was for."""
    return shell.intents(failed.command) & shell.intents(fix.command)


def _draft(writer: Writer, chain: Chain, recommend: str, steps: Sequence[Call]) -> Draft:
    failed, fix = shown_failure(chain), chain.fix or chain.last
    command = writer.command(failed, goal(failed, fix), LONG)
    texts = {
        "scenario": writer.scenario(
            "shell",
            command=writer.command(failed, goal(failed, fix)),
            error=writer.error(failed),
        ),
        "recommend": recommend,
        "avoid": writer.say("shell", "avoid", command=command) if command not in recommend else "",
        "why": writer.say(
            "shell",
            why_name(fix),
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
        ),
    }
    draft = failure_lesson(writer, chain, texts, worth=_worth_of_call(chain), extra=steps)
    if stage_of(failed) is not Stage.USAGE:
        return draft
    return Draft(worth=draft.worth, proposal=draft.proposal, key=_usage_key(failed))


def _usage_key(failed: Call) -> str:
    """Equal for two failures to start the same thing."""
    return f"usage {min(shell.intents(failed.command), default=failed.tool_name)}"


def _recommend(writer: Writer, failed: Call, fix: Call, steps: Sequence[Call]) -> str:
    """What to run, "" when it cannot be shown in a line."""
    wanted = goal(failed, fix)
    bad, good = main_segment(failed.command, wanted), main_segment(fix.command, wanted)
    prepared = writer.then(map(writer.command, steps))
    if flags := dropped_flags(failed.command, fix.command, error_text(failed)):
        listed = writer.join(f"`{flag}`" for flag in flags[:3])
        short = quoted_piece(short_command(fix.command, wanted))
        return writer.say("shell", "recommend_without", fix=short, flags=listed)
    if bad == good:
        rerun = quoted_piece(short_command(fix.command, wanted, LONG))
        extra = [part for part in segments(fix.command) if part not in segments(failed.command)]
        prepared = prepared or (quoted_piece(short_command(extra[0])) if extra else "")
        return _run(writer, prepared, rerun) if prepared else ""
    shown = fresh_part(bad, good, LONG)
    if not shown and not steps:
        return ""
    shown = quoted_piece(shown or short_command(fix.command, wanted, LONG))
    return _run(writer, prepared, shown)


def _run(writer: Writer, prepared: str, fix: str) -> str:
    name = "recommend_prepared" if prepared else "recommend"
    return writer.say("shell", name, steps=prepared, fix=fix)


def _lost_folder(failed: Call, fix: Call) -> str:
    """The folder a `cd` did not find though the same command worked without it."""
    parts = segments(failed.command)
    match = _CD.match(parts[0]) if len(parts) > 1 else None
    if match is None or not _NO_FOLDER.search(failed.output[:_LOOKED_AT]):
        return ""
    return "" if parts[0] in segments(fix.command) else match.group(1)


def _draft_folder(writer: Writer, chain: Chain, fix: Call, folder: str) -> Draft:
    failed = shown_failure(chain)
    texts = {
        "scenario": writer.scenario(
            "folder", command=quoted_piece(f"cd {folder}"), error=writer.error(failed)
        ),
        "recommend": writer.say(
            "folder", "recommend", fix=writer.command(fix, goal(failed, fix), LONG)
        ),
        "avoid": writer.say("folder", "avoid", command=quoted_piece(f"cd {folder}")),
        "why": writer.say(
            "shell",
            why_name(fix),
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
        ),
    }
    draft = failure_lesson(writer, chain, texts, worth=_WORTH_USAGE)
    return Draft(worth=draft.worth, proposal=draft.proposal, key=_usage_key(failed))


def _worth_of_call(chain: Chain) -> float:
    failed = shown_failure(chain)
    if not shell.intents(failed.command) - WEAK:
        return _WORTH_WEAK
    if len(chain.failed) == 1 and not chain.between:
        return _WORTH_SLIP
    usage = stage_of(failed) is Stage.USAGE or chain.nature is Nature.SHELL
    return _WORTH_USAGE if usage else _WORTH_OTHER


def _draft_other_way(writer: Writer, chain: Chain, fix: Call) -> Draft | None:
    """The operation was given up; what was done in its place is the lesson."""
    failed = shown_failure(chain)
    later = writer.reading.calls[writer.reading.index_of[fix.step_index] + 1 :]
    instead = [
        c
        for c in later
        if c.command and acts(c) and not shell.only_shows(c.command) and not is_drastic(c.command)
    ][:1]
    if not instead:
        return None
    wanted = frozenset(i for i in shell.intents(failed.command) if CONFLICT.match(i))
    command = quoted_piece(program_and_verb(failed.command, wanted))
    lines = error_lines(failed, 4)
    conflict = next((line for line in lines if line.startswith("CONFLICT")), lines[0])
    texts = {
        "scenario": writer.scenario("shell", command=command, error=quoted_piece(stable(conflict))),
        "recommend": writer.say(
            "shell",
            "recommend_instead",
            abort=writer.command(fix),
            instead=writer.then(
                dict.fromkeys(quoted_piece(program_and_verb(c.command)) for c in instead)
            ),
        ),
        "avoid": writer.say("shell", "avoid_on", command=command),
        "why": writer.say(
            "shell",
            "why_instead",
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
            steps=writer.steps(instead),
        ),
    }
    return failure_lesson(writer, chain, texts, worth=_WORTH_USAGE, extra=instead)


def _prepared(chain: Chain) -> list[Call]:
    """The last commands between failure and success that changed something."""
    return [c for c in chain.between if c.command and acts(c) and _prepares(c)][-2:]


def _prepares(call: Call) -> bool:
    if call.status is not Status.OK or is_drastic(call.command):
        return False
    return bool(shell.intents(call.command)) and not shell.only_shows(call.command)


def _concerns(call: Call, failed: Call) -> bool:
    """Whether a command names something that the failed one or its error names."""
    told = f"{failed.command} {error_text(failed)}"
    named = {word for one in shell.invocations(call.command) for word in one.words}
    return any(
        len(word) > 1 and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", told)
        for word in named
        if word[:1] != "-"
    )


def _diagnoses(chain: Chain) -> list[Call]:
    """The last look whose answer speaks of what the error named: a port, a file, a table."""
    failed = shown_failure(chain)
    named = set(_NAMED.findall(error_text(failed)))
    shown = [c for c in chain.between if c.command and c.status is Status.OK]
    return [c for c in shown if named & set(_NAMED.findall(c.output[:_LOOKED_AT]))][-1:]
