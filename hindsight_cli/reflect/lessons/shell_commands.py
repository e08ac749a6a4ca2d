"""Experiences from commands that worked when called otherwise, or after something was prepared."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.commands import LONG, dropped_flags, program_and_verb, segments
from hindsight_cli.reflect.detectors.preparations import Doubt, alters, preparations
from hindsight_cli.reflect.detectors.recoveries import CONFLICT, Stage, stage_of, supplies
from hindsight_cli.reflect.detectors.workarounds import is_drastic
from hindsight_cli.reflect.findings import Chain, Nature
from hindsight_cli.reflect.lessons.lesson import Silence, acts, failure_lesson, shown_failure
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.lines import is_left_running, whole_line
from hindsight_cli.reflect.programs import WEAK
from hindsight_cli.reflect.relation import is_same_but_for_options, is_typing_error, left_out
from hindsight_cli.reflect.telling import error_lines, error_text, quoted_piece, stable

_WORTH_USAGE = 3.4  # how a command is called here: the next run needs it too
_WORTH_OTHER = 3.0
_WORTH_SLIP = 2.8  # put right with the very next call
_WORTH_PREPARED = 2.2
_WORTH_WEAK = 1.5
_NAMED = re.compile(r"\d{3,}|[\w./-]*[._/-][\w./-]+|[A-Za-z_]\w{5,}")
_LOOKED_AT = 4_000
_AGAIN = 12  # calls after what was missing was made
_SCRATCH = re.compile(r"(?<![\w.])(?:/private)?/(?:tmp|var/folders)/")  # gone with the task
_SHOWN_BY = re.compile(r"\s*(?:2>&1|\|\s*(?:tail|head|cat|less|more)\b[^|;&]*)")
_LEAVES = re.compile(r"(?:exit|pwd)\b")
_PATCHES = frozenset({"git apply", "git am", "patch"})
_WRITES = re.compile(r"\bopen\([^)]*,\s*['\"][wax]|\.write_text\(|writeFileSync\(|File\.write\b")
_CD = re.compile(r"^cd\s+(\S+)$")
_PASSING = re.compile(
    r"temporary failure|could not resolve|EAI_AGAIN|try again later|too many requests"
    r"|\b(?:429|502|503|504)\b|connection reset",
    re.I,
)
_NO_FOLDER = re.compile(r"no such file or directory|can't cd|directory not found", re.I)


def draft_shell(writer: Writer, chain: Chain, fix: Call) -> Draft | Silence:
    """What went through, told whole, after all that had to be done first."""
    failed = shown_failure(chain)
    if "--abort" in fix.command:
        return _draft_other_way(writer, chain, fix)
    if (silence := _unfit(failed, fix)) is not None:
        return silence
    if folder := _lost_folder(failed, fix):
        return _draft_folder(writer, chain, folder)
    steps = () if _is_fed(failed, fix) else preparations(writer.reading, failed, fix)
    if isinstance(steps, Doubt):
        failed = chain.last  # the attempts before it may have been about something else
        steps = preparations(writer.reading, failed, fix)
    if isinstance(steps, Doubt):
        return Silence(steps.value)
    is_method = steps or (differs(failed, fix) and not _passes(failed))
    if is_method and not _is_edited(writer, failed, fix):
        draft = _draft_supplied if _is_supply(failed, fix) else _draft
        return draft(writer, chain, failed, steps)
    return _without_method(writer, failed, fix)


def _is_edited(writer: Writer, failed: Call, fix: Call) -> bool:
    """Whether a command changed what a check is about, which was then only called with options."""
    is_check = bool(shell.checks(failed.command)) and stage_of(failed) is Stage.RESULT
    same = is_same_but_for_options(failed.command, fix.command)
    return is_check and same and any(map(_writes, _between(writer, failed, fix)))


def _writes(call: Call) -> bool:
    """Whether a command that went through wrote a file, as far as its line tells."""
    if call.failed or not call.command:
        return False
    patched = not shell.intents(call.command).isdisjoint(_PATCHES)
    written = shell.written_files(call.command) or _WRITES.search(call.command)
    return patched or bool(written)


def _between(writer: Writer, failed: Call, fix: Call) -> Sequence[Call]:
    index_of = writer.reading.index_of
    return writer.reading.calls[index_of[failed.step_index] + 1 : index_of[fix.step_index]]


def _is_supply(failed: Call, fix: Call) -> bool:
    """Whether the end made what was missing, and is not the command that missed it."""
    return not goal(failed, fix) and supplies(fix, failed)


def _draft_supplied(writer: Writer, chain: Chain, failed: Call, steps: Sequence[Call]) -> Draft:
    """What was missing is made, then the command is run again, as it was seen to go through."""
    fix = chain.fix or chain.last
    wanted = shell.intents(failed.command)
    later = writer.reading.calls[writer.reading.index_of[fix.step_index] + 1 :]
    again = next((c for c in later[:_AGAIN] if wanted & shell.intents(c.command)), None)
    proof = again if again is not None and whole_line(again) else None
    first = writer.then(whole_line(call) for call in (*steps, fix))
    command = writer.command(failed, wanted)
    line = whole_line(proof) if proof else command
    texts = {
        "scenario": writer.scenario("shell", command=command, error=writer.error(failed)),
        "recommend": writer.say(
            "shell", "recommend_prepared" if proof else "recommend_made", steps=first, fix=line
        ),
        "why": writer.say(
            "shell",
            "why" if proof else "why_made",
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=(proof or fix).step_index,
        ),
    }
    extra = [*steps, *([proof] if proof else [])]
    return failure_lesson(writer, chain, texts, worth=_WORTH_OTHER, extra=extra)


def _passes(failed: Call) -> bool:
    """Whether it is an error that goes away by itself: a network that was down for a while."""
    return _PASSING.search(error_text(failed)) is not None


def _without_method(writer: Writer, failed: Call, fix: Call) -> Silence:
    """Why the same command went through later."""
    changed = any(map(alters, _between(writer, failed, fix))) and not _passes(failed)
    return Silence.FILE_CHANGED if changed else Silence.LUCK


def _is_fed(failed: Call, fix: Call) -> bool:
    """Whether a program that waited for input until its time was up was given some."""
    waited = {one.intent for one in shell.invocations(failed.command) if not one.piped}
    fed = {one.intent for one in shell.invocations(fix.command) if one.piped}
    return failed.status is Status.TIMEOUT and bool(waited & fed)


def _unfit(failed: Call, fix: Call) -> Silence | None:
    """Why nothing is to be said of a failure, whatever was done before its end."""
    lost = bool(_lost_folder(failed, fix))
    proven = not fix.failed and not is_left_running(fix.command)
    # Another check is green: that of the failed one may still be red.
    other = not goal(failed, fix) and stage_of(failed) is not Stage.USAGE
    reasons = (
        (Silence.TYPING_ERROR, is_typing_error(failed, fix.command)),
        (Silence.NOTHING_TELLING, _is_of_this_task(failed)),
        (Silence.NOT_PROVEN, not proven and not lost),
        (Silence.UNSAFE, is_drastic(fix.command) > is_drastic(failed.command)),
        (Silence.UNRELATED, other),
        (Silence.SUBJECT_LEFT_OUT, not lost and bool(left_out(failed, fix))),
        (Silence.TOO_LONG, not lost and not whole_line(fix)),
    )
    return next((silence for silence, holds in reasons if holds), None)


def _is_of_this_task(failed: Call) -> bool:
    """Whether a conflict was to be resolved by hand, or a scratch file was missing."""
    conflicts = any(CONFLICT.match(intent) for intent in shell.intents(failed.command))
    return conflicts or _SCRATCH.search(error_text(failed)) is not None


def differs(failed: Call, fix: Call) -> bool:
    """Whether something else was run; waiting before it is no method."""
    if failed.command.strip() == fix.command.strip() or _work(failed) == _work(fix):
        return False
    waited = "sleep" in fix.command or "sleep" in failed.command
    return not waited or shell.invocations(failed.command) != shell.invocations(fix.command)


def _work(call: Call) -> tuple[int, list[str]]:
    """What a line does, without what only shows it: `tail` behind a pipe, `ls` before it."""
    parts = [_SHOWN_BY.sub("", part).strip() for part in segments(call.command)]
    return call.command.count("("), [part for part in parts if part and not _shows(part)]


def _shows(part: str) -> bool:
    if _LEAVES.match(part):
        return True
    return (
        bool(shell.invocations(part)) and shell.only_shows(part) and not shell.written_files(part)
    )


def why_name(fix: Call) -> str:
    """Which reason holds: a command may get past one error and fail for another."""
    return "why_further" if fix.failed else "why"


def goal(failed: Call, fix: Call) -> frozenset[str]:
    """The intents both lines share: what the failed one was for."""
    return shell.intents(failed.command) & shell.intents(fix.command)


def _draft(writer: Writer, chain: Chain, failed: Call, steps: Sequence[Call]) -> Draft:
    fix = chain.fix or chain.last
    steps = steps or _diagnoses(chain)
    recommend = _recommend(writer, failed, fix, steps)
    command = writer.command(failed, goal(failed, fix), LONG)
    texts = {
        "scenario": writer.scenario(
            "shell",
            command=writer.command(failed, goal(failed, fix)),
            error=writer.error(failed),
        ),
        "recommend": recommend,
        "avoid": writer.say("shell", "avoid", command=command) if command not in recommend else "",
        "why": _why(writer, failed, fix),
    }
    worth = _worth_of_call(chain, failed)
    draft = failure_lesson(writer, chain, texts, worth=worth, extra=steps)
    if stage_of(failed) is not Stage.USAGE:
        return draft
    return Draft(worth=draft.worth, proposal=draft.proposal, key=_usage_key(failed))


def _why(writer: Writer, failed: Call, fix: Call) -> str:
    return writer.say(
        "shell",
        why_name(fix),
        failed=failed.step_index,
        errors=writer.errors(failed),
        fix_step=fix.step_index,
    )


def _usage_key(failed: Call) -> str:
    """Equal for two failures to start the same thing."""
    return f"usage {min(shell.intents(failed.command), default=failed.tool_name)}"


def _recommend(writer: Writer, failed: Call, fix: Call, steps: Sequence[Call]) -> str:
    """What to run: whole lines, in the order in which they went through."""
    line = whole_line(fix)
    if _is_fed(failed, fix):
        return writer.say("shell", "recommend_fed", command=writer.command(failed), fix=line)
    first = [told for call in steps if (told := whole_line(call))]
    if first:
        return writer.say("shell", "recommend_prepared", steps=writer.then(first), fix=line)
    if flags := dropped_flags(failed.command, fix.command, error_text(failed)):
        listed = writer.join(f"`{flag}`" for flag in flags[:3])
        return writer.say("shell", "recommend_without", fix=line, flags=listed)
    return writer.say("shell", "recommend", fix=line)


def _lost_folder(failed: Call, fix: Call) -> str:
    """The folder a `cd` did not find though the same command worked without it."""
    parts = segments(failed.command)
    match = _CD.match(parts[0]) if len(parts) > 1 else None
    told = failed.output[:_LOOKED_AT]
    if match is None or not _NO_FOLDER.search(told) or not goal(failed, fix):
        return ""
    folder = match.group(1).strip("'\"")
    if not re.search(rf"(?<![\w/.-]){re.escape(folder)}(?![\w/-])", told):
        return ""  # another folder is missing, which a program looks for
    return "" if parts[0] in segments(fix.command) else folder


def _draft_folder(writer: Writer, chain: Chain, folder: str) -> Draft | Silence:
    failed, fix = shown_failure(chain), chain.proof
    if fix is None or is_drastic(fix.command):
        return Silence.NOT_PROVEN
    if not (line := whole_line(fix)):
        return Silence.TOO_LONG
    texts = {
        "scenario": writer.scenario(
            "folder", command=quoted_piece(f"cd {folder}"), error=writer.error(failed)
        ),
        "recommend": writer.say("folder", "recommend", fix=line),
        "avoid": writer.say("folder", "avoid", command=quoted_piece(f"cd {folder}")),
        "why": _why(writer, failed, chain.fix or fix),
    }
    draft = failure_lesson(writer, chain, texts, worth=_WORTH_USAGE, extra=[fix])
    return Draft(worth=draft.worth, proposal=draft.proposal, key=_usage_key(failed))


def _worth_of_call(chain: Chain, failed: Call) -> float:
    fix = chain.fix or chain.last
    if failed.command.strip() == fix.command.strip():
        return _WORTH_PREPARED
    is_weak = not shell.intents(failed.command) - WEAK
    if is_weak and failed.command.strip() in fix.command:
        return _WORTH_PREPARED  # something was put before it
    if is_same_but_for_options(failed.command, fix.command):
        return _WORTH_SLIP if len(chain.failed) == 1 and not chain.between else _WORTH_USAGE
    if is_weak:
        return _WORTH_WEAK
    if len(chain.failed) == 1 and not chain.between:
        return _WORTH_SLIP
    usage = stage_of(failed) is Stage.USAGE or chain.nature is Nature.SHELL
    return _WORTH_USAGE if usage else _WORTH_OTHER


def _draft_other_way(writer: Writer, chain: Chain, fix: Call) -> Draft | Silence:
    """The operation was given up; what was done in its place is the lesson."""
    failed = shown_failure(chain)
    later = writer.reading.calls[writer.reading.index_of[fix.step_index] + 1 :]
    instead = next((c for c in later if _is_another_way(c)), None)
    if instead is None or not whole_line(fix):
        return Silence.NOTHING_TELLING
    line = whole_line(instead)
    wanted = frozenset(i for i in shell.intents(failed.command) if CONFLICT.match(i))
    command = quoted_piece(program_and_verb(failed.command, wanted))
    lines = error_lines(failed, 4)
    conflict = next((told for told in lines if told.startswith("CONFLICT")), lines[0])
    texts = {
        "scenario": writer.scenario("shell", command=command, error=quoted_piece(stable(conflict))),
        "recommend": writer.say(
            "shell",
            "recommend_instead" if line else "recommend_abort",
            abort=whole_line(fix),
            instead=line,
        ),
        "avoid": writer.say("shell", "avoid_on", command=command),
        "why": writer.say(
            "shell",
            "why_instead",
            failed=failed.step_index,
            errors=writer.errors(failed),
            fix_step=fix.step_index,
            steps=writer.steps([instead]),
            instead=quoted_piece(program_and_verb(instead.command)),
        ),
    }
    return failure_lesson(writer, chain, texts, worth=_WORTH_USAGE, extra=[instead])


def _is_another_way(call: Call) -> bool:
    return (
        bool(call.command)
        and acts(call)
        and not shell.only_shows(call.command)
        and not is_drastic(call.command)
    )


def _diagnoses(chain: Chain) -> list[Call]:
    """The last look whose answer speaks of what the error named: a port, a file, a table."""
    failed = shown_failure(chain)
    named = set(_NAMED.findall(error_text(failed)))
    shown = [c for c in chain.between if c.command and c.status is Status.OK]
    looks = [c for c in shown if whole_line(c) and not alters(c)]
    return [c for c in looks if named & set(_NAMED.findall(c.output[:_LOOKED_AT]))][-1:]
