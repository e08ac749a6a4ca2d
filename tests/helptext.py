"""The command line as its own help shows it: for docs/reference/cli.md and its test."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import os
import pkgutil
from collections.abc import Iterator
from typing import Any
from unittest import mock

import typer

from hindsight_cli import errors
from hindsight_cli.cli.app import app
from hindsight_cli.errors import HindsightError

COLUMNS = "88"  # fixed, so that the page does not depend on a terminal


def command_names() -> list[tuple[str, ...]]:
    """Every command and group below `hindsight`, groups before their members."""
    return list(_walk(typer.main.get_command(app), ()))


def leaf_names() -> list[tuple[str, ...]]:
    """Commands that do something, groups left out."""
    names = command_names()
    return [n for n in names if not any(o[:-1] == n for o in names)]


def help_of(*name: str) -> str:
    """What `hindsight NAME --help` prints."""
    text = io.StringIO()
    environment = {"COLUMNS": COLUMNS, "NO_COLOR": "1", "TERMINAL_WIDTH": COLUMNS}
    with mock.patch.dict(os.environ, environment), contextlib.redirect_stdout(text):
        typer.main.get_command(app).main(
            args=[*name, "--help"], prog_name="hindsight", standalone_mode=False
        )
    return "\n".join(line.rstrip() for line in text.getvalue().strip().splitlines())


def help_pages() -> str:
    """Every help text in a section of its own, as Markdown."""
    sections = []
    for name in command_names():
        title = " ".join(("hindsight", *name))
        sections.append(f"### {title}\n\n```text\n{help_of(*name)}\n```\n")
    return "\n".join(sections)


def error_table() -> str:
    """Every error code with its exit code, message and hint, as a Markdown table.

    What a message takes from the moment stands in it as the parameter's name in capitals.
    """
    _load_all_errors()
    rows = {}
    for error in sorted(_subclasses(HindsightError), key=lambda e: e.code):
        message, hint = _specimen(error)
        rows[error.code] = f"| `{error.code}` | {error.exit_code} | {message} | {hint} |"
    head = "| code | exit | message | hint |\n| --- | --- | --- | --- |\n"
    return head + "\n".join(rows.values()) + "\n"


def _walk(command: Any, name: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for child, inner in getattr(command, "commands", {}).items():
        yield (*name, child)
        yield from _walk(inner, (*name, child))


def _load_all_errors() -> None:
    """Every room of the package: each is loaded only when it is asked for."""
    for room in pkgutil.iter_modules(errors.__path__):
        importlib.import_module(f"{errors.__name__}.{room.name}")


def _subclasses(error: type[HindsightError]) -> Iterator[type[HindsightError]]:
    for child in error.__subclasses__():
        yield child
        yield from _subclasses(child)


def _specimen(error: type[HindsightError]) -> tuple[str, str]:
    """Message and hint of an error made with the names of its parameters."""
    given: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(error.__init__).parameters.items())[1:]:
        if name == "message" or parameter.default is not parameter.empty:
            continue
        given[name] = [name.upper()] if "list" in str(parameter.annotation) else name.upper()
    if "message" in inspect.signature(error.__init__).parameters:
        return "says what is wrong", "says what is right"
    made = error(**given)
    return (_cell(str(made)), _cell(made.hint))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
