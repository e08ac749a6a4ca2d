"""Terminal escapes a tool's output may hold: colours, progress bars, honest links.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import re

_LINK = re.compile(
    r"\x1b\]8;[^;\x07\x1b]*;([^\x07\x1b]*)(?:\x07|\x1b\\)([^\x1b\x07]*)\x1b\]8;;(?:\x07|\x1b\\)"
)
_HOST = re.compile(r"(?:https?://)?((?:[\w-]+\.)+[a-z]{2,})(?:[/:?#]|$)", re.IGNORECASE)
# Cursor moves, erasing, screen modes, titles, working folder, prompt marks.
_MOVES = re.compile(
    r"\x1b\[[0-9;?]*[A-HJKSTfhlmsu]|\x1b[78=>MDE]|\x1b\([B0]|\x1b\](?:0|1|2|7|133|"
    r"633);[^\x07\x1b]*(?:\x07|\x1b\\)"
)
CONCEALED = re.compile(r"\x1b\[(?:[0-9;:]*[;:])?8(?:[;:][0-9;:]*)?m")
_ANY = re.compile(r"[\x1b\x80-\x9f]")


def is_harmless(text: str) -> bool:
    """Whether every escape in `text` only draws: nothing typed, copied, hidden or mislinked."""
    if CONCEALED.search(text):
        return False
    if any(not _is_honest(*link.groups()) for link in _LINK.finditer(text)):
        return False
    return not _ANY.search(_MOVES.sub("", _LINK.sub(r"\2", text)))


def _is_honest(url: str, label: str) -> bool:
    """A label that names a host names the host it leads to."""
    if not url.startswith(("http://", "https://", "file://", "mailto:")):
        return False
    shown, real = _HOST.match(label.strip()), _HOST.match(url)
    return shown is None or (real is not None and shown.group(1).lower() == real.group(1).lower())
