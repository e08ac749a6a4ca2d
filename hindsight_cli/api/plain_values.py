"""Any Python value as JSON or text, for the record of a program of one's own. Never raises
but what the value's own methods do.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False  # as typing's, without loading typing in a stranger's program
if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue


def json_of(value: object) -> JsonValue:
    """A copy of `value` in JSON; what JSON cannot hold is told as `repr` tells it."""
    try:
        return json.loads(json.dumps(value, default=_told), parse_constant=str)
    except (TypeError, ValueError, RecursionError):  # keys that are no text, a ring, too deep
        return repr(value)


def text_of(value: object) -> str:
    """The text of a tool's result: as it is, decoded, or in JSON; "" for None."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    plain = json_of(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def ended_process(value: object) -> tuple[str, int] | None:
    """Output and exit code of a `subprocess.CompletedProcess`; None for anything else."""
    code = getattr(value, "returncode", None)
    if type(code) is not int or not hasattr(value, "stdout") or not hasattr(value, "stderr"):
        return None
    parts = (text_of(part) for part in (value.stdout, value.stderr))
    return "\n".join(part.rstrip("\n") for part in parts if part), code


def _told(value: object) -> JsonValue:
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if isinstance(value, set | frozenset):
        return list(value)
    return repr(value)
