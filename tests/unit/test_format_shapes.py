"""Whatever shape a record has taken, a reader yields records and raises nothing."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.capture.draft import Draft
from hindsight_cli.capture.formats import (
    claude_code,
    detect_format,
    format_names,
    load_format,
    messages,
)

FOLDER = Path(__file__).parent.parent / "fixtures"
ROUNDS = 60
ODDITIES: list[Any] = [
    *(None, 1, 1.5, True, "", "x", "<system-reminder>", [], {}, [None], [[]], {"a": 1}),
    *([{"type": kind}] for kind in ("text", "tool_use", "tool_result", ["text"], None)),
    [{"type": "image", "source": {"type": "base64", "data": "!!!"}}],
    [{"type": "image", "source": {"data": 5}}],
]


def bent(value: Any, chance: random.Random) -> Any:
    """The value with some parts replaced by others, or missing."""
    if chance.random() < 0.08:
        return chance.choice(ODDITIES)
    if isinstance(value, dict):
        return {k: bent(v, chance) for k, v in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        return [bent(item, chance) for item in value]
    return value


def assert_sound(draft: Draft) -> None:
    assert isinstance(draft.session.session_id, str)
    assert isinstance(draft.native_type, str)
    for event in draft.events:
        assert isinstance(event.text, str)
        for name in (event.tool_name, event.call_id, event.timestamp, event.server):
            assert name is None or isinstance(name, str)


@pytest.mark.parametrize("seed", range(3))
def test_bent_transcript_lines_are_all_accounted_for(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    (source,) = (FOLDER / "claude_code").glob("*.jsonl")
    records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    path = tmp_path / "bent.jsonl"
    for _ in range(ROUNDS):
        chosen = [json.dumps(bent(record, chance)) for record in chance.sample(records, 6)]
        path.write_text("\n".join(chosen), encoding="utf-8")

        detect_format(path)
        read = list(claude_code.read(path))

        assert [record.line for record in read] == [1, 2, 3, 4, 5, 6]
        for record in read:
            if isinstance(record, Draft):
                assert_sound(record)


@pytest.mark.parametrize("name", ["library_desk.json", "responses_items.json", "anthropic.jsonl"])
def test_bent_messages_are_read_without_a_crash(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    text = (FOLDER / "messages" / name).read_text(encoding="utf-8")
    source = json.loads(text if name.endswith(".json") else f"[{','.join(text.splitlines())}]")
    path = tmp_path / "bent.json"
    for _ in range(ROUNDS):
        path.write_text(json.dumps(bent(source, chance)), encoding="utf-8")

        detect_format(path)

        for record in messages.read(path):
            if isinstance(record, Draft):
                assert_sound(record)


@pytest.mark.parametrize("name", format_names())
@pytest.mark.parametrize("raw", [b"", b"\n\n", b"\x00" * 4096, b"\xff\xfe{", b"[" * 99_999, b"nul"])
def test_a_file_of_rubbish_is_told_not_raised(tmp_path: Path, name: str, raw: bytes) -> None:
    path = tmp_path / "rubbish.json"
    path.write_bytes(raw)

    assert not [record for record in load_format(name).read(path) if isinstance(record, Draft)]
