"""The speed of `redact` against detect-secrets on the same output of tools.

    python -m tests.bench.redact_speed [--megabytes N] [--rounds N] [--other-python PATH]

Contestants take turns, each a process of its own that times its work in CPU seconds without
its start; medians are quoted. detect-secrets scans a file with all of its plugins, as
`detect-secrets scan` does; it gets the first 200 kB, because it needs seconds for them. It
runs by the Python at PATH, else by one in a temporary folder, for which pip downloads it.
Promise: redact >= 50 x detect-secrets.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.import_large import output_lines

REDACT = """
import sys, time
from hindsight_cli.redact import Redactor
text = open(sys.argv[1], encoding="utf-8").read()
redactor = Redactor(key=b"bench")
redactor.text(text[:20_000])
began = time.process_time()
redactor.text(text)
print(time.process_time() - began)
"""
OTHER = """
import sys, time
from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings
with default_settings():
    began = time.process_time()
    SecretsCollection().scan_file(sys.argv[1])
    print(time.process_time() - began)
"""
OTHER_CHARS = 200_000
PROMISED = 50


def other_python(folder: Path, given: str | None) -> str:
    """A Python that has detect-secrets; installed in `folder` where none was given."""
    if given:
        return given
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "detect-secrets"], check=True)
    return python


def rate(python: str, code: str, path: Path) -> float:
    """Megabytes a second."""
    command = [python, "-c", code, str(path)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return path.stat().st_size / 1e6 / float(ran.stdout)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--other-python", metavar="PATH")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = other_python(folder / "other", options.other_python)
        lines = "\n".join(output_lines(seed=7))
        text = (lines * (options.megabytes * 1_000_000 // len(lines) + 1))[
            : options.megabytes * 10**6
        ]
        long, short = folder / "long.txt", folder / "short.txt"
        long.write_text(text, encoding="utf-8")
        short.write_text(text[:OTHER_CHARS], encoding="utf-8")
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(rate(sys.executable, REDACT, long))
            theirs.append(rate(python, OTHER, short))
    fast, slow = statistics.median(ours), statistics.median(theirs)
    kept = "kept" if fast / slow >= PROMISED else "MISSED"
    print(f"redact {fast:.1f} MB/s, detect-secrets {slow:.3f} MB/s")
    print(f"{fast / slow:.0f} x, >= {PROMISED} x: {kept}")


if __name__ == "__main__":
    main()
