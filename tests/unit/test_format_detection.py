"""Formats are told by content, loaded on demand, and a broken plugin harms nobody."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from hindsight_cli.capture.formats import detect_format, format_names, load_format
from hindsight_cli.errors import FormatNotFoundError

FOLDER = Path(__file__).parent.parent / "fixtures"


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("claude_code", "claude-code"),
        ("codex", "codex"),
        ("codex_exec", "codex-exec"),
        ("gemini", "gemini"),
        ("gemini_stream", "gemini-stream"),
        ("mini_swe_agent", "mini-swe-agent"),
        ("opencode", "opencode"),
        ("opencode_run", "opencode-run"),
        ("openhands", "openhands"),
        ("qwen", "qwen"),
        ("swe_agent", "swe-agent"),
        ("tau2_bench", "tau2-bench"),
        ("messages", "messages"),
    ],
)
def test_our_fixtures_are_recognised_by_content(folder: str, name: str) -> None:
    files = [path for path in (FOLDER / folder).rglob("*") if path.is_file()]

    assert files
    assert {detect_format(path) for path in files} == {name}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "# notes\n",
        "\x00\x01\x02",
        "[]",
        "{}",
        '{"a": 1}\n{"a": 2}\n',
        '{"type":"system","subtype":"init","session_id":"x","uuid":"y"}\n',
        '{"type":"session_meta","id":"x"}\n',
        '{"uuid":"1","type":"user","message":{"role":"user","parts":[]}}\n',
        '{"messages":[{"id":"1","type":"user","content":"x"}]}',
        "[" * 50_000,
    ],
)
def test_files_of_other_kinds_are_not(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(content, encoding="utf-8")

    assert detect_format(path) is None


def test_a_first_line_longer_than_the_head_is_still_recognised(tmp_path: Path) -> None:
    record = {"sessionId": "s", "type": "user", "message": {"content": "x" * 200_000}}
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps(record), encoding="utf-8")

    assert detect_format(path) == "claude-code"


def test_formats_load_by_name() -> None:
    assert {"claude-code", "messages"} <= set(format_names())
    assert load_format("messages").recognizes(Path("x"), b'[{"role": "user", "content": "x"}]')


def test_an_unknown_name_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(FormatNotFoundError) as caught:
        load_format("telepathy")

    assert "claude-code" in caught.value.hint


def a_plugin(folder: Path, name: str, source: str) -> None:
    (folder / f"{name}_plugin.py").write_text(source, encoding="utf-8")
    info = folder / f"{name}_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Name: {name}-plugin\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        f"[hindsight.formats]\n{name} = {name}_plugin\n", encoding="utf-8"
    )


def test_a_plugin_is_found_and_comes_before_the_generic_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_plugin(
        tmp_path,
        "zebra",
        "def recognizes(path, head): return True\ndef read(path): return iter(())\n",
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    assert detect_format(FOLDER / "messages" / "anthropic.jsonl") == "zebra"


def test_a_broken_plugin_is_logged_and_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    a_plugin(tmp_path, "broken", "raise RuntimeError('no luck today')\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    with caplog.at_level(logging.ERROR):
        name = detect_format(FOLDER / "messages" / "anthropic.jsonl")

    assert name == "messages"
    assert "no luck today" in caplog.text
