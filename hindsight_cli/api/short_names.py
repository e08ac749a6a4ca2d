"""Names of agents and formats as people shorten them."""

from __future__ import annotations

from collections.abc import Sequence

from hindsight_cli.capture.formats import format_names
from hindsight_cli.errors import FormatNotFoundError, UsageError
from hindsight_cli.integrations.past import agents

_PRINTED = ("-stream", "-exec", "-run")  # formats of what an agent prints, not of what it keeps


def full_format_name(given: str) -> str:
    """The format that is called so, or the only one that this is short for.

    Raises:
        FormatNotFoundError: there is none, or several.
    """
    known = format_names()
    name = _only_one(given, known)
    if name is None:
        raise FormatNotFoundError(given, installed=known)
    return name


def full_agent_name(given: str) -> str:
    """The agent that is called so, or the only one that this is short for.

    Raises:
        UsageError: there is none, or several.
    """
    name = _only_one(given, agents())
    if name is None:
        raise UsageError(f"No agent {given!r} is known.", hint=f"Known: {', '.join(agents())}.")
    return name


def _only_one(given: str, known: Sequence[str]) -> str | None:
    """`claude` is `claude-code`, and `gemini-cli`, where only formats are known, `gemini`."""
    if given in known:
        return given
    found = [name for name in known if name.startswith(given)] if given else []
    found = found or [name for name in known if given.startswith(f"{name}-")]
    kept = [name for name in found if not name.endswith(_PRINTED)] or found
    return kept[0] if len(kept) == 1 else None
