"""The tools a server offers, kept once as long as they stay the same. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from hindsight_cli.records.jsonvalue import JsonValue

_MOST = 2_000  # of one connection


@dataclass(slots=True)
class Definitions:
    """What has been seen, by name."""

    _seen: dict[str, str] = field(default_factory=dict)

    def add(self, result: Mapping[str, JsonValue]) -> list[dict[str, JsonValue]]:
        """Those of a page of `tools/list` that are new or changed: name, description, hash."""
        tools = result.get("tools")
        told: list[dict[str, JsonValue]] = []
        for tool in tools if isinstance(tools, list) else []:
            if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
                continue
            name, digest = tool["name"], _digest(tool)
            if self._seen.get(name) == digest or len(self._seen) >= _MOST:
                continue
            self._seen[name] = digest
            schema = _digest(tool.get("inputSchema"))
            described = {"name": name, "description": tool.get("description")}
            told.append({**described, "schema_sha256": schema})
        return told


def _digest(value: JsonValue) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
