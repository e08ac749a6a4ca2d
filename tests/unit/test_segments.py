"""When a terminal's output becomes an observation, and how much of it is kept."""

from __future__ import annotations

import re
import tracemalloc

import pytest

from hindsight_cli.capture.command.segments import (
    HEAD_BYTES,
    MAX_AGE_S,
    MIN_AGE_S,
    PAUSE_S,
    TAIL_BYTES,
    Segments,
)

MARKER = re.compile(r"\.\.\.\[(\d+) (bytes|characters) not kept\]\.\.\.")


class Emitted(list[str]):
    """The observations, and the segments they come from."""

    def __init__(self) -> None:
        super().__init__()
        self.of = Segments(self.append)


@pytest.fixture
def emitted() -> Emitted:
    return Emitted()


def numbered(count: int) -> bytes:
    return b"".join(b"line %06d\r\n" % number for number in range(count))


def test_a_segment_lasts_until_a_pause(emitted: Emitted) -> None:
    emitted.of.output(b"one\r\n", now=10)
    emitted.of.tick(now=10 + PAUSE_S - 0.1)
    emitted.of.output(b"two\r\n", now=10 + PAUSE_S - 0.1)
    emitted.of.tick(now=10 + 2 * PAUSE_S - 0.2)
    assert emitted == []

    emitted.of.tick(now=10 + 2 * PAUSE_S)
    assert emitted == ["one\ntwo"]


def test_a_pause_counts_though_nobody_looked_during_it(emitted: Emitted) -> None:
    emitted.of.output(b"one\r\n", now=10)
    emitted.of.output(b"two\r\n", now=10 + PAUSE_S)
    emitted.of.close()

    assert emitted == ["one", "two"]


def test_output_without_a_pause_is_cut_by_age(emitted: Emitted) -> None:
    for tenth in range(int(MAX_AGE_S * 10) + 5):
        emitted.of.output(b"%d\r\n" % tenth, now=tenth / 10)

    assert len(emitted) == 1
    assert emitted[0].split("\n") == [str(number) for number in range(int(MAX_AGE_S * 10))]


@pytest.mark.parametrize(("age_s", "ends"), [(MIN_AGE_S - 0.1, False), (MIN_AGE_S, True)])
def test_enter_ends_a_segment_that_is_not_new(emitted: Emitted, age_s: float, ends: bool) -> None:
    emitted.of.output(b"Proceed? ", now=5)
    emitted.of.typed(now=5 + age_s)

    assert emitted == (["Proceed?"] if ends else [])


def test_time_alone_gives_nothing(emitted: Emitted) -> None:
    emitted.of.typed(now=50)
    emitted.of.tick(now=100)
    emitted.of.close()

    assert emitted == []


@pytest.mark.parametrize("output", [b"\x1b[?25l\x1b]0;title\x07", b"\r\n  \r\n", b"gone\r\x1b[K"])
def test_output_that_shows_nothing_is_no_observation(emitted: Emitted, output: bytes) -> None:
    emitted.of.output(output, now=0)
    emitted.of.close()

    assert emitted == []
    assert emitted.of.bytes == len(output)


def test_frames_are_collapsed_within_a_segment_and_what_stays_is_given_once(
    emitted: Emitted,
) -> None:
    for frame in range(100):
        emitted.of.output(b"\r\x1b[2K%d%%" % frame, now=frame / 10)
    emitted.of.close()
    emitted.of.output(b"\r\x1b[2Kdone\r\n", now=30)
    emitted.of.close()

    assert emitted == ["99%", "done"]


