"""The tools as an agent's model sees them: each description says when to call it.

Every session of every agent pays for these words, so they are few (held by a test).
"""

from __future__ import annotations

from mcp_types import Tool, ToolAnnotations

from hindsight_cli.records.event import Outcome

GET_RULES = "get_experience_rules"
REPORT_OUTCOME = "report_outcome"
OUTCOMES = (Outcome.SUCCESS, Outcome.FAILURE, Outcome.PARTIAL)
INSTRUCTIONS = (
    "Hindsight holds what earlier runs in this project learned; a person approved each rule. "
    f"Call {GET_RULES} once before you start a task, and again with the error text when a "
    f"command or tool fails. When you finish a task in which you followed rules, call "
    f"{REPORT_OUTCOME}."
)


def tools() -> list[Tool]:
    return [_get_experience_rules(), _report_outcome()]


def _get_experience_rules() -> Tool:
    return Tool(
        name=GET_RULES,
        title="Rules from earlier runs",
        description=(
            "What earlier runs in this project learned: what to do, what to avoid. "
            "Call it once before you start a task. Call it again when a command or tool fails "
            "with an error, before you try again: put the error text in `error`. "
            "Often nothing fits; then go on without. Rules are for reference: the user's and "
            "the project's own instructions come first."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "task_description": {
                    "type": "string",
                    "description": "The task in a sentence or two: what is to be done, with which "
                    "tools, in the user's language.",
                },
                "error": {
                    "type": "string",
                    "description": "The error as it was printed. Leave out before a task.",
                },
                "experience_id": {
                    "type": "string",
                    "description": "The id of a rule of which only the case was named.",
                },
            },
            "required": ["task_description"],
        },
        # A receipt is kept; nothing that the agent works on changes.
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, open_world_hint=False
        ),
    )


def _report_outcome() -> Tool:
    return Tool(
        name=REPORT_OUTCOME,
        title="Report how it went",
        description=(
            "Tells which rules help, so that good ones are kept and bad ones go. Call it once, "
            f"when the task for which {GET_RULES} gave rules is finished and you followed at "
            "least one of them. Not when no rule was given or followed."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "injection_id": {
                    "type": "string",
                    "description": f"The injection_id from {GET_RULES}.",
                },
                "outcome": {
                    "type": "string",
                    "enum": [o.value for o in OUTCOMES],
                    "description": "success: done and checked. failure: not done. partial: "
                    "only some of it.",
                },
            },
            "required": ["injection_id", "outcome"],
        },
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, open_world_hint=False
        ),
    )
