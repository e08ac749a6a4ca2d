"""What `hindsight reflect` does with its options: which api verb is called, and what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from hindsight_cli.api import model_reflecting, reflect_plan, reflecting
from hindsight_cli.api.configuring import ignored_settings
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflect_plan import Plan, Reflector
from hindsight_cli.api.reflect_report import ReflectReport
from hindsight_cli.cli import shapes
from hindsight_cli.cli.reflect_text import estimate_text, reflect_text, started_text
from hindsight_cli.cli.render import Output
from hindsight_cli.errors import ModelNotConfiguredError, UsageError

_PARTIAL = 3


class Mode(StrEnum):
    REFLECT = "reflect"
    PROMPT = "prompt"
    REPLY = "reply"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectRequest:
    """What a person typed; None: not said."""

    trace_ids: tuple[str, ...]
    all_traces: bool
    reflector: str | None
    samples: int | None
    language: str | None
    replies: tuple[Path, ...]


def mode_of(request: ReflectRequest, *, last: bool, dry_run: bool, prompt_only: bool) -> Mode:
    """What is to be done.

    Raises:
        UsageError: options that exclude each other, or an unknown word.
    """
    if (bool(request.trace_ids), last, request.all_traces).count(True) > 1:
        raise UsageError("Give trace ids, or --last, or --all.", hint="Not two of them.")
    if request.language not in (None, "en", "zh"):
        raise UsageError(f"Language {request.language!r} is not available.", hint="One of en, zh.")
    if request.reflector not in (None, *Reflector):
        raise UsageError(
            f"Nothing reflects with {request.reflector!r}.", hint=f"One of {', '.join(Reflector)}."
        )
    chosen = [
        mode
        for mode, given in (
            (Mode.PROMPT, prompt_only),
            (Mode.REPLY, bool(request.replies)),
            (Mode.ESTIMATE, dry_run),
        )
        if given
    ]
    if len(chosen) > 1:
        raise UsageError("--prompt-only, --reply and --dry-run exclude each other.", hint="Choose.")
    return chosen[0] if chosen else Mode.REFLECT


def run_reflect(
    project: Project, request: ReflectRequest, mode: Mode, output: Output, *, wait: bool
) -> int:
    """Reflect as asked and show it; the exit code."""
    ids = reflecting.pick_traces(project, request.trace_ids, all_traces=request.all_traces)
    if mode in (Mode.PROMPT, Mode.REPLY) and len(ids) != 1:
        raise UsageError("--reply and --prompt-only take one trace.", hint="Give its id.")
    if mode is Mode.PROMPT:
        prompt = reflecting.prompt_for(project, ids[0], language=request.language)
        output.result({"trace_id": ids[0], "prompt": prompt}, prompt)
        return 0
    if mode is Mode.REPLY:
        return _show(reflecting.reflect(project, ids, replies=request.replies), output)
    for message in ignored_settings(project):
        output.say(message)
    plan = reflect_plan.plan_of(
        project, request.reflector, samples=request.samples, language=request.language
    )
    if mode is Mode.ESTIMATE:
        found = reflect_plan.estimate(project, ids, plan)
        output.result({"estimate": asdict(found)}, estimate_text(found, plan))
        return 0
    if plan.reflector is Reflector.RULES:
        return _show(reflecting.reflect(project, ids), output)
    return _by_model(project, ids, plan, output, wait=wait)


def _by_model(
    project: Project, ids: Sequence[str], plan: Plan, output: Output, *, wait: bool
) -> int:
    try:
        reflect_plan.check_plan(project, plan)
    except ModelNotConfiguredError:
        wait = True  # nothing to wait for: rules reflect, and it is said why
    if not wait:
        started = model_reflecting.start_detached(project, ids, plan)
        if started is not None:
            data = {**shapes.reflect_report(ReflectReport()), "started": asdict(started)}
            output.result(data, started_text(started))
            return 0
    say = model_reflecting.nobody if output.as_json else output.say
    return _show(model_reflecting.reflect_with_model(project, ids, plan, say=say), output)


def _show(report: ReflectReport, output: Output) -> int:
    for message in report.messages:
        output.say(message)
    output.result(
        shapes.reflect_report(report),
        reflect_text(report),
        status="partial" if report.is_partial else "success",
        errors=report.problems,
    )
    return _PARTIAL if report.is_partial else 0
