"""Experiences, their review, and what was injected."""

from __future__ import annotations

from hindsight_cli.errors.tree import HindsightError


class ExperienceNotFoundError(HindsightError):
    code = "experience_not_found"

    def __init__(self, experience_id: str) -> None:
        super().__init__(
            f"No experience {experience_id!r}.",
            hint="List them with `hindsight experiences list`.",
        )


class InjectionNotFoundError(HindsightError):
    code = "injection_not_found"

    def __init__(self, injection_id: str) -> None:
        super().__init__(
            f"No injection {injection_id!r:.60} in this project.",
            hint="Its receipt stands in the injected text: inj- and twelve characters.",
        )


class InvalidExperienceError(HindsightError):
    code = "invalid_experience"

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(
            f"{where}: {problem}.",
            hint='An experience is like {"kind": "failure_lesson", "scenario": "...", '
            '"recommend": "...", "avoid": "...", "tool_tags": ["docker"]}.',
        )


class ReviewRefusedError(HindsightError):
    """A review verb that may not be carried out as asked."""

    code = "review_refused"


class AgentReviewError(ReviewRefusedError):
    code = "agent_review"

    def __init__(self, variable: str) -> None:
        super().__init__(
            f"Reviewing is for a person: this shell runs inside an agent ({variable} is set).",
            hint="Review in your own terminal, or set HINDSIGHT_CLI_ALLOW_AGENT_REVIEW=1.",
        )


class NothingToUndoError(ReviewRefusedError):
    code = "nothing_to_undo"

    def __init__(self, experience_id: str | None) -> None:
        super().__init__(
            f"Nothing to undo{f' for {experience_id}' if experience_id else ''}.",
            hint="`hindsight experiences list --status all` shows what was decided.",
        )


class AgentSettingsError(AgentReviewError):
    """Settings say where traces are sent and what is run: no agent changes them."""

    code = "agent_settings"

    def __init__(self, variable: str) -> None:
        HindsightError.__init__(
            self,
            f"Settings are for a person: this shell runs inside an agent ({variable} is set).",
            hint="Set it in your own terminal, or set HINDSIGHT_CLI_ALLOW_AGENT_REVIEW=1.",
        )
