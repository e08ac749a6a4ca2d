"""Every error a user can meet, in one tree: what happened, then what to do."""

from __future__ import annotations


class HindsightError(Exception):
    """Base of all expected errors.

    `code` is stable and documented; scripts may match on it. Text may change.
    """

    code = "error"
    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(HindsightError):
    code = "usage"
    exit_code = 2


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


class StorageError(HindsightError):
    """A file of ours cannot be read or written; nothing already stored is lost."""

    code = "storage"

    def __init__(self, path: str, reason: str, *, hint: str = "") -> None:
        super().__init__(
            f"Cannot use {path!r}: {reason}.",
            hint=hint or "Check the folder's permissions and free space, then run it again.",
        )


class SourceNotFoundError(HindsightError):
    code = "source_not_found"

    def __init__(
        self, path: str, *, hint: str = "Give the path of a transcript, or of a folder of them."
    ) -> None:
        super().__init__(f"No file or folder {path!r}.", hint=hint)


class NoTranscriptsError(HindsightError):
    code = "no_transcripts"

    def __init__(self, path: str, looked_at: int, *, packed: int = 0) -> None:
        unpack = f", {packed} of them compressed: unpack those first" if packed else ""
        super().__init__(
            f"No transcript in {path!r} ({looked_at} files looked at{unpack}).",
            hint="Transcripts are .jsonl, .json or .db files of agents. Without a path, "
            "`hindsight import` looks where agents keep them.",
        )


class UnknownFormatError(HindsightError):
    code = "unknown_format"

    def __init__(self, path: str, *, why: str, formats: list[str]) -> None:
        super().__init__(
            f"{path!r} is in no format that can be read: {why}.",
            hint=f"Known formats: {', '.join(formats)}. Force one with --format NAME."
            if formats
            else "Then import what was in it.",
        )


class NothingReadError(HindsightError):
    """A file that is not empty gave no event: never to be taken for a short session."""

    code = "nothing_read"

    def __init__(self, path: str, *, unknown: str, broken: str, writer: str = "") -> None:
        by = f"written by {writer}" if writer else ""
        what = "; ".join(filter(None, [unknown, broken, by]))
        super().__init__(
            f"{path!r} holds records, but none could be read ({what}).",
            hint="Its agent may be newer than this version: update, or report these types."
            if unknown
            else "The file looks cut off or damaged: fetch it again from its agent.",
        )


class ImportInterruptedError(HindsightError):
    """Ctrl-C during an import: what was read by then is kept."""

    code = "interrupted"
    exit_code = 130

    def __init__(self, records: int, files: int) -> None:
        super().__init__(
            f"Stopped. {records} new record(s) of {files} file(s) are kept.",
            hint="Run it again to go on.",
        )


class FormatNotFoundError(HindsightError):
    code = "format_not_found"
    exit_code = 2

    def __init__(self, name: str, *, installed: list[str]) -> None:
        super().__init__(
            f"No format named {name!r}.", hint=f"Installed: {', '.join(installed) or 'none'}."
        )


class TraceNotFoundError(HindsightError):
    code = "trace_not_found"

    def __init__(self, trace_id: str, *, known: int) -> None:
        super().__init__(
            f"No trace {trace_id!r} in this project ({known} recorded).",
            hint="List them with `hindsight traces list`.",
        )


class AmbiguousIdError(HindsightError):
    code = "ambiguous_id"

    def __init__(self, beginning: str, matches: list[str]) -> None:
        some = ", ".join(matches[:5]) + (" …" if len(matches) > 5 else "")  # noqa: PLR2004
        super().__init__(f"{len(matches)} ids begin with {beginning!r}.", hint=f"One of: {some}")


class NotAStepError(HindsightError):
    """A trace cannot be split where it has no step, or where it begins."""

    code = "not_a_step"

    def __init__(self, trace_id: str, step: int, steps: list[int]) -> None:
        begins = bool(steps) and step == steps[0]
        why = "begins at" if begins else "has no"
        last = f", {steps[1]} to {steps[-1]}" if len(steps) > 1 else ""
        super().__init__(
            f"Trace {trace_id!r} {why} step {step}.",
            hint=f"Give one of its later steps{last}: see `hindsight traces show {trace_id}`.",
        )


class NotAdjacentError(HindsightError):
    """Only traces of one session that follow each other can be joined."""

    code = "not_adjacent"

    def __init__(self, trace_id: str, other: str, *, why: str) -> None:
        super().__init__(
            f"{trace_id!r} and {other!r} cannot be joined: {why}.",
            hint="Join traces of one session that follow each other: see `hindsight traces list`.",
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


class SessionNotFoundError(HindsightError):
    code = "session_not_found"

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"No session {session_id!r} is being recorded here.",
            hint="Begin one with `hindsight record start --task TEXT`.",
        )


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


class InvalidEventError(HindsightError):
    code = "invalid_event"
    exit_code = 2

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(
            f"{where}: {problem}.",
            hint='An event is like {"event_type": "tool_call", "tool_name": "bash", '
            '"input": {"command": "make"}, "output": "...", "exit_code": 2}.',
        )


class InvalidExperienceError(HindsightError):
    code = "invalid_experience"

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(
            f"{where}: {problem}.",
            hint='An experience is like {"kind": "failure_lesson", "scenario": "...", '
            '"recommend": "...", "avoid": "...", "tool_tags": ["docker"]}.',
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


class UnknownSettingError(HindsightError):
    code = "unknown_setting"
    exit_code = 2

    def __init__(self, name: str, *, known: list[str]) -> None:
        super().__init__(
            f"{name!r} is no setting of yours.",
            hint=f"One of {', '.join(known)}. A project's own stand in its "
            ".hindsight/project.toml, a model's key in the environment.",
        )


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


class NewerStoreError(HindsightError):
    code = "newer_store"

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{path} was written by a newer version (schema {found}, this one knows {known}).",
            hint="Update hindsight-cli; nothing was changed.",
        )
