"""Experiences from failed calls: which file of this folder writes one, and what it is worth."""

from __future__ import annotations

from hindsight_cli.reflect.findings import Chain, Nature
from hindsight_cli.reflect.lessons import checks, edits, lookups, shell_commands, tools
from hindsight_cli.reflect.lessons.lesson import Silence
from hindsight_cli.reflect.lessons.writer import Draft, Writer


def draft_chain(writer: Writer, chain: Chain) -> Draft | Silence | None:
    """An experience for one chain, or why a recovery gives none; None when nothing ended it."""
    if chain.fix is None:
        return tools.draft_open(writer, chain) or (Silence.UNRELATED if chain.doubtful else None)
    if chain.is_luck:
        return Silence.LUCK
    if chain.expected:
        return checks.draft_red_green(writer, chain)
    drafts = {
        Nature.EDIT: edits.draft_edit,
        Nature.CHECK: checks.draft_check,
        Nature.SHELL: shell_commands.draft_shell,
        Nature.TOOL: tools.draft_tool,
        Nature.LOOKUP: lookups.draft_lookup,
    }
    return drafts[chain.nature](writer, chain, chain.fix)
