"""What a relay tells its recorder through a pipe, and what happens when the recorder is slow."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_cli.capture.command.feed import (
    DELIVERED,
    DROPPED,
    ENDED,
    HEADER_BYTES,
    MAX_FRAME_BYTES,
    OUTPUT,
    RESIZED,
    TYPED,
    Feed,
    FrameReader,
    frame,
)

Frames = list[tuple[bytes, bytes]]
CHUNK = b"x" * 65_536
LONGER_THAN_ANY_TEST_S = 60.0
KINDS = [OUTPUT, DROPPED, RESIZED, TYPED, DELIVERED, ENDED]


class Pipe:
    """A feed and its reader, in one process."""

    def __init__(self) -> None:
        self.read_fd, self.write_fd = os.pipe()
        self.feed = Feed(self.write_fd)
        self.reader = FrameReader(self.read_fd)

    def received(self) -> Frames:
        """All frames until the feed ends."""
        frames: Frames = []
        while not self.reader.at_end:
            frames += self.reader.frames(LONGER_THAN_ANY_TEST_S)
        return frames


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    for fd in (pipe.read_fd, pipe.write_fd):
        with contextlib.suppress(OSError):
            os.close(fd)


def output_of(frames: Frames) -> bytes:
    return b"".join(payload for kind, payload in frames if kind == OUTPUT)


def dropped_of(frames: Frames) -> int:
    return sum(int(payload) for kind, payload in frames if kind == DROPPED)


def test_frames_arrive_whole_and_in_order(pipe: Pipe) -> None:
    pipe.feed.resized(24, 80)
    pipe.feed.delivered("flag")
    pipe.feed.output(b"one\x00\xff")
    pipe.feed.output(b"")
    pipe.feed.typed()
    pipe.feed.ended(b'{"exit_code": 3}', timeout_s=1)

    assert pipe.received() == [
        (RESIZED, b"24 80"),
        (DELIVERED, b"flag"),
        (OUTPUT, b"one\x00\xff"),
        (OUTPUT, b""),
        (TYPED, b""),
        (ENDED, b'{"exit_code": 3}'),
    ]


def test_a_reader_waits_no_longer_than_it_is_told(pipe: Pipe) -> None:
    began = time.monotonic()

    assert pipe.reader.frames(0.05) == []
    assert 0.04 < time.monotonic() - began < 5
    assert not pipe.reader.at_end


def test_a_feed_that_breaks_off_is_at_its_end_without_a_last_frame(pipe: Pipe) -> None:
    pipe.feed.output(b"whole")
    os.write(pipe.write_fd, frame(OUTPUT, b"half of it")[:-4])
    os.close(pipe.write_fd)

    assert pipe.received() == [(OUTPUT, b"whole")]
    assert pipe.reader.frames(LONGER_THAN_ANY_TEST_S) == []  # and says so without waiting


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.binary(max_size=40)), max_size=8),
    st.integers(min_value=1, max_value=9),
)
def test_frames_may_be_split_anywhere(frames: Frames, size: int) -> None:
    sent = b"".join(frame(kind, payload) for kind, payload in frames)
    read_fd, write_fd = os.pipe()
    try:
        reader = FrameReader(read_fd)
        received: Frames = []
        for start in range(0, len(sent), size):
            os.write(write_fd, sent[start : start + size])
            received += reader.frames(LONGER_THAN_ANY_TEST_S)
    finally:
        os.close(read_fd)
        os.close(write_fd)

    assert received == frames


def test_a_dead_reader_never_harms_the_relay(pipe: Pipe) -> None:
    pipe.feed.output(b"seen")
    os.close(pipe.read_fd)
    began = time.monotonic()
    tracemalloc.start()
    try:
        for _ in range(1000):  # 65 MB
            pipe.feed.output(CHUNK)
        pipe.feed.resized(1, 2)
        pipe.feed.typed()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    pipe.feed.ended(b"{}", timeout_s=LONGER_THAN_ANY_TEST_S)

    assert time.monotonic() - began < 5
    assert peak < 2_000_000


def test_a_reader_that_dies_with_output_pending_ends_the_wait(pipe: Pipe) -> None:
    for _ in range(40):
        pipe.feed.output(CHUNK)
    began = time.monotonic()
    threading.Timer(0.1, os.close, [pipe.read_fd]).start()
    pipe.feed.ended(b"{}", timeout_s=LONGER_THAN_ANY_TEST_S)

    assert time.monotonic() - began < 10


def test_a_reader_that_does_not_read_costs_no_time_and_bounded_memory(pipe: Pipe) -> None:
    began = time.monotonic()
    tracemalloc.start()
    try:
        for _ in range(2000):  # 131 MB
            pipe.feed.output(CHUNK)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert time.monotonic() - began < 5
    assert peak < 6_000_000


def test_the_wait_for_a_reader_that_does_not_read_has_an_end(pipe: Pipe) -> None:
    for _ in range(40):
        pipe.feed.output(CHUNK)
    began = time.monotonic()
    pipe.feed.ended(b"{}", timeout_s=0.2)

    assert 0.15 < time.monotonic() - began < 5


def test_what_is_dropped_is_counted_and_told_where_it_is_missing(pipe: Pipe) -> None:
    for number in range(200):
        pipe.feed.output(b"%8d" % number + CHUNK)
    received: Frames = []
    pipe.feed.typed()
    for _ in range(10):  # the reader wakes up
        received += pipe.reader.frames(1)
        pipe.feed.resized(24, 80)
    pipe.feed.output(b"%8d" % 200)
    relay = threading.Thread(
        target=pipe.feed.ended, args=(b"{}",), kwargs={"timeout_s": LONGER_THAN_ANY_TEST_S}
    )
    relay.start()
    received += pipe.received()
    relay.join()

    told = [kind for kind, _ in received if kind != RESIZED]
    kept = told.index(DROPPED)
    assert told == [OUTPUT] * kept + [DROPPED, TYPED, OUTPUT, ENDED]
    numbers = [int(payload[:8]) for kind, payload in received if kind == OUTPUT]
    assert numbers == [*range(kept), 200]
    assert dropped_of(received) == (200 - kept) * (8 + len(CHUNK))


def test_what_is_dropped_at_the_end_is_told_too(pipe: Pipe) -> None:
    for _ in range(200):
        pipe.feed.output(CHUNK)
    relay = threading.Thread(
        target=pipe.feed.ended, args=(b"{}",), kwargs={"timeout_s": LONGER_THAN_ANY_TEST_S}
    )
    relay.start()
    received = pipe.received()
    relay.join()

    assert [kind for kind, _ in received[-2:]] == [DROPPED, ENDED]
    assert len(output_of(received)) + dropped_of(received) == 200 * len(CHUNK)


def test_a_slow_reader_still_sees_the_relay_through_to_its_end(pipe: Pipe) -> None:
    received: Frames = []

    def read_slowly() -> None:
        while not pipe.reader.at_end:
            received.extend(pipe.reader.frames(LONGER_THAN_ANY_TEST_S))
            time.sleep(0.01)

    recorder = threading.Thread(target=read_slowly)
    recorder.start()
    for _ in range(400):
        pipe.feed.output(CHUNK)
    pipe.feed.ended(b"{}", timeout_s=LONGER_THAN_ANY_TEST_S)
    recorder.join()

    assert received[-1] == (ENDED, b"{}")
    assert len(output_of(received)) + dropped_of(received) == 400 * len(CHUNK)


def test_a_chunk_too_large_for_a_frame_is_dropped_and_told(pipe: Pipe) -> None:
    pipe.feed.output(bytes(MAX_FRAME_BYTES + 1))
    pipe.feed.output(b"after")
    pipe.feed.ended(b"{}", timeout_s=1)

    assert pipe.received() == [
        (DROPPED, str(MAX_FRAME_BYTES + 1).encode()),
        (OUTPUT, b"after"),
        (ENDED, b"{}"),
    ]


@pytest.mark.parametrize("size", [MAX_FRAME_BYTES + 1, 2**31, 2**32 - 1])
def test_a_length_no_frame_of_ours_has_ends_the_feed(pipe: Pipe, size: int) -> None:
    os.write(pipe.write_fd, frame(OUTPUT, b"good") + OUTPUT + size.to_bytes(4, "big") + b"bad")

    assert pipe.reader.frames(1) == [(OUTPUT, b"good")]
    assert pipe.reader.at_end


def test_nothing_is_written_once_the_feed_has_ended(pipe: Pipe) -> None:
    pipe.feed.ended(b"{}", timeout_s=1)
    reused, other = os.pipe()  # most likely under the number of the feed's end
    try:
        pipe.feed.output(b"late")
        pipe.feed.typed()
        os.set_blocking(reused, False)
        with pytest.raises(BlockingIOError):
            os.read(reused, 1)
    finally:
        os.close(reused)
        os.close(other)

    assert pipe.received() == [(ENDED, b"{}")]


def test_a_frame_is_its_kind_its_length_and_its_payload() -> None:
    assert frame(OUTPUT, b"abc") == b"O\x00\x00\x00\x03abc"
    assert len(frame(TYPED)) == HEADER_BYTES
