"""How deep JSON data goes. Pure, and without recursion: the data may be made to exhaust it."""

from __future__ import annotations

from collections.abc import Mapping

from hindsight_cli.records.jsonvalue import JsonValue


def is_deeper(value: JsonValue, levels: int) -> bool:
    """Whether arrays and objects lie more than `levels` deep in each other."""
    level: list[JsonValue] = [value] if isinstance(value, Mapping | list) else []
    for _ in range(levels):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, Mapping) else outer)
            if isinstance(inner, Mapping | list)
        ]
        if not level:
            return False
    return True
