"""Qwen Code's hooks. Source: its guide to hooks, version 0.15, and payloads of it.

Named as those of Claude Code, with answers like those of Gemini CLI. A prompt is told of
again before every round of tools, then without a text.
"""

from __future__ import annotations

from hindsight_cli.capture.hooks import gemini
from hindsight_cli.capture.hooks.claude_code import KINDS as CLAUDE_KINDS
from hindsight_cli.capture.hooks.payload import common_document

AGENT = "qwen-code"
KINDS = CLAUDE_KINDS
document = common_document
unpacked = gemini.unpacked
tool_use_of = gemini.tool_use_of
