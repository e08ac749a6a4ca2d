"""What stands where an experience would, when there is none: what to do next."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from hindsight_cli.errors import HindsightError
from hindsight_cli.terminal import visible
from hindsight_cli.text import one_line
from hindsight_cli.tui.lists import ListName

_COMMAND = "bold $accent"
_ERROR_CHARS = 300


def empty_content(name: ListName, counts: Mapping[ListName, int], query: str) -> Content:
    """Why the list is empty and how that changes."""
    if query:
        shown = one_line(visible(query), 60)
        return _lines(f"Nothing here matches “{shown}”.", [("esc", "clears the filter")])
    if name is ListName.APPROVED:
        return _lines("Nothing is approved yet.", [("1", "shows what waits for you")])
    if name is ListName.REJECTED:
        return _lines("Nothing was rejected.", [])
    if name is ListName.STALE:
        return _lines("Nothing is stale: all that is approved was verified lately.", [])
    if counts[ListName.APPROVED] or counts[ListName.REJECTED]:
        told = f"{counts[ListName.APPROVED]} approved, {counts[ListName.REJECTED]} rejected"
        return _lines(
            f"All reviewed: {told}.",
            [
                ("hindsight reflect --all", "looks for more in what is recorded"),
                ("2", "shows what is approved"),
                ("q", "leaves"),
            ],
        )
    return _lines(
        "Nothing waits for review yet.",
        [
            ("hindsight import", "brings in what your agents did here"),
            ("hindsight reflect --all", "proposes experiences from it"),
            ("t", "shows the traces that are recorded already"),
        ],
    )


def broken_content(error: HindsightError) -> Content:
    """What is wrong with the store, and the ways out of it."""
    lines = _lines(
        "The experiences of this project cannot be read.",
        [
            ("hindsight doctor", "looks for what is wrong and says how to mend it"),
            ("hindsight index rebuild", "makes the index again from the files"),
            ("q", "leaves; nothing was changed"),
        ],
    )
    told = one_line(visible(f"{error} {error.hint}"), _ERROR_CHARS)
    return Content("\n\n").join([lines, Content.styled(told, "$error")])


def _lines(headline: str, steps: list[tuple[str, str]]) -> Content:
    width = max((len(command) for command, _ in steps), default=0) + 2
    lines = [Content.styled(headline, "bold"), *([Content("")] if steps else [])]
    lines += [Content.assemble((c.ljust(width), _COMMAND), told) for c, told in steps]
    return Content("\n").join(lines)
