"""The one door to sqlite-utils, which would load numpy for arrays that nobody here stores.

That is a quarter of a second of every command that opens the index.
"""

from __future__ import annotations

import sys

_LEFT_OUT = [name for name in ("numpy", "pandas") if name not in sys.modules]
try:
    for _name in _LEFT_OUT:
        sys.modules[_name] = None  # type: ignore[assignment]  # as Python marks what is not there
    from sqlite_utils import Database, Migrations
finally:
    for _name in _LEFT_OUT:
        del sys.modules[_name]

__all__ = ["Database", "Migrations"]
