"""The checkable words of an experience: commands, flags, paths, names, numbers.

They are marked in the cited steps, so that the eye finds each claim in the record.
"""

from __future__ import annotations

import re

from hindsight_cli.records.experience import Content

_MAX = 40
_MIN_CHARS = 3
_QUOTED = re.compile(r"`([^`\n]{2,200})`")
_TOKEN = re.compile(r"(?a:[\w./:=@+~$-]+)")
_CODE_LIKE = re.compile(r"[\d_./:=@$]|^-|-[\w]*-")  # no plain word, hyphenated or not


def literals_of(content: Content) -> tuple[str, ...]:
    """What of the advice can be found word for word in a step; longest first."""
    text = "\n".join((content.recommend, content.avoid, content.why, content.scenario))
    found = dict.fromkeys(_QUOTED.findall(text))
    for token in _TOKEN.findall(text):
        plain = token.rstrip(".,;:=-").lstrip(".,;:=")
        if len(plain) >= _MIN_CHARS and _CODE_LIKE.search(plain):
            found[plain] = None
    return tuple(sorted(found, key=len, reverse=True)[:_MAX])


def pattern_of(literals: tuple[str, ...]) -> re.Pattern[str] | None:
    """One pattern that finds any of them as a word of its own, or None without any."""
    if not literals:
        return None
    words = "|".join(map(re.escape, literals))
    return re.compile(rf"(?<![A-Za-z0-9_])(?:{words})(?![A-Za-z0-9_])")
