"""Redaction as a filter, for a person who wants to see what it does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.errors import UsageError
from hindsight_cli.redact import Redactor


def redact_text(start: Path | None, data: bytes) -> bytes:
    """The bytes with every secret replaced; what is not UTF-8 becomes U+FFFD."""
    return _redactor(start).text(data.decode("utf-8", "replace")).encode()


def redact_lines(start: Path | None, lines: Iterable[bytes]) -> Iterator[bytes]:
    """{id, text} lines as {id, text, spans:[{start, end, kind}]} lines.

    Offsets count code points of the input.

    Raises:
        UsageError: a line is no such object.
    """
    redactor = _redactor(start)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            identity, text = data["id"], str(data["text"])
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"Line {number} of the input is no object with id and text.",
                hint='Each line is like {"id": "1", "text": "..."}.',
            ) from error
        spans = [{"start": s.start, "end": s.end, "kind": s.kind} for s in redactor.spans(text)]
        answer = {"id": identity, "text": redactor.text(text), "spans": spans}
        yield json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _redactor(start: Path | None) -> Redactor:
    project = Project.find(start)
    return project.redactor if project else Redactor()
