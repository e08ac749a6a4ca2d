"""What Hindsight put before an agent is not what the agent did or saw. Pure.

An agent may print its block, or get one as the answer of a tool: taken as evidence, an
experience would bear out itself.
"""

from __future__ import annotations

import re

from hindsight_cli.records.injection import TAG

# Some agents escape the angle brackets of what a hook gives them, and the quotes with them.
_OPEN, _CLOSE, _QUOTE = "(?:<|&lt;)", "(?:>|&gt;)", r"(?:\\?\"|&quot;)"
_BLOCK = re.compile(
    rf"{_OPEN}{TAG} receipt={_QUOTE}(inj-[0-9a-f]{{12}}){_QUOTE}{_CLOSE}"
    rf"(?:(?!{_OPEN}{TAG}\b).)*?{_OPEN}/{TAG}{_CLOSE}",
    re.DOTALL,
)


def without_own_blocks(text: str) -> str:
    """`text` with each block of ours cut down to its receipt."""
    if f"/{TAG}" not in text:
        return text
    return _BLOCK.sub(rf'<{TAG} receipt="\1">[left out]</{TAG}>', text)
