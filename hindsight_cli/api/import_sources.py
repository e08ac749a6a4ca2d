"""Which files an import reads, and what format each is in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hindsight_cli.api.same_run import richness
from hindsight_cli.capture.formats import detect_format, format_names, load_format
from hindsight_cli.capture.formats.packed import HEAD_BYTES, SUFFIXES, unpacker_of
from hindsight_cli.errors import (
    NoTranscriptsError,
    SourceNotFoundError,
    StorageError,
    UnknownFormatError,
)

_TRANSCRIPTS = (".jsonl", ".json", ".traj", ".db")
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Folder:
    """What lies in a folder and below: transcripts, the richest first, and what is none."""

    found: list[tuple[Path, str]]
    foreign: list[Path]
    packed: list[Path]


def sources(
    paths: Iterable[Path], format_name: str | None, messages: list[str]
) -> Iterator[tuple[Path, str | None]]:
    """Files with their formats; None where it is still to be found out.

    Raises:
        SourceNotFoundError, NoTranscriptsError, FormatNotFoundError.
    """
    if format_name is not None:
        load_format(format_name)  # an unknown name is an error even without files
    for path in paths:
        if path.is_dir():
            folder = look_into(path, format_name)
            if not folder.found:
                looked_at = len(folder.foreign) + len(folder.packed)
                raise NoTranscriptsError(str(path), looked_at, packed=len(folder.packed))
            messages += passed_over(folder)
            yield from folder.found
        elif path.is_file():
            yield path, format_name
        else:
            raise SourceNotFoundError(str(path))


def look_into(folder: Path, format_name: str | None = None) -> Folder:
    """Tell the transcripts in a folder and below from other files, by their content."""
    looked = Folder([], [], [])
    for path in candidates(folder):
        try:
            is_packed = unpacker_of(_head(path)) is not None
            name = None if is_packed else format_name or detect_format(path)
        except OSError:
            is_packed, name = False, None
        if is_packed:
            looked.packed.append(path)
        elif path.suffix in _TRANSCRIPTS:
            looked.foreign.append(path) if name is None else looked.found.append((path, name))
    looked.found.sort(key=lambda file: richness(file[1]))
    return looked


def candidates(folder: Path) -> Iterator[Path]:
    """Files in a folder and below that may be transcripts, or packed ones, by their names."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (*_TRANSCRIPTS, *SUFFIXES) and path.is_file():
            yield path


def passed_over(folder: Folder) -> list[str]:
    """What to say of files in a folder that are not imported."""
    told = []
    for files, what in (
        (folder.packed, "compressed file(s), which are to be unpacked first"),
        (folder.foreign, "file(s) in no known format"),
    ):
        if files:
            some = ", ".join(path.name for path in files[:_NAMED])
            more = " …" if len(files) > _NAMED else ""
            told.append(f"Passed over {len(files)} {what}: {some}{more}")
    return told


def format_of(path: Path, format_name: str | None = None) -> str:
    """The format of a file: the one given, else told by its content.

    Raises:
        UnknownFormatError, StorageError: it has none, is packed, or cannot be read.
    """
    try:
        head = _head(path, 1 << 16)
        unpacker = unpacker_of(head)
        name = None if unpacker else format_name or detect_format(path)
    except OSError as error:
        raise unreadable(path, error) from error
    if name is not None:
        return name
    if unpacker is not None:
        why = f"it is compressed; unpack it first, as with `{unpacker}`"
        raise UnknownFormatError(str(path), why=why, formats=[])
    if not head.strip():
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


def _head(path: Path, size: int = HEAD_BYTES) -> bytes:
    with path.open("rb") as file:
        return file.read(size)
