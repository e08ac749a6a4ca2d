"""What the retrieval stage takes in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The searchable side of one experience; `experience_id` itself is never searched."""

    experience_id: str
    scenario: str
    recommend: str
    avoid: str = ""
    context: str = ""  # the task it was learned in: weak words, searched with `avoid`
    tool_tags: tuple[str, ...] = ()
    task_tags: tuple[str, ...] = ()
    error_fingerprints: tuple[str, ...] = ()  # as `fingerprint.error_fingerprint` writes them
    weight: float = 0.5  # 0..1; breaks near-ties only
