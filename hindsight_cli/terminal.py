"""Recorded text is data: make every control character visible before a terminal sees it.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import re

_INVISIBLE = (
    "\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f"
)
_HOSTILE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_INVISIBLE}\ud800-\udfff]")


def visible(text: str) -> str:
    """`text` with control, bidi and invisible characters shown as <U+XXXX>; \\n and \\t kept.

    A carriage return before a line feed is dropped. Never raises.
    """
    return _HOSTILE.sub(_name, text.replace("\r\n", "\n"))


def _name(match: re.Match[str]) -> str:
    return f"<U+{ord(match.group()):04X}>"
