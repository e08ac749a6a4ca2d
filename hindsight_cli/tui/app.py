"""The application around the review room. Started by `hindsight tui`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import Theme

from hindsight_cli.api.project import Project
from hindsight_cli.tui.review import ReviewScreen
from hindsight_cli.tui.room import VAST, WIDE

DARK = Theme(
    name="hindsight-dark",
    primary="#7aa7f0",
    secondary="#b99af2",
    accent="#e8b45a",
    success="#8fc46f",
    error="#ee7277",
    warning="#e39a5f",
    foreground="#d7dae0",
    background="#15171c",
    surface="#1b1e25",
    panel="#262a33",
    dark=True,
    variables={"faint": "#8b92a0", "line": "#3d434f"},
)
LIGHT = Theme(
    name="hindsight-light",
    primary="#2f62b5",
    secondary="#7546b8",
    accent="#9a6200",
    success="#3d7a1f",
    error="#b3262e",
    warning="#a85a12",
    foreground="#23262d",
    background="#faf9f6",
    surface="#f1efe9",
    panel="#e3e0d8",
    dark=False,
    variables={"faint": "#6d7078", "line": "#c6c1b4"},
)
CONTRAST = Theme(
    name="hindsight-contrast",
    primary="#66d9ff",
    secondary="#e0b0ff",
    accent="#ffe600",
    success="#5cff5c",
    error="#ff8080",
    warning="#ffb84d",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#333333",
    dark=True,
    variables={"faint": "#d0d0d0", "line": "#ffffff"},
)
_UNNAMED = frozenset(  # in the palette: there one names what one wants
    {
        *("Next", "Previous", "Back", "First", "Last", "Up", "Down"),
        *("Copy selected text", "Focus Next", "Focus Previous"),
    }
)
THEMES = (DARK, LIGHT, CONTRAST)


class ReviewApp(App[None]):
    """Review experiences with the keyboard alone.

    `env` stands for the process's environment (None: the real one).
    """

    CSS_PATH = "hindsight.tcss"
    TITLE = "hindsight"
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012  # Textual declares it so
        (0, "-narrow"),
        (WIDE, "-wide"),
        (VAST, "-vast"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("T", "tone", "Dark, light or high contrast", show=False)
    ]

    def __init__(self, root: Path, *, env: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._root = root
        self._env = env
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The style sheet is read before a theme is in force."""
        return DARK.variables

    def on_mount(self) -> None:
        self.push_screen(ReviewScreen(self._open, self._root.name or str(self._root)))

    async def action_quit(self) -> None:
        """Leave once every decision is stored."""
        for screen in self.screen_stack:
            if isinstance(screen, ReviewScreen):
                await screen.settle()
        self.exit()

    def action_tone(self) -> None:
        names = [theme.name for theme in THEMES]
        self.theme = names[(names.index(self.theme) + 1) % len(names)]

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every action of the screen one is in, by its words: ctrl+p."""
        told: set[str] = set()
        for owner in (screen, self):
            for binding in owner._bindings.key_to_bindings.values():
                for one in binding:
                    if one.description in _UNNAMED | told or not one.description:
                        continue
                    told.add(one.description)
                    key = one.key_display or one.key
                    run = partial(self.run_action, one.action, owner)
                    yield SystemCommand(one.description, f"key {key}", run)

    def _open(self) -> Project:
        """A project of the calling thread's own: SQLite connections are not shared."""
        return Project.open(self._root, env=self._env)
