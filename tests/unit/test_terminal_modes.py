"""Just the modes that a program left on are reset, however its output was cut."""

from __future__ import annotations

import pytest

from hindsight_cli.capture.command.terminal_modes import TerminalModes

ESC = "\x1b"


def resets(written: str, piece: int = 1 << 16) -> str:
    modes = TerminalModes()
    data = written.encode()
    for at in range(0, len(data), piece):
        modes.feed(data[at : at + piece])
    return modes.resets().decode()


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 1 << 16])
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("plain text", ""),
        (f"{ESC}[1;31mred{ESC}[0m {ESC}[2J{ESC}[4;10H", ""),
        (f"{ESC}[?1000h", f"{ESC}[?1000l"),
        (f"{ESC}[?1002;1006h text", f"{ESC}[?1002l{ESC}[?1006l"),
        (f"{ESC}[?1000h{ESC}[31m{ESC}[?1000l", ""),
        (f"{ESC}[?1049h{ESC}[?25l中文", f"{ESC}[?1049l{ESC}[?25h"),
        (f"{ESC}[?25l{ESC}[?25h", ""),
        (f"{ESC}[?2004h{ESC}[?1004h", f"{ESC}[?1004l{ESC}[?2004l"),
        (f"{ESC}[?2026h", ""),  # not one that outlives the program
        (f"{ESC}=", f"{ESC}>"),
        (f"{ESC}={ESC}>", ""),
        (f"{ESC}[>1u{ESC}[>5u", f"{ESC}[<2u"),
        (f"{ESC}[>1u{ESC}[<u", ""),
        (f"{ESC}[?1049h{ESC}[>1u", f"{ESC}[<1u{ESC}[?1049l"),  # each screen has its own
        (f"{ESC}[>4;2m", f"{ESC}[>4m"),
        (f"{ESC}[?1000h{ESC}[?25l{ESC}=x{ESC}c", ""),  # full reset
        (f"{ESC}[?1;25l{ESC}[?1h{ESC}[!p", ""),  # soft reset
        (f"{ESC}{ESC}[?1000h", f"{ESC}[?1000l"),
        (f"{ESC}[?1000", ""),  # never came to its end
        (f"{ESC}[?{'9' * 500}h{ESC}[?;;h", ""),
    ],
)
def test_what_was_left_on_is_reset(written: str, expected: str, piece: int) -> None:
    assert resets(written, piece) == expected


def test_resets_made_twice_change_nothing_more() -> None:
    once = resets(f"{ESC}[?1049h{ESC}[?1000h{ESC}[?25l{ESC}[>1u{ESC}=")

    assert resets(f"{ESC}[?1049h{ESC}[?1000h{ESC}[?25l{ESC}[>1u{ESC}={once}") == ""
