"""`hindsight doctor`"""

from __future__ import annotations

import typer

from hindsight_cli.cli.options import AsJson, Root


def add_commands(app: typer.Typer) -> None:
    app.command()(doctor)


def doctor(root: Root = None, as_json: AsJson = False) -> None:
    """Check that all is in order here, and say how to mend what is not.

    The store, the index and the locks of this project, room on the disk, the model, which
    `hindsight` comes first on the PATH, and for each agent whether its hooks and its MCP
    server lead to this version. The exit code is 1 when something is not in order.

    Example: hindsight doctor
    """
    from dataclasses import asdict

    from hindsight_cli.api.doctor import examine
    from hindsight_cli.cli.render import Output
    from hindsight_cli.cli.start import start_of

    checks = examine(start_of(root))
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{'ok ' if check.ok else 'NOT'}  {check.name:<{width}}  {check.detail}")
        if not check.ok and check.fix:
            lines.append(f"{'':<{width + 5}}  {check.fix}")
    failed = sum(not check.ok for check in checks)
    lines.append(f"{failed} of {len(checks)} not in order." if failed else "All is in order.")
    status = "error" if failed else "success"
    data = {"checks": [asdict(check) for check in checks]}
    Output("doctor", as_json=as_json).result(data, "\n".join(lines), status=status)
    raise typer.Exit(1 if failed else 0)
