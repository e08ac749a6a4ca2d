"""Experiences by meaning: vectors that follow the index, and queries against them.

Loaded only where a search asks for it: numpy and a model stand behind it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hindsight_cli import appendlog
from hindsight_cli.api.index import document_of, documents_digest, fresh_connection
from hindsight_cli.api.project import Project
from hindsight_cli.config import read_user_settings, user_data_folder
from hindsight_cli.errors import StorageError, VectorsPendingError
from hindsight_cli.experiences.rows import all_retrievable
from hindsight_cli.providers.embeddings import Embedder, EmbeddingChoice, open_embedder
from hindsight_cli.retrieve.calibration import chinese_pairs, texts_digest, unrelated_texts
from hindsight_cli.retrieve.document import Document
from hindsight_cli.retrieve.fusion import fused_score
from hindsight_cli.retrieve.lexical import LexicalIndex
from hindsight_cli.retrieve.vectors import (
    Vectors,
    VectorsMeta,
    digest_of,
    read_vectors,
    row_of,
    texts_of,
    write_vectors,
)

MAX_WHILE_WAITING = 100  # experiences to embed before an answer; more want `index embed`
_AT_ONCE = 32
_KNOWS_CHINESE = 0.75  # of the pairs that have to find each other

Progress = Callable[[int, int], None]  # experiences embedded so far, and in all


class Meaning:
    """The vectors of a project's experiences, with the model that made them."""

    def __init__(self, embedder: Embedder, vectors: Vectors) -> None:
        self._embedder = embedder
        self.vectors = vectors

    @property
    def reads_chinese(self) -> bool:
        return self.vectors.meta.reads_chinese

    def of(self, query: str) -> NDArray[np.float32]:
        """float32, shape (dimension,), of length 1."""
        return self._embedder.query(query)


def open_meaning(
    project: Project,
    connection: sqlite3.Connection,
    *,
    max_missing: int | None = MAX_WHILE_WAITING,
    download: bool = False,
    progress: Progress = lambda done, total: None,
) -> Meaning:
    """Load the user's model and bring the project's vectors up to date with the index.

    Args:
        max_missing: make no more than so many vectors; None: all.

    Raises:
        EmbeddingUnavailableError: no model is wanted, or it is not whole on this machine.
        VectorsPendingError: more than `max_missing` are missing.
    """
    settings = read_user_settings(project.env)
    embedder = _opened(
        EmbeddingChoice(
            model=settings.embedding_model,
            path=settings.embedding_path,
            cache=str(user_data_folder(project.env) / "models"),
            download=download,
        )
    )
    current = _current(project, connection, embedder)
    if current is not None:
        return Meaning(embedder, current)
    lock = contextlib.ExitStack()
    with contextlib.suppress(StorageError):  # a folder that cannot be written: keep them in memory
        lock.enter_context(appendlog.locked(project.folder / "vectors.lock"))
    with lock:
        current = _current(project, connection, embedder)
        if current is None:
            update = _Update(project, connection, embedder)
            current = update.vectors(max_missing, progress)
            with contextlib.suppress(OSError, StorageError):
                write_vectors(project.folder / "vectors", current)
    return Meaning(embedder, current)


def embed_index(project: Project, *, download: bool, progress: Progress) -> Vectors:
    """Make every missing vector.

    Raises:
        EmbeddingUnavailableError: no model is wanted, or it is not whole on this machine.
        StorageError: the index cannot be read or made.
    """
    with contextlib.closing(fresh_connection(project)) as connection:
        opened = open_meaning(
            project, connection, max_missing=None, download=download, progress=progress
        )
        return opened.vectors


@lru_cache(maxsize=1)
def _opened(choice: EmbeddingChoice) -> Embedder:
    """A server answers many queries with one loaded model."""
    return open_embedder(choice)


def _current(
    project: Project, connection: sqlite3.Connection, embedder: Embedder
) -> Vectors | None:
    """The stored vectors, if they are of this model and of the index as it is."""
    stored = read_vectors(project.folder / "vectors")
    if stored is None or not _is_ours(stored, project, embedder):
        return None
    return stored if stored.meta.documents == documents_digest(connection) else None


