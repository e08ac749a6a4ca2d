from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hindsight_cli import appendlog
from hindsight_cli.errors import StorageError

THREE = [{"n": 1, "t": "端口 📦"}, {"n": 2, "t": "x" * 500}, {"n": 3, "t": "end"}]


def numbers(path: Path) -> list[int]:
    return [line.data["n"] for line in appendlog.read_lines(path) if line.data is not None]


def test_what_is_appended_is_read_back_in_order(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "log.jsonl"
    appendlog.append(path, THREE)
    assert [line.data for line in appendlog.read_lines(path)] == THREE
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_cut_at_any_byte_costs_only_the_record_it_falls_into(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    whole = b"".join(appendlog.encode(o) for o in THREE)
    ends = [i + 1 for i, b in enumerate(whole) if b == ord("\n")]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        appendlog.append(path, [{"n": 9}])
        # A record whose newline alone is missing is whole.
        kept = [n for n, end in enumerate(ends, 1) if end - 1 <= cut and cut > 0]
        assert numbers(path) == [*kept, 9], cut
        assert all(line.data is not None for line in appendlog.read_lines(path)), cut


def test_torn_bytes_are_moved_aside_not_deleted(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"n": 1}\n{"n": 2, "t": "half')
    appendlog.append(path, [{"n": 3}])
    assert (tmp_path / "log.jsonl.torn").read_bytes() == b'{"n": 2, "t": "half\n'


@pytest.mark.parametrize(
    "garbage",
    [
        b"not json",
        b"[1, 2]",
        b'{"a": ' * 3000,
        b"\x00" * 40,
        b"\xff\xfe{}",
        b'{"n": 5' + b"9" * 5000,
        b'"text"',
    ],
)
def test_a_bad_line_is_reported_by_number_and_everything_round_it_read(
    tmp_path: Path, garbage: bytes
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"n": 1}\n' + garbage + b'\n\n{"n": 2}\r\n')
    lines = list(appendlog.read_lines(path))
    assert [(line.number, line.data is None) for line in lines] == [
        *((1, False), (2, True), (4, False))
    ]
    assert lines[1].problem


def test_reading_can_go_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    appendlog.append(path, THREE)
    second = list(appendlog.read_lines(path))[1]
    rest = list(appendlog.read_lines(path, offset=second.offset, number=second.number - 1))
    assert [(line.number, line.data) for line in rest] == [(2, THREE[1]), (3, THREE[2])]


def test_values_json_has_no_word_for_are_written_as_something_every_reader_takes(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.jsonl"
    appendlog.append(path, [{"a": float("nan"), "b": [float("inf")], "c": "\ud800", "n": 1}])
    assert json.loads(path.read_bytes().decode("utf-8"))["a"] == "nan"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("precious")
    (tmp_path / "log.jsonl").symlink_to(target)
    with pytest.raises(StorageError):
        appendlog.append(tmp_path / "log.jsonl", THREE)
    assert target.read_text() == "precious"


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    appendlog.append(path, THREE)
    before = path.read_bytes()
    code = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from hindsight_cli import appendlog\n"
        "from hindsight_cli.errors import StorageError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 30}, {len(before) + 30}))\n"
        "try:\n    appendlog.append(Path(sys.argv[1]), [{'n': 4, 't': 'y' * 900}])\n"
        "except StorageError:\n    sys.exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == 7
    assert path.read_bytes() == before


def test_rewriting_does_not_lose_what_others_append_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    appendlog.append(path, [{"n": i} for i in range(50)])
    with multiprocessing.get_context("fork").Pool(4) as pool:
        writing = pool.map_async(_append_many, [(path, 1000 * (w + 1)) for w in range(4)])
        for _ in range(20):
            appendlog.rewrite(path, lambda line: line.data if (line.data or {})["n"] else None)
        writing.get(60)
    assert sorted(numbers(path)) == sorted(
        [*range(1, 50), *(1000 * (w + 1) + i for w in range(4) for i in range(100))]
    )


def _append_many(job: tuple[Path, int]) -> None:
    path, first = job
    for i in range(100):
        appendlog.append(path, [{"n": first + i}])


def test_acknowledged_records_survive_kill_9_unglued(tmp_path: Path) -> None:
    """The writer says each number on stdout only after it was appended."""
    path = tmp_path / "log.jsonl"
    code = (
        "import sys; from pathlib import Path; from hindsight_cli import appendlog\n"
        "n = int(sys.argv[2])\n"
        "while True:\n"
        "    n += 1\n"
        "    appendlog.append(Path(sys.argv[1]), [{'n': n, 't': 'z' * (n * 7919 % 90000)}])\n"
        "    print(n, flush=True)\n"
    )
    last = 0
    for round_ in range(12):
        writer = subprocess.Popen(
            [sys.executable, "-c", code, str(path), str(last)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.01 * round_)
        os.kill(writer.pid, signal.SIGKILL)
        acknowledged = writer.communicate()[0].split()
        last = max([*numbers(path), *map(int, acknowledged)])
        assert set(map(int, acknowledged)) <= set(numbers(path))
    appendlog.append(path, [{"n": last + 1}])
    found = numbers(path)
    assert found == sorted(set(found))
    assert all(line.data is not None for line in appendlog.read_lines(path))
