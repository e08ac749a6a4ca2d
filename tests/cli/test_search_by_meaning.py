"""Search by meaning: the model that comes with the installation, and every way to be without."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from hindsight_cli.api.project import Project
from tests.conftest import Hindsight

DISK = {
    "scenario": "The host runs out of disk space because of container logs and build cache",
    "recommend": "Look with `docker system df`, then prune the builder cache.",
    "avoid": "Deleting files below /var/lib/docker by hand.",
}
PARAPHRASE = "no room left on the drive, what the programs print has eaten it up"
UNRELATED = "compose a birthday song for my grandmother"


@pytest.fixture
def stored(approved: Callable[..., str]) -> str:
    approved()
    approved(
        scenario="A port is taken by another process",
        recommend="Publish another host port.",
        avoid="Killing the other process.",
        tool_tags=["docker"],
    )
    return approved(**DISK)


def found(hindsight: Hindsight, *arguments: str, **env: str) -> list[str]:
    return [hit["experience_id"] for hit in hindsight(*arguments, "--json", **env).data["results"]]


def test_a_paraphrase_is_found_by_meaning_and_not_by_words(
    hindsight: Hindsight, stored: str
) -> None:
    assert found(hindsight, "search", PARAPHRASE, "--mode", "lexical") == []
    assert found(hindsight, "search", PARAPHRASE, "--mode", "hybrid")[0] == stored
    assert found(hindsight, "search", PARAPHRASE, "--mode", "vector")[0] == stored


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_what_is_beside_the_point_finds_nothing(
    hindsight: Hindsight, stored: str, mode: str
) -> None:
    data = hindsight("search", UNRELATED, "--mode", mode, "--json").data

    assert (data["results"], data["abstained"], data["mode"]) == ([], True, mode)
    assert "unrelated texts" in data["reason"]


def test_explain_tells_strength_in_words_a_person_can_weigh(
    hindsight: Hindsight, stored: str
) -> None:
    done = hindsight("search", PARAPHRASE, "--mode", "hybrid", "--explain")

    assert "% of unrelated texts" in done.out


def test_auto_asks_a_model_only_where_a_person_waits(
    hindsight: Hindsight, project: Project, stored: str
) -> None:
    assert found(hindsight, "search", PARAPHRASE) == []

    child = pexpect.spawn(
        sys.executable,
        ["-m", "hindsight_cli", "search", PARAPHRASE],
        cwd=str(project.root),
        env={**os.environ, "HINDSIGHT_CLI_DATA_DIR": os.environ["HINDSIGHT_CLI_DATA_DIR"]},
        encoding="utf-8",
        timeout=60,
    )
    child.expect_exact(stored)
    child.expect(pexpect.EOF)


def test_a_task_is_answered_by_meaning_where_words_find_nothing(
    hindsight: Hindsight, stored: str
) -> None:
    assert hindsight("inject", PARAPHRASE, "--json").data["experiences"][0] == stored
    assert hindsight("inject", UNRELATED, "--json").data["experiences"] == []
    assert hindsight("inject", PARAPHRASE, "--error", "--json").data["experiences"] == []


def test_a_chinese_question_is_answered_by_words_for_the_model_reads_none(
    hindsight: Hindsight, approved: Callable[..., str]
) -> None:
    chinese = approved(
        scenario="容器日志占满磁盘", recommend="先用 docker system df 查看", avoid=""
    )

    data = hindsight("search", "磁盘被容器日志占满了", "--mode", "hybrid", "--json").data

    assert [hit["experience_id"] for hit in data["results"]] == [chinese]
    assert data["mode"] == "lexical"


def test_a_file_of_queries_is_ranked_also_where_nothing_is_an_answer(
    hindsight: Hindsight, tmp_path: Path, stored: str
) -> None:
    queries = tmp_path / "queries.jsonl"
    lines = [{"id": "near", "query": PARAPHRASE}, {"id": "far", "query": UNRELATED}]
    queries.write_text("".join(json.dumps(line) + "\n" for line in lines))

    near, far = hindsight("search", "--queries", str(queries), "--json").data["answers"]

    assert (near["results"][0], near["abstained"]) == (stored, False)
    assert far["abstained"]
    assert len(far["results"]) == 3


def test_tags_filter_what_is_found_by_meaning(
    hindsight: Hindsight, approved: Callable[..., str], stored: str
) -> None:
    other = approved(**DISK | {"tool_tags": ["k8s"], "recommend": "Evict the pod."})

    assert found(hindsight, "search", PARAPHRASE, "--mode", "vector", "--tool", "k8s") == [other]


def test_a_new_experience_is_found_by_the_next_search(
    hindsight: Hindsight, approved: Callable[..., str], stored: str
) -> None:
    query = ("search", "the tests pass one by one and break in a crowd", "--mode", "hybrid")
    assert found(hindsight, *query) == []

    new = approved(
        scenario="Tests fail only when all of them run together, as they share a database",
        recommend="Give every test its own schema.",
        avoid="",
        tool_tags=["pytest"],
    )

    assert found(hindsight, *query) == [new]


def test_what_is_forgotten_is_not_found_by_meaning(hindsight: Hindsight, stored: str) -> None:
    query = ("search", PARAPHRASE, "--mode", "hybrid")
    assert found(hindsight, *query)

    hindsight("experiences", "forget", stored)

    assert stored not in found(hindsight, *query)
    assert (
        stored
        not in (
            Path(hindsight("status", "--json").data["project"]) / ".hindsight/vectors/current.json"
        ).read_text()
    )


def test_without_a_usable_model_words_answer_with_one_line_why(
    hindsight: Hindsight, tmp_path: Path, stored: str
) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "model.onnx").write_bytes(b"cut off")

    done = hindsight(
        "search",
        "root password for MySQL in a container",
        "--mode",
        "hybrid",
        HINDSIGHT_CLI_EMBEDDING_PATH=str(tmp_path),
    )

    assert done.code == 0
    assert "Deploying MySQL" in done.out
    (notice,) = done.err.strip().splitlines()
    assert "Searched by words only." in notice


def test_who_wants_no_model_is_not_told_that_there_is_none(
    hindsight: Hindsight, stored: str
) -> None:
    done = hindsight("search", PARAPHRASE, "--mode", "hybrid", HINDSIGHT_CLI_EMBEDDING_MODEL="none")

    assert "Nothing found" in done.err
    assert "cannot be used" not in done.err


def test_index_embed_makes_the_vectors_and_says_with_which_model(
    hindsight: Hindsight, project: Project, stored: str
) -> None:
    data = hindsight("index", "embed", "--json").data

    assert (data["experiences"], data["dimension"], data["reads_chinese"]) == (3, 384, False)
    assert list((project.folder / "vectors").glob("*.f32"))


def test_index_embed_of_a_missing_model_fails_and_says_what_to_do(hindsight: Hindsight) -> None:
    done = hindsight("index", "embed", HINDSIGHT_CLI_EMBEDDING_PATH="/nowhere/at/all")

    assert done.code == 1
    assert "error[embedding_unavailable]" in done.err
    assert "hint:" in done.err


def test_damaged_vectors_are_made_again(
    hindsight: Hindsight, project: Project, stored: str
) -> None:
    hindsight("index", "embed")
    for path in (project.folder / "vectors").iterdir():
        path.write_bytes(b"\x00")

    assert found(hindsight, "search", PARAPHRASE, "--mode", "hybrid")[0] == stored


def test_vectors_of_somebody_else_are_not_believed(
    hindsight: Hindsight, project: Project, stored: str
) -> None:
    """A repository may come with a folder of vectors that would lift what its author likes."""
    hindsight("index", "embed")
    current = project.folder / "vectors" / "current.json"
    described = json.loads(current.read_text())
    described["ids"].reverse()
    current.write_text(json.dumps({**described, "owner": "another"}))

    assert found(hindsight, "search", PARAPHRASE, "--mode", "hybrid")[0] == stored
