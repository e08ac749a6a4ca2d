"""One vector an experience, in a file mapped into memory; compared by brute force.

A set of vectors is a file of float32 rows and `current.json`, which names it. A new set
is written whole beside the old one and swapped in by replacing `current.json`, so that a
reader has the one or the other. Everything here is derived and may be deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hindsight_cli.appendlog import make_private
from hindsight_cli.retrieve.document import Document

_CURRENT = "current.json"
_VERSION = 1
# What it is about, with its tags, and the whole: together they find more than either. The
# weights were set with tests/quality/measure_retrieval.py.
_ABOUT, _WHOLE = 0.4, 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorsMeta:
    """What a set of vectors holds and what it was made of."""

    model: str
    dimension: int
    documents: str  # digest of all documents together, as the index has it
    owner: str  # token of the user whose process made it
    ids: tuple[str, ...]  # experience ids in the order of the rows
    digests: tuple[str, ...]  # of each one's texts
    reads_chinese: bool
    calibrated_on: str  # digest of the unrelated texts
    unrelated: tuple[float, ...]  # best score of each unrelated text in this store, ascending
    unrelated_alone: tuple[float, ...]  # likewise, by meaning without words
    file: str = ""
    v: int = _VERSION


@dataclass(frozen=True, slots=True)
class Vectors:
    """float32 rows: `rows` of experiences, none longer than 1, `unrelated` of length 1."""

    meta: VectorsMeta
    rows: NDArray[np.float32]  # shape (len(meta.ids), dimension)
    unrelated: NDArray[np.float32]  # shape (unrelated texts, dimension)

    def closest(
        self,
        query: NDArray[np.float32],
        *,
        also: Collection[str] = (),
        only: Collection[str] | None = None,
        limit: int = 50,
    ) -> dict[str, float]:
        """Closeness to `query`, a vector of length 1, of the `limit` closest and of `also`.

        Closeness is like a cosine, -1..1. `only` leaves out all others. O(experiences).
        """
        scores = self.rows @ query
        ids = self.meta.ids
        if only is not None:
            return {one: float(scores[place]) for place, one in enumerate(ids) if one in only}
        best = scores.argsort()[::-1][:limit] if len(scores) > limit else range(len(scores))
        wanted = {int(place) for place in best}
        if also:
            wanted.update(place for place, one in enumerate(ids) if one in also)
        return {ids[place]: float(scores[place]) for place in sorted(wanted)}


def texts_of(document: Document) -> tuple[str, str]:
    """What is embedded of an experience: what it is about, and the whole."""
    tags = " ".join((*document.tool_tags, *document.task_tags))
    about = f"{tags}: {document.scenario}" if tags else document.scenario
    whole = " ".join(filter(None, (document.scenario, document.recommend, document.avoid)))
    return about, whole


def digest_of(document: Document) -> str:
    return hashlib.sha256("\0".join(texts_of(document)).encode("utf-8", "replace")).hexdigest()[:32]


def row_of(about: NDArray[np.float32], whole: NDArray[np.float32]) -> NDArray[np.float32]:
    """The rows of experiences, from vectors of length 1 of their two texts; same shape."""
    found: NDArray[np.float32] = (_ABOUT * about + _WHOLE * whole).astype(np.float32)
    return found


def read_vectors(folder: Path) -> Vectors | None:
    """The current set, or None: there is none, or it is not whole."""
    for _ in range(2):  # the file may be swapped between the two reads
        meta = _read_meta(folder / _CURRENT)
        if meta is None:
            return None
        path = folder / meta.file
        try:
            shape = (len(meta.ids) + len(meta.unrelated), meta.dimension)
            if path.is_symlink() or not shape[0] or path.stat().st_size != shape[0] * shape[1] * 4:
                return None
            both = np.memmap(path, np.float32, mode="r", shape=shape)
            return Vectors(meta, both[: len(meta.ids)], both[len(meta.ids) :])
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            return None
    return None


def write_vectors(folder: Path, vectors: Vectors) -> None:
    """Swap in a whole new set; the caller holds the lock of the folder.

    Raises:
        OSError: it cannot be written; the set before stays.
    """
    if folder.is_symlink():
        raise OSError(f"{folder} is a link")
    make_private(folder)
    name = f"{os.urandom(8).hex()}.f32"
    both = np.concatenate([vectors.rows, vectors.unrelated]).astype(np.float32)
    _write(folder / name, both.tobytes())
    part = folder / f"{name}.json"
    _write(part, json.dumps({**asdict(vectors.meta), "file": name}).encode())
    part.replace(folder / _CURRENT)
    for old in (*folder.glob("*.f32"), *folder.glob("*.f32.json")):
        if old.name != name:
            with contextlib.suppress(OSError):
                old.unlink()


def _write(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(data)


def _read_meta(path: Path) -> VectorsMeta | None:
    try:
        if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
            return None
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["v"] != _VERSION or not _is_typed(data):
            return None
        meta = _meta_of(data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    sound = Path(meta.file).name == meta.file and len(meta.ids) == len(meta.digests)
    return meta if sound and meta.dimension > 0 else None


def _is_typed(data: Mapping[str, object]) -> bool:
    """Whether every field is of its kind: the file may have come with a repository."""
    kinds = {"ids": str, "digests": str, "unrelated": float, "unrelated_alone": float}
    texts = ("model", "documents", "owner", "calibrated_on", "file")
    return (
        all(isinstance(data[name], str) for name in texts)
        and type(data["dimension"]) is int
        and isinstance(data["reads_chinese"], bool)
        and all(isinstance(data[name], list) for name in kinds)
        and all(isinstance(one, kind) for name, kind in kinds.items() for one in data[name])  # type: ignore[attr-defined]  # a list
    )


def _meta_of(data: Mapping[str, object]) -> VectorsMeta:
    listed: Sequence[str] = ("ids", "digests", "unrelated", "unrelated_alone")
    known = {name: tuple(value) if name in listed else value for name, value in data.items()}  # type: ignore[arg-type]  # a wrong type is a TypeError, which the caller expects
    return VectorsMeta(**known)  # type: ignore[arg-type]  # likewise
