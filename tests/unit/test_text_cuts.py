"""Where a text is cut before it is redacted: never inside a word, which may be a secret."""

from __future__ import annotations

import pytest

from hindsight_cli.capture.proxy.pending import LastLines
from hindsight_cli.text import head_of_words, tail_of_words

SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize("room", range(60))
def test_a_cut_keeps_a_word_whole_or_leaves_it_out(room: int) -> None:
    text = f"token {SECRET} end"

    for kept in (head_of_words(text, room), tail_of_words(text, room)):
        assert len(kept) <= room
        assert SECRET in kept or not any(part in kept for part in (SECRET[:6], SECRET[-6:]))


def test_what_fits_is_left_as_it_is() -> None:
    assert head_of_words("a b", 3) == tail_of_words("a b", 3) == "a b"


def test_a_word_that_does_not_fit_leaves_nothing() -> None:
    assert head_of_words("x" * 20, 5) == tail_of_words("x" * 20, 5) == ""


@pytest.mark.parametrize("filler", [480, 490, 500, 520, 8_180, 8_200, 20_000])
@pytest.mark.parametrize("chunk", [7, 4_096, 1 << 20])
def test_the_last_lines_of_a_server_hold_no_part_of_a_long_word(filler: int, chunk: int) -> None:
    said = f"password={SECRET} {'y' * filler}\nSECRET={SECRET}{'z' * filler} bye".encode()
    last = LastLines()
    for start in range(0, len(said), chunk):
        last.add(said[start : start + chunk])

    shown = "\n".join(last.texts())

    assert "bye" in shown
    assert not any(SECRET[at : at + 8] in shown for at in range(len(SECRET) - 8)) or (
        SECRET in shown
    )
