"""What a command does not import is what it does not cost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from hindsight_cli.api.project import Project

HEAVY = (
    *("litellm", "fastembed", "onnxruntime", "mcp", "textual", "jsonlines", "asyncio"),
    *("sqlite_utils", "rich", "pydantic", "typer"),  # sqlite_utils brings numpy along
)
PROBE = """
import sys
sys.argv[1:] = {arguments!r}
from hindsight_cli.__main__ import main
try:
    main()
except SystemExit:
    pass
print("loaded:", *[m for m in {heavy!r} if m in sys.modules], file=sys.stderr)
"""


def loaded_by(project: Project, *arguments: str) -> set[str]:
    code = PROBE.format(arguments=list(arguments), heavy=HEAVY)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=True,
    )
    line = next(x for x in done.stderr.splitlines() if x.startswith("loaded:"))
    return set(line.split()[1:])


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--version"], set()),
        (["search", "deploy mysql"], set()),
        (["search", "deploy mysql", "--json", "--explain"], set()),
        (["search", "nothing like it"], set()),
        (["inject", "deploy mysql"], set()),
        (["run", "--task", "deploy mysql", "--", "true"], set()),
        (["mcp", "proxy", "--name", "x", "--", "true"], set()),
        (["run", "--help"], {"typer", "pydantic"}),
        (["--help"], {"typer"}),
        (["search", "--help"], {"typer", "pydantic"}),
        (["experiences", "list", "--json"], {"typer", "pydantic", "sqlite_utils"}),
        (["reflect", "--help"], {"typer", "pydantic"}),
    ],
)
def test_no_command_loads_a_heavy_library_it_does_not_need(
    project: Project, approved: Callable[..., str], arguments: list[str], allowed: set[str]
) -> None:
    approved()
    loaded_by(project, "search", "the index is made here")
    assert loaded_by(project, *arguments) <= allowed


def test_an_injection_does_not_make_the_next_search_fold_the_ledger_again(
    project: Project, approved: Callable[..., str]
) -> None:
    approved()
    loaded_by(project, "search", "the index is made here")
    for _ in range(3):
        assert loaded_by(project, "inject", "deploy mysql") == set()
        assert loaded_by(project, "search", "deploy mysql") == set()


def test_a_new_decision_is_seen_by_the_next_search(
    project: Project, approved: Callable[..., str]
) -> None:
    approved()
    loaded_by(project, "search", "the index is made here")
    entries, _ = project.ledger.read()
    project.ledger.append([replace(entries[-1], entry_id="later", at="2027-01-01T00:00:00Z")])
    assert "sqlite_utils" in loaded_by(project, "search", "helm rollback")
