"""Experiences from what the user refused or objected to: in the user's own words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import is_lookup, signature
from hindsight_cli.reflect.commands import main_segment, segments, shortened
from hindsight_cli.reflect.detectors.human import is_failure_report, words_in_refusal
from hindsight_cli.reflect.detectors.workarounds import is_drastic
from hindsight_cli.reflect.findings import Correction, Denial
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.lines import whole_line
from hindsight_cli.reflect.telling import excerpt, quoted, quoted_piece

_WORDS = 150  # characters: what is longer is new work rather than a correction
_WORTH = 3.3
_WORTH_REPORT = 3.7  # the user shows a failure the agent had not seen
_WORTH_WORDS = 2.6
_OPEN_QUESTION = re.compile(
    r"\s*(?:how|what|why|where|which|who|when|could|is|are|do|does|如何|怎么|怎样|为什么|什么)\b",
    re.I,
)
_ASKS_TO_CHECK = re.compile(
    r"\b(?:double[- ]check|verify|make sure|ensure|are you sure|check (?:that|whether|if))\b"
    r"|确认|检查|核对",
    re.I,
)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*(?=\s|[\u3400-\u9fff]|$)|\n")


def draft_denial(writer: Writer, denial: Denial) -> Draft | None:
    """None when the refusal itself says nothing: later words are often about other work."""
    refused = next((c for c in reversed(denial.calls) if words_in_refusal(c)), None)
    words = _plain_words(words_in_refusal(refused)) if refused else ""
    if refused is None or not words:
        return None
    same = [call for call in denial.calls if _asks_same(call, refused)]
    instead = denial.instead
    if instead and (is_drastic(instead.command) or not writer.deed(instead)):
        instead = None
    told = quoted_piece(words)
    denied = writer.command(refused)
    texts = {
        "scenario": writer.scenario("denial", denied=denied),
        "recommend": writer.say(
            "denial",
            "recommend" if instead else "recommend_words",
            words=told,
            instead=writer.deed(instead) if instead else "",
        ),
        "avoid": writer.say(
            "denial",
            "avoid",
            denied=denied,
            times=writer.say("denial", "times", n=len(same)) if len(same) > 1 else "",
        ),
        "why": writer.say("denial", "why", steps=writer.steps(same), words=told),
    }
    cited = [*same, *([instead] if instead else [])]
    proposal = writer.proposal(ExperienceKind.KEY_DECISION, texts, cited)
    worth = _WORTH_WORDS if _OPEN_QUESTION.match(words) else _WORTH
    return Draft(worth=worth, proposal=proposal, key=f"denial {refused.step_index}")


def _asks_same(call: Call, other: Call) -> bool:
    if call.command and other.command:
        return main_segment(call.command) == main_segment(other.command)
    return signature(call) == signature(other)


def draft_correction(writer: Writer, correction: Correction) -> Draft | None:
    """The check the agent should have run, or what the user had to point out."""
    last = correction.before[-1] if correction.before else None
    report = is_failure_report(correction.words)
    words = _plain_words(correction.words)
    if last is None or not (words or report):
        return None
    checks = list(_checks(correction, last)) if report else []
    if not checks and not _ASKS_TO_CHECK.search(words):
        return None  # what else was wanted is known to this task only
    told = quoted(words or excerpt(correction.words, _WORDS), _WORDS)
    before = writer.command(last)
    run = writer.then(map(whole_line, checks))
    common = {"before": before, "words": told}
    texts = {
        "scenario": writer.scenario("correction", before=before),
        "recommend": writer.say("correction", "recommend", checks=run)
        if checks
        else writer.say("correction", "recommend_words", **common),
        "avoid": writer.say("correction", "avoid" if checks else "avoid_words", **common),
        "why": writer.say(
            "correction",
            "why",
            before_step=last.step_index,
            after_steps=writer.steps(correction.after),
            **common,
        ),
    }
    cited = [*correction.after, last]
    proposal = writer.proposal(ExperienceKind.KEY_DECISION, texts, cited)
    worth = _WORTH_REPORT if checks else _WORTH_WORDS
    return Draft(worth=worth, proposal=proposal, key=f"correction {cited[0].step_index}")


def _checks(correction: Correction, last: Call) -> Iterable[Call]:
    """The commands that showed or settled the failure and had not been run before: at most two."""
    known = set(segments(last.command))
    found: dict[str, Call] = {}
    for call in correction.after:
        if call.tool_kind is not ToolKind.SHELL or call.status is not Status.OK or is_lookup(call):
            continue
        for part in segments(call.command):
            bare = shortened(part)
            is_known = any(shortened(old) == bare for old in known)
            if is_known or is_drastic(part) or shell.only_shows(part):
                continue
            if shell.invocations(part) and not shell.intents(part) <= _COMMITTING:
                found.setdefault(whole_line(call), call)
    found.pop("", None)  # what cannot be told whole is not told
    calls = list(found.values())
    checked = [call for call in calls if shell.checks(call.command)]
    first = checked[:1] or calls[:1]
    return {call.step_index: call for call in (*first, *calls[-1:])}.values()


_COMMITTING = frozenset({"git add", "git commit", "git push", "chmod", "mkdir", "tail", "head"})


def _plain_words(text: str) -> str:
    """The first sentence with something in it, when it can be shown whole; "" otherwise."""
    for sentence in _SENTENCE.split(text.strip()):
        line = sentence.strip()
        if len(line) > 2:  # noqa: PLR2004
            return line if len(line) <= _WORDS and "`" not in line else ""
    return ""
