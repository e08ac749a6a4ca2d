"""Which values of the environment are secrets, to be found by value wherever they turn up."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_MIN_CHARS = 8
_CONTAINED = (
    *("PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIAL", "APIKEY", "API_KEY"),
)
_ENDS = (
    *("_KEY", "_PASS", "_PAT", "_AUTH", "_PWD", "_DSN", "_JWT", "_COOKIE", "_CONNECTION_STRING"),
)
_NEVER = frozenset({"PWD", "OLDPWD", "SSH_AUTH_SOCK"})
_ADDRESSES = ("_URL", "_URI", "_ENDPOINT", "_HOST")  # secret only by a password inside
_PASSWORD_IN_URL = re.compile(r"\w[\w+.-]*://[^\s/?#:@]*:(?P<password>[^\s/?#]+)@")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")


def known_secrets(env: Mapping[str, str]) -> dict[str, str]:
    """The secrets of an environment by the names of their variables.

    Judged by name; an address with a password in it is one whatever its name is.
    Paths of existing files and what is shorter than 8 characters are none.
    """
    return {name: value for name, value in _secrets(env) if len(value) >= _MIN_CHARS}


def _secrets(env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, value in env.items():
        if name in _NEVER:
            continue
        address = _PASSWORD_IN_URL.search(value)
        if address is not None:
            yield name, value
            yield f"{name}_password", address["password"]
            yield f"{name}_password_plain", _unescaped(address["password"])
        elif _is_secret_name(name.upper()) and not _is_file(value):
            yield name, value


def _is_secret_name(name: str) -> bool:
    if name.endswith(_ADDRESSES):
        return False
    return f"_{name}".endswith(_ENDS) or any(word in name for word in _CONTAINED)


def _unescaped(text: str) -> str:
    raw = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), raw).decode("utf-8", "replace")


def _is_file(value: str) -> bool:
    try:
        return os.sep in value and Path(value).exists()
    except (OSError, ValueError):  # too long for a path
        return False
