"""`inject`, shared by the fast door and the full command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hindsight_cli.api.injecting import Shape, inject
from hindsight_cli.api.project import Project
from hindsight_cli.cli.render import Output
from hindsight_cli.cli.start import start_of

SESSION_VARIABLE = "HINDSIGHT_CLI_SESSION"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectRequest:
    root: Path | None
    as_json: bool
    task: str
    error: bool
    session: str | None
    max_tokens: int | None
    whole: bool = False


def run_inject(request: InjectRequest) -> int:
    """Print the block for an agent; nothing on stdout when nothing fits."""
    output = Output("inject", as_json=request.as_json)
    project = Project.find(start_of(request.root))
    if project is None:
        output.say("No project here: run `hindsight init` in your project.")
        output.result({"injection_id": "", "text": "", "experiences": [], "tokens": 0}, "")
        return 0
    injection = inject(
        project,
        request.task,
        error=request.error,
        session=request.session or project.env.get(SESSION_VARIABLE),
        shape=Shape(max_tokens=request.max_tokens, whole=request.whole),
    )
    if not injection.text:
        output.say(f"Nothing to inject: {injection.reason}")
    output.result(
        {
            "injection_id": injection.injection_id,
            "text": injection.text,
            "experiences": list(injection.experience_ids),
            "tokens": injection.tokens,
        },
        injection.text,
    )
    return 0
