"""One JSON document read member by member, so that a long list in it never is in memory."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO

from hindsight_cli.capture.formats.jsonlines_reader import parse_json_at
from hindsight_cli.records.jsonvalue import JsonValue

_CHUNK_BYTES = 256 * 1024
_BETWEEN = re.compile(r"[\s,]*")


class JsonCursor:
    """A place in a JSON text, moved on value by value.

    Commas are passed over like blanks: what is asked is where a value lies, not whether
    the text is well-formed.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace").decode
        self._text = ""
        self._at = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that means something; "" at the end."""
        while True:
            match = _BETWEEN.match(self._text, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._text) or self._ended:
                return self._text[self._at : self._at + 1]
            self._grow()

    def skip(self, character: str) -> bool:
        """Whether `character` comes next; if so, it is passed."""
        found = self.peek() == character
        self._at += found
        return found

    def value(self) -> JsonValue:
        """The value that comes next.

        Raises:
            ValueError: it is not JSON, or cut off: what follows cannot be found.
            RecursionError: it is nested too deeply.
        """
        self.peek()
        while True:
            try:
                value, end = parse_json_at(self._text, self._at)
                if end < len(self._text) or self._ended:
                    self._at = end
                    return value
            except ValueError:
                if self._ended:
                    raise
            self._grow()

    def elements(self) -> Iterator[JsonValue]:
        """The elements of the list that comes next, one at a time.

        Raises:
            ValueError, RecursionError: as `value`.
        """
        self.skip("[")
        while not self.skip("]"):
            yield self.value()

    def excerpt(self, max_chars: int = 80) -> str:
        return self._text[self._at : self._at + max_chars]

    def _grow(self) -> None:
        # Twice as much each time, so that a huge value costs linear time.
        more = self._file.read(max(_CHUNK_BYTES, len(self._text) - self._at))
        self._ended = not more
        self._text = self._text[self._at :] + self._decode(more, final=self._ended)
        self._at = 0
