"""The transcripts at paths that a person gave, looked for once or again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hindsight_cli.api.discovering import FoundSession, Wanted, as_found, is_wanted
from hindsight_cli.api.import_sources import candidates, format_of
from hindsight_cli.api.project import Project
from hindsight_cli.capture.draft import Draft
from hindsight_cli.capture.formats import load_format
from hindsight_cli.errors import HindsightError, SourceNotFoundError
from hindsight_cli.integrations.past import PastFile

_NAMED = 5


class FilesAt:
    """A file that did not change since it was looked at is not looked into again."""

    def __init__(
        self,
        project: Project,
        paths: Sequence[Path],
        wanted: Wanted,
        *,
        format_name: str | None = None,
    ) -> None:
        """
        Raises:
            SourceNotFoundError, FormatNotFoundError.
        """
        if format_name is not None:
            load_format(format_name)
        for path in paths:
            if not (path.is_file() or path.is_dir()):  # a pipe or a device would hold us
                raise SourceNotFoundError(str(path))
        self._project = project
        self._paths = paths
        self._wanted = wanted
        self._format_name = format_name
        # By path: size and time of its last change, and what it was then.
        self._known: dict[Path, tuple[tuple[int, int], PastFile | None]] = {}
        self.unusable: dict[Path, HindsightError] = {}  # files named by the person
        self.foreign: list[Path] = []  # of those in folders, what is no transcript

    def look(self) -> list[FoundSession]:
        """The transcripts that are there, oldest first."""
        self.foreign.clear()
        files = [file for path in self._all() if (file := self._looked_at(path)) is not None]
        return as_found(self._project, [f for f in files if self._is_wanted(f)])

    def messages(self) -> list[str]:
        """What the last look passed over."""
        told = [str(error) for error in self.unusable.values()]
        if self.foreign:
            names = ", ".join(path.name for path in self.foreign[:_NAMED])
            more = " …" if len(self.foreign) > _NAMED else ""
            told.append(
                f"Passed over {len(self.foreign)} file(s) that are packed or in no known format: "
                f"{names}{more}"
            )
        return told

    def _all(self) -> Iterator[Path]:
        for path in self._paths:
            if path.is_dir():
                yield from candidates(path)
            else:
                yield path

    def _looked_at(self, path: Path) -> PastFile | None:
        try:
            about = path.stat()
        except OSError:
            return None
        stamp = (about.st_size, about.st_mtime_ns)
        known = self._known.get(path)
        if known is None or known[0] != stamp:
            known = self._known[path] = (stamp, self._file(path, stamp))
        if known[1] is None and path not in self._paths:
            self.foreign.append(path)
        return known[1]

    def _file(self, path: Path, stamp: tuple[int, int]) -> PastFile | None:
        self.unusable.pop(path, None)
        try:
            agent = self._agent_of(path, format_of(path, self._format_name))
        except HindsightError as error:
            if path in self._paths:
                self.unusable[path] = error
            return None
        size, time = stamp
        return PastFile(agent=agent, path=path, size_bytes=size, modified_ns=time, cwd=None)

    def _agent_of(self, path: Path, format_name: str) -> str:
        """The agent of its first record; "" when it has none that can be read."""
        try:
            items = load_format(format_name).read(path)
            return next((i.session.agent for i in items if isinstance(i, Draft)), "")
        except (HindsightError, OSError):
            return ""

    def _is_wanted(self, file: PastFile) -> bool:
        return is_wanted(self._project, self._wanted, file)
