from __future__ import annotations

import sqlite3

import pytest

from hindsight_cli.retrieve.document import Document
from hindsight_cli.retrieve.glossary import code_key_of, entries
from hindsight_cli.retrieve.lexical import LexicalIndex

LOCKS = Document(
    experience_id="ex-locks",
    scenario="Two importers update the same rows in different order and one ends in a deadlock.",
    recommend="Sort the ids before the update and run it again.",
)
HEAP = Document(
    experience_id="ex-heap",
    scenario="The report builder is killed when the container runs out of memory.",
    recommend="Raise the memory limit or build in portions.",
)
GATEWAY = Document(
    experience_id="ex-gateway",
    scenario="The proxy answers bad gateway while the upstream still starts.",
    recommend="Wait for the health check of the upstream.",
)
UNIQUE = Document(
    experience_id="ex-unique",
    scenario="An import that runs again stops at a duplicate key.",
    recommend="Insert with ON CONFLICT DO NOTHING.",
)
NODE = Document(
    experience_id="ex-node",
    scenario="A script stops with ERR_REQUIRE_ESM after an upgrade.",
    recommend='Use "type": "module" or a dynamic import.',
)
ALL = (LOCKS, HEAP, GATEWAY, UNIQUE, NODE)


def found(query: str) -> list[str]:
    index = LexicalIndex(sqlite3.connect(":memory:"))
    index.rebuild(ALL)
    return [hit.experience_id for hit in index.search(query).hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SQLSTATE 40P01", "ex-locks"),
        ("ER_LOCK_DEADLOCK", "ex-locks"),
        ("exit code 137", "ex-heap"),
        ("HTTP 502 when it starts", "ex-gateway"),
        ("SQLSTATE[23505]", "ex-unique"),
        ("E11000", "ex-unique"),
        ("require() of an ES module is refused", "ex-node"),
    ],
)
def test_a_code_finds_what_it_is_about(query: str, expected: str) -> None:
    assert found(query)[:1] == [expected]


@pytest.mark.parametrize("query", ["print 137 labels", "copy 1213 invoices", "a list of 500 names"])
def test_a_bare_number_is_no_code(query: str) -> None:
    assert found(query) == []


def test_every_name_in_the_lists_has_a_key_and_an_identifier_is_one_term() -> None:
    assert [name for key, _, _, name in entries() if not key] == []
    assert " " not in code_key_of("ER_LOCK_DEADLOCK")
