"""JSON Lines as they lie on disk after crashes: every line answers for itself."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hindsight_cli.capture.draft import Problem
from hindsight_cli.capture.nesting import is_deeper
from hindsight_cli.records.jsonvalue import JsonValue

NOT_READ = "not JSON, or cut off"
MAX_LINE_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
_EXCERPT_CHARS = 80
_BOM = b"\xef\xbb\xbf"
# What a crash or an editor leaves round a record: NUL blocks, CR, blanks.
_PADDING = b"\x00 \t\r\n"
_BLANKS = " \t\r\n"
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DIGITS = 1000
_DEEP = 500  # levels; a value with fewer is never too deep, nor one with fewer brackets
_SPARE_FRAMES = 200
_LONG_CHARS = 8_000


@dataclass(frozen=True, slots=True)
class Record:
    """One parsed line."""

    line: int  # from 1
    value: JsonValue


def read_json_lines(path: Path) -> Iterator[Record | Problem]:
    """Every line that is not blank, in order, one in memory at a time.

    Lines end at LF only, so U+2028 inside a string never splits one. A line longer
    than `MAX_LINE_BYTES`, or one that is not JSON, is a Problem and reading goes on.
    """
    with path.open("rb", buffering=_CHUNK_BYTES) as file:
        line = 0
        while raw := file.readline(MAX_LINE_BYTES):
            line += 1
            if len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n"):
                _skip_line(file)
                yield Problem(
                    line=line,
                    reason=f"line longer than {MAX_LINE_BYTES // 2**20} MiB",
                    excerpt=excerpt_of(raw),
                )
                continue
            body = raw
            if not (raw.startswith(b"{") and raw.endswith(b"}\n")):  # else spare it a copy
                body = (raw.removeprefix(_BOM) if line == 1 else raw).strip(_PADDING)
            if body:
                yield _parsed(body, line=line, ended=raw.endswith(b"\n"))


def _skip_line(file: IO[bytes]) -> None:
    while (rest := file.readline(_CHUNK_BYTES)) and not rest.endswith(b"\n"):
        pass


def _parsed(body: bytes, *, line: int, ended: bool) -> Record | Problem:
    try:
        return Record(line, parse_json(body))
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as error:
        at = (
            f" from character {error.pos + 1} on" if isinstance(error, json.JSONDecodeError) else ""
        )
        reason = f"not JSON{at}" if ended else "unfinished last line"
    return Problem(line=line, reason=reason, excerpt=excerpt_of(body))


def why_not_read(error: Exception) -> str:
    """Why a document, or the rest of one, could not be read; a place in it is not known."""
    if isinstance(error, RecursionError):
        return f"{NOT_READ}: nested too deeply"
    return NOT_READ


def problem_of(record: Record, reason: str) -> Problem:
    """A line that is JSON but cannot be used."""
    text = json.dumps(record.value, ensure_ascii=False)[: _EXCERPT_CHARS * 4]
    return Problem(line=record.line, reason=reason, excerpt=excerpt_of(text.encode()))


def no_record(line: int, value: JsonValue) -> Problem:
    """The problem of a value that stands where a record, an object, was expected."""
    text = json.dumps(value, ensure_ascii=False)[: _EXCERPT_CHARS * 4]
    kind = type(value).__name__
    reason = f"a JSON {kind} where a record was expected"
    return Problem(line=line, reason=reason, excerpt=excerpt_of(text.encode()))


def holds_lines(path: Path) -> bool:
    """Whether a file holds an object a line, told by how its first two lines begin."""
    with path.open("rb") as file:
        first = file.readline(_CHUNK_BYTES)
        if not first.endswith(b"\n"):
            _skip_line(file)
        second = file.readline(_CHUNK_BYTES)
    first = first.removeprefix(_BOM).strip(_PADDING)
    return first[:1] == b"{" != first and second.lstrip(_PADDING)[:1] == b"{"


def holds_word(path: Path, word: bytes) -> bool:
    """Whether a file holds a word somewhere; a megabyte of it in memory at a time."""
    with path.open("rb") as file:
        end = b""
        while chunk := file.read(_CHUNK_BYTES):
            if word in end + chunk:
                return True
            end = chunk[-len(word) :]
    return False


def excerpt_of(raw: bytes) -> str:
    """The first characters of a record, for a report."""
    return raw[: _EXCERPT_CHARS * 4].decode("utf-8", "replace")[:_EXCERPT_CHARS]


def parse_json(raw: bytes | str) -> JsonValue:
    """Parse one JSON text into values that can be written as JSON and UTF-8 again.

    NaN, infinities and integers of thousands of digits become strings, lone
    surrogates and invalid UTF-8 become U+FFFD. Of duplicate keys the last wins.

    Raises:
        ValueError: not JSON.
        RecursionError: nested deeper than the interpreter can follow.
    """
    text = (raw if isinstance(raw, str) else raw.decode("utf-8", "replace")).lstrip(_BLANKS)
    value, end = parse_json_at(text, 0)
    if end != len(text) and text[end:].strip(_BLANKS):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def parse_json_at(text: str, start: int) -> tuple[JsonValue, int]:
    """Parse the JSON value that begins at `start`; the value and where it ends.

    Raises:
        ValueError, RecursionError: as `parse_json`.
    """
    decoder = _DECODER
    try:
        value, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError:
        raise
    except ValueError:  # more digits than Python converts
        decoder = _LONG_INT_DECODER
        value, end = decoder.raw_decode(text, start)
    if end - start > _LONG_CHARS and _is_plain(value):
        return value, end
    brackets = text.count("[", start, end) + text.count("{", start, end)
    if brackets > _DEEP and is_deeper(value, _DEEP):  # most of them stand in strings
        _check_depth(decoder, text, start, _SPARE_FRAMES)
    escape = text.find("\\u", start, end)
    if escape >= 0 and max(text.find("\\ud", escape, end), text.find("\\uD", escape, end)) >= 0:
        value = without_surrogates(value)
    return value, end


def _is_plain(value: JsonValue) -> bool:
    """Whether a value has few parts, so none is deep, and only ASCII in them: no surrogate.

    A look at few parts costs less than one at the megabytes of text they are made of.
    """
    parts = [value]
    for part in parts:
        if isinstance(part, str):
            if not part.isascii():
                return False
        elif isinstance(part, list | dict):
            if len(parts) + 2 * len(part) > _DEEP:
                return False
            parts.extend(part)
            if isinstance(part, dict):
                parts.extend(part.values())
    return True


def _check_depth(decoder: json.JSONDecoder, text: str, start: int, frames: int) -> None:
    """Parse `frames` calls further down: what that bears can be written and read anywhere.

    Raises:
        RecursionError: the value is nested too deeply.
    """
    if frames:
        _check_depth(decoder, text, start, frames - 1)
    else:
        decoder.raw_decode(text, start)


def _finite(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _short_int(digits: str) -> int | str:
    return int(digits) if len(digits) < _MAX_DIGITS else digits


_DECODER = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=str)
_LONG_INT_DECODER = json.JSONDecoder(
    strict=False, parse_float=_finite, parse_constant=str, parse_int=_short_int
)


def without_surrogates(value: JsonValue) -> JsonValue:
    """The value with every lone surrogate replaced, so that it can be encoded."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(k): without_surrogates(v) for k, v in value.items()}
    return value
