"""Whose words a shell command prints, and how programs report their own failure."""

from __future__ import annotations

import re

from hindsight_cli.capture.shell_line import Command
from hindsight_cli.capture.status_phrases import any_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Programs that print other people's text: files, pages, logs, diffs.
_FOREIGN = _words(
    """cat head tail sed awk gawk grep egrep fgrep rg ag ack zgrep less more bat gh glab git curl
    wget http jq yq ls find fd tree man strings diff cmp xxd od hexdump file stat du df ps env
    printenv history journalctl wc sort uniq cut tr column nl tac zcat fold tee xargs watch
    sqlite3 tldr pdftotext xmllint lsof netstat ss top aws gcloud az docker podman kubectl
    systemctl crontab"""
)
# Programs that print nothing, or a word of their own, unless they fail.
_QUIET = _words(
    """cd pushd popd mkdir touch cp mv rm ln chmod chown install echo printf export set unset
    source . eval read test [ [[ which type command pwd date whoami sleep true false exit return
    wait trap alias kill pkill tar unzip gunzip seq yes basename dirname realpath readlink
    hostname uname id : shift local declare"""
)
_GIT_ACTIONS = _words(
    """merge rebase push pull fetch clone commit checkout cherry-pick apply am stash add rm mv
    switch restore reset revert submodule worktree init bisect clean"""
)
_CONTAINER_ACTIONS = _words("build run compose pull push exec up buildx create")
# Programs that pass on what they are given.
_FILTERS = _words(
    """head tail grep egrep fgrep rg sed awk gawk sort uniq cut tr wc tee less more cat column nl
    jq fold rev tac fmt ts"""
)
# Commands tried in order to learn whether something is there; "no" is an answer.
_PROBES = _words(
    """ls cat test [ [[ which type command grep egrep fgrep rg ag pgrep find fd stat file diff
    cmp head tail readlink"""
)
_ANSWERS_WITH_ONE = _words(
    "grep egrep fgrep rg ag ack zgrep find diff cmp test [ [[ pgrep which type command"
)
_GIT_ANSWERS_WITH_ONE = _words("diff grep merge-base check-ignore")


def producer(pipeline: list[Command]) -> Command:
    """The command of a pipeline whose words we read: the last that is no mere filter."""
    return next((c for c in reversed(pipeline) if not _is_filter(c)), pipeline[0])


def _is_filter(command: Command) -> bool:
    return command.program in _FILTERS or command.words[:2] == ("-m", "json.tool")


def prints_foreign_text(command: Command) -> bool:
    """Whether what a command prints was written by others."""
    if command.program == "git":
        return command.subcommand not in _GIT_ACTIONS
    if command.program in {"docker", "podman"}:
        return command.subcommand not in _CONTAINER_ACTIONS
    return command.program in _FOREIGN


def is_quiet(command: Command) -> bool:
    """Whether a command says nothing of the work itself unless it fails."""
    return command.program in _QUIET


def is_probe(command: Command) -> bool:
    """Whether a command asks for something that may well be missing."""
    asks_itself = {"--version", "--help", "-V"} & set(command.words)
    return command.program in _PROBES or bool(asks_itself)


def answers_with_one(command: Command) -> bool:
    """Whether exit code 1 is how a command says no."""
    if command.program == "git":
        return command.subcommand in _GIT_ANSWERS_WITH_ONE
    return command.program in _ANSWERS_WITH_ONE


_SELF_REPORT = any_of(
    r"no such|not found|denied|cannot|can't|could not|invalid|illegal|unrecognized|unknown",
    r"is a directory|not a directory|error|failed|refused|missing|usage|bad |does not exist",
    r"unable|extra characters|unterminated|unmatched",
    lead=r"^(?:/[\w./-]*/)?(?P<program>[\w.\[-]+): (?:\(\d+\) )?[^\n]*",
)
# Programs that do not put their name before their report, and how they begin it.
_OWN_REPORTS = (
    (frozenset({"git"}), re.compile(r"^(?:fatal|error): ")),
    (
        frozenset({"gh", "glab"}),
        any_of(
            r"HTTP [45]\d\d\b|GraphQL: |X |error |failed to |accepts \d|could not ",
            r"no [\w ]+ found|unknown (?:command|flag|shorthand flag|JSON field)",
            lead="^",
        ),
    ),
    (frozenset({"jq"}), re.compile(r"^parse error: ")),
    (
        _words("docker podman kubectl aws gcloud az systemctl sqlite3 wget http"),
        any_of(r"error\b[: (]|error (?:from|response)|an error occurred|failed to ", lead="^"),
    ),
)
_SHELL_REPORT = any_of(
    r"no such|no match|not found|denied|not a directory|ambiguous|syntax error|parse error|unbound",
    lead=r"^(?:(?:/[\w/]*/)?(?:ba|z|da|k)?sh|\(eval\)):[^\n]*",
)


def reports_itself(line: str, commands: tuple[Command, ...]) -> bool:
    """Whether a line is one of the programs speaking of its own failure.

    As in "ls: x: No such file or directory"; a file's text hardly begins so.
    """
    programs = {command.program for command in commands}
    match = _SELF_REPORT.match(line)
    if match and match["program"] in programs:
        return True
    if _SHELL_REPORT.match(line):
        return True
    return any(programs & names and report.match(line) for names, report in _OWN_REPORTS)
