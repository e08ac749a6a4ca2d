"""How commands end that were used wrongly, or whose reader went away."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.errors import HindsightError
from tests.conftest import MYSQL, SAMPLES, Hindsight

LIBRARY_WORDS = ("Input should", "valid integer", "parse", "Expecting", "pydantic")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["traces", "split", "x", "--at", "three"], "it takes a whole number."),
        (["expire", "--days", "soon"], "it takes a whole number."),
        (["reflect", "--samples", "99"], "it takes at most 9"),
        (["search", "x", "-k", "many"], "it takes a whole number."),
    ],
)
def test_a_wrong_value_is_told_of_in_plain_words(
    hindsight: Hindsight, arguments: list[str], told: str
) -> None:
    done = hindsight(*arguments)
    assert (done.code, told in done.err) == (2, True)
    assert not any(word in done.err for word in LIBRARY_WORDS)


@pytest.mark.parametrize("line", ["{", "nonsense", '{"a": 1', '{"type": 1}}'])
def test_a_line_that_is_no_json_is_told_of_in_plain_words(
    hindsight: Hindsight, tmp_path: Path, line: str
) -> None:
    lines = (SAMPLES / "mysql-container.jsonl").read_text().splitlines()
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([*lines[:4], line, *lines[4:]]) + "\n")

    done = hindsight("import", str(path))

    assert (done.code, "line 5: not JSON" in done.err) == (3, True)
    assert not any(word in done.out + done.err for word in LIBRARY_WORDS)


@pytest.mark.parametrize(
    "arguments", [["traces", "show", MYSQL, "--full"], ["traces", "list"], ["failures"]]
)
def test_a_reader_that_went_away_is_no_failure(
    hindsight: Hindsight, project: Project, arguments: list[str]
) -> None:
    hindsight("import", str(SAMPLES))
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-u", "-m", "hindsight_cli", *arguments],
        cwd=project.root,
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_writing_where_there_is_no_folder_says_so(hindsight: Hindsight, tmp_path: Path) -> None:
    hindsight("import", str(SAMPLES))

    done = hindsight("traces", "export", MYSQL, "-o", str(tmp_path / "nope" / "x.json"))

    assert done.code == 1
    assert f"no folder {str(tmp_path / 'nope')!r}" in done.err
    assert "permissions" not in done.err


DOCUMENTS = sorted(
    path for path in (Path(__file__).parents[1] / "fixtures").rglob("*.json") if path.is_file()
)


def test_a_document_that_is_cut_off_is_told_of_in_plain_words(
    project: Project, tmp_path: Path
) -> None:
    told = 0
    for number, document in enumerate(DOCUMENTS):
        whole = document.read_bytes()
        path = tmp_path / f"{number}.json"
        path.write_bytes(whole[: len(whole) * 2 // 3])
        try:
            report = import_paths(project, [path])
        except HindsightError as error:
            said = [f"{error} {error.hint}"]
        else:
            said = [problem.reason.partition(": ")[0] for problem in report.problems]
        told += bool(said)
        assert not any(word in text for text in said for word in LIBRARY_WORDS), said
        assert not any("(char " in text for text in said), said
    assert told > len(DOCUMENTS) / 2
