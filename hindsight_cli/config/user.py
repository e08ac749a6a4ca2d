"""What a user sets for all projects, and which values a setting may have.

The file is `settings.toml` in the user data folder, never in a repository.
Source: docs/how-to/reflect-with-a-model.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from hindsight_cli.config import MARKER, Settings, read_toml, user_data_folder
from hindsight_cli.errors import ConfigError

FILE = "settings.toml"
VARIABLE_PREFIX = "HINDSIGHT_CLI_"  # and the name of a setting in capitals
KEY_VARIABLE = "HINDSIGHT_CLI_LLM_API_KEY"  # for any model; goes before the provider's own
_KINDS = {"int": "a whole number", "str": "a text"}
_FORMS = {
    "llm_api_base": "an address that begins with http:// or https://",
    "reflect_command": "a command line in one line, its quotes closed",
}
_MAX_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSettings:
    """What this user's `settings.toml` may hold, with its defaults.

    Which model or command reflects is nothing that a repository may choose: it could have
    traces sent elsewhere, or a command run.
    """

    reflect_with: str = "rules"  # when `reflect` is not told: rules, llm or command
    llm_model: str = ""  # as litellm names it: anthropic/claude-sonnet-4-5, openai/NAME
    llm_api_base: str = ""  # of the endpoint; empty: the provider's own
    llm_samples: int = 3  # answers asked for, to vote on
    llm_timeout_s: int = 120  # for all answers about one trace together, retries included
    llm_daily_calls: int = 60  # requests a day (UTC); 0: none
    reflect_command: str = ""  # reads the prompt on stdin, prints the answer
    embedding_model: str = "bundled"  # none, or a name that fastembed knows
    embedding_path: str = ""  # a folder with model.onnx and tokenizer.json, in place of a name


# What a setting may be, beside its type: the choices of a text, the least and most of a number.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "reflect_with": ("rules", "llm", "command"),
    "worktree": ("shared", "own"),
}
LIMITS: Mapping[str, tuple[int, int]] = {
    "llm_samples": (1, 9),
    "llm_timeout_s": (1, 3600),
    "llm_daily_calls": (0, 100_000),
}


def user_file(env: Mapping[str, str]) -> Path:
    return user_data_folder(env) / FILE


def variable_of(name: str) -> str:
    """The environment variable that goes before a user setting in the file."""
    return VARIABLE_PREFIX + name.upper()


def read_user_settings(env: Mapping[str, str]) -> UserSettings:
    """This user's settings: the file, overridden by the environment.

    Raises:
        ConfigError: unreadable TOML, or a value that is not allowed; names file or variable,
            key and what is allowed. Unknown keys are ignored.
    """
    path = user_file(env)
    data = read_toml(path)
    known: dict[str, object] = {}
    for setting in fields(UserSettings):
        name = setting.name
        variable = variable_of(name)
        if env.get(variable):
            known[name] = parse_setting(variable, name, env[variable])
        elif name in data:
            known[name] = check_setting(str(path), name, data[name])
    return UserSettings(**known)  # type: ignore[arg-type]  # checked against the defaults


def key_variables(model: str, env: Mapping[str, str]) -> list[str]:
    """The variables in `env` that hold a key for `model`, as their names let expect it."""
    return [n for n in (KEY_VARIABLE, *_own_variables(model, ("API_KEY",))) if env.get(n)]


def address_variables(model: str, env: Mapping[str, str]) -> list[str]:
    """The variables in `env` that say where the provider of `model` is, in place of its own."""
    return [n for n in _own_variables(model, ("API_BASE", "BASE_URL")) if env.get(n)]


def _own_variables(model: str, ends: tuple[str, ...]) -> list[str]:
    provider, slash, _ = model.partition("/")
    if not slash:  # a name that is known without its provider
        provider = "anthropic" if model.startswith("claude") else "openai"
    return [f"{provider.upper().replace('-', '_')}_{end}" for end in ends]


def ignored_in_project(root: Path) -> list[str]:
    """User settings that stand in a project's file, where nobody reads them."""
    data = read_toml(root / MARKER)
    return [f.name for f in fields(UserSettings) if f.name in data]


def defaults() -> Mapping[str, str | int | tuple[str, ...]]:
    """Every setting with its default, the user's first."""
    return {k: v for kind in (UserSettings(), Settings()) for k, v in asdict(kind).items()}


def parse_setting(where: str, name: str, text: str) -> object:
    """A value given as text, by its setting's type.

    Raises:
        ConfigError: it is not allowed.
    """
    if isinstance(defaults()[name], int):
        digits = text.strip().removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < _MAX_DIGITS):
            raise _not_allowed(where, name, text)
        return check_setting(where, name, int(text))
    return check_setting(where, name, text.strip())


def check_setting(where: str, name: str, value: object) -> object:
    """`value` when the setting may have it.

    Raises:
        ConfigError: names `where`, the setting and what is allowed.
    """
    if type(value) is not type(defaults()[name]):
        raise _not_allowed(where, name, value)
    if isinstance(value, int):
        least, most = LIMITS.get(name, (0, 10**9))
        good = least <= value <= most
    else:
        text = str(value)
        good = text.isprintable() and text in CHOICES.get(name, (text,))
        if name == "llm_api_base" and text:
            good = good and text.startswith(("http://", "https://")) and " " not in text
        if name == "reflect_command":
            good = good and _is_command_line(text)
    if not good:
        raise _not_allowed(where, name, value)
    return value


def _is_command_line(text: str) -> bool:
    if not text:
        return True
    import shlex

    try:
        return bool(shlex.split(text))
    except ValueError:
        return False


def _not_allowed(where: str, name: str, value: object) -> ConfigError:
    default = defaults()[name]
    allowed = _KINDS[type(default).__name__]
    if name in CHOICES:
        allowed = f"one of {', '.join(CHOICES[name])}"
    elif name in LIMITS:
        allowed = "a whole number from {} to {}".format(*LIMITS[name])
    elif name in _FORMS:
        allowed = _FORMS[name]
    return ConfigError(
        where,
        f"{name} = {value!r} is not allowed",
        f"{name} takes {allowed}, by default {default!r}.",
    )
