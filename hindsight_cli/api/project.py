"""The composition root: where the parts of a project are put together.

Nothing else reads paths, the environment or settings. Imports here are cheap, because
`search` and `inject` start here; what needs SQLite's library is imported where used.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from hindsight_cli import config
from hindsight_cli.errors import StorageError

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.experiences.ledger import Ledger
    from hindsight_cli.experiences.trust import TrustList
    from hindsight_cli.redact import Redactor
    from hindsight_cli.traces.files import TraceFiles
    from hindsight_cli.traces.outputs import OutputStore

_KEY_BYTES = 64  # at most; ours has 16
_PROJECT_TOML = """\
# This folder belongs to Hindsight (https://pypi.org/project/hindsight-cli/).
# stale_days = 30          # experiences not verified for so long need another look
# inject_max_tokens = 600  # at most so much is put before an agent
# worktree = "own"         # a linked git worktree keeps a store of its own
"""
_GITIGNORE = """\
# Only reviewed experiences and the settings are shared; traces stay on this machine.
*
!.gitignore
!.gitattributes
!project.toml
!experiences.jsonl
"""
_GITATTRIBUTES = "experiences.jsonl merge=union\n"


def utc_now() -> datetime:
    """The clock, read at the border and passed down."""
    return datetime.now(UTC)


def timestamp(now: datetime) -> str:
    """ISO 8601 in UTC with microseconds: sorts as text."""
    return now.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _absolute(start: Path | None) -> Path | None:
    return None if start is None else start.absolute()


class Project:
    """One project's memory. Cheap to open; parts are made when first used."""

    def __init__(
        self,
        root: Path,
        *,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.root = root
        self.folder = root / config.FOLDER
        self.env = config.environment() if env is None else env
        self.clock = clock
        self.shared_ledger = self.folder / "experiences.jsonl"
        self.local_ledger = self.folder / "local.jsonl"

    @classmethod
    def open(cls, start: Path | None, *, env: Mapping[str, str] | None = None) -> Project:
        """The project `start` lies in; None: the one the environment or this folder names.

        Raises:
            ProjectNotFoundError: there is none.
        """
        env = config.environment() if env is None else env
        return cls(config.get_project(_absolute(start), env), env=env)

    @classmethod
    def find(cls, start: Path | None, *, env: Mapping[str, str] | None = None) -> Project | None:
        env = config.environment() if env is None else env
        root = config.find_project(_absolute(start), env)
        return None if root is None else cls(root, env=env)

    @classmethod
    def open_or_init(cls, start: Path | None, *, env: Mapping[str, str] | None = None) -> Project:
        """The project `start` lies in, made at the git top level or `start` if there is none.

        Raises:
            ProjectRefusedError, StorageError.
        """
        env = config.environment() if env is None else env
        project = cls.found_or_to_make(start, env=env)
        project.ensure()
        return project

    @classmethod
    def found_or_to_make(
        cls, start: Path | None, *, env: Mapping[str, str] | None = None
    ) -> Project:
        """As `open_or_init`, but a project that is not there yet is left to `ensure`.

        Raises:
            ProjectRefusedError.
        """
        found = cls.find(start, env=env)
        return cls.to_make(start, exact=False, env=env) if found is None else found

    @classmethod
    def to_make(
        cls, start: Path | None, *, exact: bool, env: Mapping[str, str] | None = None
    ) -> Project:
        """A project not yet made: at `start` itself when `exact`, else at its git top level.

        Raises:
            ProjectRefusedError: that is /, the home folder or the temp folder itself.
        """
        env = config.environment() if env is None else env
        root = config.new_project_root(_absolute(start), env, exact=exact)
        return cls(root, env=env)

    @property
    def is_made(self) -> bool:
        return (self.root / config.MARKER).is_file()

    def ensure(self) -> None:
        """Make it if it is not there; one that is there is left as it is.

        Raises:
            StorageError: the folder cannot be made.
        """
        if not self.is_made:
            self.init()

    def repository_below(self, start: Path | None) -> Path | None:
        """The top of the git repository that `start` lies in, if this project is above it."""
        return config.repository_below(self.root, _absolute(start), self.env)

    def init(self) -> bool:
        """Make the folder and its marker; False when it was there already.

        Raises:
            StorageError: the folder cannot be made.
        """
        made = not self.is_made
        try:
            self.folder.mkdir(mode=0o700, exist_ok=True)
            for name, text in (
                ("project.toml", _PROJECT_TOML),
                (".gitignore", _GITIGNORE),
                (".gitattributes", _GITATTRIBUTES),
            ):
                path = self.folder / name
                if not path.exists():
                    # O_EXCL also refuses a link that points to nothing.
                    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                    with os.fdopen(fd, "w", encoding="utf-8") as file:
                        file.write(text)
        except OSError as error:
            raise StorageError(str(self.folder), error.strerror or str(error)) from error
        return made

    @cached_property
    def settings(self) -> config.Settings:
        return config.read_settings(self.root)

    @property
    def trust_path(self) -> Path:
        return config.user_data_folder(self.env) / "trust.jsonl"

    @property
    def index_token(self) -> str:
        """What marks an index as made by this user: one that came with a repository is not.

        It lies in the user's data folder and is made when first asked for.
        """
        path = config.user_data_folder(self.env) / "index.token"
        try:
            return path.read_text(encoding="ascii")
        except (OSError, ValueError):
            pass
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
                with os.fdopen(fd, "w") as file:
                    file.write(os.urandom(16).hex())
            return path.read_text(encoding="ascii")
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error)) from error

    @cached_property
    def trust(self) -> TrustList:
        from hindsight_cli.experiences.trust import TrustList

        return TrustList(self.trust_path)

    @cached_property
    def ledger(self) -> Ledger:
        from hindsight_cli.experiences.ledger import Ledger

        return Ledger(shared=self.shared_ledger, local=self.local_ledger)

    @cached_property
    def outputs(self) -> OutputStore:
        from hindsight_cli.traces.outputs import OutputStore

        return OutputStore(self.folder / "outputs")

    @cached_property
    def traces(self) -> TraceFiles:
        from hindsight_cli.traces.files import TraceFiles

        return TraceFiles(self.folder / "traces")

    @cached_property
    def redactor(self) -> Redactor:
        """Knows the secrets of this process's environment by value; they stay in memory."""
        from hindsight_cli.api.known_secrets import known_secrets
        from hindsight_cli.redact import Redactor

        return Redactor(key=self._redaction_key(), known_values=known_secrets(self.env))

    @property
    def index_path(self) -> Path:
        return self.folder / "index.db"

    def now(self) -> str:
        return timestamp(self.clock())

    def _redaction_key(self) -> bytes:
        """The store's own key, so that equal secrets get equal placeholders only here."""
        from hindsight_cli.traces.plain import read_plain

        path = self.folder / "redact.key"
        if not path.is_file() or not path.stat().st_size:  # none, or cut off on a full disk
            with contextlib.suppress(OSError):
                _write_once(path, os.urandom(16))
        try:
            return read_plain(path, _KEY_BYTES)
        except PermissionError:
            return b""
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error)) from error


def _write_once(path: Path, data: bytes) -> None:
    """Make a file whole or not at all; one that has content by then is kept."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        if path.is_file() and not path.stat().st_size:
            path.unlink()
        path.hardlink_to(part)
    finally:
        part.unlink(missing_ok=True)
