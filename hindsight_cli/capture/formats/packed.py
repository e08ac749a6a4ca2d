"""Files that are packed, told by how they begin: what is in them cannot be read in place.

An archive that stores its members as they are looks like a transcript further on, so this
is asked before any format is.
"""

from __future__ import annotations

_UNPACKERS = (
    (0, b"PK\x03\x04", "unzip"),
    (0, b"PK\x05\x06", "unzip"),  # an empty one
    (0, b"\x1f\x8b", "gzip -dk"),
    (0, b"\x28\xb5\x2f\xfd", "zstd -dk"),
    (0, b"\xfd7zXZ\x00", "xz -dk"),
    (0, b"BZh", "bzip2 -dk"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z x"),
    (0, b"\x04\x22\x4d\x18", "lz4 -dk"),
    (257, b"ustar", "tar -xf"),
)
HEAD_BYTES = 512
SUFFIXES = (".gz", ".tgz", ".zst", ".xz", ".bz2", ".zip", ".tar", ".7z", ".lz4")


def unpacker_of(head: bytes) -> str | None:
    """The command that unpacks a file that begins so; None: it is not packed."""
    for at, magic, command in _UNPACKERS:
        if head.startswith(magic, at):
            return command
    return None
