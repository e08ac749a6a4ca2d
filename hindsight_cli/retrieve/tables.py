"""The tables of the lexical index: the only SQL of retrieval.

Text is stored as terms, ready to be compared; nothing here is shown to anyone. Every
query is read to its end at once, so that a rebuild may follow on the same connection.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from hindsight_cli.retrieve.tags import canonical
from hindsight_cli.retrieve.tokens import terms

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.retrieve.document import Document

_SCHEMA = """
CREATE VIRTUAL TABLE retrieval_text
    USING fts5(scenario, recommend, avoid, tags, errors, task, tokenize='porter unicode61');
CREATE TABLE retrieval_entry (id INTEGER PRIMARY KEY, experience_id TEXT, weight REAL);
CREATE TABLE retrieval_tag (key TEXT, kind TEXT, id INTEGER, tag TEXT,
    PRIMARY KEY (key, kind, id)) WITHOUT ROWID;
CREATE TABLE retrieval_fingerprint (fingerprint TEXT, id INTEGER,
    PRIMARY KEY (fingerprint, id)) WITHOUT ROWID;
CREATE TABLE retrieval_named (kind TEXT, name TEXT, id INTEGER,
    PRIMARY KEY (kind, name, id)) WITHOUT ROWID;
CREATE TABLE retrieval_term (term TEXT PRIMARY KEY, documents INTEGER) WITHOUT ROWID;
CREATE TABLE retrieval_synonym (key TEXT, family INTEGER, same INTEGER, name TEXT,
    PRIMARY KEY (key, family)) WITHOUT ROWID;
