"""Register with an agent, or take all of it back: planned as a diff first, then written."""

from __future__ import annotations

import difflib
import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli import config
from hindsight_cli.api.config_file import bytes_of, delete_file, read_file, text_of, write_file
from hindsight_cli.api.install_record import FileRecord, InstallRecords
from hindsight_cli.api.known_secrets import known_secrets
from hindsight_cli.errors import AgentConfigError, ConfigChangedError, UnknownAgentError
from hindsight_cli.integrations.json_edit import Made, WrongKindError
from hindsight_cli.integrations.json_text import JsonSyntaxError
from hindsight_cli.integrations.places import (
    AGENTS,
    Registered,
    Scope,
    find_registered,
)
from hindsight_cli.integrations.registration import Found
from hindsight_cli.integrations.targets import Target, Where
from hindsight_cli.integrations.toml_edit import TomlSyntaxError
from hindsight_cli.redact import Redactor
from hindsight_cli.text import summarize

_MAX_LINE = 400  # of a diff: some settings are one line of megabytes
_TEMPORARY = ("/uv/archive-v", "/uv/environments-v", "/pipx/.cache/", "/.cache/uv/")


@dataclass(frozen=True, slots=True)
class Change:
    """One file as it is and as it would be; None: not there."""

    path: Path
    before: bytes | None
    after: bytes | None
    diff: str
    record: FileRecord | None  # to be kept with it; None: forget it


@dataclass(frozen=True, slots=True)
class Plan:
    """What installing or removing would change, and what it says beside that."""

    agent: str
    changes: tuple[Change, ...]
    messages: tuple[str, ...]  # what keeps it from being whole
    todo: tuple[str, ...]  # what the person must still do
    where: Where


def where_of(start: Path | None, env: Mapping[str, str]) -> Where:
    """The places of this user, in the project `start` lies in, or the folder itself."""
    root = config.find_project(None if start is None else start.absolute(), env)
    return Where(
        env=env,
        home=Path(env.get("HOME") or "~").expanduser(),
        data=config.user_data_folder(env),
        root=root or (start or Path.cwd()).absolute(),
        program=own_program_path(),
    )


def own_program_path(started_as: str | None = None) -> tuple[str, ...]:
    """This very Hindsight by absolute path, which any program can start from anywhere.

    The script that was started; when that leads to the one beside this interpreter, as the
    links of pipx and uv do, then that one. For `python -m` the latter too, if there is one.
    """
    own = Path(sysconfig.get_path("scripts"), "hindsight")
    started = Path(sys.argv[0] if started_as is None else started_as).absolute()
    is_own = os.path.realpath(started) == os.path.realpath(own)
    for script in (own,) if is_own else (started, own):
        if script.name == "hindsight" and os.access(script, os.X_OK) and script.is_file():
            return (str(script),)
    return (sys.executable, "-m", "hindsight_cli")


def plan_install(name: str, scope: Scope, where: Where) -> Plan:
    """What `install` would do.

    Raises:
        UnknownAgentError: no such agent can be registered with.
        AgentConfigError: a configuration is broken or of an unknown form; nothing is changed.
    """
    agent = get_registered(name)
    records = InstallRecords(where.data)
    changes, messages = [], _about_program(where)
    for target in agent.targets(where, scope):
        change = _to_install(agent, target, records, where)
        foreign = found_in(target, text_of(target.path, change.after)).foreign_server
        if foreign:
            messages.append(
                f"{target.path}: an MCP server named `hindsight` of another program "
                f"({summarize(foreign, 80)}) is left alone, so ours is not registered. Rename "
                "that one and install again."
            )
        if change.before != change.after:
            changes.append(change)
    messages += _about_other_scope(agent, scope, where)
    return Plan(agent.name, tuple(changes), tuple(messages), tuple(agent.todo(scope)), where)


def plan_uninstall(name: str, scope: Scope, where: Where) -> Plan:
    """What `uninstall` would do: exactly what is ours goes.

    Raises:
        UnknownAgentError, AgentConfigError: as `plan_install`.
    """
    agent = get_registered(name)
    records = InstallRecords(where.data)
    changes = []
    for target in reversed(agent.targets(where, scope)):
        before = read_file(target.path)
        if before is None:
            continue
        record = records.get(target.path)
        made = record.made if record is not None else Made(is_known=False)
        text = _edited(target.path, text_of(target.path, before), made, target.remove)
        is_gone = not text and ("source" in target.holds or (record is not None and record.created))
        after = None if is_gone else bytes_of(text, before)
        if after != before:
            diff = _diff(target.path, before, after, where.env)
            kept = record if after is not None and target.holds_ours(text) else None
            changes.append(Change(target.path, before, after, diff, kept))
    return Plan(agent.name, tuple(changes), (), (), where)


