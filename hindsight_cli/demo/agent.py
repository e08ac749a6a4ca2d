"""A stand-in for an LLM agent: a fixed plan, every step reported with `hindsight record`.

It reads the block that `hindsight run` puts into a file and takes a published port from it;
a real model would read the same block. So it shows delivery, not a model's obedience.

    python agent.py "deploy mysql in a container for the shop"
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

_RUN = "docker run -d --name shop-db --env-file .env -p {port} mysql:8.4"
_CHECK = "docker exec shop-db mysqladmin ping"
_USUAL_PORT = "3306:3306"
_FREE_PORT = "3307:3306"


def main() -> int:
    advised = _advised_port()
    if advised:
        _say(f"An earlier run says to publish {advised}: I start with that.")
        ports = [advised]
    else:
        ports = [_USUAL_PORT, _USUAL_PORT]  # a failed first try, and the same again
    for port in ports:
        if _do(_RUN.format(port=port)) == 0:
            return _do(_CHECK)
    _say("The port is taken. Who holds it?")
    _do("docker ps --filter publish=3306")
    if _do(_RUN.format(port=_FREE_PORT)):
        return 1
    return _do(_CHECK)


def _advised_port() -> str | None:
    """The published port in the advice for this task, if some was put before us."""
    path = os.environ.get("HINDSIGHT_CLI_INJECTION_FILE")
    if not path:
        return None
    block = Path(path).read_text(encoding="utf-8")
    found = re.search(r"Do: .*?`docker run [^`]*-p (\d+:\d+)", block)
    return found[1] if found else None


def _do(command: str) -> int:
    print(f"$ {command}", flush=True)
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    print(output, end="", flush=True)
    _record(
        {
            "type": "tool_call",
            "tool": "Bash",
            "input": {"command": command},
            "output": output,
            "exit_code": done.returncode,
        }
    )
    return done.returncode


def _say(text: str) -> None:
    print(text, flush=True)
    _record({"type": "message", "text": text})


def _record(event: dict[str, object]) -> None:
    """One event into the session that `hindsight run` began."""
    if "HINDSIGHT_CLI_SESSION" in os.environ:
        command = [sys.executable, "-m", "hindsight_cli", "record", "event"]
        subprocess.run(command, input=json.dumps(event).encode(), capture_output=True, check=True)


if __name__ == "__main__":
    raise SystemExit(main())
