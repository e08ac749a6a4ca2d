"""The full command line: parse, call one api verb, show. Nothing else."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from hindsight_cli.cli import (
    capture,
    config,
    demo,
    doctor,
    experiences,
    failures,
    feedback,
    hook,
    impact,
    import_sessions,
    index,
    init,
    install,
    mcp,
    pausing,
    prune,
    record,
    reflect,
    run_agent,
    search,
    traces,
)
from hindsight_cli.cli.border import guarded
from hindsight_cli.cli.slim import slim
from hindsight_cli.config import environment
from hindsight_cli.errors import UsageError

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Give your agents hindsight: capture runs, learn from them, hand the lesson back.",
)
for module in (
    *(init, capture, import_sessions, run_agent, hook, pausing, prune),
    *(reflect, search, failures, feedback, impact, index, demo, install, doctor),
):
    module.add_commands(app)
app.add_typer(record.app, name="record")
app.add_typer(traces.app, name="traces")
app.add_typer(experiences.app, name="experiences")
app.add_typer(mcp.app, name="mcp")
app.add_typer(config.app, name="config")

_WORDS = (
    ("Input should be a valid integer", "it takes a whole number."),
    ("Input should be a valid number", "it takes a number."),
    ("Input should be a valid boolean", "it takes true or false."),
    ("Input should be less than or equal to ", "it takes at most "),
    ("Input should be greater than or equal to ", "it takes at least "),
)


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True)
    ] = False,
) -> None:
    if version:
        from hindsight_cli import __version__

        print(f"hindsight {__version__}")
        raise typer.Exit


def run(argv: Sequence[str]) -> int:
    """Run one command line; gives its exit code."""
    as_json = "--json" in argv[: argv.index("--") if "--" in argv else None]
    words = [a for a in argv if not a.startswith("-")]
    groups = ("record", "traces", "experiences", "index", "config", "mcp")
    command = " ".join(words[: 2 if words[:1] and words[0] in groups else 1])
    return guarded(command, as_json, lambda: _run(list(argv), command, words))


def _run(argv: list[str], command: str, words: Sequence[str]) -> int:
    # Only a shell that completes wants to know every option.
    whole = "_HINDSIGHT_COMPLETE" in environment()
    parser = typer.main.get_command(app if whole else slim(app, words))
    try:
        code = parser.main(args=argv, prog_name="hindsight", standalone_mode=False)
    except SystemExit as exit_:  # the parser's own end when the reader of stdout went away
        if isinstance(exit_.__context__, BrokenPipeError):
            raise exit_.__context__ from None
        raise
    except typer.Abort:
        print("Aborted.", file=sys.stderr)
        return 1
    except typer.TyperException as error:
        formatted = getattr(error, "format_message", None)
        message = _plain(formatted() if formatted else str(error))
        if type(error).__name__.startswith("NoArgsIsHelp"):
            print(message)
            return UsageError.exit_code
        group = command.split(" ", maxsplit=1)[0]
        known = group in parser.commands  # type: ignore[attr-defined]  # it is a group
        helped = group if message.startswith("No such command") else command
        hint = f"See `hindsight {helped} --help`." if known else "See `hindsight --help`."
        if message.startswith("No such option"):
            hint += " A text that begins with a dash goes after `--`."
        raise UsageError(message, hint=hint) from error
    return code if isinstance(code, int) else 0


def _plain(message: str) -> str:
    """The parser's message in plain words; those of the library that reads values are not."""
    for beginning, plain in _WORDS:
        head, found, tail = message.partition(beginning)
        if found:
            return f"{head}{plain}{tail if plain.endswith(' ') else ''}"
    return message
