"""What rules recommend is run: in the state the failure was met in, it must go through.

Runs are recorded from real commands in a folder of their own. The advice of a run is then
followed in a copy of the folder as it was right after the failure.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.records.event import Status
from hindsight_cli.reflect.lines import quoted_commands
from hindsight_cli.reflect.rules import Reflection, reflect_by_rules
from tests.unit.reflect_builder import TraceBuilder

PYTHON = Path(sys.executable).name
TOOL = """\
import os, sys
if "--dest" not in sys.argv: sys.exit("tool.py: error: --dest is required")
if not os.environ.get("SHOP_TOKEN"): sys.exit("tool.py: error: SHOP_TOKEN is not set")
print("done")
"""
SERVER = """\
import socket, sys
port = int(sys.argv[1])
if port == 4242: sys.exit("OSError: [Errno 98] Address already in use: 4242")
print("listening on", port)
"""
FILES = {
    "notes.txt": "one\ntwo\n",
    "app/Makefile": "all:\n\t@echo built\n",
    "app/settings.json": '{"a": 1}\n',
    "src/a.txt": "a\n",
    "src/deep/b.txt": "b\n",
    "tool.py": TOOL,
    "server.py": SERVER,
    "needs.py": "import shopkit\nprint(shopkit.NAME)\n",
    "vendor/shopkit.py": "NAME = 'kit'\n",
    "run.sh": "#!/bin/sh\necho ran\n",
}


def bash(folder: Path, line: str) -> tuple[int, str]:
    bin_folder = Path(sys.executable).parent
    env = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C"}
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the commands run."""
    made = tmp_path / "run"
    for name, text in FILES.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return made


def record(folder: Path, lines: list[str]) -> tuple[Reflection, list[tuple[str, int]], list[Path]]:
    """Run each line for real: the reflection, each line's exit code, the folder after each."""
    trace, codes, states = TraceBuilder("Prepare the shop"), [], []
    for number, line in enumerate(lines):
        code, output = bash(folder, line)
        trace.shell(line, output, Status.ERROR if code else Status.OK)
        codes.append((line, code))
        state = folder.with_name(f"after-{number}")
        shutil.copytree(folder, state, symlinks=True)
        states.append(state)
    return reflect_by_rules(trace.build()), codes, states


def recommended(proposal: dict[str, Any]) -> list[str]:
    return [line for line in quoted_commands(proposal["recommend"]) if not line.startswith("-")]


