"""Every error a user can meet, in one tree: what happened, then what to do.

A room of this package is loaded when one of its errors is first asked for: making forty
classes costs a search a twentieth of its time.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.errors.agents import (
        AgentConfigError,
        CannotStartError,
        ConfigChangedError,
        UnknownAgentError,
    )
    from hindsight_cli.errors.experiences import (
        AgentReviewError,
        AgentSettingsError,
        ExperienceNotFoundError,
        InjectionNotFoundError,
        InvalidExperienceError,
        NothingToUndoError,
        ReviewRefusedError,
    )
    from hindsight_cli.errors.models import (
        DailyCallsSpentError,
        EmbeddingUnavailableError,
        ModelFailedError,
        ModelNotConfiguredError,
        NestedReflectionError,
        ReflectionRunningError,
        UnusableReplyError,
        VectorsPendingError,
    )
    from hindsight_cli.errors.projects import (
        ConfigError,
        ExcludedError,
        NewerStoreError,
        PausedError,
        ProjectNotFoundError,
        ProjectRefusedError,
        StorageError,
        UnknownSettingError,
    )
    from hindsight_cli.errors.sessions import (
        AmbiguousIdError,
        FormatNotFoundError,
        ImportInterruptedError,
        InvalidEventError,
        NotAdjacentError,
        NotAStepError,
        NothingReadError,
        NoTranscriptsError,
        SessionNotFoundError,
        SourceNotFoundError,
        TraceNotFoundError,
        UnknownFormatError,
    )
    from hindsight_cli.errors.tree import HindsightError, UsageError

__all__ = [
    "AgentConfigError",
    "AgentReviewError",
    "AgentSettingsError",
    "AmbiguousIdError",
    "CannotStartError",
    "ConfigChangedError",
    "ConfigError",
    "DailyCallsSpentError",
    "EmbeddingUnavailableError",
    "ExcludedError",
    "ExperienceNotFoundError",
    "FormatNotFoundError",
    "HindsightError",
    "ImportInterruptedError",
    "InjectionNotFoundError",
    "InvalidEventError",
    "InvalidExperienceError",
    "ModelFailedError",
    "ModelNotConfiguredError",
    "NestedReflectionError",
    "NewerStoreError",
    "NoTranscriptsError",
    "NotAStepError",
    "NotAdjacentError",
    "NothingReadError",
    "NothingToUndoError",
    "PausedError",
    "ProjectNotFoundError",
    "ProjectRefusedError",
    "ReflectionRunningError",
    "ReviewRefusedError",
    "SessionNotFoundError",
    "SourceNotFoundError",
    "StorageError",
    "TraceNotFoundError",
    "UnknownAgentError",
    "UnknownFormatError",
    "UnknownSettingError",
    "UnusableReplyError",
    "UsageError",
    "VectorsPendingError",
]

_ROOMS = ("tree", "projects", "experiences", "sessions", "agents", "models")  # hot paths first


def __getattr__(name: str) -> object:
    """An error by name, from the first room that has it."""
    if name in __all__:
        for room in _ROOMS:
            __import__(f"{__name__}.{room}")  # importlib would cost as much as is saved
            found = getattr(sys.modules[f"{__name__}.{room}"], name, None)
            if found is not None:
                globals()[name] = found
                return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
