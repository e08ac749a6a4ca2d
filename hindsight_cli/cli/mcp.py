"""`hindsight mcp serve`"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hindsight_cli.cli.options import Root

app = typer.Typer(
    help="What agents that speak MCP may ask.", no_args_is_help=True, rich_markup_mode=None
)


@app.callback()
def _mcp() -> None:
    """Keeps `serve` a subcommand while it is the only one."""


@app.command()
def serve(
    root: Root = None,
    http: Annotated[
        int | None,
        typer.Option(
            "--http",
            min=0,
            max=65535,
            metavar="PORT",
            help="Serve HTTP on 127.0.0.1 instead of stdio (0: any free port).",
        ),
    ] = None,
) -> None:
    """Answer an agent's questions over MCP.

    Agents start it themselves: register it as a stdio server, with the full path of
    `hindsight`. It gives approved experiences for a task or an error, and takes reports of
    how it went.

    Example: claude mcp add hindsight -- hindsight mcp serve
    """
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.mcp_server.serving import serve_http, serve_stdio

    output = Output("mcp serve", as_json=False)
    start = start_of(root)
    if http is not None:
        serve_http(start, http, lambda url: output.say(f"MCP server at {url}"))
        return
    if sys.stdin.isatty():
        output.say("MCP server on stdio: an agent starts it itself. Ctrl-C ends it.")
    serve_stdio(start)
