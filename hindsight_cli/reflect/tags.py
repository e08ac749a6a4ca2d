"""Coarse words to file an experience under: programs, else tools, and kinds of task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import edits_of
from hindsight_cli.reflect.programs import FILTERS, LOOKERS, SHELLS, WEAK, CheckKind

MAX_TAGS = 6
_TAG = re.compile(r"\w[\w.+:/@-]{0,79}")
# What a call is about, told by the beginning of its intent, or by a word in it.
_BY_INTENT: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (tag, re.compile(rf"^(?:{begins})\b|{anywhere}" if anywhere else rf"^(?:{begins})\b"))
    for tag, begins, anywhere in (
        (
            "deployment",
            "docker|podman|kubectl|helm|terraform|ansible|systemctl|fly|vercel|heroku|gcloud|aws|az",
            "deploy",
        ),
        ("database", r"psql|mysql|sqlite3|redis-cli|mongosh?|pg_\w+|alembic|prisma", "migrat"),
        ("vcs", "git|gh|glab|hg|svn|jj", ""),
        (
            "packaging",
            r"apt|apt-get|brew|dnf|apk|conda|(?:pip|uv|poetry|npm|yarn|pnpm|cargo|gem|go)"
            r" (?:install|add|get|update|upgrade|publish|sync|ci|mod|i)",
            "",
        ),
        ("network", "curl|wget|ssh|scp|rsync|ping|nc|dig|nslookup|telnet|http", ""),
        ("auth", "ssh-keygen|gpg|certbot|openssl|passwd", r"\b(?:login|auth|token)\b"),
        ("search", "grep|rg|find|fd|ag|jq", ""),
    )
)
_BY_CHECK = {
    CheckKind.TEST: "testing",
    CheckKind.LINT: "linting",
    CheckKind.BUILD: "build",
    CheckKind.SCRIPT: "scripting",
}
_BY_KIND = {
    ToolKind.EDIT: "editing",
    ToolKind.WRITE: "editing",
    ToolKind.READ: "search",
    ToolKind.SEARCH: "search",
    ToolKind.WEB: "network",
    ToolKind.SUBAGENT: "delegation",
}


def tool_tags(calls: Iterable[Call]) -> list[str]:
    """The programs of commands; the agent's own tools only where no command is cited.

    Programs that merely look or filter count only when nothing else was started.
    """
    programs: dict[str, None] = {}
    lookers: dict[str, None] = {}
    tools: dict[str, None] = {}
    for call in calls:
        if not call.command:
            tools[call.tool_name] = None
        for one in shell.invocations(call.command) if call.command else ():
            is_aside = one.piped or one.program in LOOKERS | FILTERS or one.intent in WEAK
            (lookers if is_aside else programs)[_program_tag(one)] = None
    found = programs or lookers or tools
    return [tag for tag in found if _TAG.fullmatch(tag)][:MAX_TAGS]


def task_tags(calls: Sequence[Call]) -> list[str]:
    found: dict[str, None] = {}
    for call in calls:
        for one in shell.invocations(call.command) if call.command else ():
            if one.piped:
                continue
            found.update((tag, None) for tag, pattern in _BY_INTENT if pattern.search(one.intent))
            if one.check is not None:
                found[_BY_CHECK[one.check]] = None
        if edits_of(call):
            found["editing"] = None
        elif call.tool_kind in _BY_KIND:
            found[_BY_KIND[call.tool_kind]] = None
        elif call.tool_kind in {ToolKind.MCP, ToolKind.OTHER}:
            found["api"] = None
    return list(found)[:MAX_TAGS]


def _program_tag(one: shell.Invocation) -> str:
    """The program by its plain name; a script of the shell by its own."""
    if one.program in SHELLS and " " in one.intent and not one.intent.endswith(" -c"):
        return one.intent.rpartition(" ")[2]
    return one.program.removeprefix("./")
