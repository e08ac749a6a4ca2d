"""The index follows the files: checked on every use, brought up to date when they changed."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.errors import NewerStoreError, StorageError

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from typing import TypeVar

    from hindsight_cli.experiences.store import ExperienceStore
    from hindsight_cli.providers.database import Database
    from hindsight_cli.records.event import Event
    from hindsight_cli.records.experience import Experience, ExperienceState
    from hindsight_cli.retrieve.document import Document
    from hindsight_cli.traces.index import TraceIndex

    T = TypeVar("T")

SCHEMA = 2
WRITE_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 1.0  # an agent waits for a search
# What reading a damaged database, or rows somebody damaged, may end in.
DAMAGE = (sqlite3.DatabaseError, ValueError, KeyError, TypeError, AttributeError)


def fresh_connection(project: Project) -> sqlite3.Connection:
    """A read-only connection whose experiences are those of the ledger as it is now.

    Costs a few stats and queries when nothing changed; syncs first when something did.
    """
    connection = _open_read_only(project)
    if connection is not None:
        with contextlib.suppress(sqlite3.Error):
            stored = _stored(connection, "ledger")
            current = stored == ledger_signature(project) or _only_receipts_since(project, stored)
            if current and _stored(connection, "owner") == project.index_token:
                return connection
        connection.close()
    use_index(project, lambda opened: opened.sync_experiences())
    connection = _open_read_only(project)
    if connection is None:
        raise StorageError(str(project.index_path), "the index cannot be read")
    return connection


def use_index(project: Project, action: Callable[[Index], T]) -> T:
    """Run `action` on the whole index. A damaged one is made again, once: it is derived.

    Raises:
        NewerStoreError: a later version wrote it; it is left alone.
        StorageError: it cannot be written, or another process holds it too long.
    """
    return healed(project, lambda: _with_index(project, action))


def _with_index(project: Project, action: Callable[[Index], T]) -> T:
    db, opened = _open(project)
    try:
        return action(opened)
    finally:
        db.close()


class Index:
    """The whole index, open for writing on one thread."""

    def __init__(self, project: Project, db: Database) -> None:
        from hindsight_cli.experiences.store import ExperienceStore
        from hindsight_cli.traces.index import TraceIndex

        self._project = project
        self._db = db
        self.experiences: ExperienceStore = ExperienceStore(db)
        self.traces: TraceIndex = TraceIndex(db)

    def sync_experiences(self) -> None:
        """Fold the ledger again if it changed since the last time."""
        import hashlib  # not on the way of a search that finds the index up to date

        from hindsight_cli.experiences.fold import fold
        from hindsight_cli.retrieve.lexical import LexicalIndex

        signature = ledger_signature(self._project)
        if self._meta("ledger") == signature:
            return
        entries, _ = self._project.ledger.read()
        states = fold(entries, self._project.trust.digests())
        with _immediate(self._db.conn):
            self.experiences.replace_all(states.values())
            documents = [document_of(s) for s in states.values() if s.retrievable]
            digest = hashlib.sha256(repr(documents).encode("utf-8", "replace")).hexdigest()
            if self._meta("documents") != digest:
                LexicalIndex(self._db.conn).rebuild(documents)
                self._set_meta("documents", digest)
            self._set_meta("ledger", signature)

    def _meta(self, key: str) -> str:
        return _stored(self._db.conn, key)

    def _set_meta(self, key: str, value: str) -> None:
        self._db.conn.execute("insert or replace into hindsight_meta values (?, ?)", (key, value))

    def sync_traces(self) -> int:
        """Read the trace files that changed; gives their number."""
        with _immediate(self._db.conn):
            return self.traces.sync(self._project.traces.sessions(), self._read_text)

    def save_recoveries(self, found: Mapping[str, Iterable[int]], reader: str) -> None:
        """By session, the failed steps that something later ended."""
        with _immediate(self._db.conn):
            for session_id, steps in found.items():
                self.traces.save_recoveries(session_id, steps, reader)

    def _read_text(self, event: Event) -> str:
        full = self._project.outputs.find(event.output_ref) if event.output_ref else None
        return event.output_summary if full is None else full.decode("utf-8", "replace")


def healed(project: Project, action: Callable[[], T]) -> T:
    """Run `action`; if the index proves damaged, delete it and run `action` once more.

    Raises:
        StorageError: another process holds the index too long, or it fails again.
    """
    try:
        return action()
    except DAMAGE as error:
        if _is_locked(error):
            raise _unusable(project, error) from error
    delete_index(project)
    try:
        return action()
    except sqlite3.Error as error:
        raise _unusable(project, error) from error


def _only_receipts_since(project: Project, stored: str) -> bool:
    """Whether nothing but `injected` entries came to the local ledger since `stored`.

    Receipts change counts, not what may be found: `inject` must not make the next
    search fold the whole ledger again.
    """
    try:
        was, now = json.loads(stored), json.loads(ledger_signature(project))
        (shared, (inode, size, _), trust) = was[1]
        (shared_now, (inode_now, _, _), trust_now) = now[1]
    except (ValueError, TypeError, IndexError):
        return False
    if (was[0], shared, inode, trust) != (now[0], shared_now, inode_now, trust_now):
        return False
    try:
        with project.local_ledger.open("rb") as file:
            file.seek(size)
            added = file.read(1 << 20)
    except OSError:
        return False
    lines = [line for line in added.split(b"\n") if line]
    return len(added) < 1 << 20 and all(b'"entry":"injected"' in line for line in lines)


def delete_index(project: Project) -> None:
    """Take the index away; the next command makes it again from the files."""
    try:
        for suffix in ("", "-wal", "-shm", "-journal"):
            Path(f"{project.index_path}{suffix}").unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(str(project.index_path), error.strerror or str(error)) from error


def ledger_signature(project: Project) -> str:
    """Changes whenever a ledger file or the trust list does."""
    seen: list[list[int] | None] = []
    for path in (project.shared_ledger, project.local_ledger, project.trust_path):
        try:
            stat = path.stat()
        except OSError:
            seen.append(None)
        else:
            seen.append([stat.st_ino, stat.st_size, stat.st_mtime_ns])
    return json.dumps([SCHEMA, seen])


def documents_digest(connection: sqlite3.Connection) -> str:
    """Changes whenever what may be found does."""
    return _stored(connection, "documents")


def document_of(state: ExperienceState) -> Document:
    """What retrieval may see of an experience."""
    from hindsight_cli.retrieve.document import Document

    content = state.experience.content
    return Document(
        experience_id=state.experience.experience_id,
        scenario=content.scenario,
        recommend=content.recommend,
        avoid=content.avoid,
        context=state.experience.task,
        tool_tags=content.tool_tags,
        task_tags=content.task_tags,
        error_fingerprints=fingerprints_of(state.experience),
        weight=state.weight,
    )


def fingerprints_of(experience: Experience) -> tuple[str, ...]:
    """The errors it answers, as they are written today.

    A ledger may have them from before names were kept; the evidence still tells the name.
    """
    from hindsight_cli.fingerprint.names import with_names

    told = "\n".join(evidence.output for evidence in experience.content.evidence)
    return tuple(with_names(known, told) for known in experience.error_fingerprints)


def _open(project: Project) -> tuple[Database, Index]:
    from hindsight_cli import appendlog

    if project.index_path.is_symlink():
        raise StorageError(str(project.index_path), "it is a link", hint="Delete the link.")
    opened = _connect(project) if project.index_path.exists() else None
    if opened is None:
        # One process makes it, the others wait: SQLite refuses them at once while it does.
        with appendlog.locked(project.folder / "index.lock"):
            opened = _connect(project) or _make(project)
    return opened


def _connect(project: Project) -> tuple[Database, Index] | None:
    """The index as it is, or None when it is not there, not whole or not made by this user."""
    from hindsight_cli.providers.database import Database

    connection = sqlite3.connect(project.index_path, timeout=WRITE_TIMEOUT_S)
    try:
        version = connection.execute("pragma user_version").fetchone()[0]
        if version > SCHEMA:
            raise NewerStoreError(str(project.index_path), version, SCHEMA)
        if version == SCHEMA and _stored(connection, "owner") == project.index_token:
            db = Database(connection)
            return db, Index(project, db)
    except BaseException:
        connection.close()
        raise
    connection.close()
    return None


def _make(project: Project) -> tuple[Database, Index]:
    from hindsight_cli.providers.database import Database

    delete_index(project)
    connection = sqlite3.connect(project.index_path, timeout=WRITE_TIMEOUT_S)
    try:
        project.index_path.chmod(0o600)
        connection.execute("pragma journal_mode = wal")
        db = Database(connection)
        opened = Index(project, db)
        with _immediate(connection):
            connection.execute("create table hindsight_meta (key text primary key, value text)")
            # Last: only a whole index carries its maker's token and its version.
            token = ("owner", project.index_token)
            connection.execute("insert into hindsight_meta values (?, ?)", token)
            connection.execute(f"pragma user_version = {SCHEMA}")
        return db, opened
    except BaseException:
        connection.close()
        raise


def _open_read_only(project: Project) -> sqlite3.Connection | None:
    if not project.index_path.is_file():
        return None
    # Not Path.as_uri: it would load urllib on the hot path.
    path = str(project.index_path.absolute())
    for char in "%?#":
        path = path.replace(char, f"%{ord(char):02x}")
    try:
        return sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=READ_TIMEOUT_S)
    except sqlite3.Error:
        return None


def _stored(connection: sqlite3.Connection, key: str) -> str:
    row = connection.execute("select value from hindsight_meta where key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


@contextlib.contextmanager
def _immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """One write transaction, taken at once: a deferred one fails under load."""
    connection.execute("begin immediate")
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def _is_locked(error: Exception) -> bool:
    return isinstance(error, sqlite3.OperationalError) and "locked" in str(error)


def _unusable(project: Project, error: Exception) -> StorageError:
    hint = "The index is derived: delete the file, or run `hindsight index rebuild`."
    if _is_locked(error):
        hint = "Another process is writing to it: try again in a moment."
    return StorageError(str(project.index_path), str(error), hint=hint)
