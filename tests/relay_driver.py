"""Run a command through the relay alone, and write down what its sink was told.

    python tests/relay_driver.py REPORT CMD...

REPORT gets one JSON document: bytes, sha256 and text of the output, sizes, typed,
and how it ended. RELAY_WITHOUT names modules that are not to be had.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parent.parent)
for name in os.environ.get("RELAY_WITHOUT", "").split():
    sys.modules[name] = None  # type: ignore[assignment]

from hindsight_cli.capture.command.relay import run_command  # noqa: E402
from hindsight_cli.errors import CannotStartError  # noqa: E402


class Report:
    """A sink."""

    def __init__(self) -> None:
        self.seen = bytearray()
        self.sizes: list[list[int]] = []
        self.enters = 0

    def output(self, data: bytes) -> None:
        self.seen += data

    def resized(self, rows: int, columns: int) -> None:
        self.sizes.append([rows, columns])

    def started(self, pid: int) -> None:
        self.pid = pid

    def typed(self) -> None:
        self.enters += 1


def main() -> int:
    report = Report()
    told: dict[str, object] = {}
    try:
        ended = run_command(sys.argv[2:], os.environ, report)
        fields = ("exit_code", "mode", "signal", "interrupted_by", "fallback")
        told = {field: getattr(ended, field) for field in fields}
        code = ended.exit_code
    except CannotStartError as error:
        sys.stderr.write(f"{error}\n")
        code = error.exit_code
    told["bytes"] = len(report.seen)
    told["sha256"] = hashlib.sha256(report.seen).hexdigest()
    told["text"] = report.seen[:1000].decode("utf-8", "replace")
    told["sizes"] = report.sizes
    told["typed"] = report.enters
    Path(sys.argv[1]).write_text(json.dumps(told), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
