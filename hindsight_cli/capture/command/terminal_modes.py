"""Terminal modes a program turned on and did not turn off, read off what it wrote.

A program that crashes leaves the terminal as it was using it: reporting the mouse,
on the alternate screen, without a cursor. The resets made here undo just that.

Source: ECMA-48; xterm's "Control Sequences"; the kitty keyboard protocol.
"""

from __future__ import annotations

_ALTERNATE = (47, 1047, 1049)
_NORMALLY_ON = (7, 25)  # wrapping, the cursor
# Application cursor keys; mouse reports and their encodings; focus reports; pastes marked.
_NORMALLY_OFF = (1, 9, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004)
_WATCHED = frozenset((*_ALTERNATE, *_NORMALLY_ON, *_NORMALLY_OFF))
_LONGEST = 64  # a sequence still open after so many bytes is none
_PARAMETERS = b"0123456789;"
_PREFIXES = (b"?", b">", b"<", b"=", b"!")
# How what is followed begins; all else, colours above all, is passed over at C's speed.
_FOLLOWED = (*(b"\x1b[" + prefix for prefix in _PREFIXES), b"\x1b=", b"\x1b>", b"\x1bc")


class TerminalModes:
    """Follows one terminal's output; costs one scan for ESC where there is none."""

    __slots__ = ("_changed", "_keypad", "_keys", "_modified_keys", "_open")

    def __init__(self) -> None:
        self._changed: set[int] = set()  # private modes not as a terminal starts
        self._keys = {False: 0, True: 0}  # kitty flags pushed, on the main and alternate screen
        self._modified_keys = False
        self._keypad = False
        self._open = b""  # the start of a sequence that the next read goes on with

    def feed(self, data: bytes) -> None:
        if self._open:
            data, self._open = self._open + data, b""
        if b"\x1b" not in data:
            return
        last = data[data.rindex(b"\x1b") :]
        if _is_open(last):
            data, self._open = data[: -len(last)], last
        if any(start in data for start in _FOLLOWED):
            for piece in data.split(b"\x1b")[1:]:
                self._follow(piece)

    def resets(self) -> bytes:
        """What puts the terminal back; b"" when nothing is left on."""
        alternate = not self._changed.isdisjoint(_ALTERNATE)
        off = [mode for mode in _NORMALLY_OFF if mode in self._changed]
        return b"".join(
            (
                _popped(self._keys[True]) if alternate else b"",
                b"\x1b[>4m" if self._modified_keys else b"",
                b"\x1b>" if self._keypad else b"",
                *(b"\x1b[?%dl" % mode for mode in off),
                *(b"\x1b[?%dl" % mode for mode in _ALTERNATE if mode in self._changed),
                _popped(self._keys[False]),
                *(b"\x1b[?%dh" % mode for mode in _NORMALLY_ON if mode in self._changed),
            )
        )

    def _follow(self, piece: bytes) -> None:
        """`piece`: what follows one ESC, up to the next."""
        if piece[:1] == b"c":  # the terminal starts anew
            self.__init__()  # type: ignore[misc]
        elif piece[:1] in (b"=", b">"):
            self._keypad = piece[:1] == b"="
        elif piece[:1] == b"[" and piece[1:2] in _PREFIXES:
            body = piece[2 : 2 + _LONGEST]
            after = body.lstrip(_PARAMETERS)
            numbers = body[: len(body) - len(after)].split(b";")
            self._control(piece[1:2], [int(n) if n else 0 for n in numbers], after[:1])

    def _control(self, prefix: bytes, numbers: list[int], final: bytes) -> None:
        if prefix == b"?" and final in (b"h", b"l"):
            for mode in numbers:
                if mode in _WATCHED:
                    self._set(mode, on=final == b"h")
        elif prefix == b"!" and final == b"p":  # soft reset
            self._changed -= {1, *_NORMALLY_ON}
            self._keypad = False
        elif prefix == b">" and final == b"m" and numbers[0] == 4:  # noqa: PLR2004 -- modifyOtherKeys
            self._modified_keys = len(numbers) > 1 and numbers[1] != 0
        elif final == b"u":
            self._keyboard(prefix, numbers)

    def _set(self, mode: int, *, on: bool) -> None:
        if on == (mode in _NORMALLY_ON):
            self._changed.discard(mode)
        else:
            self._changed.add(mode)

    def _keyboard(self, prefix: bytes, numbers: list[int]) -> None:
        alternate = not self._changed.isdisjoint(_ALTERNATE)
        if prefix == b">":
            self._keys[alternate] += 1
        elif prefix == b"<":
            self._keys[alternate] = max(0, self._keys[alternate] - (numbers[0] or 1))
        elif prefix == b"=" and numbers[0]:
            self._keys[alternate] = max(1, self._keys[alternate])


def _popped(pushed: int) -> bytes:
    return b"\x1b[<%du" % pushed if pushed else b""


def _is_open(last: bytes) -> bool:
    """Whether this, from the last ESC on, may go on in what is written next."""
    body = last[3:] if last[2:3] in _PREFIXES else last[2:]
    return len(last) <= _LONGEST and last[1:2] in (b"", b"[") and not body.strip(_PARAMETERS)
