"""The application around the review room. Started by `hindsight tui`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
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


class ReviewApp(App[None]):
    """Review experiences with the keyboard alone.

    `env` stands for the process's environment (None: the real one).
    """

    CSS_PATH = "hindsight.tcss"
    TITLE = "hindsight"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012  # Textual declares it so
        (0, "-narrow"),
        (WIDE, "-wide"),
        (VAST, "-vast"),
    ]
    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "tone", "Dark or light", show=False)]

    def __init__(self, root: Path, *, env: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self._root = root
        self._env = env
        self.register_theme(DARK)
        self.register_theme(LIGHT)
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
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def _open(self) -> Project:
        """A project of the calling thread's own: SQLite connections are not shared."""
        return Project.open(self._root, env=self._env)