def test_no_byte_of_a_burst_that_fits_is_left_out(emitted: Emitted) -> None:
    output = numbered((HEAD_BYTES + TAIL_BYTES) // len(numbered(1)))
    for start in range(0, len(output), 4096):
        emitted.of.output(output[start : start + 4096], now=0)
    emitted.of.close()

    assert emitted == [output.decode().replace("\r\n", "\n").rstrip("\n")]
    assert emitted.of.dropped == 0


@pytest.mark.parametrize("size", [100, 4096, 65536, 10_000_000])
def test_of_a_long_burst_the_beginning_and_the_end_are_kept(emitted: Emitted, size: int) -> None:
    output = numbered(500_000)
    for start in range(0, len(output), size):
        emitted.of.output(output[start : start + size], now=0)
    emitted.of.close()

    (text,) = emitted
    lines = text.split("\n")
    (gap,) = (at for at, line in enumerate(lines) if MARKER.fullmatch(line))
    head, tail = lines[:gap], lines[gap + 1 :]
    assert head[:-1] == [f"line {number:06}" for number in range(len(head) - 1)]
    assert tail[-1] == "line 499999"
    assert all(re.fullmatch(r"line \d{6}", line) for line in tail)
    assert HEAD_BYTES - 100 < len("\r\n".join(head)) <= HEAD_BYTES
    assert TAIL_BYTES - 100 < len("\r\n".join(tail)) <= TAIL_BYTES + size
    assert lines[gap] == f"...[{emitted.of.dropped} bytes not kept]..."
    kept = len("\r\n".join(head)) + len("\r\n".join([*tail, ""]))
    assert kept + emitted.of.dropped == len(output)
    assert emitted.of.bytes == len(output)


@pytest.mark.parametrize("unit", ["中文", "x\x1b[31m", "\x1b[5;7Hhello", "👍\u200d"])
def test_what_is_cut_without_lines_has_no_broken_characters(emitted: Emitted, unit: str) -> None:
    output = unit.encode() * (1_000_000 // len(unit.encode()))
    for size in (65_537, 1_000_000):
        for start in range(0, len(output), size):
            emitted.of.output(output[start : start + size], now=0)
        emitted.of.close()

    assert MARKER.search(emitted[0])
    assert not any("\ufffd" in text or "31m" in text or ";7H" in text for text in emitted)


def test_the_middle_of_a_picture_is_left_out_without_a_trace_of_it(emitted: Emitted) -> None:
    emitted.of.output(b"before\r\n\x1bPq" + b"#0;2" * 200_000 + b"\x1b\\after\r\n", now=0)
    emitted.of.close()

    assert [line for line in emitted[0].split("\n") if not MARKER.fullmatch(line)] == [
        "before",
        "after",
    ]


def test_output_that_never_came_is_marked_where_it_is_missing(emitted: Emitted) -> None:
    emitted.of.output(b"before\r\n", now=0)
    emitted.of.lost(5_000_000)
    emitted.of.output(b"half a line\r\nafter\r\n", now=1)
    emitted.of.close()

    assert emitted == ["before\n...[5000013 bytes not kept]...\nafter"]
    assert emitted.of.dropped == 5_000_013
    assert emitted.of.bytes == 8 + 5_000_000 + 20


def test_output_lost_again_and_again_is_one_gap(emitted: Emitted) -> None:
    """A recorder that falls behind must not fall behind the more for showing each gap."""
    for number in range(1000):
        emitted.of.output(b"%05d\r\n" % number * 20_000, now=0)
        emitted.of.lost(1_000_000)
    emitted.of.output(b"half a line\r\nthe end\r\n", now=0)
    emitted.of.close()

    assert len(MARKER.findall(emitted[0])) == 1
    assert emitted[0].startswith("00000\n")
    assert emitted[0].endswith("the end")
    assert emitted.of.bytes == 1000 * 1_140_000 + 22
    assert emitted.of.dropped >= emitted.of.bytes - HEAD_BYTES - 22


def test_all_output_lost_is_an_observation_too(emitted: Emitted) -> None:
    emitted.of.lost(7)
    emitted.of.close()

    assert emitted == ["...[7 bytes not kept]..."]


def test_output_counts_as_left_out_however_often_the_window_changes(emitted: Emitted) -> None:
    for rows in range(20, 30):
        emitted.of.output(b"x" * 1_000_000, now=0)
        emitted.of.resized(rows, 80)
    emitted.of.close()

    assert emitted.of.dropped == 10 * (1_000_000 - HEAD_BYTES - TAIL_BYTES)
    assert emitted.of.bytes == 10_000_000
    assert len(emitted[0]) < 2 * (HEAD_BYTES + TAIL_BYTES)


def test_lines_wrap_where_the_window_ends(emitted: Emitted) -> None:
    emitted.of.resized(rows=24, columns=20)
    emitted.of.output(b"y" * 30 + b"\r\x1b[1A\x1b[Jnew\r\n", now=0)
    emitted.of.close()

    assert emitted == ["new"]


def test_on_a_pipe_a_wide_progress_line_is_one_line(emitted: Emitted) -> None:
    for frame in range(100):
        emitted.of.output(b"\r%3d%% |%-150s|" % (frame, b"#" * frame), now=0)
    emitted.of.close()

    assert emitted == [f" 99% |{'#' * 99}{' ' * 51}|"]


def test_a_few_bytes_do_not_become_a_huge_observation(emitted: Emitted) -> None:
    emitted.of.output(b"x\x1b[499b\r\n" * 20_000, now=0)
    emitted.of.close()

    assert len(emitted[0]) < HEAD_BYTES + TAIL_BYTES + 100
    assert MARKER.search(emitted[0])


def test_memory_stays_bounded_while_output_pours_in(emitted: Emitted) -> None:
    chunk = b"z" * 65_536
    tracemalloc.start()
    try:
        for _ in range(2000):  # 131 MB
            emitted.of.output(chunk, now=0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak < 1_000_000
