"""The only place that writes results: one JSON document, or text a person reads.

Results go to stdout, everything else to stderr. Recorded text is data: control
characters are made visible before a terminal sees them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence, Set

from hindsight_cli.terminal import visible

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.errors import HindsightError
    from hindsight_cli.records.jsonvalue import JsonValue

ENVELOPE_VERSION = 1
CUT = "…"  # stands in an id for what lies between its beginning and its end
_LEAST_ROOM = 24  # cells for the last column of a table, before others give way
_ID_HEAD, _ID_TAIL = 8, 4


class Output:
    """What one command prints, in the form its user asked for."""

    def __init__(self, command: str, *, as_json: bool) -> None:
        self.command = command
        self.as_json = as_json
        self.messages: list[str] = []

    def say(self, message: str) -> None:
        """Something a person should know: stderr, or `messages` of the document."""
        if self.as_json:
            self.messages.append(message)
        else:
            print(visible(message), file=sys.stderr)

    def part(self, text: str) -> None:
        """A part of the text result, shown before the work that gives the rest."""
        if not self.as_json:
            print(visible(text), flush=True)

    def result(
        self,
        data: Mapping[str, JsonValue],
        text: str,
        *,
        status: str = "success",
        errors: Sequence[HindsightError] = (),
    ) -> None:
        """The one result: `data` as JSON, or `text`."""
        if self.as_json:
            print_json(self.command, data, status, self.messages, errors)
        elif text:
            print(visible(text))
        if not self.as_json:
            for error in errors:
                print_error(error)


def print_json(
    command: str,
    data: Mapping[str, JsonValue],
    status: str,
    messages: Sequence[str] = (),
    errors: Sequence[HindsightError] = (),
) -> None:
    document = {
        "hindsight": ENVELOPE_VERSION,
        "command": command,
        "status": status,
        "data": data,
        "messages": list(messages),
        "errors": [{"code": e.code, "message": str(e), "hint": e.hint} for e in errors],
    }
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    try:
        text = json.dumps(document, ensure_ascii=not utf8, default=str, allow_nan=False)
    except ValueError:
        from hindsight_cli.appendlog import encode

        text = encode(document).decode()  # NaN and Infinity are no JSON
    print(text.encode("utf-8", "backslashreplace").decode() if utf8 else text)


def print_error(error: HindsightError) -> None:
    print(f"error[{error.code}]: {visible(str(error))}", file=sys.stderr)
    if error.hint:
        print(f"  hint: {visible(error.hint)}", file=sys.stderr)


def count(number: int, noun: str) -> str:
    """`1 session`, `2 sessions`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    ids: str = "",
    drop: Sequence[str] = (),
) -> str:
    """Aligned columns on a terminal; else one record a line, tab-separated, nothing cut.

    On a terminal the last column takes the room that is left. Where that is little, the
    column `ids` is shortened in the middle, then those named by `drop` go, the first first.
    """
    clean = [[" ".join(visible(cell).split()) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        return "\n".join("\t".join(row) for row in clean)
    import shutil

    from rich.cells import cell_len, set_cell_size

    wide = shutil.get_terminal_size().columns
    columns = [list(column) for column in zip(headers, *clean, strict=True)]
    room = _room(columns, wide)
    if room < _LEAST_ROOM and ids in headers:
        at = list(headers).index(ids)
        columns[at] = [ids, *short_ids(columns[at][1:])]
    for name in drop:
        if _room(columns, wide) < min(_LEAST_ROOM, max(map(cell_len, columns[-1]))):
            columns = [column for column in columns if column[0] != name]
    widths = [max(map(cell_len, column)) for column in columns]
    widths[-1] = max(8, min(widths[-1], _room(columns, wide)))
    lines = []
    for row in zip(*columns, strict=True):
        cells = [_fit(cell, width, cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        lines.append(
            "  ".join(set_cell_size(c, w) for c, w in zip(cells, widths, strict=True)).rstrip()
        )
    return "\n".join(lines)


def _room(columns: Sequence[Sequence[str]], wide: int) -> int:
    """Cells left for the last column."""
    from rich.cells import cell_len

    return wide - sum(max(map(cell_len, column)) + 2 for column in columns[:-1])


def short_ids(ids: Sequence[str]) -> list[str]:
    """Ids cut in the middle, each still telling one of them: `0ccf1a04…b5d1`.

    Commands take them so; one that is not long, or cannot be told from others, stays whole.
    """
    known = set(ids)
    return [_short_id(full, known) for full in ids]


def _short_id(full: str, known: Set[str]) -> str:
    for tail in range(_ID_TAIL, len(full) - _ID_HEAD - 2):
        head, end = full[:_ID_HEAD], full[-tail:]
        if sum(i.startswith(head) and i.endswith(end) for i in known) == 1:
            return f"{head}{CUT}{end}"
    return full


def _fit(cell: str, width: int, length: int) -> str:
    from rich.cells import set_cell_size

    return cell if length <= width else set_cell_size(cell, width - 1) + "…"


def remind(output: Output, pending: int) -> None:
    """One line on stderr, so that proposals never wait unnoticed."""
    if pending and not output.as_json:
        noun, verb = ("experience", "waits") if pending == 1 else ("experiences", "wait")
        output.say(f"{pending} {noun} {verb} for review: `hindsight tui`")
