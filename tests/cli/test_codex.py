"""Codex from its files to traces: imported, resumed, run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.traces import list_traces, read_trace
from tests.conftest import Hindsight
from tests.unit.codex_lines import (
    MID,
    OWN,
    PARENT,
    TODAY,
    a_call,
    a_message,
    a_meta,
    an_event,
    an_output,
)

CODEX = f"""#!{sys.executable}
import pathlib, sys
day = pathlib.Path(sys.argv[-1], "sessions", "2026", "09", "14")
day.mkdir(parents=True)
for source in pathlib.Path("rollouts").iterdir():
    (day / source.name).write_bytes(source.read_bytes())
print("done")
"""


def test_a_rollout_imported_while_it_grows_is_as_one_imported_whole(
    project: Project, tmp_path: Path
) -> None:
    lines = TODAY.read_text(encoding="utf-8").splitlines(keepends=True)
    path = tmp_path / TODAY.name
    for length in (9, 20, 21, len(lines)):
        path.write_text("".join(lines[:length]), encoding="utf-8")
        import_paths(project, [path])
    grown = [
        (call.tool_name, call.status, call.exit_code)
        for call in read_trace(project, OWN).trace.calls
    ]
    whole = Project(tmp_path / "other")
    whole.root.mkdir()
    whole.init()
    import_paths(whole, [path])

    assert grown == [
        (call.tool_name, call.status, call.exit_code) for call in read_trace(whole, OWN).trace.calls
    ]
    assert import_paths(project, [path]).total("imported") == 0


def test_a_resumed_session_is_unfinished_until_it_ends_again(
    project: Project, tmp_path: Path
) -> None:
    begin = [a_meta(), an_event("task_started", turn_id="1"), a_message("user", "Count.")]
    turn = [a_message("assistant", "Seven."), an_event("task_complete")]
    path = tmp_path / f"rollout-{OWN}.jsonl"
    states = []
    for lines in (begin, [*begin, *turn], [*begin, *turn, *turn[:1]], [*begin, *turn, *turn]):
        numbered = [{**line, "ordinal": ordinal} for ordinal, line in enumerate(lines)]
        path.write_text("".join(f"{json.dumps(n)}\n" for n in numbered), encoding="utf-8")
        import_paths(project, [path])
        states.append([row.end_state for row in list_traces(project)])

    assert states == [["unfinished"], ["completed"], ["unfinished"], ["completed"]]


def test_a_command_given_as_words_is_its_script(project: Project) -> None:
    import_paths(project, [MID])

    (row,) = list_traces(project)
    calls = read_trace(project, row.trace_id).trace.calls
    assert [call.command for call in calls][:2] == ["tail loans.log", "grep -c renew loans.py"]


def test_a_compressed_rollout_is_refused_with_the_way_to_unpack_it(
    hindsight: Hindsight, tmp_path: Path
) -> None:
    packed = tmp_path / "rollout.jsonl.zst"
    packed.write_bytes(b"\x28\xb5\x2f\xfd\x04\x00")
    alone = hindsight("import", str(packed))
    (tmp_path / "a.jsonl").write_bytes(TODAY.read_bytes())
    among = hindsight("import", str(tmp_path), "--json")

    assert (alone.code, "zstd -d" in alone.err) == (1, True)
    assert among.code == 0
    assert any("1 compressed file" in message for message in among.document["messages"])


def test_after_a_run_its_rollout_is_the_trace_whoever_else_wrote_one(
    hindsight: Hindsight, project: Project, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text(CODEX, encoding="utf-8")
    program.chmod(0o700)
    own = [
        a_meta(PARENT, cwd=str(project.root)),
        a_message("user", "Release it."),
        a_call({"cmd": "make release"}),
        an_output("Process exited with code 2\nOutput:\nno rule"),
    ]
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}}
    helper = [a_meta(OWN, cwd=str(project.root), source=source), a_message("user", "Look.")]
    foreign = [a_meta("foreign", cwd="/srv/elsewhere"), a_message("user", "Not mine.")]
    folder = project.root / "rollouts"
    folder.mkdir()
    for name, lines in (("own", own), ("helper", helper), ("foreign", foreign)):
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / f"rollout-{name}.jsonl").write_text(text, encoding="utf-8")
    home = tmp_path / "home"

    done = hindsight("run", "--", str(program), "exec", str(home), CODEX_HOME=str(home))

    assert done.code == 0
    assert f"1 failed call recorded as {PARENT}" in done.err
    rows = {row.session_id: row.task for row in list_traces(project)}
    assert rows == {PARENT: "Release it.", OWN: "Look."}
