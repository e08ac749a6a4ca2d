"""`hindsight mcp serve`, `hindsight mcp proxy`"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hindsight_cli.cli.options import Root

app = typer.Typer(
    help="What agents that speak MCP may ask.", no_args_is_help=True, rich_markup_mode=None
)


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


@app.command(context_settings={"allow_interspersed_args": False})
def proxy(
    server: Annotated[
        list[str] | None,
        typer.Argument(help="The server's command and its arguments, word for word."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="The server's name, as in the agent's configuration."),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", "-e", metavar="NAME=VALUE", help="One more variable for the server."),
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="The address of a server that speaks HTTP.")
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, help="With --url: where to listen (0: any free port)."
        ),
    ] = 0,
    root: Root = None,
) -> None:
    """Stand between an agent and an MCP server, and record what they do.

    In the agent's configuration put `hindsight mcp proxy --name NAME --` before the
    server's command. All that is said passes unchanged, both ways; calls and their results
    become a trace of the project that the agent works in. Without a project, or when
    recording fails, the relay goes on all the same.

    With --url the server is one that speaks HTTP: the agent is given the address on
    127.0.0.1 that is printed.

    Example: hindsight mcp proxy --name files -- npx -y @modelcontextprotocol/server-filesystem .
    """
    from hindsight_cli.api.proxying import ProxyRequest
    from hindsight_cli.cli.proxying import run_proxy, variables
    from hindsight_cli.cli.start import start_of
    from hindsight_cli.errors import UsageError

    if bool(server) == bool(url):
        raise UsageError(
            "Which server? Name its command, or its address with --url.",
            hint="See `hindsight mcp proxy --help`.",
        )
    request = ProxyRequest(
        server or [], name=name, added_env=variables(env or []), start=start_of(root), url=url or ""
    )
    request.port = port
    raise typer.Exit(run_proxy(request))
