"""Projects with something to review, made through the public api."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from textual.pilot import Pilot

from hindsight_cli.api import recording
from hindsight_cli.api.experiences import list_experiences
from hindsight_cli.api.project import Project
from hindsight_cli.api.proposing import propose
from hindsight_cli.records.experience import (
    Citation,
    Content,
    Experience,
    ExperienceKind,
    ExperienceState,
    Origin,
)
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.tui.app import ReviewApp

FAILED_STEP, FIXED_STEP = 2, 3  # of a session made by `record_session`


@dataclass(frozen=True)
class Review:
    """A project of a test's own, with a data folder beside it."""

    root: Path
    env: Mapping[str, str]

    @property
    def project(self) -> Project:
        return Project(self.root, env=self.env)

    def project_at(self, moment: datetime) -> Project:
        return Project(self.root, env=self.env, clock=lambda: moment)

    def app(self) -> ReviewApp:
        return ReviewApp(self.root, env=self.env)

    def run(self, *, size: tuple[int, int] = (80, 24)) -> AbstractAsyncContextManager[Pilot[None]]:
        """The app with toasts, which a test run leaves out otherwise."""
        return self.app().run_test(size=size, notifications=True)

    def propose(self, *experiences: Experience) -> None:
        propose(self.project, experiences, by="rules")

    def record_session(
        self, *, output: str = "port is already allocated", command: str = ""
    ) -> str:
        """A task, a call that failed at step 2 and one that worked at step 3; gives its id."""
        command = command or "docker run -p 3306:3306 mysql:8"
        return self.record(
            a_call(command, output=output, status="error", exit_code=125),
            a_call("docker run -p 3307:3306 mysql:8", output="4b1f0e", status="ok", exit_code=0),
        )

    def record(self, *events: Mapping[str, JsonValue]) -> str:
        """A session of a task and `events`; gives its id."""
        started = recording.start(self.project, "Start the database")
        recording.record(self.project, started.session_id, events)
        recording.end(self.project, started.session_id)
        return started.session_id

    def states(self) -> dict[str, ExperienceState]:
        return {s.experience.experience_id: s for s in list_experiences(self.project)}

    def status(self, experience_id: str) -> str:
        return self.states()[experience_id].status.value


def a_review(folder: Path) -> Review:
    review = Review(folder / "shop", {"HINDSIGHT_CLI_DATA_DIR": str(folder / "data")})
    review.root.mkdir()
    review.project.init()
    return review


def an_experience(
    number: int = 1,
    *,
    session_id: str | None = None,
    origin: Origin = Origin.AGENT,
    risk: tuple[str, ...] = (),
    **content: JsonValue,
) -> Experience:
    """A lesson about a busy port, citing the failing and the fixing step of a session."""
    cited = (FAILED_STEP, FIXED_STEP) if session_id else ()
    base = Content(
        kind=ExperienceKind.FAILURE_LESSON,
        scenario=f"Starting container number {number} while its port is taken",
        recommend="Publish another host port: `docker run -p 3307:3306 mysql:8`",
        avoid="Starting it again on the same port",
        why="The first call failed with exit 125",
        tool_tags=("docker",),
        citations=tuple(
            Citation(session_id=session_id or "", step_index=n, tool_name="Bash") for n in cited
        ),
    )
    return Experience(
        experience_id=f"ex-{number:012x}",
        trace_id=session_id,
        content=replace(base, **content),
        origin=origin,
        risk=risk,
    )


def a_call(command: str, **result: JsonValue) -> Mapping[str, JsonValue]:
    return {"event_type": "tool_call", "tool_name": "Bash", "input": {"command": command}, **result}
