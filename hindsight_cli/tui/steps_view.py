"""The cited steps as recorded: what was run, what came of it, what came back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content

from hindsight_cli.api.experiences import CitedStep
from hindsight_cli.fingerprint import telling_lines
from hindsight_cli.records.event import FAILED_STATUSES, Status
from hindsight_cli.records.experience import Evidence
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Call
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.changes import change_of
from hindsight_cli.tui.fitting import Parts, fit, is_tight
from hindsight_cli.tui.layout import DIM, hanging, marked, spread, stacked, tail
from hindsight_cli.tui.window import Gap, Mark, Row, open_window

INPUT_LINES = 60
OUTPUT_LINES = 300
BAR_CELLS = 2
_EXIT_LINE = re.compile(r"\W*(?:command |process )?exit(?:ed)?\b[\w ]{0,20}:? *-?\d+\W*$", re.I)
_STYLES = {
    Mark.TELLING: "$error",
    Mark.PATH: "bold",
    Mark.REMOVED: "$error",
    Mark.ADDED: "$success",
    Mark.CONTEXT: DIM,
}


@dataclass(frozen=True, slots=True)
class StepView:
    """A cited step cut to a size a screen can bear; made off the UI thread."""

    step_index: int
    tool: str
    verdict: str
    status: Status | None
    note: str
    given: tuple[Row, ...]
    output: tuple[Row, ...]
    path: str = ""  # of the file that was changed
    quiet: bool = False  # its output says only that the change shown was made
    sign: str = ""  # of a step that is no call


@dataclass(frozen=True, slots=True)
class StepsLayout:
    """How the steps are laid out: in cells, and rows in all unless `whole`."""

    width: int
    rows: int
    whole: bool


def step_views(
    cited: Sequence[CitedStep], evidence: Sequence[Evidence], literals: Sequence[str]
) -> tuple[StepView, ...]:
    """The cited steps. O(their full texts), which may be many megabytes."""
    extracts = {e.step_index: e for e in evidence}
    views = []
    for step in cited:
        if step.call is not None:
            views.append(view_of_call(step.call, literals))
            continue
        kept = extracts.get(step.step_index)
        views.append(
            StepView(
                step_index=step.step_index,
                tool=one_line(visible(step.tool_name or "?"), 60),
                verdict="its trace is gone",
                status=None,
                note="this short extract was kept with the experience" if kept else "",
                given=open_window(kept.input, literals, max_lines=INPUT_LINES) if kept else (),
                output=open_window(kept.output, literals, max_lines=OUTPUT_LINES) if kept else (),
            )
        )
    return tuple(views)


def steps_content(
    views: Sequence[StepView], pattern: re.Pattern[str] | None, layout: StepsLayout
) -> Content:
    """All steps below each other; unless `layout.whole`, cut so that each one is in sight."""
    if not views:
        return Content.styled("It was written by hand and cites no step.", DIM)
    parts: list[Parts] = [
        (view.given, () if view.quiet and not layout.whole else view.output) for view in views
    ]
    tight = False
    if not layout.whole:
        tight = is_tight(len(views), layout.rows)
        gaps = 0 if tight else len(views) - 1
        room = layout.rows - len(views) - gaps
        parts = fit(parts, pattern, layout.width - BAR_CELLS, room)
    lines: list[Content] = []
    for number, view in enumerate(views):
        if number and not tight:
            lines.append(_between(views[number - 1].step_index, view.step_index))
        lines += _step(view, parts[number], pattern, layout)
    return stacked(lines)


def view_of_call(call: Call, literals: Sequence[str]) -> StepView:
    """A call cut to a size a screen can bear. O(its full texts)."""
    facts = [f"attempt {call.attempt}"] if call.attempt > 1 else []
    facts += [f"error {call.error_type}"] if call.error_type else []
    facts += [f"server {call.server}"] if call.server else []
    facts += [call.call_event.timestamp[:19]] if call.call_event.timestamp else []
    change = change_of(call, max_lines=INPUT_LINES)
    return StepView(
        step_index=call.step_index,
        tool=one_line(visible(call.tool_name), 60),
        verdict=_verdict(call),
        status=call.status,
        note=one_line(visible(" · ".join(facts)), 200),
        given=change.rows if change else open_window(_given(call), literals, max_lines=INPUT_LINES),
        path=change.path if change else "",
        output=open_window(call.output, literals, max_lines=OUTPUT_LINES, telling=_telling(call)),
        quiet=change is not None and call.status is Status.OK,
    )


def _telling(call: Call) -> list[str]:
    """What says why a call did not work; its exit code stands in the verdict already."""
    if call.status is Status.OK:
        return []
    return [line for line in telling_lines(call.output) if not _EXIT_LINE.match(line)]


def _verdict(call: Call) -> str:
    word = {
        Status.ERROR: "failed",
        Status.TIMEOUT: "timed out",
        Status.MISSING: "never answered",
        Status.UNKNOWN: "unknown",
    }.get(call.status, call.status.value)
    return word if call.exit_code is None else f"{word}, exit {call.exit_code}"


def _given(call: Call) -> str:
    """The input as a person would type it: a command, or one argument below the other."""
    if call.command:
        return call.command
    if isinstance(call.input, Mapping):
        return "\n".join(f"{key}: {_flat(value)}" for key, value in call.input.items())
    return "" if call.input is None else _flat(call.input)


def _flat(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return repr(type(value))


def _tone(view: StepView) -> tuple[str, str]:
    if view.sign:
        return view.sign, "$primary"
    if view.status is Status.OK:
        return "✓", "$success"
    if view.status in FAILED_STATUSES:
        return "✗", "$error"
    return "?" if view.status is None else "–", "$warning"


def _step(
    view: StepView, parts: Parts, pattern: re.Pattern[str] | None, layout: StepsLayout
) -> Iterator[Content]:
    sign, tone = _tone(view)
    left = Content.assemble(
        (f"{sign} step {view.step_index}", f"bold {tone}"), "  ", (view.tool, "bold")
    )
    verdict = Content.styled(view.verdict, f"bold {tone}")
    if view.path and not layout.whole:
        room = layout.width - left.cell_length - verdict.cell_length - 3
        left += Content.styled("  " + tail(view.path, room), DIM)
    yield spread(left, verdict, layout.width)
    bar = Content.styled("▎ ", tone)
    if view.note and (layout.whole or view.status is None):
        yield from hanging(bar, bar, Content.styled(view.note, DIM), layout.width)
    given, output = parts
    if view.path and layout.whole:
        yield from hanging(bar, bar, Content.styled(view.path, "bold"), layout.width)
    for row in given:
        yield from _row(row, bar, pattern, layout.width, plain="bold")
    for row in output:
        yield from _row(row, bar, pattern, layout.width)
    if not view.output and not view.quiet:
        yield bar + Content.styled("no output", DIM)


def _row(
    row: Row, bar: Content, pattern: re.Pattern[str] | None, width: int, *, plain: str = ""
) -> Iterator[Content]:
    if isinstance(row, Gap):
        word = "line" if row.lines == 1 else "lines"
        where = " around these" if row.scattered else ""
        yield bar + Content.styled(f"… {row.lines:,} {word} left out{where}", f"italic {DIM}")
        return
    style = _STYLES.get(row.mark, plain)
    yield from hanging(bar, bar, marked(row.text, pattern, style), width)


def _between(before: int, after: int) -> Content:
    left_out = after - before - 1
    if left_out < 1:
        return Content("")
    word = "step" if left_out == 1 else "steps"
    return Content.styled(f"  · {left_out} {word} between ·", DIM)