def carry_out(plan: Plan) -> None:
    """Write what was planned, each file in one step; a link stays one, a mode is kept.

    Raises:
        ConfigChangedError: a file was changed by another since it was planned; nothing is
            written.
        StorageError: a file cannot be written; those before it are.
    """
    if not plan.changes:
        return
    records = InstallRecords(plan.where.data)
    with records.alone():
        for change in plan.changes:
            if read_file(change.path) != change.before:
                raise ConfigChangedError(str(change.path))
        for change in plan.changes:
            if change.record is None:
                _take_back(change, records)
            elif change.after is not None:
                record = change.record
                if change.before is not None:
                    record = records.with_backup(record, change.path, change.before)
                records.keep(change.path, record)  # first: without it, it cannot be taken back
                folders = write_file(change.path, change.after)
                if folders:
                    records.keep(change.path, record.with_folders(folders))


def get_registered(name: str) -> Registered:
    """The agent of a name, or of one it is also known by.

    Raises:
        UnknownAgentError: none is called so.
    """
    agent = find_registered(name)
    if agent is None:
        raise UnknownAgentError(name, known=[a.name for a in AGENTS])
    return agent


def present_agents(where: Where) -> list[Registered]:
    """Agents that this user has: on the PATH, or with a configuration folder."""
    path = where.env.get("PATH", os.defpath)
    return [
        agent
        for agent in AGENTS
        if any(shutil.which(p, path=path) for p in agent.programs) or agent.folder(where).is_dir()
    ]


def found_in(target: Target, text: str) -> Found:
    """What of ours stands in a file.

    Raises:
        AgentConfigError: it is broken, or of an unknown form.
    """
    try:
        return target.find(text)
    except (JsonSyntaxError, WrongKindError, TomlSyntaxError) as error:
        raise AgentConfigError(str(target.path), error.line, error.problem) from error


def _to_install(agent: Registered, target: Target, records: InstallRecords, where: Where) -> Change:
    before = read_file(target.path)
    text = text_of(target.path, before)
    record = records.get(target.path)
    found_in(target, text)
    is_new = not target.holds_ours(text)
    if is_new:
        record = None  # there may be one, but ours was taken out by hand since
        made = Made()
    else:
        made = record.made if record is not None else Made(is_known=False)
    installed = _edited(target.path, text, made, target.install)
    if is_new and _edited(target.path, installed, deepcopy(made), target.remove) != text:
        problem = "its form is not understood, so that ours could not be taken out again"
        raise AgentConfigError(str(target.path), 0, problem)
    after = bytes_of(installed, before)
    if record is None:
        record = FileRecord(agent=agent.name, created=before is None, made=made)
    diff = "" if before == after else _diff(target.path, before, after, where.env)
    return Change(target.path, before, after, diff, record)


def _edited(path: Path, text: str, made: Made, edit: Callable[[str, Made], str]) -> str:
    """
    Raises:
        AgentConfigError: the text is broken, or of an unknown form.
    """
    try:
        return edit(text, made)
    except (JsonSyntaxError, WrongKindError, TomlSyntaxError) as error:
        raise AgentConfigError(str(path), error.line, error.problem) from error


def _take_back(change: Change, records: InstallRecords) -> None:
    if change.after is None:
        record = records.get(change.path)
        delete_file(change.path, record.folders if record is not None else ())
    else:
        write_file(change.path, change.after)
    records.forget(change.path)


def _about_program(where: Where) -> list[str]:
    if not any(part in where.program[0] for part in _TEMPORARY):
        return []
    return [
        f"{where.program[0]} lies in a cache that is cleaned: install Hindsight for good "
        "(`uv tool install hindsight-cli` or `pipx install hindsight-cli`), then again."
    ]


def _about_other_scope(agent: Registered, scope: Scope, where: Where) -> list[str]:
    other = Scope.USER if scope is Scope.PROJECT else Scope.PROJECT
    for target in agent.targets(where, other):
        try:
            found = found_in(target, text_of(target.path, read_file(target.path)))
        except AgentConfigError:
            continue  # not asked about
        if found.hooks or found.plugins:
            return [
                f"Hooks of ours stand in {target.path} too ({other} scope): one is enough, so "
                f"`hindsight uninstall {agent.name} --scope {other}`, or leave this one."
            ]
    return []


def _diff(path: Path, before: bytes | None, after: bytes | None, env: Mapping[str, str]) -> str:
    """What changes, as `diff -u` shows it; secrets redacted, endless lines cut."""
    old, new = (
        text_of(path, d).removesuffix("\n").split("\n") if d else [] for d in (before, after)
    )
    lines = difflib.unified_diff(
        old,
        new,
        str(path) if before is not None else "/dev/null",
        str(path) if after is not None else "/dev/null",
        lineterm="",
    )
    text = "\n".join(summarize(line, _MAX_LINE) for line in lines)
    return Redactor(known_values=known_secrets(env)).text(text)
