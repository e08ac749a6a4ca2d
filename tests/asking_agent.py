"""The smallest agent: it asks a model once, with what Hindsight prepared as its system prompt.

python asking_agent.py ADDRESS TASK
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request
from pathlib import Path


def system_prompt() -> str:
    named = os.environ.get("HINDSIGHT_CLI_INJECTION_FILE")
    return Path(named).read_text(encoding="utf-8") if named is not None else ""


def main(address: str, task: str) -> None:
    messages = [
        {"role": "system", "content": f"You deploy shops.\n\n{system_prompt()}"},
        {"role": "user", "content": task},
    ]
    body = json.dumps({"model": "scripted", "messages": messages}).encode()
    request = urllib.request.Request(
        f"{address}/v1/chat/completions", body, {"content-type": "application/json"}
    )
    # The model is on this machine, whatever proxy the environment names.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=30) as response:
        answer = json.load(response)["choices"][0]["message"]["content"]
    sys.stdout.write(f"{answer}\n{os.environ.get('HINDSIGHT_CLI_INJECTION_FILE')}\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
