"""Is everything in order: what is stored here, and what stands in agents' configurations?

Nothing is changed, but that an index which is behind is brought up to date.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli import __version__, config
from hindsight_cli.api.doctor_agents import agent_checks, shell_check
from hindsight_cli.api.doctor_program import program_of
from hindsight_cli.api.installing import where_of
from hindsight_cli.api.privacy import paused_by
from hindsight_cli.api.project import Project
from hindsight_cli.errors import HindsightError
from hindsight_cli.integrations.targets import Where

_LEAST_FREE = 200 * 1024 * 1024
_PATIENCE_S = 1.0  # for a lock that is held for a moment
_JOB_HOURS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing looked at. `fix` says what to do, where it is not `ok`."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def examine(start: Path | None) -> list[Check]:
    """Every check, in the order a person would mend them."""
    env = config.environment()
    where = where_of(start, env)
    checks = [_own_program(where), _on_path(where), _data_folder(where), _model(where)]
    try:
        project = Project.find(start, env=env)
    except HindsightError as error:
        checks.append(_failed("project", error))
        project = None
    else:
        checks.append(_project(project, where))
    if project is not None:
        checks += _of_project(project)
    checks.append(_disk(project.folder if project is not None else where.data))
    for agent in agent_checks(where):
        checks.append(Check(name=agent.name, ok=agent.ok, detail=agent.detail, fix=agent.fix))
    noise = shell_check(where)
    checks.append(Check(name="shell", ok=noise.ok, detail=noise.detail, fix=noise.fix))
    return checks


def _own_program(where: Where) -> Check:
    found = program_of(where.program, where.env)
    return Check(
        name="program",
        ok=found.is_ours and found.version == __version__,
        detail=f"{' '.join(where.program)}, version {found.version or 'unknown'}",
        fix="" if found.version == __version__ else "Install hindsight-cli anew.",
    )


def _on_path(where: Where) -> Check:
    """Another product has the same name: whose `hindsight` does a shell start?"""
    path = shutil.which("hindsight", path=where.env.get("PATH", os.defpath))
    if path is None:
        detail = "no `hindsight` on the PATH; what we install into agents has its full path"
        return Check(name="path", ok=True, detail=detail)
    found = program_of((path,), where.env)
    if not found.is_ours:
        own = Path(where.program[0]).parent
        return Check(
            name="path",
            ok=False,
            detail=f"{path} is another product of that name and comes first on the PATH",
            fix=f"Put {own} before it on the PATH, or type the full path.",
        )
    if found.version != __version__:
        return Check(
            name="path",
            ok=False,
            detail=f"{path} is version {found.version or 'unknown'}, this is {__version__}",
            fix="Remove or update one of the two.",
        )
    return Check(name="path", ok=True, detail=path)


def _data_folder(where: Where) -> Check:
    return _writable("data folder", where.data)


def _writable(name: str, folder: Path) -> Check:
    here = folder
    while not here.exists():  # it is made when something is first kept there
        here = here.parent
    try:
        with tempfile.TemporaryFile(dir=here) as file:
            file.write(b"x")
    except OSError as error:
        why = error.strerror or str(error)
        fix = "Give yourself the right to write there, or make room."
        return Check(name=name, ok=False, detail=f"{folder}: {why}", fix=fix)
    return Check(name=name, ok=True, detail=str(folder))


def _project(project: Project | None, where: Where) -> Check:
    if project is not None:
        return Check(name="project", ok=True, detail=str(project.root))
    return Check(
        name="project",
        ok=False,
        detail=f"none at {where.root} or above it: hooks and search do nothing here",
        fix="Run `hindsight init` in your project's folder.",
    )


def _of_project(project: Project) -> Iterator[Check]:
    yield _tried("settings", lambda: str(project.settings and config.MARKER))
    yield _writable("store", project.folder)
    marker = paused_by(project, project.env)
    paused = f"paused by {marker}; `hindsight resume` goes on" if marker else "not paused"
    yield Check(name="recording", ok=True, detail=paused)
    yield _tried("index", lambda: _index(project))
    yield _locks(project)
    yield _reflection(project)


def _index(project: Project) -> str:
    from hindsight_cli.api.index import Index, use_index
    from hindsight_cli.records.experience import ReviewStatus

    def sync(opened: Index) -> int:
        opened.sync_experiences()
        return len(opened.experiences.with_status(ReviewStatus.APPROVED))

    return f"readable, {use_index(project, sync)} approved experiences"


def _tried(name: str, action: Callable[[], str]) -> Check:
    try:
        return Check(name=name, ok=True, detail=action())
    except HindsightError as error:
        return _failed(name, error)


def _failed(name: str, error: HindsightError) -> Check:
    return Check(name=name, ok=False, detail=str(error), fix=error.hint)


def _locks(project: Project) -> Check:
    """Locks end with their process; one that is held all the time has a process that hangs."""
    held = [
        path.name
        for path in (project.shared_ledger, project.local_ledger)
        if path.is_file() and _is_held(path)
    ]
    if not held:
        return Check(name="locks", ok=True, detail="none is held")
    return Check(
        name="locks",
        ok=False,
        detail=f"{', '.join(held)} in .hindsight has been locked for {_PATIENCE_S:.0f} s",
        fix=f"See who holds it: `fuser -v {project.folder / held[0]}`, and end what hangs.",
    )


def _is_held(path: Path) -> bool:
    """Whether another process holds the file's lock all the time that we are patient."""
    until = time.monotonic() + _PATIENCE_S
    with contextlib.suppress(OSError), path.open("rb") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    return True
                time.sleep(0.05)
            else:
                return False
    return False


