"""Reads a query against the store: what is needed, and which documents may have it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hindsight_cli.fingerprint import telling_lines
from hindsight_cli.fingerprint.names import is_same_name, named
from hindsight_cli.retrieve import query as asked
from hindsight_cli.retrieve.query import Unit
from hindsight_cli.retrieve.scoring import Need, Synonym, Weigher, needs_of
from hindsight_cli.retrieve.stopwords import COMMON_CJK
from hindsight_cli.retrieve.tables import Tables
from hindsight_cli.retrieve.tags import is_everyday, tool_named
from hindsight_cli.retrieve.tokens import is_noise, joined

_MAX_CANDIDATES = 60
_MAX_POSTINGS = 4000  # documents looked at per query; the rarest words come first

_SYNONYM = 0.8
_NEIGHBOUR = 0.3
_OF_A_CODE = 0.5  # the words for what an error code is about
_STRENGTHS = {2: _SYNONYM, 1: _NEIGHBOUR, 0: _OF_A_CODE}  # sum of the glossary's two marks
_GLUED = 0.9
_SAME_START = 0.7
_MIN_LONG_WORD = 6

_SEAM = 0.5

_SURROUNDINGS = 0.7  # importance of an output's lines that do not name the error
_MAX_TELLING = 4


def units_of(query: str, *, is_error: bool) -> dict[str, Unit]:
    """The units of a query; of an error's output, those of its telling lines first."""
    if not is_error:
        return asked.units(query)
    telling = "\n".join(telling_lines(query)[:_MAX_TELLING])
    if not telling:
        return asked.units(query)
    around = asked.units(query, importance=_SURROUNDINGS, missing=0.0)
    from hindsight_cli.fingerprint.classes import is_class_word  # a task has no error to read

    wanted = around | asked.units(telling)
    for unit in wanted.values():
        unit.is_piece = unit.is_piece or is_class_word(unit.surface, query)
    return wanted


def about_other_names(tables: Tables, query: str) -> set[int]:
    """Documents about an error of the kind in `query`, but with another name.

    What helps when `requests` is missing is no help when `numpy` is.
    """
    asked_for = named(query)
    same: set[int] = set()
    other: set[int] = set()
    for number, kind, name in tables.with_names(kind for kind, _ in asked_for):
        is_same = any(
            kind == asked_kind and is_same_name(name, asked_name)
            for asked_kind, asked_name in asked_for
        )
        (same if is_same else other).add(number)
    return other - same


def mark_names(wanted: Mapping[str, Unit], tool_keys: Collection[str]) -> None:
    """Tell the units that name a tool: one that the store has as a tag, or an everyday one.

    A number beside a name is its version. A query of nothing but names asks for what there is
    about them: nothing is marked.
    """
    single = {term: unit for term, unit in wanted.items() if " " not in term}
    names = {term for term in single if _is_name(term, tool_keys)}
    named = {wanted[term].surface for term in names}
    names.update(t for t, unit in single.items() if unit.surface in named and is_noise(t))
    if any(unit.missing and term not in names for term, unit in single.items()):
        for term in names:
            wanted[term].is_name = True


def _is_name(term: str, tool_keys: Collection[str]) -> bool:
    return tool_named(term) in tool_keys or is_everyday(term)


def needs_in(tables: Tables, query: str, wanted: Mapping[str, Unit]) -> list[Need]:
    synonyms = _glossary(tables, wanted)
    _settle_codes(wanted, synonyms)
    if not query.isascii():
        _settle_pieces(query, wanted, synonyms)
    for term, others in _spellings(tables, query, wanted).items():
        synonyms.setdefault(term, []).extend(others)
    vocabulary = {term for term in wanted if " " not in term}  # phrases are in the glossary only
    for others in synonyms.values():
        vocabulary.update(part for other in others for part in other.parts)
    weigher = Weigher(tables.count(), tables.frequencies(vocabulary))
    return needs_of(wanted.values(), synonyms, weigher)


def _settle_pieces(query: str, wanted: Mapping[str, Unit], glossary: Collection[str]) -> None:
    """A pair that the glossary has is a word; one across two words is none."""
    known = COMMON_CJK.union(glossary)
    across = asked.seams(query, known)
    for term, unit in wanted.items():
        if term in across:
            unit.is_piece = True
            unit.scaled(_SEAM, 0.0)
        elif term in glossary:
            unit.is_piece = False


def _settle_codes(wanted: Mapping[str, Unit], glossary: Collection[str]) -> None:
    """An identifier that the glossary knows is one thing: its parts ask for nothing more."""
    known = {u.surface for t, u in wanted.items() if t in glossary and t == joined(u.surface)}
    for term, unit in wanted.items():
        if " " in term and term in glossary and any(map(str.isdigit, term)):
            unit.importance = max(unit.importance, 1.0)  # "error 1213" is a name, not two words
        if unit.surface in known and term != joined(unit.surface):
            unit.scaled(0.0, 0.0)


def candidates(tables: Tables, needs: Collection[Need], allowed: set[int] | None) -> list[int]:
    """Documents with the most of what is needed, by the rarest words, `allowed` ones only."""
    worth: dict[str, float] = {}
    for need in needs:
        if need.exact:
            worth[need.unit.term] = max(need.exact, worth.get(need.unit.term, 0.0))
        for value, synonym in need.answers:
            for part in synonym.parts:
                worth[part] = max(value, worth.get(part, 0.0))
    frequencies = tables.frequencies(worth)
    sums: dict[int, float] = {}
    looked_at = 0
    for term in sorted(worth, key=lambda term: (-worth[term], term)):
        if looked_at and looked_at + frequencies.get(term, 0) > _MAX_POSTINGS:
            continue
        looked_at += frequencies.get(term, 0)
        for number in tables.with_term(term):
            sums[number] = sums.get(number, 0.0) + worth[term]
    numbers = sums if allowed is None else allowed.intersection(sums)
    return sorted(numbers, key=lambda number: (-sums[number], number))[:_MAX_CANDIDATES]


def _glossary(tables: Tables, wanted: Collection[str]) -> dict[str, list[Synonym]]:
    found: dict[str, list[Synonym]] = {}
    for key, other, name, key_is_same, other_is_same in tables.synonyms(wanted):
        if key_is_same or other_is_same:
            strength = _STRENGTHS[key_is_same + other_is_same]
            found.setdefault(key, []).append(Synonym(tuple(other.split()), strength, name))
    return found


def _spellings(tables: Tables, query: str, wanted: Collection[str]) -> dict[str, list[Synonym]]:
    """Words the store writes another way: as one, as two, or with another ending."""
    found: dict[str, list[Synonym]] = {}
    pairs = asked.glued(query)
    for whole in tables.frequencies(pairs):
        for part in pairs[whole]:
            found.setdefault(part, []).append(Synonym((whole,), _GLUED, whole))
    known = tables.frequencies(wanted)
    for term in wanted:
        if term in known or len(term) < _MIN_LONG_WORD or not (term.isascii() and term.isalpha()):
            continue
        others = [
            Synonym((other,), _SAME_START, other)
            for other in tables.like(term[: max(_MIN_LONG_WORD - 1, len(term) - 2)])
            if abs(len(other) - len(term)) <= 3  # noqa: PLR2004
        ]
        halves = [(term[:i], term[i:]) for i in range(3, len(term) - 2)]
        stored = tables.frequencies(half for pair in halves for half in pair)
        others += [
            Synonym(pair, _SYNONYM, " ".join(pair))
            for pair in halves
            if pair[0] in stored and pair[1] in stored
        ]
        if others:
            found[term] = found.get(term, []) + others
    return found
