"""The documentation says what the program says, and cites only what exists."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hindsight_cli.config import Settings
from hindsight_cli.config.user import defaults
from hindsight_cli.experiences.freshness import WORKAROUND_DAYS
from hindsight_cli.retrieve.lexical import FLOOR, MAX_HITS
from hindsight_cli.review.decisions import AGENT_VARIABLES
from tests.conftest import run_hindsight
from tests.helptext import command_names, error_table, help_of, leaf_names

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [*DOCS, *sorted(ROOT.glob("*.md")), ROOT / "traces" / "README.md"]
MODULES = sorted((ROOT / "hindsight_cli").rglob("*.py"))
CLI_PAGE = ROOT / "docs" / "reference" / "cli.md"
FENCE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
# A file of this repository, named in prose: docs/…, traces/…, tests/… or hindsight_cli/….
CITED = re.compile(r"(?<![\w./-])((?:docs|traces|tests|hindsight_cli)/[\w./*-]*\w\.[a-z]{2,5})\b")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors_of(page: Path) -> set[str]:
    """The fragments GitHub makes of the headings of a page."""
    found: dict[str, int] = {}
    anchors = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *$", FENCE.sub("", read(page)), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        anchors.add(f"{slug}-{count}" if count else slug)
    return anchors


def docstrings(module: Path) -> list[str]:
    tree = ast.parse(read(module))
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        text
        for node in ast.walk(tree)
        if isinstance(node, owners) and (text := ast.get_docstring(node))
    ]


def cog_check(page: Path) -> int:
    command = [sys.executable, "-m", "cogapp", "--check", str(page)]
    return subprocess.run(command, capture_output=True, check=False).returncode


def test_the_generated_parts_of_the_command_line_page_are_up_to_date(tmp_path: Path) -> None:
    """Mend it with `python -m cogapp -r docs/reference/cli.md`."""
    page = tmp_path / "docs" / "reference" / "cli.md"
    page.parent.mkdir(parents=True)
    shutil.copy(CLI_PAGE, page)  # cog reads the block's module path from the page's place
    (tmp_path / "tests").symlink_to(ROOT / "tests")

    assert cog_check(page) == 0


def test_a_changed_help_text_makes_the_check_fail(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "reference" / "cli.md"
    page.parent.mkdir(parents=True)
    page.write_text(read(CLI_PAGE).replace("Usage: hindsight init", "Usage: hindsight begin"))
    (tmp_path / "tests").symlink_to(ROOT / "tests")

    assert cog_check(page) != 0


@pytest.mark.parametrize("name", leaf_names(), ids=" ".join)
def test_a_command_has_a_help_text_with_an_example_of_itself(name: tuple[str, ...]) -> None:
    usage, _, text = help_of(*name).partition("\n")

    assert len(text.split("Options:")[0].split()) > 5, usage
    example = re.search(r"Example: (.+)", text)
    assert example, f"hindsight {' '.join(name)} --help shows no example"
    assert f"hindsight {' '.join(name)}" in example[1]


@pytest.mark.parametrize("name", leaf_names(), ids=" ".join)
def test_a_command_is_shown_in_a_guide_and_not_only_in_the_reference(name: tuple[str, ...]) -> None:
    guides = [p for p in DOCS if p != CLI_PAGE]

    assert any(f"hindsight {' '.join(name)}" in read(page) for page in guides)


def test_the_docs_show_no_command_that_does_not_exist() -> None:
    """Not even one that is only planned."""
    known = {" ".join(name) for name in command_names()}
    groups = {name[0] for name in command_names() if len(name) > 1}
    shown = set()
    for page in PAGES:
        for words in re.findall(
            r"(?:^(?:\$ )?|[`(|&] ?)hindsight ([a-z][a-z -]*)", read(page), re.M
        ):
            name = words.split()[: 2 if words.split()[0] in groups else 1]
            shown.add((relative(page), " ".join(name)))

    assert {s for s in shown if s[1] not in known} == set()


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_relative_link_resolves(page: Path) -> None:
    broken = []
    for target in LINK.findall(FENCE.sub("", read(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (fragment and fragment not in anchors_of(file)):
            broken.append(target)

    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_a_page_cites_no_file_that_does_not_exist(page: Path) -> None:
    text = FENCE.sub("", read(page))

    assert [name for name in CITED.findall(text) if not list(ROOT.glob(name))] == []


def test_no_docstring_cites_a_file_that_does_not_exist() -> None:
    cited = {
        f"{relative(module)}: {name}"
        for module in MODULES
        for text in docstrings(module)
        for name in CITED.findall(text)
        if not list(ROOT.glob(name))
    }

    assert cited == set()


@pytest.mark.parametrize("page", DOCS, ids=relative)
def test_a_page_is_reached_from_the_index(page: Path) -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / t.partition("#")[0]).resolve() for t in LINK.findall(read(index))}

    assert page == index or page in linked


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ("explanation/retrieval.md", f"a floor of {FLOOR:.2f}"),
        ("explanation/retrieval.md", f"never more than {MAX_HITS}"),
        ("how-to/keep-it-fresh.md", f"nobody verified for {Settings().stale_days} days"),
        ("how-to/keep-it-fresh.md", f"after {WORKAROUND_DAYS} days"),
    ],
)
def test_a_number_in_the_docs_is_that_of_the_program(page: str, says: str) -> None:
    assert says in " ".join(read(ROOT / "docs" / page).split())


def test_the_ids_a_reader_types_are_those_that_the_sample_traces_give(tmp_path: Path) -> None:
    """Mend the pages by running their commands again."""
    for arguments in (["init"], ["import", str(ROOT / "traces")], ["reflect", "--all"]):
        assert run_hindsight(arguments, cwd=tmp_path, env={}).code == 0
    listing = run_hindsight(["experiences", "list", "--json"], cwd=tmp_path, env={})
    known = [e["experience_id"] for e in listing.data["experiences"]]
    typed = {
        f"{relative(page)}: {shown}"
        for page in DOCS
        for command in re.findall(r"^\$ hindsight .*", read(page), re.M)
        for shown in re.findall(r"\bex-[0-9a-f]+", command)
        if not any(i.startswith(shown) for i in known)
    }

    assert typed == set()


def test_the_settings_table_has_every_setting_with_its_default() -> None:
    page = read(ROOT / "docs" / "reference" / "projects.md")
    rows = dict(re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", page, re.M))

    assert rows == {name: json.dumps(value) for name, value in defaults().items() if value != ""}
    assert {name for name in defaults() if f"\n| `{name}` |" not in page} == set()


def test_the_command_line_page_names_every_variable_that_is_read() -> None:
    source = "".join(map(read, MODULES))
    used = set(re.findall(r"\bHINDSIGHT_CLI_[A-Z_]+\b", source)) | set(AGENT_VARIABLES)

    assert {name for name in used if f"`{name}`" not in read(CLI_PAGE)} == set()


def test_the_error_table_has_a_row_for_every_code_that_the_errors_module_defines() -> None:
    codes = set(
        re.findall(
            r'^    code = "(\w+)"',
            "".join(map(read, (ROOT / "hindsight_cli" / "errors").glob("*.py"))),
            re.M,
        )
    )

    assert {code for code in codes - {"error"} if f"| `{code}` |" not in error_table()} == set()
