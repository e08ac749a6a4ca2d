"""`hindsight config show`, `set` and `unset`"""

from __future__ import annotations

from typing import Annotated

import typer

from hindsight_cli.cli.options import AsJson, Root

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.api.configuring import Setting

app = typer.Typer(
    help="Which model reflects, and other settings.", no_args_is_help=True, rich_markup_mode=None
)

Key = Annotated[str, typer.Argument(help="A setting that `hindsight config show` lists.")]


@app.command()
def show(root: Root = None, as_json: AsJson = False) -> None:
    """List every setting, its value, and where that comes from.

    Example: hindsight config show
    """
    from dataclasses import asdict

    from hindsight_cli.api.configuring import list_settings
    from hindsight_cli.cli.render import Output, table
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.config import environment

    output = Output("config show", as_json=as_json)
    found = list_settings(start_of(root), environment())
    for message in found.ignored:
        output.say(message)
    shown = ((s, s.value) for s in found.settings)
    texts = [(s, ", ".join(v) if isinstance(v, tuple) else str(v)) for s, v in shown]
    rows = [(s.key, text or "-", s.source) for s, text in texts]
    rows.append(("key", ", ".join(f"${v}" for v in found.key_variables) or "-", "environment"))
    rows.append(("file", found.file, ""))
    data = asdict(found)
    del data["ignored"]
    output.result(data, table(("setting", "value", "from"), rows))


@app.command(name="set")
def set_(
    key: Key,
    value: Annotated[str, typer.Argument(help="The value; a text with spaces in quotes.")],
    as_json: AsJson = False,
) -> None:
    """Change a setting of yours, for all projects.

    It is kept in your user data folder, never in a repository. A key for a model is
    no setting: it is read from the environment.

    Example: hindsight config set llm_model anthropic/claude-sonnet-4-5
    """
    from hindsight_cli.api.configuring import set_setting
    from hindsight_cli.config import environment

    _show("config set", set_setting(key, value, environment()), as_json=as_json)


@app.command()
def unset(key: Key, as_json: AsJson = False) -> None:
    """Take a setting of yours back to its default.

    Example: hindsight config unset llm_api_base
    """
    from hindsight_cli.api.configuring import unset_setting
    from hindsight_cli.config import environment

    _show("config unset", unset_setting(key, environment()), as_json=as_json)


def _show(command: str, setting: Setting, *, as_json: bool) -> None:
    from dataclasses import asdict

    from hindsight_cli.cli.render import Output

    output = Output(command, as_json=as_json)
    if setting.source.startswith("$"):
        output.say(f"{setting.source} is set and goes before the file.")
    output.result(asdict(setting), f"{setting.key} = {setting.value or '(none)'}")
