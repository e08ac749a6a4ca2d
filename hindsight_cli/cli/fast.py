"""`search`, `inject` and `run` without typer: the plain cases, None for all others.

Arguments are read by hand, because argparse costs as much as all the rest: it loads
gettext and shutil. Help, mistakes and anything unusual go to the full command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hindsight_cli.cli.border import guarded

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from typing import Any


# Option -> (field, kind of value). None: a switch.
_COMMON: dict[str, tuple[str, type | None]] = {
    "--project": ("root", Path),
    "-p": ("root", Path),
    "--json": ("as_json", None),
    "--error": ("error", None),
}
OPTIONS: dict[str, dict[str, tuple[str, type | None]]] = {
    "search": {
        **_COMMON,
        "--tool": ("tool", str),
        "--tag": ("tag", str),
        "--limit": ("limit", int),
        "-k": ("limit", int),
        "--mode": ("mode", str),
        "--explain": ("explain", None),
        "--queries": ("queries", Path),
    },
    "inject": {
        **_COMMON,
        "--session": ("session", str),
        "--max-tokens": ("max_tokens", int),
        "--whole": ("whole", None),
    },
    "run": {
        "--project": ("root", Path),
        "-p": ("root", Path),
        "--task": ("task", str),
        "--no-inject": ("no_inject", None),
        "--no-reflect": ("no_reflect", None),
    },
}
_DEFAULTS: dict[str, dict[str, Any]] = {
    "search": {
        "root": None,
        "as_json": False,
        "query": None,
        "queries": None,
        "error": False,
        "tool": None,
        "tag": None,
        "limit": 3,
        "mode": "auto",
        "explain": False,
    },
    "inject": {
        "root": None,
        "as_json": False,
        "error": False,
        "session": None,
        "max_tokens": None,
        "whole": False,
    },
    "run": {"root": None, "task": None, "no_inject": False, "no_reflect": False},
}
_POSITIONAL = {"search": "query", "inject": "task"}


def try_fast(argv: Sequence[str]) -> int | None:
    """Run a plain command; the exit code, or None when it is not plain."""
    command = argv[0]
    if command == "run":
        return _try_run(argv[1:])
    given = read_arguments(command, argv[1:])
    if given is None:
        return None
    if command == "search":
        from hindsight_cli.cli.searching import SearchRequest, run_search

        search = SearchRequest(**given)
        return guarded(command, search.as_json, lambda: run_search(search))
    if "task" not in given:
        return None
    from hindsight_cli.cli.injecting import InjectRequest, run_inject

    inject = InjectRequest(**given)
    return guarded(command, inject.as_json, lambda: run_inject(inject))


def _try_run(argv: Sequence[str]) -> int | None:
    """`run [OPTIONS] [--] CMD...`: from its first word on the command is not ours to read."""
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "--":
        _, kind = OPTIONS["run"].get(argv[at], ("", None))
        at += 1 if kind is None else 2
    given = read_arguments("run", argv[:at])
    child = list(argv[at + 1 :] if argv[at : at + 1] == ["--"] else argv[at:])
    if given is None or not child:
        return None
    from hindsight_cli.api.running import RunRequest
    from hindsight_cli.cli.running import run_run
    from hindsight_cli.cli.start import start_of

    def act() -> int:
        request = RunRequest(
            child,
            task=given["task"],
            start=start_of(given["root"]),
            inject=not given["no_inject"],
            reflect=not given["no_reflect"],
        )
        return run_run(request)

    return guarded("run", False, act)


def read_arguments(command: str, argv: Sequence[str]) -> dict[str, Any] | None:
    """The fields of a request, or None when the arguments are not plain."""
    fields = dict(_DEFAULTS[command])
    rest = list(argv)
    positional: list[str] = []
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            positional.append(word)
            continue
        field, kind = OPTIONS[command].get(word, ("", None))
        if not field:
            return None
        if kind is None:
            fields[field] = True
            continue
        if not rest or rest[0].startswith("-"):
            return None
        try:
            fields[field] = kind(rest.pop(0))
        except ValueError:
            return None
    if len(positional) > 1:
        return None
    if positional:
        fields[_POSITIONAL[command]] = positional[0]
    return fields
