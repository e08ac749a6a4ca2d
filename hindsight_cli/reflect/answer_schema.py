"""The JSON schema of a model's answer, in the strict form that providers enforce. Pure.

Strict means: every property required, none beside them. So `scope.tools`, a mapping by
nature, is a list of pairs here; `parse` reads both. What a provider cannot enforce (lengths,
steps that exist) is the guard's to judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hindsight_cli.records.experience import ExperienceKind, Layer
from hindsight_cli.records.jsonvalue import JsonValue

NAME = "reflection"


def answer_schema() -> dict[str, JsonValue]:
    """Source: docs/how-to/use-a-model-without-giving-us-a-key.md."""
    step = {"type": "integer", "description": "a step number of the record"}
    text = {"type": "string"}
    texts = _list(text)
    scope = _object(
        {
            "paths": texts | {"description": "globs; empty: the whole project"},
            "tools": _list(_object({"tool": text, "versions": text})),
        }
    )
    experience = _object(
        {
            "kind": _one_of(list(ExperienceKind)),
            **dict.fromkeys(("scenario", "recommend", "avoid", "why"), text),
            "cites": _list(_object({"step": step, "tool": text})),
            "workaround": {"type": "boolean"},
            "layer": _one_of(list(Layer)),
            "scope": scope,
            "tool_tags": texts,
            "task_tags": texts,
        }
    )
    verdict = _one_of(["verified", "contradicted"])
    return _object(
        {
            "task_status": _one_of(["success", "failure", "partial"]),
            "key_steps": _list(step),
            "invalid_steps": _list(_object({"step": step, "reason": text})),
            "experiences": _list(experience),
            "verdicts": _list(_object({"experience_id": text, "verdict": verdict})),
        }
    )


def _object(properties: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": "array", "items": dict(items)}


def _one_of(names: Sequence[str]) -> dict[str, JsonValue]:
    return {"type": "string", "enum": [str(name) for name in names]}
