"""Delete old sessions, and the outputs that no trace refers to; what a lesson rests on stays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hindsight_cli import appendlog
from hindsight_cli.api.deleting import output_refs
from hindsight_cli.api.index import delete_index
from hindsight_cli.api.project import Project, timestamp
from hindsight_cli.errors import StorageError
from hindsight_cli.experiences.fold import fold
from hindsight_cli.records.experience import ReviewStatus

DEFAULT_DAYS = 30.0
_GONE = (ReviewStatus.REJECTED, ReviewStatus.FORGOTTEN)
_TAIL_BYTES = 256 * 1024
# An output is stored before the event that refers to it: younger ones may be in the making.
_SETTLED_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OldSession:
    """A session that is old enough to go, with all its files."""

    session_id: str
    last_at: str  # ISO 8601, UTC: its last event, else the last change of its files
    bytes: int
    files: tuple[str, ...]  # its own, those of hooks and proxies, torn ends
    experience_ids: tuple[str, ...]  # that rest on it


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What was deleted; with `dry_run`, what would be."""

    pruned: tuple[OldSession, ...]
    kept: int  # sessions that stay
    cited: tuple[OldSession, ...]  # those of them that only stay as experiences rest on them
    outputs: int  # full outputs deleted
    bytes: int  # of sessions and outputs
    dry_run: bool


def prune(
    project: Project,
    *,
    days: float = DEFAULT_DAYS,
    cited: bool = False,
    dry_run: bool = False,
) -> Pruned:
    """Delete sessions whose last event is more than `days` old; `cited` ones only if asked.

    A session goes whole or stays whole: one that grew since it was looked at stays, and
    what a killed prune left is deleted by the next.

    Raises:
        StorageError: a file could not be read or deleted; run it again.
    """
    by_session = _files_by_session(project)
    before = project.clock() - timedelta(days=days)
    try:
        old = _old_sessions(project, by_session, before)
        spared = [one for one in old if one.experience_ids and not cited]
        chosen = [one for one in old if cited or not one.experience_ids]
        files = [path for one in chosen for path in by_session[one.session_id]]
        theirs = {ref for path in files for ref in output_refs(path)}
        pruned = [one for one in chosen if dry_run or _delete(by_session[one.session_id], before)]
        gone = {path for one in pruned for path in by_session[one.session_id]}
        outputs, freed = _sweep_outputs(project, gone, theirs, dry_run=dry_run)
    except OSError as error:
        raise StorageError(str(project.folder), error.strerror or str(error)) from error
    if pruned and not dry_run:
        delete_index(project)  # its pages hold texts of theirs
    return Pruned(
        pruned=tuple(pruned),
        kept=len(by_session) - len(pruned),
        cited=tuple(spared),
        outputs=outputs,
        bytes=sum(one.bytes for one in pruned) + freed,
        dry_run=dry_run,
    )


def _files_by_session(project: Project) -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = defaultdict(list)
    for path in project.traces.all_files():
        files[path.name.split(".")[0]].append(path)
    return files


def _experiences_by_session(project: Project) -> Mapping[str, tuple[str, ...]]:
    """The experiences that nobody turned down, by every session they come from or cite."""
    entries, _ = project.ledger.read()
    found: dict[str, list[str]] = defaultdict(list)
    for state in fold(entries, project.trust.digests()).values():
        if state.status in _GONE:
            continue
        experience = state.experience
        sessions = {c.session_id for c in experience.content.citations}
        sessions.add((experience.trace_id or "").partition(".")[0])
        for session_id in sessions:
            found[session_id].append(experience.experience_id)
    return {session_id: tuple(sorted(ids)) for session_id, ids in found.items()}


def _old_sessions(
    project: Project, by_session: Mapping[str, list[Path]], before: datetime
) -> list[OldSession]:
    resting = _experiences_by_session(project)
    old = []
    for session_id, files in sorted(by_session.items()):
        last = _last_at(files)
        if last < before:
            one = OldSession(
                session_id=session_id,
                last_at=timestamp(last),
                bytes=sum(path.stat().st_size for path in files),
                files=tuple(f"{path.parent.name}/{path.name}" for path in files),
                experience_ids=resting.get(session_id, ()),
            )
            old.append(one)
    return old


def _last_at(files: Iterable[Path]) -> datetime:
    """When a session was last heard of, as its events tell; else when its files changed."""
    told = [moment for path in files for moment in _times_at_end(path)]
    changed = (datetime.fromtimestamp(path.stat().st_mtime, UTC) for path in files)
    return max(told) if told else max(changed)


def _times_at_end(path: Path) -> list[datetime]:
    """The times of a file's last events."""
    start = max(0, path.stat().st_size - _TAIL_BYTES)
    lines = appendlog.read_lines(path, offset=start)
    times = (_moment((line.data or {}).get("timestamp")) for line in lines)
    return [moment for moment in times if moment is not None]


def _moment(given: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else None
        if moment is None:
            return None
        # Without a zone it is UTC, as events have it; far from any date it cannot be moved.
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _delete(files: list[Path], before: datetime) -> bool:
    """Delete a session's files, its own last; False when it was heard of meanwhile.

    Its own file is locked: who waits to append to it finds it gone, and makes another.
    """
    own = min(files, key=lambda path: (not path.name.endswith(".jsonl"), len(path.name)))
    lock = appendlog.locked(own) if own.name.endswith(".jsonl") else nullcontext()
    with lock:
        torn = own.with_name(f"{own.name}.torn")  # locking may have made it
        there = [path for path in dict.fromkeys([*files, torn]) if path.exists()]
        if not own.name.endswith(".torn") and _last_at(there) >= before:
            return False
        for path in there:
            if path != own:
                path.unlink(missing_ok=True)
        own.unlink(missing_ok=True)
    return True


def _sweep_outputs(
    project: Project, gone: set[Path], theirs: set[str], *, dry_run: bool
) -> tuple[int, int]:
    """Delete outputs that no file but those `gone` refers to; gives their number and bytes.

    `theirs` are those that only now lost what referred to them; others are what a killed
    deletion or writer left.
    """
    needed: set[str] = set()
    for path in project.traces.all_files():
        if path not in gone:
            needed |= output_refs(path)
    now = project.clock().timestamp()
    count = freed = 0
    for ref in project.outputs.refs():
        if ref not in needed:
            before = now if ref in theirs else now - _SETTLED_S
            size = project.outputs.prune(ref, before, dry_run=dry_run)
            count += size is not None
            freed += size or 0
    return count, freed
