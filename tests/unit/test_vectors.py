"""The file of vectors: swapped in whole, and never believed when it is not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hindsight_cli.retrieve.document import Document
from hindsight_cli.retrieve.vectors import (
    Vectors,
    VectorsMeta,
    digest_of,
    read_vectors,
    write_vectors,
)

META = VectorsMeta(
    model="m",
    dimension=3,
    documents="d",
    owner="o",
    ids=("ex-a", "ex-b"),
    digests=("1", "2"),
    reads_chinese=False,
    calibrated_on="t",
    unrelated=(0.1,),
    unrelated_alone=(0.05,),
)
ROWS = np.array([[1, 0, 0], [0, 1, 0]], np.float32)
UNRELATED = np.array([[0, 0, 1]], np.float32)
SET = Vectors(META, ROWS, UNRELATED)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_vectors(tmp_path, SET)

    found = read_vectors(tmp_path)

    assert found is not None
    assert replace(found.meta, file="") == META
    assert found.rows.tolist() == ROWS.tolist()
    assert found.unrelated.tolist() == UNRELATED.tolist()


def test_a_new_set_takes_the_place_of_the_old_and_a_reader_keeps_what_it_opened(
    tmp_path: Path,
) -> None:
    write_vectors(tmp_path, SET)
    opened = read_vectors(tmp_path)

    write_vectors(tmp_path, Vectors(META, ROWS * 0.5, UNRELATED))
    found = read_vectors(tmp_path)

    assert opened is not None
    assert found is not None
    assert (opened.rows[0, 0], found.rows[0, 0]) == (1.0, 0.5)
    assert len(list(tmp_path.glob("*.f32"))) == 1


def test_the_files_are_this_users_alone(tmp_path: Path) -> None:
    write_vectors(tmp_path / "vectors", SET)

    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "vectors").iterdir()}

    assert modes == {0o600}
    assert (tmp_path / "vectors").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", ["cut", "gone", "link", "no_json", "other_version", "bad_ids"])
def test_a_set_that_is_not_whole_is_none(tmp_path: Path, damage: str) -> None:
    write_vectors(tmp_path, SET)
    current = tmp_path / "current.json"
    rows = next(tmp_path.glob("*.f32"))
    described = json.loads(current.read_text())
    if damage == "cut":
        rows.write_bytes(rows.read_bytes()[:-4])
    elif damage == "gone":
        rows.unlink()
    elif damage == "link":
        rows.rename(tmp_path / "elsewhere")
        rows.symlink_to(tmp_path / "elsewhere")
    elif damage == "no_json":
        current.write_text("{")
    elif damage == "other_version":
        current.write_text(json.dumps({**described, "v": 99}))
    else:
        current.write_text(json.dumps({**described, "ids": ["ex-a"]}))

    assert read_vectors(tmp_path) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [("file", 5), ("dimension", "3"), ("dimension", 3.0), ("ids", [{}, {}]), ("unrelated", ["a"])],
)
def test_fields_of_a_wrong_kind_are_no_set(tmp_path: Path, field: str, value: object) -> None:
    write_vectors(tmp_path, SET)
    current = tmp_path / "current.json"
    current.write_text(json.dumps({**json.loads(current.read_text()), field: value}))

    assert read_vectors(tmp_path) is None


def test_nesting_without_end_is_no_set(tmp_path: Path) -> None:
    (tmp_path / "current.json").write_text("[" * 200_000)

    assert read_vectors(tmp_path) is None


def test_a_folder_that_is_a_link_is_neither_read_nor_written(tmp_path: Path) -> None:
    other = tmp_path / "models"
    write_vectors(other, SET)
    mine = other / "mine.f32"
    mine.write_bytes(b"mine")
    (tmp_path / "vectors").symlink_to(other)

    assert read_vectors(tmp_path / "vectors") is None
    with pytest.raises(OSError, match="is a link"):
        write_vectors(tmp_path / "vectors", SET)
    assert mine.read_bytes() == b"mine"


def test_the_closest_come_back_with_those_asked_for_beside() -> None:
    query = np.array([1, 0, 0], np.float32)

    assert SET.closest(query, limit=1) == {"ex-a": 1.0}
    assert SET.closest(query, limit=1, also={"ex-b"}) == {"ex-a": 1.0, "ex-b": 0.0}
    assert SET.closest(query, only={"ex-b"}) == {"ex-b": 0.0}


def test_a_digest_changes_with_every_text_that_is_embedded() -> None:
    document = Document(experience_id="ex-a", scenario="s", recommend="r", avoid="a")
    others = [
        replace(document, scenario="S"),
        replace(document, recommend="R"),
        replace(document, avoid="A"),
        replace(document, tool_tags=("docker",)),
    ]

    assert len({digest_of(one) for one in (document, *others)}) == 5
    assert digest_of(replace(document, experience_id="ex-b", weight=0.9)) == digest_of(document)
