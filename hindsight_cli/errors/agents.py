"""Agents' own settings, and commands that cannot be started."""

from __future__ import annotations

from hindsight_cli.errors.tree import HindsightError


class AgentConfigError(HindsightError):
    """Another program's settings cannot be changed as asked; they were not touched."""

    code = "agent_config"

    def __init__(self, path: str, line: int, problem: str) -> None:
        super().__init__(
            f"{path}{f', line {line}' if line else ''}: {problem}.",
            hint="The file was not touched. Mend that place, then run it again.",
        )


class ConfigChangedError(HindsightError):
    code = "config_changed"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} was changed by another program meanwhile.",
            hint="Nothing was written. Run it again; it shows the difference anew.",
        )


class UnknownAgentError(HindsightError):
    code = "unknown_agent"
    exit_code = 2

    def __init__(self, name: str, *, known: list[str]) -> None:
        super().__init__(
            f"Nothing is known about installing into {name!r}.",
            hint=f"One of {', '.join(known)}.",
        )


class CannotStartError(HindsightError):
    """The command of a run was not started. `exit_code`: 127 not found, 126 not executable."""

    code = "cannot_start"

    def __init__(self, program: str, reason: str, *, exit_code: int) -> None:
        super().__init__(
            f"Cannot start {program!r}: {reason}.",
            hint="Nothing was run or recorded. After `--` comes the command itself.",
        )
        self.exit_code = exit_code
