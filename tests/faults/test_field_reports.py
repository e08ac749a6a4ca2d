"""Every fault that users reported of such tools has a test here, or says why not."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.faults.field_reports import ITEMS, MOST_OPEN, REPORTS

ROOT = Path(__file__).parent.parent.parent


def test_every_item_is_in_the_table_once() -> None:
    assert tuple(REPORTS) == ITEMS
    assert len(set(ITEMS)) == len(ITEMS)


@pytest.mark.parametrize("item", ITEMS)
def test_every_named_test_exists(item: str) -> None:
    report = REPORTS[item]
    assert report.owed
    assert report.tests or report.open
    for node in report.tests:
        path, _, name = node.partition("::")
        assert name.startswith("test_"), node
        assert name in names_in(path), node


def test_what_is_open_only_grows_less() -> None:
    """The number in the table is lowered with every item that is closed."""
    still = {item: report.open for item, report in REPORTS.items() if report.open}
    print("\n".join(f"open {item}: {why}" for item, why in still.items()))
    assert len(still) == MOST_OPEN


@cache
def names_in(path: str) -> frozenset[str]:
    """Names of the tests of a file that pytest collects from."""
    file = ROOT / path
    assert file.name.startswith("test_"), path
    tree = ast.parse(file.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in tree.body if isinstance(node, kinds))
