"""Settings with where each value comes from; those of the user can be set and unset here.

The file keeps its comments and whatever else stands in it: one line is changed.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from hindsight_cli.api.known_secrets import known_secrets
from hindsight_cli.api.private_file import write_private
from hindsight_cli.api.project import Project
from hindsight_cli.appendlog import make_private
from hindsight_cli.config import MARKER, Settings, read_toml, read_user_settings
from hindsight_cli.config.user import (
    KEY_VARIABLE,
    UserSettings,
    defaults,
    ignored_in_project,
    key_variables,
    parse_setting,
    user_file,
    variable_of,
)
from hindsight_cli.errors import (
    AgentSettingsError,
    ConfigError,
    StorageError,
    UnknownSettingError,
)
from hindsight_cli.redact import Redactor
from hindsight_cli.review.decisions import agent_variable

USER_SETTINGS = tuple(f.name for f in fields(UserSettings))
_DEFAULT = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting as it holds here; `source` is default, a file, or $VARIABLE."""

    key: str
    value: str | int | tuple[str, ...]
    default: str | int | tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsReport:
    settings: tuple[Setting, ...]
    file: str  # of this user
    key_variables: tuple[str, ...]  # that hold a key for the model
    ignored: tuple[str, ...]  # what a person should know about settings in the wrong file


def list_settings(start: Path | None, env: Mapping[str, str]) -> SettingsReport:
    """Every setting that holds for this user, and for the project `start` lies in if any.

    Raises:
        ConfigError: a file is no TOML, or a value is not allowed.
    """
    project = Project.find(start, env=env)
    user = read_user_settings(env)
    stands = read_toml(user_file(env))
    settings = [
        _setting(name, getattr(user, name), _source(name, stands, env)) for name in USER_SETTINGS
    ]
    if project is not None:
        stands = read_toml(project.root / MARKER)
        for f in fields(Settings):
            source = MARKER if f.name in stands else _DEFAULT
            settings.append(_setting(f.name, getattr(project.settings, f.name), source))
    redactor = _redactor(env)
    return SettingsReport(
        settings=tuple(_redacted(setting, redactor) for setting in settings),
        file=str(user_file(env)),
        key_variables=tuple(key_variables(user.llm_model, env)),
        ignored=tuple(ignored_settings(project)) if project is not None else (),
    )


def set_setting(name: str, text: str, env: Mapping[str, str]) -> Setting:
    """Set one of the user's settings; gives it as it holds from here on.

    Raises:
        AgentSettingsError: `env` is that of an agent's session.
        UnknownSettingError: no user setting has this name.
        ConfigError: the value is not allowed, or the file cannot be changed.
        StorageError: the file cannot be written.
    """
    _refuse(name, env)
    path = user_file(env)
    if _redactor(env).text(text) != text:
        raise ConfigError(
            str(path),
            f"a secret is no value for {name}",
            f"A key is read from the environment alone: {KEY_VARIABLE}, or the provider's own.",
        )
    value = parse_setting(str(path), name, text)
    _rewrite(env, name, value)
    return _effective(name, env)


def unset_setting(name: str, env: Mapping[str, str]) -> Setting:
    """Take a setting out of the user's file; gives it as it holds from here on.

    Raises:
        As `set_setting`.
    """
    _refuse(name, env)
    _rewrite(env, name, None)
    return _effective(name, env)


def ignored_settings(project: Project) -> list[str]:
    """What a person should know about user settings that stand in a project's file."""
    return [
        f"{name} in {project.root / MARKER} is ignored: a repository does not choose where "
        f"traces are sent. Set it for yourself: `hindsight config set {name} VALUE`."
        for name in ignored_in_project(project.root)
    ]


def _refuse(name: str, env: Mapping[str, str]) -> None:
    if variable := agent_variable(env):
        raise AgentSettingsError(variable)
    if name not in USER_SETTINGS:
        raise UnknownSettingError(name, known=list(USER_SETTINGS))


def _effective(name: str, env: Mapping[str, str]) -> Setting:
    value = getattr(read_user_settings(env), name)
    return _redacted(
        _setting(name, value, _source(name, read_toml(user_file(env)), env)), _redactor(env)
    )


def _setting(name: str, value: str | int | tuple[str, ...], source: str) -> Setting:
    return Setting(key=name, value=value, default=defaults()[name], source=source)


def _source(name: str, stands: Mapping[str, object], env: Mapping[str, str]) -> str:
    if env.get(variable_of(name)):
        return f"${variable_of(name)}"
    return user_file(env).name if name in stands else _DEFAULT


def _redactor(env: Mapping[str, str]) -> Redactor:
    return Redactor(known_values=known_secrets(env))


def _redacted(setting: Setting, redactor: Redactor) -> Setting:
    if not isinstance(setting.value, str):
        return setting
    return replace(setting, value=redactor.text(setting.value))


def _rewrite(env: Mapping[str, str], name: str, value: object) -> None:
    path = Path(os.path.realpath(user_file(env)))  # a person may keep it elsewhere, linked
    with _alone(path.parent):
        data = dict(read_toml(path))
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        data.pop(name, None)
        if value is not None:
            data[name] = value
        after = _with_line(before, name, value)
        if not _says(after, data):
            problem = f"its form is not understood, so {name} was not changed"
            raise ConfigError(str(path), problem, "Edit the file by hand.")
        if after != before:
            write_private(path, after)


def _with_line(text: str, name: str, value: object) -> str:
    """The text with `name = value` as a line of its first table, or without it for None."""
    lines = text.splitlines()
    table = next((n for n, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    own = [n for n in range(table) if re.match(rf"\s*{name}\s*=", lines[n])]
    at = own[0] if own else table
    for number in reversed(own):
        del lines[number]
    if value is not None:
        lines.insert(at, f"{name} = {json.dumps(value, ensure_ascii=False)}")
    return "".join(line + "\n" for line in lines)


def _says(text: str, data: Mapping[str, object]) -> bool:
    import tomllib

    try:
        return tomllib.loads(text) == data
    except ValueError:
        return False


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two that set something at once must not undo each other."""
    try:
        make_private(folder)
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise StorageError(str(folder), error.strerror or str(error)) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)
