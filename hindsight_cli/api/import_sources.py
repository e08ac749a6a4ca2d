"""Which files an import reads, and what format each is in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hindsight_cli.api.same_run import richness
from hindsight_cli.capture.formats import detect_format, format_names, load_format
from hindsight_cli.errors import (
    NoTranscriptsError,
    SourceNotFoundError,
    StorageError,
    UnknownFormatError,
)

_NAMED = 5
_SUFFIXES = (".jsonl", ".json", ".traj", ".db")
_COMPRESSED = {b"\x28\xb5\x2f\xfd": "zstd -d", b"\x1f\x8b": "gzip -d"}


def sources(
    paths: Iterable[Path], format_name: str | None, messages: list[str]
) -> Iterator[tuple[Path, str | None]]:
    """Files with their formats; None where it is still to be found out."""
    if format_name is not None:
        load_format(format_name)  # an unknown name is an error even without files
    for path in paths:
        if path.is_dir():
            yield from _in_folder(path, format_name, messages)
        elif path.is_file():
            yield path, format_name
        else:
            raise SourceNotFoundError(str(path))


def _in_folder(
    folder: Path, format_name: str | None, messages: list[str]
) -> list[tuple[Path, str]]:
    files = sorted(p for p in folder.rglob("*") if p.suffix in _SUFFIXES and p.is_file())
    found, other = [], []
    for path in files:
        try:
            name = format_name or detect_format(path)
        except OSError:
            name = None
        if name is not None:
            found.append((path, name))
        else:
            other.append(path.name)
    packed = sum(1 for p in folder.rglob("*.jsonl.zst"))
    if packed:
        messages.append(
            f"Passed over {packed} compressed file(s): unpack them first, as with `zstd -d --keep`"
        )
    if not found:
        raise NoTranscriptsError(str(folder), len(files) + packed)
    if other:
        names = ", ".join(other[:_NAMED]) + (" …" if len(other) > _NAMED else "")
        messages.append(f"Passed over {len(other)} file(s) in no known format: {names}")
    return sorted(found, key=lambda file: richness(file[1]))


def format_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            head = file.read(1 << 16)
        name = detect_format(path)
    except OSError as error:
        raise unreadable(path, error) from error
    if name is not None:
        return name
    unpack = next((tool for magic, tool in _COMPRESSED.items() if head.startswith(magic)), None)
    if unpack is not None:
        why = f"it is compressed; unpack it first, as with `{unpack} --keep`"
    elif not head.strip():
        why = "the file is empty"
    elif b"\0" in head:
        why = "it is a binary file"
    elif head.lstrip()[:1] in (b"{", b"["):
        why = "its JSON is incomplete or of another kind"
    else:
        why = "it is not JSON"
    raise UnknownFormatError(str(path), why=why, formats=format_names())


def unreadable(path: Path, error: OSError) -> StorageError:
    return StorageError(str(path), error.strerror or str(error), hint="Check its permissions.")
