"""Where things are and how they are set: read once, passed down.

A project is the nearest ancestor with `.hindsight/project.toml`; a marker in a
linked git worktree resolves to the main one. Source: docs/reference/projects.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from hindsight_cli.errors import ConfigError, ProjectNotFoundError, ProjectRefusedError

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.config.user import UserSettings

FOLDER = ".hindsight"
MARKER = f"{FOLDER}/project.toml"
_KINDS = {"int": "a whole number", "str": "a text", "tuple": "a list of texts"}
PROJECT_VARIABLE = "HINDSIGHT_CLI_PROJECT"
DATA_VARIABLE = "HINDSIGHT_CLI_DATA_DIR"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `project.toml` may hold, with its defaults."""

    worktree: str = "shared"  # or "own": a linked worktree keeps a store of its own
    stale_days: int = 30
    inject_max_tokens: int = 600
    exclude: tuple[str, ...] = ()  # globs of folders in which nothing is recorded


def find_project(start: Path | None, env: Mapping[str, str]) -> Path | None:
    """The project that `start` (absolute) lies in, or None.

    Without a `start` it is the one HINDSIGHT_CLI_PROJECT names, else that of the
    current folder.
    """
    if start is None and (chosen := env.get(PROJECT_VARIABLE)):
        path = Path(chosen).expanduser().absolute()
        return path if (path / MARKER).is_file() else None
    start = start or Path.cwd()
    refused = {path for path, _ in _refused(env)}
    for folder in (start, *start.parents):
        if folder in refused:
            continue  # a marker there would make a project of everything below
        marked = (folder / MARKER).is_file()
        main = _main_worktree(folder) if not (folder / ".git").is_dir() else None
        if main is not None and (main / MARKER).is_file() and not (marked and _is_own(folder)):
            return main
        if marked:
            inner = _main_twin(folder)
            return folder if inner is None or _is_own(folder) else inner
    return None


def get_project(start: Path | None, env: Mapping[str, str]) -> Path:
    """As `find_project`.

    Raises:
        ProjectNotFoundError: there is none.
    """
    found = find_project(start, env)
    if found is None:
        raise ProjectNotFoundError(str(start or env.get(PROJECT_VARIABLE) or Path.cwd()))
    return found


def new_project_root(start: Path | None, env: Mapping[str, str], *, exact: bool = False) -> Path:
    """Where a project would be made for `start`: the git top level, else `start` itself.

    `exact` takes `start` itself in any case.

    Raises:
        ProjectRefusedError: that is /, the home folder or the temp folder itself.
    """
    chosen = env.get(PROJECT_VARIABLE) if start is None else None
    if chosen:
        root = Path(chosen).expanduser().absolute()
    else:
        start = start or Path.cwd()
        root = start if exact else git_top(start) or start
    for refused, what in _refused(env):
        if root.resolve() == refused:
            raise ProjectRefusedError(str(root), f"it is {what}")
    return root


def repository_below(root: Path, start: Path | None, env: Mapping[str, str]) -> Path | None:
    """The top of the git repository that `start` lies in, if the project `root` lies above it.

    The nearest marker decides which project a folder is of; a repository without one is then
    part of a project that it knows nothing of.
    """
    if start is None and env.get(PROJECT_VARIABLE):
        return None
    top = git_top(start or Path.cwd())
    above = root.resolve()
    if top is None or top.resolve() == above:
        return None
    return top if top.resolve().is_relative_to(above) else None


def read_settings(root: Path) -> Settings:
    """The settings of a project.

    Raises:
        ConfigError: unreadable TOML, or a value of the wrong kind; names file, key and what
            is allowed. Unknown keys are ignored.
    """
    path = root / MARKER
    data = read_toml(path)
    known: dict[str, object] = {}
    for setting in fields(Settings):
        if setting.name not in data:
            continue
        value = data[setting.name]
        if setting.name == "exclude":
            value = _texts(value)
        if type(value) is not type(setting.default):
            kind = type(setting.default).__name__
            raise ConfigError(
                str(path),
                f"{setting.name} = {value!r} is not allowed",
                f"{setting.name} takes {_KINDS[kind]}, by default {setting.default!r}.",
            )
        known[setting.name] = value
    return Settings(**known)  # type: ignore[arg-type]  # types were compared with the defaults


def _texts(value: object) -> object:
    """A list of texts as a tuple, also one written as `a, b`; anything else as it is."""
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(text for item in value if (text := item.strip()))
    return value


def read_user_settings(env: Mapping[str, str]) -> UserSettings:
    """This user's settings, see `config.user`.

    Raises:
        ConfigError: unreadable TOML, or a value that is not allowed.
    """
    from hindsight_cli.config.user import read_user_settings  # nothing for the hot paths

    return read_user_settings(env)


def read_toml(path: Path) -> Mapping[str, object]:
    """The keys of a settings file; none when it is not there.

    Raises:
        ConfigError: it cannot be read, or is no TOML.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if all(line.lstrip()[:1] in ("", "#") for line in text.split("\n")):
            return {}  # nothing set: the hot paths need not load a parser
        import tomllib

        return tomllib.loads(text)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(str(path), str(error), "Mend the file or delete it.") from error


def user_data_folder(env: Mapping[str, str]) -> Path:
    """Where this user's trust list lies: never inside a repository."""
    if chosen := env.get(DATA_VARIABLE):
        return Path(chosen).expanduser().absolute()
    if sys.platform == "linux":  # as platformdirs does, without loading it on the hot path
        home = env.get("XDG_DATA_HOME", "")
        base = Path(home) if home.startswith("/") else Path(env.get("HOME", "~"), ".local/share")
        return base.expanduser() / "hindsight-cli"
    from platformdirs import user_data_path

    return user_data_path("hindsight-cli", appauthor=False)


def _refused(env: Mapping[str, str]) -> list[tuple[Path, str]]:
    refused = [(Path("/"), "the root folder")]
    if home := env.get("HOME"):
        refused.append((Path(home).resolve(), "your home folder"))
    # As tempfile.gettempdir looks, which the hot paths cannot afford to load.
    temporary = [env.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")]
    for path in (*filter(None, temporary), "/tmp", "/var/tmp"):
        refused.append((Path(path).resolve(), "the temp folder"))
    return refused


def git_top(start: Path) -> Path | None:
    """The top of the git repository that `start` lies in, of a linked worktree the main one's."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return _main_worktree(folder) or folder
    return None


def _main_worktree(folder: Path) -> Path | None:
    """The main checkout's folder when `folder` is the top of a linked git worktree."""
    git = folder / ".git"
    try:
        if not git.is_file():
            return None
        target = git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        linked = (folder / target).resolve()
        common = (linked / (linked / "commondir").read_text(encoding="utf-8").strip()).resolve()
        back = Path((linked / "gitdir").read_text(encoding="utf-8").strip())
        if back.resolve() != git.resolve():
            return None  # git links both ways; a folder that only claims so is not believed
    except (OSError, ValueError):
        return None
    return common.parent if common.name == ".git" else None


def _main_twin(folder: Path) -> Path | None:
    """The folder of the main checkout that answers to `folder` inside a linked worktree."""
    for top in folder.parents:
        if (main := _main_worktree(top)) is not None:
            twin = main / folder.relative_to(top)
            return twin if (twin / MARKER).is_file() else None
        if (top / ".git").exists():
            return None
    return None


def _is_own(folder: Path) -> bool:
    return read_settings(folder).worktree == "own"


def environment() -> Mapping[str, str]:
    """The process's environment, read at the border and passed down from there."""
    return os.environ
