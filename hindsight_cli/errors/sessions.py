"""Importing and recording sessions, and the traces they make."""

from __future__ import annotations

from hindsight_cli.errors.tree import HindsightError


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


class SessionNotFoundError(HindsightError):
    code = "session_not_found"

    def __init__(self, session_id: str) -> None:
        super().__init__(
            f"No session {session_id!r} is being recorded here.",
            hint="Begin one with `hindsight record start --task TEXT`.",
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