def _is_ours(stored: Vectors, project: Project, embedder: Embedder) -> bool:
    meta = stored.meta
    made_by = (meta.model, meta.dimension, meta.owner, meta.calibrated_on)
    wanted = (embedder.name, embedder.dimension, project.index_token, texts_digest())
    return made_by == wanted


class _Update:
    """One new set of vectors; those of unchanged texts are taken over from the set before."""

    def __init__(
        self, project: Project, connection: sqlite3.Connection, embedder: Embedder
    ) -> None:
        self._project = project
        self._connection = connection
        self._embedder = embedder
        stored = read_vectors(project.folder / "vectors")
        self._before = stored if stored and _is_ours(stored, project, embedder) else None

    def vectors(self, max_missing: int | None, progress: Progress) -> Vectors:
        documents = [document_of(state) for state in all_retrievable(self._connection)]
        digests = [digest_of(document) for document in documents]
        known: dict[str, NDArray[np.float32]] = {}
        if self._before is not None:
            known = dict(zip(self._before.meta.digests, self._before.rows, strict=True))
        missing = [place for place, digest in enumerate(digests) if digest not in known]
        if max_missing is not None and len(missing) > max_missing:
            raise VectorsPendingError(len(missing))
        rows = np.zeros((len(documents), self._embedder.dimension), np.float32)
        for place, digest in enumerate(digests):
            if digest in known:
                rows[place] = known[digest]
        for start in range(0, len(missing), _AT_ONCE):
            part = missing[start : start + _AT_ONCE]
            rows[part] = self._rows_of([documents[place] for place in part])
            progress(start + len(part), len(missing))
        meta = VectorsMeta(
            model=self._embedder.name,
            dimension=self._embedder.dimension,
            documents=documents_digest(self._connection),
            owner=self._project.index_token,
            ids=tuple(document.experience_id for document in documents),
            digests=tuple(digests),
            reads_chinese=self._reads_chinese(),
            calibrated_on=texts_digest(),
            unrelated=(),
            unrelated_alone=(),
        )
        return self._calibrated(Vectors(meta, rows, self._unrelated()))

    def _rows_of(self, documents: Sequence[Document]) -> NDArray[np.float32]:
        texts = [texts_of(document) for document in documents]
        about = self._embedder.documents([one for one, _ in texts])
        return row_of(about, self._embedder.documents([whole for _, whole in texts]))

    def _unrelated(self) -> NDArray[np.float32]:
        if self._before is not None:
            return self._before.unrelated
        return np.array([self._embedder.query(text) for text in unrelated_texts()])

    def _reads_chinese(self) -> bool:
        """Whether sentences find their translations; a name tells little of what a model knows."""
        if self._before is not None:
            return self._before.meta.reads_chinese
        pairs = chinese_pairs()
        english = self._embedder.documents([one for one, _ in pairs])
        right = sum(
            int((english @ self._embedder.query(chinese)).argmax() == place)
            for place, (_, chinese) in enumerate(pairs)
        )
        return right >= _KNOWS_CHINESE * len(pairs)

    def _calibrated(self, vectors: Vectors) -> Vectors:
        """With the strength of the best match of every unrelated text."""
        lexical = LexicalIndex(self._connection)
        best, alone = [], []
        for text, row in zip(unrelated_texts(), vectors.unrelated, strict=True):
            words = {hit.experience_id: hit.score for hit in lexical.candidates(text, limit=50)}
            closeness = vectors.closest(row, also=words)
            strengths = (fused_score(c, words.get(one, 0.0)) for one, c in closeness.items())
            best.append(max(strengths, default=0.0))
            alone.append(max(closeness.values(), default=0.0))
        meta = replace(
            vectors.meta,
            unrelated=tuple(sorted(best)),
            unrelated_alone=tuple(sorted(alone)),
        )
        return replace(vectors, meta=meta)
