"""`search` and `inject` without typer: argparse for the plain cases, None for all others."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from hindsight_cli.cli.border import guarded
from hindsight_cli.cli.retrieval import InjectRequest, SearchRequest, run_inject, run_search


class _NotPlain(Exception):
    """The arguments are for the full command line: help, mistakes, anything unusual."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _NotPlain(message)


def try_fast(argv: Sequence[str]) -> int | None:
    """Run a plain `search` or `inject`; the exit code, or None when it is not plain."""
    try:
        options = _parser(argv[0]).parse_args(argv[1:])
    except _NotPlain:
        return None
    if argv[0] == "search":
        request = SearchRequest(**vars(options))
        return guarded("search", options.as_json, lambda: run_search(request))
    wanted = InjectRequest(**vars(options))
    return guarded("inject", options.as_json, lambda: run_inject(wanted))


def _parser(command: str) -> _Parser:
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("--project", "-p", dest="root", type=Path)
    parser.add_argument("--json", dest="as_json", action="store_true")
    parser.add_argument("--error", action="store_true")
    if command == "inject":
        parser.add_argument("task")
        parser.add_argument("--session")
        parser.add_argument("--max-tokens", type=int)
        return parser
    parser.add_argument("query", nargs="?")
    parser.add_argument("--queries", type=Path)
    parser.add_argument("--tool")
    parser.add_argument("--tag")
    parser.add_argument("-k", "--limit", type=int, default=3)
    parser.add_argument("--mode", default="auto")
    parser.add_argument("--explain", action="store_true")
    return parser