# Lines, and whether the failed line itself goes through after the advice (else the advised one).
TAUGHT: dict[str, tuple[list[str], bool]] = {
    "missing folder, made with its file": (
        [
            "cat reports/2026.csv",
            "mkdir -p reports && touch reports/2026.csv",
            "cat reports/2026.csv",
        ],
        True,
    ),
    "broken file, written anew in the same line": (
        [
            f"{PYTHON} -m json.tool bad.json",
            f"echo '{{}}' > bad.json; {PYTHON} -m json.tool bad.json",
        ],
        True,
    ),
    "folder and file in one chain": (
        [
            f"{PYTHON} -m json.tool data/a.json",
            f"mkdir data; echo '{{}}' > data/a.json && {PYTHON} -m json.tool data/a.json",
        ],
        True,
    ),
    "folder and file in two steps": (
        [
            f"{PYTHON} -m json.tool data/a.json",
            "mkdir data",
            "echo '{}' > data/a.json",
            f"{PYTHON} -m json.tool data/a.json",
        ],
        True,
    ),
    "a step in vain between": (
        [
            f"{PYTHON} -m json.tool data/a.json",
            "mkdir data",
            f"{PYTHON} -m json.tool data/a.json",
            "echo '{}' > data/a.json",
            f"{PYTHON} -m json.tool data/a.json",
        ],
        True,
    ),
    "missing folder of a copy": (
        ["cp notes.txt out/notes.txt", "mkdir out", "cp notes.txt out/notes.txt"],
        True,
    ),
    "missing parents": (["mkdir a/b/c", "mkdir -p a/b/c"], False),
    "folder copied without an option": (["cp -v src copy", "cp -rv src copy"], False),
    "option added": (["rm src", "rm -r src"], False),
    "required option": (
        [
            f"SHOP_TOKEN=1 {PYTHON} tool.py",
            f"SHOP_TOKEN=1 {PYTHON} tool.py --dest here",
        ],
        False,
    ),
    "variable in front": (
        [f"{PYTHON} tool.py --dest x", f"SHOP_TOKEN=1 {PYTHON} tool.py --dest x"],
        False,
    ),
    "port taken": ([f"{PYTHON} server.py 4242", f"{PYTHON} server.py 4243"], False),
    "script without permission": (["./run.sh", "chmod +x run.sh", "./run.sh"], True),
    "wrong folder": (["make all", "make -C app all"], False),
    "wrong folder, changed in the line": (["make all", "cd app && make all"], False),
    "folder that is not there": (["cd nowhere && wc -l notes.txt", "wc -l notes.txt"], False),
    "module found by a variable": (
        [f"{PYTHON} needs.py", f"PYTHONPATH=vendor {PYTHON} needs.py"],
        False,
    ),
    "module put in place": (
        [f"{PYTHON} needs.py", "cp vendor/shopkit.py .", f"{PYTHON} needs.py"],
        True,
    ),
    "module linked": (
        [f"{PYTHON} needs.py", "ln -s vendor/shopkit.py shopkit.py", f"{PYTHON} needs.py"],
        True,
    ),
    "output redirected into a new folder": (
        ["sort notes.txt > out/sorted.txt", "mkdir -p out && sort notes.txt > out/sorted.txt"],
        False,
    ),
    "archive of what was not there": (
        ["tar -czf notes.tgz logs", "mkdir logs", "tar -czf notes.tgz logs"],
        True,
    ),
    "archive into a missing folder": (
        ["tar -czf backup/shop.tar.gz app", "mkdir -p backup", "tar -czf backup/shop.tar.gz app"],
        True,
    ),
    "loop in one line": (
        [
            "for n in 1 2; do cp notes.txt out/$n.txt || exit 1; done",
            "mkdir out && for n in 1 2; do cp notes.txt out/$n.txt || exit 1; done",
        ],
        True,
    ),
    "subshell": (["(make all)", "(cd app; make all)"], False),
    "pipe": (
        [f"{PYTHON} -m json.tool conf.json | head -3; test ${{PIPESTATUS[0]}} = 0",
         "cp app/settings.json conf.json",
         f"{PYTHON} -m json.tool conf.json | head -3; test ${{PIPESTATUS[0]}} = 0"],
        True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", TAUGHT)
def test_following_the_advice_gets_past_the_failure(name: str, folder: Path) -> None:
    lines, passes_again = TAUGHT[name]

    found, codes, states = record(folder, lines)

    assert len(found.proposals) == 1, found.silences
    advised = recommended(found.proposals[0])
    assert advised
    assert set(advised) <= {line for line, code in codes if code == 0}
    first_failed = next(n for n, (_, code) in enumerate(codes) if code)
    for line in advised:
        code, output = bash(states[first_failed], line)
        assert code == 0, (line, output)
    if passes_again:
        code, output = bash(states[first_failed], lines[first_failed])
        assert code == 0, output


UNTAUGHT: dict[str, tuple[list[str], str]] = {
    "another script": (
        [f'{PYTHON} -c "import pandas_x"', f'{PYTHON} -c "import json; print(1)"'],
        "unrelated",
    ),
    "another archive": (
        ["tar -czf logs.tgz nolog", "tar --exclude-foo -czf logs.tgz .", "tar -czf all.tgz src"],
        "subject_left_out",
    ),
    "what it is about, given up": (
        ["tar -czf logs.tgz nolog", "tar -czf logs.tgz src"],
        "subject_left_out",
    ),
    "typing error": (["mkdri out", "mkdir out"], "typing_error"),
    "typing error in an option": (
        [f"{PYTHON} --versionn", f"{PYTHON} --version"],
        "typing_error",
    ),
    "script of many lines": (
        ["cp notes.txt out/n", "cp notes.txt out/n ||\n(mkdir out\ncp notes.txt out/n)"],
        "too_long",
    ),
    "here-document": (
        [
            f"{PYTHON} -m json.tool c.json",
            "cat > c.json <<'EOF'\n{}\nEOF",
            f"{PYTHON} -m json.tool c.json",
        ],
        "too_long",
    ),
    "only started": (
        [f"{PYTHON} server.py 4242", f"{PYTHON} server.py 4242 > log.txt 2>&1 &"],
        "not_proven",
    ),
    "forced": (["rmdir src", "rm -rf src", "rmdir src; true"], "unsafe"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNTAUGHT)
def test_what_is_not_borne_out_is_not_advised_and_says_why(name: str, folder: Path) -> None:
    lines, code = UNTAUGHT[name]

    found, _, _ = record(folder, lines)

    assert found.proposals == ()
    assert {silence.code.value for silence in found.silences} == {code}


PROGRAMS = (
    "make all",
    "docker run -p {n}:80 shop",
    "tar -czf out.tgz {f}",
    "cp {f} out/",
    "pytest {f}",
)
FRAMES = (
    "{c}",
    "{c} 2>&1 | tail -{n}",
    "cd {f} && {c}",
    "{c} > {f}.log",
    "mkdir -p {f} && {c}",
    "({c})",
    "A={n} {c}",
    "sudo {c}",
    "{c} &",
    "{c} || true",
    "cat <<E > {f}\nx\nE\n{c}",
    "{c}; echo {n}",
    "for x in 1 2; do {c}; done",
    "bash -c '{c}'",
    "if true; then {c}; fi",
    "{c} `date`",
    "{c}  --x",
)
ERRORS = ("No such file or directory: {f}", "unknown option --x", "permission denied", "exit 3", "")


@pytest.mark.parametrize("seed", range(60))
def test_every_recommended_command_is_a_whole_line_that_went_through(seed: int) -> None:
    chance = random.Random(seed)
    trace = TraceBuilder(chance.choice(["Build the shop", "把商店构建出来"]))
    accepted = set()
    for _ in range(40):
        values = {"n": chance.randint(1, 3), "f": chance.choice(["src", "data/a.json", "out"])}
        command = chance.choice(PROGRAMS).format(**values)
        line = chance.choice(FRAMES).format(c=command, **values)
        if chance.random() < 0.1:
            trace.edit(f"{values['f']}.py", "a = 1", f"a = {values['n']}")
        status = chance.choice([Status.ERROR, Status.OK, Status.OK, Status.DENIED])
        trace.shell(line, chance.choice(ERRORS).format(**values), status)
        if status is Status.OK:
            accepted.add(line)

    found = reflect_by_rules(trace.build())

    for proposal in found.proposals:
        for command in recommended(proposal):
            is_place = command in {"a = 1", *(f"a = {n}" for n in range(4))} or command.endswith(
                ".py"
            )
            assert command in accepted or is_place, proposal["recommend"]
    told = {cite["step"] for proposal in found.proposals for cite in proposal["cites"]}
    silent = {step for silence in found.silences for step in silence.failed_steps}
    assert {pair.failed_step for pair in found.attribution.recoveries} <= told | silent


def test_generated_runs_do_lead_to_recommended_commands() -> None:
    """Else the test above could not fail."""
    trace = TraceBuilder()
    trace.shell("docker run -p 1:80 shop", "exit 3", Status.ERROR)
    trace.shell("cd src && docker run -p 2:80 shop 2>&1 | tail -2")

    (proposal,) = reflect_by_rules(trace.build()).proposals

    assert recommended(proposal) == ["cd src && docker run -p 2:80 shop 2>&1 | tail -2"]
