"""The keys along the bottom. Where they do not all fit, the less needed ones give way."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

Key = tuple[str, str]  # as it is shown, and what it does

KEYS: tuple[Key, ...] = (
    ("a", "approve"),
    ("e", "edit"),
    ("r", "reject"),
    ("s", "skip"),
    ("u", "undo"),
    ("↵", "trace"),
    ("t", "traces"),
    ("/", "filter"),
    ("?", "help"),
    ("q", "quit"),
)
MORE_KEYS: tuple[Key, ...] = (
    ("space", "select"),
    ("x", "all experiences"),
    ("o", "long outputs"),
    ("tab", "pane"),
    ("y", "copy"),
    ("z", "zoom"),
    ("1-4", "lists"),
    ("l", "list"),
)
FILTER_KEYS: tuple[Key, ...] = (("enter", "keep the filter"), ("esc", "clear it"))


def keys_content(keys: Sequence[Key], gap: str = "  ") -> Content:
    """The keys in one line."""
    parts = [Content.assemble((key, "bold $accent"), " ", (word, "$faint")) for key, word in keys]
    return Content(gap).join(parts)


class KeyBar(Widget):
    """One line of keys."""

    keys: tuple[Key, ...] = KEYS

    def show(self, keys: tuple[Key, ...]) -> None:
        self.keys = keys
        self.refresh()

    def render(self) -> Content:
        width = self.size.width
        if self.keys is not KEYS:
            line = Content(" ") + keys_content(self.keys)
            fits = line.cell_length <= width
            return line if fits else keys_content(self.keys, gap=" ").truncate(width)
        for count in range(len(MORE_KEYS), -1, -1):
            line = Content(" ") + keys_content([*KEYS[:-2], *MORE_KEYS[:count], *KEYS[-2:]])
            if line.cell_length <= width:
                return line
        return keys_content(KEYS, gap=" ").truncate(width)
