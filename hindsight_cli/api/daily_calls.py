"""How many model calls this user spends a day, counted over all projects and processes."""

from __future__ import annotations

import contextlib
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.appendlog import locked, read_lines
from hindsight_cli.config import read_user_settings, user_data_folder
from hindsight_cli.errors import DailyCallsSpentError

_FOLDER = "model-calls"  # in the user data folder: a file a day, a line a call


class DailyCalls:
    """The calls of today (UTC); may be spent from several threads and processes at once."""

    def __init__(self, project: Project) -> None:
        self.limit = read_user_settings(project.env).llm_daily_calls
        self._project = project
        self._folder = user_data_folder(project.env) / _FOLDER

    def spend(self) -> None:
        """Count one call before it is made.

        Raises:
            DailyCallsSpentError: none is left; nothing was counted.
        """
        now = self._project.now()
        path = self._file(now)
        is_new_day = not path.exists()
        with locked(path) as log:
            if sum(1 for _ in log.lines()) >= self.limit:
                raise DailyCallsSpentError(self.limit)
            log.append([{"at": now}])
        if is_new_day:
            self._forget_before(path.name)

    def spent(self) -> int:
        return sum(1 for _ in read_lines(self._file(self._project.now())))

    def _file(self, now: str) -> Path:
        return self._folder / f"{now[:10]}.jsonl"

    def _forget_before(self, name: str) -> None:
        for old in self._folder.glob("????-??-??.jsonl"):
            if old.name < name:
                with contextlib.suppress(OSError):
                    old.unlink()
