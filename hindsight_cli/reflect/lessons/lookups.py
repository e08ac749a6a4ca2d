"""Experiences from things that were not where they were looked for."""

from __future__ import annotations

import re

from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import base_name, is_lookup, path_of
from hindsight_cli.reflect.essence import short_path
from hindsight_cli.reflect.findings import Chain
from hindsight_cli.reflect.lessons.lesson import Silence, failure_lesson
from hindsight_cli.reflect.lessons.shell_commands import draft_shell
from hindsight_cli.reflect.lessons.writer import Draft, Writer
from hindsight_cli.reflect.relation import is_same_but_for_options
from hindsight_cli.reflect.telling import error_text, quoted

_WORTH_PATH = 2.1
_NO_FILE = re.compile(r"(?:does not|doesn't) exist|no such file|not found|cannot find", re.I)


def draft_lookup(writer: Writer, chain: Chain, fix: Call) -> Draft | Silence:
    """How a path that was made up was found; where one file lies is no lesson."""
    failed = chain.failed[0]
    if failed.command:
        same = failed.command.strip() == fix.command.strip()
        if same or is_same_but_for_options(failed.command, fix.command):
            return draft_shell(writer, chain, fix)
        return Silence.NOTHING_TELLING
    if failed.tool_kind is not ToolKind.READ or not _NO_FILE.search(error_text(failed)):
        return Silence.NOTHING_TELLING
    search = _search(chain, failed, fix)
    if search is None:
        return Silence.NOTHING_TELLING
    common = {"tool": f"`{failed.tool_name}`", "error": writer.error(failed)}
    texts = {
        "scenario": writer.say("lookup", "scenario", **common),
        "recommend": writer.say("lookup", "recommend", **common),
        "avoid": writer.say("lookup", "avoid", **common),
        "why": writer.say(
            "lookup",
            "why",
            failed=failed.step_index,
            wanted=quoted(short_path(path_of(failed))),
            search=search.step_index,
            fix_step=fix.step_index,
            **common,
        ),
    }
    draft = failure_lesson(writer, chain, texts, worth=_WORTH_PATH, extra=[search])
    draft.proposal["layer"] = "general"
    return draft


def _search(chain: Chain, failed: Call, fix: Call) -> Call | None:
    """The look whose answer named the file that was wanted, or one that was then read."""
    names = {base_name(path_of(failed)), base_name(path_of(fix))} - {""}
    for call in (*chain.between, fix):
        looks = is_lookup(call) and call.tool_kind is not ToolKind.READ
        if looks and call.status is Status.OK and any(name in call.output for name in names):
            return call
    return None
