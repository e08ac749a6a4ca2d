"""What was learned from traces, and where a human stands on it.

Source: docs/reference/experience-format.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue


class ExperienceKind(StrEnum):
    SUCCESS_PATTERN = "success_pattern"
    FAILURE_LESSON = "failure_lesson"
    KEY_DECISION = "key_decision"


class ReviewStatus(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    SUSPENDED = "suspended"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"


class Layer(StrEnum):
    GENERAL = "general"
    SPECIFIC = "specific"


class Origin(StrEnum):
    """Whose words the advice is made of."""

    AGENT = "agent"
    USER = "user"
    EXTERNAL = "external"  # only a tool's output said so: needs a typed confirmation


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    session_id: str
    step_index: int
    tool_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A short extract of a cited step: survives when old traces are pruned."""

    step_index: int
    tool_name: str | None
    status: str | None
    input: str
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where an experience applies; empty means the whole project."""

    paths: tuple[str, ...] = ()  # globs, relative to the project
    tools: Mapping[str, str] = field(default_factory=dict)  # tool -> version range


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What the human reads and approves, word for word. Hashed as a whole."""

    kind: ExperienceKind
    scenario: str
    recommend: str
    avoid: str = ""
    why: str = ""
    workaround: bool = False  # temporary, root cause open
    tool_tags: tuple[str, ...] = ()
    task_tags: tuple[str, ...] = ()
    scope: Scope = field(default_factory=Scope)
    layer: Layer = Layer.SPECIFIC
    citations: tuple[Citation, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def content_hash(self) -> str:
        """sha256 of the canonical JSON: what was shown is what is stored and injected."""
        import hashlib  # costs a quarter of a search that needs none

        canonical = json.dumps(
            content_to_dict(self), sort_keys=True, ensure_ascii=False, separators=(",", ":")
        )
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Who proposed it."""

    reflector: str  # rules | llm | command | reply | human
    votes: int = 1
    model: str | None = None
    by_rules: bool = False  # rules found the same: one of the votes is theirs


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """One proposal: content and what stands beside it. Review state is not in here."""

    experience_id: str  # ex-<12 hex>, kept through edits
    trace_id: str | None  # None for one a human wrote without a trace
    content: Content
    task: str = ""  # what that run was asked to do, shortened; found by, never injected
    origin: Origin = Origin.AGENT
    risk: tuple[str, ...] = ()
    source: Source = field(default_factory=lambda: Source(reflector="rules"))
    error_fingerprints: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)  # tool -> version
    unfinished: bool = False  # its trace had no end yet when this was learned from it


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperienceState:
    """An experience as the ledger leaves it: the fold of every entry about it."""

    experience: Experience
    status: ReviewStatus
    stale: bool = False
    stale_reason: str = ""
    weight: float = 0.5  # 0..1, learned trust; moves only on followed and outcome
    shown: int = 0
    followed: int = 0
    success: int = 0
    failure: int = 0
    created_at: str = ""
    decided_at: str | None = None
    last_verified_at: str | None = None
    decided_by: str | None = None
    reason: str = ""  # why rejected, superseded by what
    sketch: tuple[int, ...] = ()  # of a forgotten text; see experiences/similarity.py
    trusted: bool = True  # False: approved by an entry this user has not accepted

    @property
    def retrievable(self) -> bool:
        return self.status is ReviewStatus.APPROVED and self.trusted


def experience_id_of(trace_id: str, kind: str, steps: tuple[int, ...]) -> str:
    """Same trace, same kind, same cited steps: the same experience."""
    import hashlib

    key = json.dumps([trace_id, kind, sorted(set(steps))])
    return "ex-" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def content_to_dict(content: Content) -> dict[str, JsonValue]:
    """Plain JSON data, ready for json.dumps."""
    return asdict(content)


def content_from_dict(data: Mapping[str, JsonValue]) -> Content:
    """Inverse of `content_to_dict`; fields of later versions are ignored.

    Raises:
        ValueError, KeyError, TypeError: the object is not a content.
    """
    scope = data.get("scope") or {}
    return Content(
        kind=ExperienceKind(data["kind"]),
        scenario=str(data["scenario"]),
        recommend=str(data["recommend"]),
        avoid=str(data.get("avoid") or ""),
        why=str(data.get("why") or ""),
        workaround=bool(data.get("workaround", False)),
        tool_tags=tuple(map(str, data.get("tool_tags") or ())),
        task_tags=tuple(map(str, data.get("task_tags") or ())),
        scope=Scope(
            paths=tuple(map(str, scope.get("paths") or ())),
            tools={str(k): str(v) for k, v in (scope.get("tools") or {}).items()},
        ),
        layer=Layer(data.get("layer") or Layer.SPECIFIC),
        citations=tuple(
            Citation(
                session_id=str(c.get("session_id") or ""),
                step_index=int(c["step_index"]),
                tool_name=_text_or_none(c.get("tool_name")),
            )
            for c in data.get("citations") or ()
        ),
        evidence=tuple(
            Evidence(
                step_index=int(e["step_index"]),
                tool_name=_text_or_none(e.get("tool_name")),
                status=_text_or_none(e.get("status")),
                input=str(e.get("input") or ""),
                output=str(e.get("output") or ""),
            )
            for e in data.get("evidence") or ()
        ),
    )


def experience_to_dict(experience: Experience) -> dict[str, JsonValue]:
    """Plain JSON data: the `data` of a `proposed` or `approved` ledger entry."""
    return asdict(experience)


def experience_from_dict(data: Mapping[str, JsonValue]) -> Experience:
    """Inverse of `experience_to_dict`.

    Raises:
        ValueError, KeyError, TypeError: the object is not an experience.
    """
    source = data.get("source") or {}
    return Experience(
        experience_id=str(data["experience_id"]),
        trace_id=_text_or_none(data.get("trace_id")),
        content=content_from_dict(data["content"]),
        task=str(data.get("task") or ""),
        origin=Origin(data.get("origin") or Origin.AGENT),
        risk=tuple(map(str, data.get("risk") or ())),
        source=Source(
            reflector=str(source.get("reflector") or "rules"),
            votes=int(source.get("votes") or 1),
            model=_text_or_none(source.get("model")),
            by_rules=source.get("by_rules") is True,
        ),
        error_fingerprints=tuple(map(str, data.get("error_fingerprints") or ())),
        environment={str(k): str(v) for k, v in (data.get("environment") or {}).items()},
        unfinished=data.get("unfinished") is True,
    )


def _text_or_none(value: JsonValue) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError(f"not a text: {value!r:.80}")
    return value
