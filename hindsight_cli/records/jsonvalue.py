"""The type of JSON data, apart from `event` so that the hot paths need not load that."""

from __future__ import annotations

from typing import Any

# JSON as json.loads returns it. A recursive alias costs mypy more than it gives here.
JsonValue = Any
