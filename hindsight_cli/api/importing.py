"""Import native transcripts: streaming, idempotent, one bad record or file isolated."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hindsight_cli.api.forks import Forks, Held
from hindsight_cli.api.import_losses import LostContent, UnreadLines, gaps_message, missing_parents
from hindsight_cli.api.import_sources import format_of, sources, unreadable
from hindsight_cli.api.privacy import check_not_paused, not_excluded
from hindsight_cli.api.project import Project
from hindsight_cli.api.same_run import SameRun
from hindsight_cli.api.traces import list_traces
from hindsight_cli.api.watched_path import WatchedPath
from hindsight_cli.capture.draft import Draft, Format, Problem, Selection, StoreFormat, size_of
from hindsight_cli.capture.formats import format_names, load_format
from hindsight_cli.capture.names import Names
from hindsight_cli.capture.numbering import SessionState, safe_session_id
from hindsight_cli.capture.recorder import EventBuilder
from hindsight_cli.errors import (
    HindsightError,
    ImportInterruptedError,
    NothingReadError,
    UnknownFormatError,
)
from hindsight_cli.text import one_line
from hindsight_cli.traces.files import month_of
from hindsight_cli.traces.index import TraceRow

BATCH_RECORDS = 400
BATCH_CHARS = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How files are to be read."""

    format_name: str | None = None  # None: told by their content
    strict: bool = False  # a file with a broken record or one of an unknown type is left out
    # Asked for every record with the folder its session began in; refused ones are skipped.
    accept: Callable[[str | None], bool] | None = None
    on_bytes: Callable[[int], None] | None = None  # told how far the file is read


@dataclass(frozen=True, slots=True)
class RecordProblem:
    path: str
    line: int  # 0: the file as a whole
    reason: str


@dataclass(slots=True, kw_only=True)
class FileReport:
    """found = imported + duplicate + skipped + failed, counted in native records."""

    path: str
    format: str
    found: int = 0
    imported: int = 0
    duplicate: int = 0
    skipped: int = 0
    failed: int = 0


@dataclass(slots=True, kw_only=True)
class ImportReport:
    files: list[FileReport] = field(default_factory=list)
    sessions: dict[str, FileReport] = field(default_factory=dict)  # and where each came from
    parents: dict[str, str] = field(default_factory=dict)  # of subagents' sessions
    traces: list[TraceRow] = field(default_factory=list)
    unknown_records: Counter[str] = field(default_factory=Counter)
    problems: list[RecordProblem] = field(default_factory=list)
    failed_files: list[HindsightError] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    replaced: set[str] = field(default_factory=set)  # sessions that a richer file tells better
    held: Held = field(default_factory=Held)  # whose records they are that forks copy
    reading: FileReport | None = None  # the file that is not read to its end

    def total(self, count: str) -> int:
        return sum(getattr(file, count) for file in self.files)


def import_paths(
    project: Project,
    paths: Sequence[Path],
    how: How | None = None,
    *,
    on_file: Callable[[Path], None] = lambda _: None,
) -> ImportReport:
    """Import every transcript at `paths` (files, or folders searched through).

    Raises:
        PausedError, SourceNotFoundError, NoTranscriptsError, FormatNotFoundError: nothing was
            imported.
        ImportInterruptedError: Ctrl-C; what was read by then is kept.
        HindsightError: the only file given cannot be read. With several files, such
            errors are in `failed_files` and the others are imported.
    """
    check_not_paused(project)
    report = ImportReport()
    how = how or How()
    files = list(sources(paths, how.format_name, report.messages))
    with stoppable(report):
        for path, chosen in files:
            on_file(path)
            import_file(project, path, report, replace(how, format_name=chosen))
    if len(files) == 1 and report.failed_files:
        raise report.failed_files[0]
    add_traces(project, report)
    return report


def import_file(project: Project, path: Path, report: ImportReport, how: How) -> bool:
    """Import one file; what went wrong with it is in `report.failed_files`, and False."""
    try:
        name = format_of(path, how.format_name)
        project.ensure()  # not before there is something to import
        own = replace(how, format_name=name, accept=not_excluded(project, how.accept))
        with _content_of(path, own) as content:
            at = content if how.on_bytes is None else WatchedPath(content, how.on_bytes)
            _FileImport(project, path, own, report).run(at)
    except (HindsightError, OSError) as error:
        failure = error if isinstance(error, HindsightError) else unreadable(path, error)
        failure.__cause__ = None if failure is error else error
        report.failed_files.append(failure)
        report.reading = None
        report.problems.append(RecordProblem(str(path), 0, str(failure)))
        return False
    return True


