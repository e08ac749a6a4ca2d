"""Models, and what they answer."""

from __future__ import annotations

from hindsight_cli.errors.tree import HindsightError


class ModelNotConfiguredError(HindsightError):
    code = "model_not_configured"

    def __init__(self, reflector: str) -> None:
        if reflector == "command":
            missing = "No command is configured to reflect with"
            hint = "`hindsight config set reflect_command 'claude -p'`, or another that answers."
        else:
            missing = "No model is configured"
            hint = (
                "`hindsight config set llm_model anthropic/claude-sonnet-4-5`, with its key in "
                "ANTHROPIC_API_KEY (each provider has its own); for your own server also "
                "llm_api_base."
            )
        super().__init__(f"{missing}.", hint=hint)


class ModelFailedError(HindsightError):
    """A model or command gave no answer. `is_final`: it would give none to another prompt."""

    code = "model_failed"

    def __init__(self, model: str, problem: str, *, remedy: str, is_final: bool = True) -> None:
        super().__init__(f"{model}: {problem}.", hint=f"The trace is kept. {remedy}")
        self.is_final = is_final


class EmbeddingUnavailableError(HindsightError):
    code = "embedding_unavailable"

    def __init__(self, model: str, problem: str, hint: str) -> None:
        super().__init__(f"The embedding model {model!r} cannot be used: {problem}.", hint=hint)


class VectorsPendingError(HindsightError):
    code = "vectors_pending"

    def __init__(self, missing: int) -> None:
        super().__init__(
            f"{missing} experiences have no vectors yet, too many to make while somebody waits.",
            hint="Make them once: hindsight index embed",
        )


class DailyCallsSpentError(HindsightError):
    code = "daily_calls_spent"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"All {limit} model calls of this day (UTC) are spent.",
            hint="They begin anew at 00:00 UTC; `hindsight config set llm_daily_calls N` allows "
            "more.",
        )


class ReflectionRunningError(HindsightError):
    code = "reflection_running"

    def __init__(self, waited_s: int) -> None:
        super().__init__(
            f"Another reflection with a model still runs here, after {waited_s} s of waiting.",
            hint="The traces are kept: run it again later; `hindsight status` shows the other.",
        )


class NestedReflectionError(HindsightError):
    code = "nested_reflection"

    def __init__(self, variable: str) -> None:
        super().__init__(
            f"A reflection does not reflect on itself ({variable} is set).",
            hint="Run it outside of the command that Hindsight reflects with.",
        )


class UnusableReplyError(HindsightError):
    code = "unusable_reply"

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(
            f"{where} is not a usable answer: {problem}.",
            hint="The trace is kept; `hindsight reflect --prompt-only` shows the schema asked for.",
        )
