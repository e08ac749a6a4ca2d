"""Lexical retrieval over SQLite FTS5, by the standard library alone."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hindsight_cli.fingerprint import error_fingerprints, is_specific, looks_like_error
from hindsight_cli.retrieve import query as asked
from hindsight_cli.retrieve import scoring
from hindsight_cli.retrieve.document import Document, Hit, Retrieval
from hindsight_cli.retrieve.tokens import terms

CANDIDATES = 60
POSTINGS = 4000
MAX_LIMIT = 5
FLOOR = 0.0


class LexicalIndex:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def rebuild(self, documents: Iterable[Document]) -> None:
        from hindsight_cli.retrieve.glossary import members

        for table in ("fts", "entries", "terms", "synonyms", "fingerprints"):
            self._db.execute(f"DROP TABLE IF EXISTS retrieval_{table}")
        self._db.execute("CREATE VIRTUAL TABLE retrieval_fts USING fts5(scenario, recommend, avoid, tags, tokenize='porter unicode61')")
        self._db.execute("CREATE TABLE retrieval_entries (id INTEGER PRIMARY KEY, experience_id TEXT, weight REAL, tool_tags TEXT, task_tags TEXT)")
        self._db.execute("CREATE TABLE retrieval_terms (term TEXT PRIMARY KEY, documents INTEGER) WITHOUT ROWID")
        self._db.execute("CREATE TABLE retrieval_synonyms (term TEXT, family INTEGER, near INTEGER, PRIMARY KEY(term, family)) WITHOUT ROWID")
        self._db.execute("CREATE INDEX retrieval_synonyms_family ON retrieval_synonyms(family)")
        self._db.execute("CREATE TABLE retrieval_fingerprints (fingerprint TEXT, id INTEGER, PRIMARY KEY(fingerprint, id)) WITHOUT ROWID")
        counts: Counter[str] = Counter()
        for i, d in enumerate(sorted(documents, key=lambda d: d.experience_id), 1):
            tags = " ".join((*d.tool_tags, *d.task_tags, *d.error_fingerprints))
            fields = [terms(t) for t in (d.scenario, d.recommend, d.avoid, tags)]
            counts.update(set().union(*fields))
            self._db.execute("INSERT INTO retrieval_fts(rowid, scenario, recommend, avoid, tags) VALUES (?,?,?,?,?)", (i, *(" ".join(f) for f in fields)))
            self._db.execute("INSERT INTO retrieval_entries VALUES (?,?,?,?,?)", (i, d.experience_id, d.weight, json.dumps([t.lower() for t in d.tool_tags]), json.dumps([t.lower() for t in d.task_tags])))
            self._db.executemany("INSERT OR IGNORE INTO retrieval_fingerprints VALUES (?,?)", [(f, i) for f in d.error_fingerprints if f])
        self._db.executemany("INSERT INTO retrieval_terms VALUES (?,?)", counts.items())
        self._db.executemany("INSERT OR IGNORE INTO retrieval_synonyms VALUES (?,?,?)", members())

    def rank(self, query: str, *, error: bool = False, limit: int = 20):
        units = asked.units(asked.clipped(query))
        syn = self._synonyms(query, units)
        n = self._db.execute("SELECT count(*) FROM retrieval_entries").fetchone()[0]
        vocabulary = {u.term for u in units} | {p for alts in syn.values() for parts, _ in alts for p in parts}
        freq = self._freq(vocabulary)
        weigher = scoring.Weigher(n, freq)
        needs = scoring.needs(units, syn, weigher)
        rows = self._candidates(needs, freq)
        out = []
        for row in rows:
            fields = [frozenset(t.split()) for t in row[1:5]]
            m = scoring.match(fields, needs)
            out.append((m, row[0], row))
        out.sort(key=lambda x: (-x[0].gained, x[1]))
        ids = dict(self._db.execute("SELECT id, experience_id FROM retrieval_entries"))
        return [(ids[r], m) for m, r, _ in out[:limit]]

    def _freq(self, vocabulary):
        v = sorted(vocabulary)
        out = {}
        for i in range(0, len(v), 500):
            part = v[i:i+500]
            out.update(self._db.execute(f"SELECT term, documents FROM retrieval_terms WHERE term IN ({','.join('?'*len(part))})", part))
        return out

    def _synonyms(self, query, units):
        keys = {u.term: ((u.term,), 1.0) for u in units}
        if not keys: return {}
        marks = ",".join("?" * len(keys))
        rows = self._db.execute(f"SELECT a.term, b.term, a.near, b.near FROM retrieval_synonyms a JOIN retrieval_synonyms b ON a.family=b.family WHERE a.term IN ({marks})", list(keys))
        out = defaultdict(list)
        for a, b, na, nb in rows:
            if a == b: continue
            s = SYN if na and nb else REL if na or nb else 0
            if s: out[a].append((tuple(b.split(" ")), s))
        return out

    def _candidates(self, needs, freq):
        worth = defaultdict(float)
        for need in needs:
            for parts, w in need.answers:
                for p in parts:
                    worth[p] = max(worth[p], w)
        rows = Counter()
        used = 0
        for term in sorted(worth, key=lambda t: (-worth[t], t)):
            if used and used + freq[term] > POSTINGS: continue
            used += freq[term]
            for (r,) in self._db.execute("SELECT rowid FROM retrieval_fts WHERE retrieval_fts MATCH ?", (f'"{term}"',)):
                rows[r] += worth[term]
        top = sorted(rows, key=lambda r: (-rows[r], r))[:CANDIDATES]
        return self._db.execute(f"SELECT rowid, scenario, recommend, avoid, tags FROM retrieval_fts WHERE rowid IN ({','.join('?'*len(top))})", top).fetchall()

SYN, REL = 0.8, 0.4
