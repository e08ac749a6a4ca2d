"""`hindsight feedback`"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root
from hindsight_cli.cli.render import Output

if TYPE_CHECKING:
    from hindsight_cli.records.event import Outcome


class Ending(StrEnum):
    SUCCESS = "success"
    FAILURE = "failure"


def add_commands(app: typer.Typer) -> None:
    app.command()(feedback)


def feedback(
    injection_id: Annotated[
        str, typer.Argument(help="The receipt in the injected text, like inj-4c1f0a7be2d9.")
    ],
    outcome: Annotated[Ending | None, typer.Option("--outcome", help="How the task ended.")] = None,
    wrong: Annotated[
        list[str] | None,
        typer.Option("--wrong", help="An experience of it that is wrong; may be repeated."),
    ] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Say how the task ended in which something was injected.

    Experiences that were followed gain or lose weight; one that is called wrong is
    suspended until you approve it again.

    Example: hindsight feedback inj-4c1f0a7be2d9 --outcome success
    """
    from hindsight_cli.errors import UsageError
    from hindsight_cli.records.event import Outcome

    if outcome is None and not wrong:
        raise UsageError(
            "Nothing said about it.", hint="Add --outcome success, --outcome failure or --wrong ID."
        )
    output = Output("feedback", as_json=as_json)
    said = Outcome(outcome.value) if outcome else Outcome.UNKNOWN
    _take(output, root, injection_id.strip(), said, wrong or [])


def _take(
    output: Output, root: Path | None, injection_id: str, outcome: Outcome, wrong: list[str]
) -> None:
    from hindsight_cli.api.feedback import give_feedback
    from hindsight_cli.api.project import Project
    from hindsight_cli.cli import shapes
    from hindsight_cli.cli.experience_text import standing_text
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.records.ledger import HUMAN
    from hindsight_cli.review.decisions import agent_variable

    project = Project.open(start_of(root))
    inside = agent_variable(project.env)
    by = "agent" if inside else HUMAN
    report = give_feedback(project, injection_id, outcome, by=by, wrong=wrong)
    if inside:
        output.say(f"Taken as an agent's word, not a person's, because {inside} is set.")
    for message in report.messages:
        output.say(message)
    lines = [
        f"{s.experience.experience_id}  {s.status}, weight {standing_text(s)}"
        for s in report.updated
    ]
    data = {"updated": [shapes.standing(s) for s in report.updated]}
    output.result(data, "\n".join(lines) or "No weight changed.")
