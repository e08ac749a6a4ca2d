"""Measure redaction on labelled secrets and hard negatives, and its speed on ordinary output.

usage: python tests/quality/measure_secrets.py SECRETS.b64 [--text FILE...] [--verbose]

SECRETS.b64 holds one case a line: base64 of JSON {id, kind, container, text, spans:
[{start, end, kind}], negative}. A span counts as found if 90 % of its characters are
covered; a negative must come out byte for byte. Speed is measured on FILEs (by default a
generated log) against `detect-secrets` where that is installed. Exits 1 below the targets.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hindsight_cli.redact import Redactor

COVERED = 0.9
MIN_RECALL = 0.995
SLOW_CHARS = 400_000  # detect-secrets gets this much: it needs minutes for more
_WORDS = ("error", "file", "the", "test", "passed", "src/app.py", "import", "tokenize", "0x3fa9")


@dataclass
class Score:
    """What was found and what was touched."""

    spans: int = 0
    found: int = 0
    negatives: int = 0
    touched: int = 0
    unstable: int = 0  # texts that a second redaction changed
    missed: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.found / self.spans if self.spans else 1.0


def cases(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text().splitlines():
        if line.strip():
            yield json.loads(base64.b64decode(line))


def measure(path: Path) -> Score:
    score, redactor = Score(), Redactor(key=b"measure")
    for case in cases(path):
        text = case["text"]
        clean = redactor.text(text)
        score.unstable += redactor.text(clean) != clean
        if case["negative"]:
            score.negatives += 1
            if clean != text:
                score.touched += 1
                score.notes.append(f"touched {case['kind']} {case['id']}: {clean!r}")
            continue
        covered = {at for s in redactor.spans(text) for at in range(s.start, s.end)}
        for span in case["spans"]:
            wanted = range(span["start"], span["end"])
            score.spans += 1
            if sum(at in covered for at in wanted) >= COVERED * len(wanted):
                score.found += 1
            else:
                score.missed[f"{span['kind']} in {case['container']}"] += 1
    return score


def a_log(chars: int) -> str:
    """Ordinary output with a secret now and then."""
    source = random.Random(5)
    lines: list[str] = []
    total = 0
    while total < chars:
        line = " ".join(source.choices(_WORDS, k=14))
        if len(lines) % 400 == 0:
            line += f" password={source.getrandbits(64):x}Qz"
        lines.append(line)
        total += len(line) + 1
    return "\n".join(lines)


def seconds(text: str) -> float:
    redactor = Redactor(key=b"measure")
    redactor.text(text[:20_000])  # patterns compiled
    begin = time.process_time()
    redactor.text(text)
    return time.process_time() - begin


def detect_secrets_seconds(text: str) -> float | None:
    """The time `detect-secrets` takes for the same text; None where it is not installed."""
    try:
        from detect_secrets import SecretsCollection  # type: ignore[import-not-found]
        from detect_secrets.settings import default_settings  # type: ignore[import-not-found]
    except ImportError:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        begin = time.process_time()
        with default_settings():
            SecretsCollection().scan_file(file.name)
        return time.process_time() - begin


def speed_rows(text: str) -> Iterator[tuple[str, str]]:
    rate = len(text) / 1e6 / seconds(text)
    yield "speed", f"{rate:.1f} MB/s"
    sample = text[:SLOW_CHARS]
    other = detect_secrets_seconds(sample)
    if other is None:
        yield "against detect-secrets", "not installed"
    else:
        yield "against detect-secrets", f"{other / seconds(sample):.0f} x as fast"


def rows(score: Score, text: str) -> Iterator[tuple[str, str]]:
    yield "recall", f"{score.recall:.4f} ({score.found} of {score.spans} spans)"
    yield "negatives touched", f"{score.touched} of {score.negatives}"
    yield "changed by a second pass", str(score.unstable)
    yield from speed_rows(text)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("secrets", type=Path)
    parser.add_argument("--text", type=Path, nargs="*", default=[])
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    score = measure(options.secrets)
    text = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in options.text)
    for name, value in rows(score, text or a_log(2_000_000)):
        print(f"{name:28} {value}")
    if options.verbose:
        for note in [*score.notes, *(f"missed {what} x{n}" for what, n in score.missed.items())]:
            print(note)
    good = score.recall >= MIN_RECALL and not score.touched and not score.unstable
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
