"""Whether a program is Hindsight, and of which version; a foreign one is not started."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_FIRST_BYTES = 4096
_PACKAGE = b"hindsight_cli"  # in the script that every installer makes
_TIMEOUT_S = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramFound:
    """`problem` says why it cannot be run; `version` is empty when it cannot be told."""

    is_ours: bool
    version: str = ""
    problem: str = ""


def program_of(program: Sequence[str], env: Mapping[str, str]) -> ProgramFound:
    """What a command line begins with. Only a script of ours is started, to tell its version."""
    unfit = _unfit(program)
    if unfit:
        return ProgramFound(is_ours=False, problem=unfit)
    try:
        done = subprocess.run(
            [*program, "--version"],
            cwd="/",  # not where a package of our name may lie
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return ProgramFound(is_ours=True, problem=f"{program[0]} cannot be run: {error}")
    name, _, version = done.stdout.decode("utf-8", "replace").strip().partition(" ")
    if done.returncode or name != "hindsight":
        return ProgramFound(is_ours=True, problem=f"{program[0]} does not run")
    return ProgramFound(is_ours=True, version=version)


def _unfit(program: Sequence[str]) -> str:
    path = Path(program[0])
    if not path.is_absolute():
        return f"{path} is no full path"
    if not path.is_file():
        return f"{path} is not there"
    if not os.access(path, os.X_OK):
        return f"{path} is not executable"
    return "" if len(program) > 1 or _is_our_script(path) else f"{path} is another program"


def _is_our_script(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _PACKAGE in file.read(_FIRST_BYTES)
    except OSError:
        return False