CREATE INDEX retrieval_synonym_family ON retrieval_synonym (family, key)
"""
_TABLES = ("text", "entry", "tag", "fingerprint", "named", "term", "synonym")
_MAX_PARAMETERS = 500  # the lowest limit of any SQLite in use is 999


class Row:
    """One stored document: its terms by field."""

    __slots__ = ("experience_id", "fields", "number", "weight")

    def __init__(
        self, number: int, experience_id: str, weight: float, fields: list[list[str]]
    ) -> None:
        self.number = number
        self.experience_id = experience_id
        self.weight = weight
        self.fields = fields


class Tables:
    """Reads and writes the index; the caller owns connection and transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def exist(self) -> bool:
        query = "SELECT 1 FROM sqlite_master WHERE name = 'retrieval_synonym_family'"
        return bool(self._db.execute(query).fetchall())

    def replace(self, documents: Iterable[Document]) -> None:
        """Write everything anew. Opens a transaction when there is none and leaves it open."""
        from hindsight_cli.retrieve.glossary import entries  # reads a file: no part of a search

        if not self._db.in_transaction:
            self._db.execute("BEGIN")  # DDL alone would be committed at once
        for table in _TABLES:
            self._db.execute(f"DROP TABLE IF EXISTS retrieval_{table}")
        for statement in _SCHEMA.split(";"):
            self._db.execute(statement)
        frequencies: Counter[str] = Counter()
        ordered = sorted(documents, key=lambda document: document.experience_id)
        for number, document in enumerate(ordered, 1):
            frequencies.update(self._insert(number, document))
        ordered_terms = sorted(frequencies.items())
        self._db.executemany("INSERT INTO retrieval_term VALUES (?, ?)", ordered_terms)
        self._db.executemany(
            "INSERT OR IGNORE INTO retrieval_synonym VALUES (?, ?, ?, ?)", entries()
        )

    def _insert(self, number: int, document: Document) -> set[str]:
        from hindsight_cli.fingerprint.names import named  # many patterns: no part of a search

        tags = " ".join((*document.tool_tags, *document.task_tags))
        errors = re.sub(r"<[a-z]+>", " ", " ".join(document.error_fingerprints))
        scenario, task = _without_task(document.scenario)
        task = f"{document.context} {task}"
        texts = (scenario, document.recommend, document.avoid, tags, errors, task)
        fields = [terms(text) for text in texts]
        self._db.execute(
            "INSERT INTO retrieval_text (rowid, scenario, recommend, avoid, tags, errors, task)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (number, *(" ".join(field) for field in fields)),
        )
        self._db.execute(
            "INSERT INTO retrieval_entry VALUES (?, ?, ?)",
            (number, _storable(document.experience_id), document.weight),
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO retrieval_tag VALUES (?, ?, ?, ?)",
            [
                (canonical(tag), kind, number, _storable(tag.strip().lower()))
                for kind, own in (("tool", document.tool_tags), ("task", document.task_tags))
                for tag in own
            ],
        )
        self._db.executemany(
            "INSERT OR IGNORE INTO retrieval_fingerprint VALUES (?, ?)",
            [(_storable(known), number) for known in document.error_fingerprints if known],
        )
        told = "\n".join((*document.error_fingerprints, document.scenario))
        self._db.executemany(
            "INSERT INTO retrieval_named VALUES (?, ?, ?)",
            [(kind, _storable(name), number) for kind, name in sorted(named(told))],
        )
        return {term for field in fields for term in field}

    def count(self) -> int:
        return int(self._db.execute("SELECT max(id) FROM retrieval_entry").fetchall()[0][0] or 0)

    def frequencies(self, wanted: Iterable[str]) -> dict[str, int]:
        """How many documents have each term; terms that none has are left out."""
        return {
            term: documents
            for marks, part in _portions(wanted)
            for term, documents in self._db.execute(
                f"SELECT term, documents FROM retrieval_term WHERE term IN ({marks})", part
            )
        }

    def like(self, start: str) -> list[str]:
        """A few terms that begin with `start`."""
        query = "SELECT term FROM retrieval_term WHERE term >= ? AND term < ? LIMIT 20"
        return [term for (term,) in self._db.execute(query, (start, start + "\uffff"))]

    def synonyms(self, keys: Iterable[str]) -> list[tuple[str, str, str, int, int]]:
        """(key asked, key of a word of its group, that word, is the one a synonym, the other)."""
        return [
            row
            for marks, part in _portions(keys)
            for row in self._db.execute(
                "SELECT asked.key, other.key, other.name, asked.same, other.same"
                " FROM retrieval_synonym AS asked JOIN retrieval_synonym AS other USING (family)"
                f" WHERE asked.key IN ({marks}) AND other.key <> asked.key AND asked.same >= 0",
                part,
            )
        ]

    def with_term(self, term: str) -> list[int]:
        query = "SELECT rowid FROM retrieval_text WHERE retrieval_text MATCH ?"
        return [number for (number,) in self._db.execute(query, (f'"{term}"',))]

    def with_tag(self, tag: str, *, tools_only: bool) -> set[int]:
        query = "SELECT id FROM retrieval_tag WHERE key = ?"
        if tools_only:
            query += " AND kind = 'tool'"
        return {number for (number,) in self._db.execute(query, (canonical(tag),))}

    def tools_named(self, keys: Iterable[str]) -> dict[int, dict[str, str]]:
        """Document number -> those of its tool tags that are among `keys`, by key."""
        found: dict[int, dict[str, str]] = {}
        for marks, part in _portions(keys):
            for number, key, tag in self._db.execute(
                f"SELECT id, key, tag FROM retrieval_tag WHERE kind = 'tool' AND key IN ({marks})",
                part,
            ):
                found.setdefault(number, {})[key] = tag
        return found

    def with_fingerprint(self, fingerprint: str) -> list[int]:
        query = "SELECT id FROM retrieval_fingerprint WHERE fingerprint = ?"
        return [number for (number,) in self._db.execute(query, (_storable(fingerprint),))]

    def with_names(self, kinds: Iterable[str]) -> list[tuple[int, str, str]]:
        """(document number, kind, name) of the errors about a name that are of these kinds."""
        return [
            row
            for marks, part in _portions(kinds)
            for row in self._db.execute(
                f"SELECT id, kind, name FROM retrieval_named WHERE kind IN ({marks})", part
            )
        ]

    def rows(self, numbers: Collection[int]) -> list[Row]:
        found = []
        for marks, part in _portions(numbers):
            for number, experience_id, weight, *fields in self._db.execute(
                "SELECT id, experience_id, weight, scenario, recommend, avoid, tags, errors, task"
                " FROM retrieval_entry JOIN retrieval_text ON retrieval_text.rowid = id"
                f" WHERE id IN ({marks})",
                part,
            ):
                split = [field.split() for field in fields]
                found.append(Row(number, experience_id, weight, split))
        return found


def _without_task(scenario: str) -> tuple[str, str]:
    """A scenario and the task that the rules' wording notes at its end, apart."""
    note = re.search(r"\s*(?:（任务：|\(task: )(.*)[)）](?=[.。]?\s*$)", scenario)
    if note is None:
        return scenario, ""
    return scenario[: note.start()] + scenario[note.end() :], note.group(1)


def _portions(values: Iterable[str | int]) -> Iterator[tuple[str, list[str | int]]]:
    ordered = list(dict.fromkeys(values))
    for start in range(0, len(ordered), _MAX_PARAMETERS):
        part = ordered[start : start + _MAX_PARAMETERS]
        yield ",".join("?" * len(part)), part


def _storable(text: str) -> str:
    """SQLite takes no lone surrogate."""
    return text.encode("utf-8", "replace").decode("utf-8")