@contextmanager
def stoppable(report: ImportReport) -> Iterator[None]:
    """Let Ctrl-C say what is kept.

    Raises:
        ImportInterruptedError: in place of KeyboardInterrupt.
    """
    try:
        yield
    except KeyboardInterrupt:
        files = [*report.files, *([report.reading] if report.reading else [])]
        kept = sum(file.imported for file in files)
        raise ImportInterruptedError(kept, len(files)) from None


@contextmanager
def _content_of(path: Path, how: How) -> Iterator[Path]:
    """The file to read: of one with the sessions of many runs, only those that are asked for."""
    reader = load_format(how.format_name or "")
    if how.accept is None or not isinstance(reader, StoreFormat):
        yield path
        return
    folders = tuple(folder for folder in reader.folders(path) if how.accept(folder))
    with TemporaryDirectory(prefix="hindsight-") as place:
        extract = Path(place) / path.name
        reader.extract(path, extract, Selection(folders=folders))
        yield extract


class _FileImport:
    """The import of one file: drafts are gathered by session and written in batches."""

    def __init__(self, project: Project, path: Path, how: How, report: ImportReport) -> None:
        name = how.format_name or ""
        self._project = project
        self._path = path
        self._how = how
        self._format: Format = load_format(name)
        self._report = report
        self._file = FileReport(path=str(path), format=name)
        self._unknown: Counter[str] = Counter()
        self._waiting: dict[str, list[Draft]] = defaultdict(list)
        self._held = self._held_chars = 0
        self._names = Names(project.redactor)
        self._earlier = dict(report.sessions)
        self._written: dict[str, Counter[str]] = defaultdict(Counter)
        self._seen_known = False
        self._first_problem = self._writer = ""
        self._builders: dict[str, tuple[EventBuilder, int]] = {}
        self._lost = LostContent(project)
        self._same_run = SameRun(project, path, name, self._to_id)
        self._unread = UnreadLines(project, path)
        self._forks = Forks(project, name, report.held)
        self._gaps = 0
        self._natives: dict[str, str] = {}  # the agent's own ids of sessions by those here

    def run(self, content: Path) -> None:
        """Import what is in `content`: the file itself, or an extract of it."""
        if self._how.strict:
            self._refuse_flaws(content)
        accept = self._how.accept
        self._report.reading = self._file
        for item in self._format.read(content):
            self._file.found += 1
            if isinstance(item, Problem):
                self._fail(item)
            elif accept is not None and not accept(item.session.cwd):
                self._file.skipped += 1
            else:
                self._take(item)
        self._finish()

    def _refuse_flaws(self, content: Path) -> None:
        for item in self._format.read(content):
            flawed = isinstance(item, Problem) or not item.known
            if flawed:
                what = item.reason if isinstance(item, Problem) else f"type {item.native_type!r}"
                raise UnknownFormatError(
                    str(self._path),
                    why=f"line {item.line} cannot be read ({what}), and --strict asks for all",
                    formats=format_names(),
                )

    def _fail(self, problem: Problem) -> None:
        self._file.failed += 1
        excerpt = one_line(self._project.redactor.text(problem.excerpt), 80)
        reason = f"{problem.reason}: {excerpt}" if excerpt else problem.reason
        self._first_problem = self._first_problem or f"line {problem.line}: {problem.reason}"
        self._report.problems.append(RecordProblem(str(self._path), problem.line, reason))
        self._unread.note(problem.line, reason)

    def _take(self, draft: Draft) -> None:
        session_id = self._unread.session_id = self._to_id(draft.session.session_id)
        self._lost.note(session_id, draft)
        if not self._seen_known and draft.session.agent_version:
            version = self._names.clean(draft.session.agent_version)
            self._writer = f"{draft.session.agent} {version}"
        if not draft.known:
            self._unknown[self._names.clean(draft.native_type)] += 1
        elif not draft.events:
            self._file.skipped += 1
            return
        else:
            self._seen_known = True
        draft, holds = self._forks.own(session_id, draft)
        holder = holds or self._same_run.holder(draft.session)
        if holder is not None:
            self._file.duplicate += 1
            self._report.sessions.setdefault(holder, self._file)
            return
        self._natives[session_id] = draft.session.session_id
        if draft.session.parent_session_id:
            parent = self._names.clean(draft.session.parent_session_id)
            self._report.parents[session_id] = safe_session_id(parent)
        self._waiting[session_id].append(draft)
        self._held += 1
        self._held_chars += size_of(draft)
        full = self._held >= BATCH_RECORDS or self._held_chars >= BATCH_CHARS
        if full and self._seen_known:
            self._flush()

    def _to_id(self, native_id: str) -> str:
        """The session's id here: a plain file name, and no secret."""
        return safe_session_id(self._names.clean(native_id))

    def _finish(self) -> None:
        if not self._seen_known and (self._unknown or self._file.failed):
            tally = ", ".join(f"{n} x {t}" for t, n in self._unknown.most_common(8))
            raise NothingReadError(
                str(self._path), unknown=tally, broken=self._first_problem, writer=self._writer
            )
        self._flush()
        self._add_left_over()
        self._tell_of_merged()
        self._unread.keep(list(self._builders))
        self._report.messages += gaps_message(self._path, self._gaps)
        self._report.messages += self._same_run.messages()
        stored = {id_: builder.state.event_ids for id_, (builder, _) in self._builders.items()}
        self._report.messages += self._lost.messages(self._path, stored)
        self._report.files.append(self._file)
        self._report.reading = None
        self._report.unknown_records.update(self._unknown)

    def _flush(self) -> None:
        for session_id, drafts in self._waiting.items():
            self._write(session_id, drafts)
        self._waiting.clear()
        self._held = self._held_chars = 0

    def _write(self, session_id: str, drafts: list[Draft]) -> None:
        for gone in self._same_run.make_room(self._natives[session_id]):
            self._report.sessions.pop(gone, None)
            self._report.replaced.add(gone)
        stamps = (e.timestamp for d in drafts for e in d.events if e.timestamp)
        month = month_of(next(stamps, None), self._project.now())
        with self._project.traces.open(session_id, month=month) as session:
            builder, size = self._builders.get(session_id, (None, -1))
            if builder is None or size != session.size:
                state = SessionState.of(session_id, session.events())
                if builder is None:
                    self._written[session_id]["before"] = state.seq
                redactor, put = self._project.redactor, self._project.outputs.put
                name = self._file.format
                builder = EventBuilder(state, redactor, put, format_name=name)
            events = []
            for draft in drafts:
                built = builder.build(draft)
                events += built
                self._count(session_id, is_new=bool(built))
                self._gaps += sum("gap" in event.extra for event in built)
            session.append(events)
            self._forks.note(session_id, drafts[0])
            self._builders[session_id] = (builder, session.size)
        self._report.sessions[session_id] = self._file

    def _add_left_over(self) -> None:
        """Add what a stream told besides, where it gave way to this file."""
        now = month_of(None, self._project.now())
        for session_id, (builder, size) in self._builders.items():
            events = self._same_run.left_over(session_id, builder.state)
            if not events:
                continue
            with self._project.traces.open(session_id, month=now) as session:
                if session.size == size:  # else another import goes on with it
                    session.append(events)

    def _count(self, session_id: str, *, is_new: bool) -> None:
        if is_new:
            self._file.imported += 1
        else:
            self._file.duplicate += 1
        self._written[session_id]["imported" if is_new else "duplicate"] += 1

    def _tell_of_merged(self) -> None:
        """Say which sessions got records of this file beside those of another.

        A file that grew repeats what is there already; another file of the same
        session id brings only records that are not there.
        """
        for session_id, written in self._written.items():
            other = self._earlier.get(session_id)
            is_other = other is not None or (written["before"] and not written["duplicate"])
            if written["imported"] and is_other:
                earlier = "one imported before" if other is None else other.path
                self._report.messages.append(
                    f"Session {session_id} now holds records of two files: {earlier} "
                    f"and {self._path}"
                )


def add_traces(project: Project, report: ImportReport) -> None:
    """What was imported, as traces; a broken index costs this list, never the import."""
    if not report.sessions:
        return
    try:
        rows = list_traces(project)
    except HindsightError as error:
        report.messages.append(f"The traces are saved; the index is not up to date: {error}")
        return
    report.traces = [row for row in rows if row.session_id in report.sessions]
    report.messages += missing_parents(report.parents, {row.session_id for row in rows})
