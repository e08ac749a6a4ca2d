"""The command line with only the command asked for read in full.

Reading the options of fifty commands takes most of the time of `--help`; it lists only their
names and first sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import typer
from typer.models import CommandInfo, TyperInfo


def slim(app: typer.Typer, words: Sequence[str]) -> typer.Typer:
    """`app` with every command but the one that `words` begin with reduced to name and help."""
    found = copy(app)
    wanted, rest = (words[0], words[1:]) if words else ("", ())
    found.registered_commands = [
        info if _name(info) == wanted else _stub(info) for info in app.registered_commands
    ]
    found.registered_groups = [
        _slim_group(info, rest if info.name == wanted else ()) for info in app.registered_groups
    ]
    return found


def _slim_group(info: TyperInfo, words: Sequence[str]) -> TyperInfo:
    reduced = copy(info)
    if info.typer_instance is not None:
        reduced.typer_instance = slim(info.typer_instance, words)
    return reduced


def _name(info: CommandInfo) -> str:
    if info.name or info.callback is None:
        return info.name or ""
    return typer.main.get_command_name(info.callback.__name__)


def _stub(info: CommandInfo) -> CommandInfo:
    def nothing() -> None:
        """Replaced."""

    stub = copy(info)
    stub.name = _name(info)
    nothing.__doc__ = info.callback.__doc__
    stub.callback = nothing
    return stub
