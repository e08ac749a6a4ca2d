"""Experiences from what the user refused or objected to: in the user's own words."""

from __future__ import annotations

import re

from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.reflect.calls import edits_of
from hindsight_cli.reflect.detectors.human import is_failure_report
from hindsight_cli.reflect.essence import changes_between
from hindsight_cli.reflect.findings import Correction, Denial
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.telling import quoted

_WORDS = 160
_MAX_ACTIONS = 4
_WORTH = 3.3
_WORTH_REPORT = 3.7  # the user shows a failure the agent had not seen
_WORTH_QUESTION = 2.6  # it does not tell what is wanted
_OPEN_QUESTION = re.compile(
    r"\s*(?:how|what|why|where|which|who|when|can|could|is|are|do|does|如何|怎么|怎样|为什么|什么|能)\b",
    re.I,
)


def draft_denial(writer: Writer, denial: Denial) -> Draft | None:
    """None when the user said nothing: a bare refusal does not tell what is wanted."""
    if not denial.words:
        return None
    refused = denial.calls[-1]
    words = quoted(denial.words, _WORDS)
    name = "recommend" if denial.instead else "recommend_words"
    instead = writer.command(denial.instead) if denial.instead else ""
    count = len(denial.calls)
    times = writer.say("denial", "times", n=count) if count > 1 else ""
    texts = {
        "scenario": writer.say(
            "denial", "scenario", denied=writer.command(refused), task=writer.task()
        ),
        "recommend": writer.say("denial", name, words=words, instead=instead),
        "avoid": writer.say("denial", "avoid", denied=writer.command(refused), times=times),
        "why": writer.say("denial", "why", steps=writer.steps(denial.calls)),
    }
    cited = [*denial.calls, *([denial.instead] if denial.instead else [])]
    proposal = writer.proposal(ExperienceKind.KEY_DECISION, texts, cited)
    worth = _WORTH_QUESTION if _OPEN_QUESTION.match(denial.words) else _WORTH
    return Draft(worth=worth, proposal=proposal, key=f"denial {refused.step_index}")


def draft_correction(writer: Writer, correction: Correction) -> Draft | None:
    words = quoted(correction.words, _WORDS)
    actions = []
    for call in correction.after:
        changed = changes_between(writer.reading, [call], correction.words, limit=1)
        if changed:
            actions.append(writer.change(changed[0]))
        elif not edits_of(call):
            actions.append(writer.say("correction", "do_run", command=writer.command(call)))
    if not actions:
        return None
    last = correction.before[-1] if correction.before else None
    before = writer.command(last) if last else ""
    texts = {
        "scenario": writer.say(
            "correction",
            "scenario" if last else "scenario_bare",
            before=before,
            task=writer.task(),
        ),
        "recommend": writer.say(
            "correction", "recommend", Actions=writer.then(dict.fromkeys(actions[:_MAX_ACTIONS]))
        ),
        "avoid": writer.say("correction", "avoid", before=before, words=words) if last else "",
        "why": writer.say(
            "correction",
            "why",
            words=words,
            before_step=last.step_index if last else "?",
            after_steps=writer.steps(correction.after),
        )
        if last
        else "",
    }
    cited = [*correction.after, *correction.before[-1:]]
    proposal = writer.proposal(ExperienceKind.KEY_DECISION, texts, cited)
    worth = _WORTH_REPORT if is_failure_report(correction.words) else _WORTH
    return Draft(worth=worth, proposal=proposal, key=f"correction {cited[0].step_index}")
