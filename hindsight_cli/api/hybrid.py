"""Search by words and meaning together; by words alone, with a notice, where no model is ready."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hindsight_cli.api.meaning import Meaning, open_meaning
from hindsight_cli.api.project import Project
from hindsight_cli.api.searching import Answered, SearchOptions
from hindsight_cli.errors import EmbeddingUnavailableError, VectorsPendingError
from hindsight_cli.fingerprint import looks_like_error
from hindsight_cli.providers.embeddings import NONE
from hindsight_cli.retrieve.fusion import Evidence, fuse, ranking
from hindsight_cli.retrieve.lexical import LexicalIndex
from hindsight_cli.retrieve.query import is_cjk

_WORDS = 50  # of the lexical ranking
_RANKED = 5


def answer_by_meaning(
    project: Project,
    connection: sqlite3.Connection,
    found: Sequence[Answered],
    options: SearchOptions,
) -> Iterator[tuple[Answered, Answered]]:
    """Each of `found` with its new answer.

    A query that the model cannot read keeps the answer by words; so do all, with a
    notice, where there is no model.
    """
    try:
        meaning = open_meaning(project, connection)
    except (EmbeddingUnavailableError, VectorsPendingError) as error:
        said = "" if _is_off(project) else f"{error} Searched by words only. {error.hint}"
        for one in found:
            yield one, replace(one, notice=said)
        return
    lexical = LexicalIndex(connection)
    only = lexical.tagged(options.tool, options.tag)
    for one in found:
        if is_cjk(one.query) and not meaning.reads_chinese:
            yield one, one
        else:
            evidence = _evidence(lexical, meaning, one, options, only)
            retrieval = replace(fuse(evidence, limit=options.limit), mode=_mode(options))
            yield one, replace(one, retrieval=retrieval, ranked=ranking(evidence, limit=_RANKED))


def _evidence(
    lexical: LexicalIndex,
    meaning: Meaning,
    one: Answered,
    options: SearchOptions,
    only: set[str] | None,
) -> Evidence:
    words = {}
    if options.mode != "vector":
        hits = lexical.candidates(
            one.query, error=options.error, tool=options.tool, tag=options.tag, limit=_WORDS
        )
        words = {hit.experience_id: hit for hit in hits}
    meta = meaning.vectors.meta
    return Evidence(
        words=words,
        answers=one.retrieval if words else replace(one.retrieval, hits=()),
        meaning=meaning.vectors.closest(meaning.of(one.query), also=words, only=only),
        unrelated=meta.unrelated_alone if options.mode == "vector" else meta.unrelated,
        is_error=options.error or looks_like_error(one.query),
    )


def _mode(options: SearchOptions) -> str:
    return "vector" if options.mode == "vector" else "hybrid"


def _is_off(project: Project) -> bool:
    """Whether the user wants no model, and so no notice that there is none."""
    from hindsight_cli.config import read_user_settings

    settings = read_user_settings(project.env)
    return not settings.embedding_path and settings.embedding_model == NONE
