"""What Hindsight put before an agent is not what the agent did or saw. Pure.

An agent may print its block, or get one as the answer of a tool: taken as evidence, an
experience would bear out itself.
"""

from __future__ import annotations

import re

from hindsight_cli.records.injection import TAG

_BLOCK = re.compile(
    rf'<{TAG} receipt=\\?"(inj-[0-9a-f]{{12}})\\?">(?:(?!<{TAG}\b).)*?</{TAG}>', re.DOTALL
)


def without_own_blocks(text: str) -> str:
    """`text` with each block of ours cut down to its receipt."""
    if f"</{TAG}>" not in text:
        return text
    return _BLOCK.sub(rf'<{TAG} receipt="\1">[left out]</{TAG}>', text)
