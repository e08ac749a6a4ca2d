"""What a trace is called in another tool's format, so that it can be read back.

ATIF has no place for a status, an exit code or a refusal; both its writer and its reader
keep them under `OWN_KEY` in the `extra` objects. Source: docs/how-to/exchange-traces.md.
"""

from __future__ import annotations

OWN_KEY = "hindsight"
MESSAGE_KEY = "message"  # under OWN_KEY of a step: the event that its message is
REASONING_KEY = "reasoning"
USAGE_KEY = "usage"
SESSION_KEY = "session"  # under OWN_KEY of the document
# Fields of an event that go there as they are, where they say something.
OWN_TEXTS = ("tool_name", "server", "call_id", "status_rule", "error_type", "timestamp")
OWN_NUMBERS = ("exit_code", "duration_ms")
