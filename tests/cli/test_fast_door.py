"""The fast door and the full command line are one interface."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from hindsight_cli.cli.app import app
from hindsight_cli.cli.fast import OPTIONS, read_arguments


def options_of(command: str) -> set[str]:
    root: Any = typer.main.get_command(app)
    parameters = root.commands[command].params
    names = {name for p in parameters if p.param_type_name == "option" for name in p.opts}
    return names - {"--help"}


@pytest.mark.parametrize("command", ["search", "inject", "run"])
def test_both_doors_know_the_same_options(command: str) -> None:
    assert set(OPTIONS[command]) == options_of(command)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["x", "--nonesuch"],
        ["x", "y"],
        ["x", "-k"],
        ["x", "-k", "many"],
        ["x", "--tool=docker"],
        ["--", "-x"],
        ["x", "-k3"],
    ],
)
def test_what_is_not_plain_is_left_to_the_full_command_line(arguments: list[str]) -> None:
    assert read_arguments("search", arguments) is None


def test_plain_arguments_are_read_as_typer_reads_them() -> None:
    given = read_arguments("search", ["-k", "2", "deploy", "--json", "--tool", "docker"])
    assert given is not None
    assert (given["query"], given["limit"], given["as_json"], given["tool"]) == (
        *("deploy", 2, True, "docker"),
    )
