"""What is left out of the command line is never missed."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from hindsight_cli.cli.app import app
from hindsight_cli.cli.slim import slim


def paths(command: Any, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    below = getattr(command, "commands", {})
    return [words, *(p for name in below for p in paths(below[name], (*words, name)))]


def help_of(application: typer.Typer, words: tuple[str, ...]) -> str:
    command: Any = typer.main.get_command(application)
    context = command.make_context("hindsight", [], resilient_parsing=True)
    for word in words:
        command = command.commands[word]
        context = type(context)(command, info_name=word, parent=context)
    return str(command.get_help(context))


WHOLE = typer.main.get_command(app)


@pytest.mark.parametrize("words", paths(WHOLE), ids=" ".join)
def test_the_command_asked_for_is_read_in_full(words: tuple[str, ...]) -> None:
    assert help_of(slim(app, words), words) == help_of(app, words)


def test_the_others_keep_their_name_and_their_first_sentence() -> None:
    assert help_of(slim(app, ()), ()) == help_of(app, ())
    assert paths(typer.main.get_command(slim(app, ("search",)))) == paths(WHOLE)