def _reflection(project: Project) -> Check:
    from datetime import datetime, timedelta

    from hindsight_cli.api.reflect_job import JobState, last_job

    job = last_job(project)
    if job is None:
        return Check(name="reflection", ok=True, detail="none in the background yet")
    detail = f"{job.state.value}, begun {job.started_at[:16]}"
    if job.state is JobState.DIED:
        fix = "Its process is gone. Run `hindsight reflect` again."
        return Check(name="reflection", ok=False, detail=detail, fix=fix)
    with contextlib.suppress(ValueError):
        age = project.clock() - datetime.fromisoformat(job.started_at)
        if job.state is JobState.RUNNING and age > timedelta(hours=_JOB_HOURS):
            fix = f"It hangs: `kill {job.pid}`, then `hindsight reflect` again."
            return Check(name="reflection", ok=False, detail=detail, fix=fix)
    return Check(name="reflection", ok=True, detail=detail)


def _disk(folder: Path) -> Check:
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    detail = f"{free / 1e9:.1f} GB free at {folder}"
    if free >= _LEAST_FREE:
        return Check(name="disk", ok=True, detail=detail)
    return Check(name="disk", ok=False, detail=detail, fix="Make room: nothing can be recorded.")


def _model(where: Where) -> Check:
    from hindsight_cli.config.user import key_variables

    try:
        settings = config.read_user_settings(where.env)
    except HindsightError as error:
        return _failed("model", error)
    if settings.reflect_with == "command":
        import shlex

        program = (shlex.split(settings.reflect_command) or [""])[0]
        found = shutil.which(program, path=where.env.get("PATH", os.defpath)) if program else None
        return Check(
            name="model",
            ok=found is not None,
            detail=f"`{settings.reflect_command}` reflects" if program else "no command is set",
            fix="" if found else "`hindsight config set reflect_command 'claude -p'`, or another.",
        )
    if settings.reflect_with == "rules":
        return Check(name="model", ok=True, detail="none needed: rules reflect, offline")
    has_key = bool(key_variables(settings.llm_model, where.env)) or bool(settings.llm_api_base)
    is_set = bool(settings.llm_model)
    return Check(
        name="model",
        ok=is_set and has_key,
        detail=(settings.llm_model or "no model is set") + ("" if has_key else ", no key found"),
        fix=""
        if is_set and has_key
        else "`hindsight config set llm_model NAME`, with its key in the environment.",
    )
