"""Token counts of a reply that Claude Code spread over several lines, counted once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from hindsight_cli.capture.draft import Draft, Problem, size_of

# How many lines may lie between two lines of one reply: results of parallel tools, progress.
_WINDOW = 64
_MAX_HELD_CHARS = 4_000_000


def usage_on_last_line(
    items: Iterable[tuple[Draft | Problem, str | None]],
) -> Iterator[Draft | Problem]:
    """Records in their order, each reply's usage on the last of its lines only.

    Every line of a reply repeats the usage, and newer versions complete the count
    only on the last. `items` pairs a record with the key of its reply; a record is
    held back until a later reply of its session shows that its own is complete, or
    too much has passed to keep.
    """
    held: deque[tuple[Draft | Problem, str | None]] = deque()
    sizes: deque[int] = deque()
    held_chars = 0
    counted: set[str] = set()
    for item, key in items:
        if isinstance(item, Draft) and key is not None:
            if key in counted:
                held.append((replace(item, usage=None), None))
            else:
                counted |= _supersede(held, item, key)
                held.append((item, key))
        else:
            held.append((item, None))
        sizes.append(size_of(item) if isinstance(item, Draft) else 0)
        held_chars += sizes[-1]
        while held and (held[0][1] is None or len(held) > _WINDOW or held_chars > _MAX_HELD_CHARS):
            held_chars -= sizes.popleft()
            yield _released(held, counted)
    while held:
        yield _released(held, counted)


def _supersede(held: deque[tuple[Draft | Problem, str | None]], line: Draft, key: str) -> set[str]:
    """Take the usage from earlier lines of the same reply; the keys of replies now complete."""
    complete = set()
    for index, (earlier, earlier_key) in enumerate(held):
        if earlier_key is None or not isinstance(earlier, Draft):
            continue
        if earlier_key == key:
            held[index] = (replace(earlier, usage=None), None)
        elif earlier.session.session_id == line.session.session_id:
            held[index] = (earlier, None)
            complete.add(earlier_key)
    return complete


def _released(
    held: deque[tuple[Draft | Problem, str | None]], counted: set[str]
) -> Draft | Problem:
    item, key = held.popleft()
    if key is not None:
        counted.add(key)
    return item
