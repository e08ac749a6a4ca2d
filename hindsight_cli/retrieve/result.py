"""What the retrieval stage gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One experience found, with the reasons a person can check."""

    experience_id: str
    score: float  # 0..1, comparable over queries; 1 is an exact error fingerprint
    why_matched: tuple[str, ...]  # "error fingerprint", "tool tag: docker", matched words


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """The answer to one query; `abstained` is true exactly when there are no hits."""

    hits: tuple[Hit, ...]
    abstained: bool
    reason: str  # plain words; empty unless abstained
    mode: str = "lexical"
