"""What redaction costs: at start, and on lines made to be slow."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from hindsight_cli.redact import Redactor

HEAVY = (
    "json",
    "hmac",
    "hashlib",
    "urllib.parse",
    "html",
    "base64",
    "hindsight_cli.redact.detectors",
)
HOSTILE = (
    "a",
    " ",
    "\\",
    '"',
    "=",
    "password=",
    "password: ",
    '"password":"',
    'password="',
    "token",
    "token ",
    "key=",
    "api key ",
    "secret,token,\n",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----END RSA PRIVATE KEY-----\n",
    "eyJ",
    "eyJ.",
    "://",
    "://a:",
    "://a:b@",
    "sk-",
    "AKIA",
    "$6$",
    "123456789:AA",
    "mysql -p",
    "curl -u a:",
    "docker login ",
    "cookie: a=",
    "authorization: ",
    "kind: Secret\ndata:\n a: b\n",
    "密码",
    "[REDACTED:a:",
    "\x1b[0m",
    "hooks.slack.com/",
    "ghp_" + "x" * 36 + " ",
)


def seconds(text: str) -> float:
    redactor = Redactor()
    begin = time.process_time()
    redactor.spans(text)
    return time.process_time() - begin


@pytest.mark.parametrize("piece", HOSTILE, ids=lambda piece: repr(piece)[:24])
def test_time_grows_with_the_length_of_a_hostile_line_not_faster(piece: str) -> None:
    seconds(piece * 1000)  # compiles what this line needs
    short = min(seconds(piece * (20_000 // len(piece))) for _ in range(3))
    long = min(seconds(piece * (160_000 // len(piece))) for _ in range(2))

    assert long < max(8 * 4 * short, 0.3), (short, long)


def test_importing_the_package_loads_no_rule_and_nothing_heavy() -> None:
    code = f"import sys, hindsight_cli.redact; print([m for m in {HEAVY} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_ordinary_text_compiles_few_patterns() -> None:
    code = (
        "import hindsight_cli.redact as r; r.Redactor().text('ls -la src/app.py: 3 passed in 2 s');"
        "from hindsight_cli.redact.patterns import compiled; print(compiled.cache_info().currsize)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(ran.stdout) <= 16
