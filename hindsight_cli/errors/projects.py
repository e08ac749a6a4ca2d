"""Where things are, how they are set, and what cannot be read or written."""

from __future__ import annotations

from hindsight_cli.errors.tree import HindsightError


class ProjectNotFoundError(HindsightError):
    code = "project_not_found"

    def __init__(self, start: str) -> None:
        super().__init__(
            f"No Hindsight project at {start!r} or above it.",
            hint="Run `hindsight init` in your project, or name one with --project DIR.",
        )


class ProjectRefusedError(HindsightError):
    code = "project_refused"

    def __init__(self, path: str, why: str) -> None:
        super().__init__(
            f"{path!r} is not taken as a project: {why}.",
            hint="Change into your project's folder, or name it with --project DIR.",
        )


class ConfigError(HindsightError):
    code = "config"

    def __init__(self, path: str, problem: str, allowed: str) -> None:
        super().__init__(f"{path}: {problem}.", hint=allowed)


class UnknownSettingError(HindsightError):
    code = "unknown_setting"
    exit_code = 2

    def __init__(self, name: str, *, known: list[str]) -> None:
        super().__init__(
            f"{name!r} is no setting of yours.",
            hint=f"One of {', '.join(known)}. A project's own stand in its "
            ".hindsight/project.toml, a model's key in the environment.",
        )


class StorageError(HindsightError):
    """A file of ours cannot be read or written; nothing already stored is lost."""

    code = "storage"

    def __init__(self, path: str, reason: str, *, hint: str = "") -> None:
        super().__init__(
            f"Cannot use {path!r}: {reason}.",
            hint=hint or "Check the folder's permissions and free space, then run it again.",
        )


class NewerStoreError(HindsightError):
    code = "newer_store"

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{path} was written by a newer version (schema {found}, this one knows {known}).",
            hint="Update hindsight-cli; nothing was changed.",
        )


class PausedError(HindsightError):
    code = "paused"

    def __init__(self, marker: str, *, everywhere: bool = False) -> None:
        super().__init__(
            f"Recording is paused ({marker}).",
            hint=f"Go on with `hindsight resume{' --everywhere' if everywhere else ''}`.",
        )


class ExcludedError(HindsightError):
    code = "excluded"

    def __init__(self, folder: str) -> None:
        super().__init__(
            f"Nothing is recorded in {folder!r}.",
            hint="The project leaves it out: see `exclude` in .hindsight/project.toml.",
        )
