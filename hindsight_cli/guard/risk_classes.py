"""Names of the risk classes, and how a rule for one is put together."""

from __future__ import annotations

import re

OVERRIDE = "instruction_override"
FORGERY = "role_forgery"
CONCEAL = "concealment"
EXFILTRATE = "exfiltrate"
MEMORY = "addresses_memory_or_approval"
MISREPORT = "misreport"
TRIGGER = "hidden_trigger"
HIJACK = "tool_hijack"
REDIRECT = "redirection"
DELETE = "delete"
DOWNLOAD = "download_execute"
PERSIST = "persist"
WEAKEN = "weaken_security"
CREDENTIALS = "credentials"

HOSTILE = frozenset({OVERRIDE, FORGERY, CONCEAL, EXFILTRATE})

Rule = tuple[str, re.Pattern[str]]


def near(first: str, second: str, gap: int = 40, *, either: bool = False) -> str:
    """A pattern: `first`, then `second` in the same sentence; in any order if `either`."""
    between = rf"(?:(?![.!?]\s)[^\n。!?]){{0,{gap}}}?"
    forward = f"(?:{first}){between}(?:{second})"
    return f"(?:{forward}|(?:{second}){between}(?:{first}))" if either else forward


def rule(risk: str, *patterns: str) -> Rule:
    return risk, re.compile("|".join(patterns))
