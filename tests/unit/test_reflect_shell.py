from __future__ import annotations

import pytest

from hindsight_cli.reflect import shell
from hindsight_cli.reflect.programs import CheckKind


@pytest.mark.parametrize(
    ("command", "intents"),
    [
        ("cd app && npm run build", {"npm run build"}),
        ("FOO=1 timeout 30 sudo apt-get install -y curl", {"apt-get install"}),
        ("bash -lc 'make lint && docker compose up -d'", {"make lint", "docker compose up"}),
        ("git -C repo commit -m \"$(cat <<'EOF'\nfix; rm -rf /\nEOF\n)\"", {"git commit"}),
        ("python3 -m pytest -k slow tests/", {"pytest"}),
        ("uv run --with httpx python seed.py --all", {"python seed.py"}),
        ("python manage.py migrate --noinput", {"python manage.py migrate"}),
        ("go test ./... 2>&1 | tail -20", {"go test"}),
        ("echo 'a && b' | ./solve", {"./solve"}),
        ("make test > log.txt 2>&1 &", {"make test"}),
        ("ls # git push", {"ls"}),
        ("", set()),
        ("'unclosed quote && rm x", {"unclosed quote && rm x"}),
    ],
)
def test_the_intent_of_a_line_is_what_its_programs_are_to_do(
    command: str, intents: set[str]
) -> None:
    assert shell.intents(command) == intents


@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        ("pytest -q", {CheckKind.TEST}),
        ("mise run fmt && mise run lint && mise run test:ci", {CheckKind.LINT, CheckKind.TEST}),
        ("cargo build --release", {CheckKind.BUILD}),
        ("python reproduce_bug.py", {CheckKind.SCRIPT}),
        ("git status", set()),
        ("cat latest.log", set()),
    ],
)
def test_checks_are_the_commands_an_edit_can_turn_green(
    command: str, kinds: set[CheckKind]
) -> None:
    assert shell.checks(command) == kinds


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat >> src/a.py <<'EOF'\nif a > b: pass\nEOF", ("src/a.py",)),
        ("sed -i 's/a/b/' src/m.c", ("src/m.c",)),
        ("echo x | tee -a notes.txt", ("notes.txt",)),
        ("make > /dev/null 2>&1", ()),
        ("cp a.env .env", (".env",)),
    ],
)
def test_files_written_through_the_shell_are_known(command: str, files: tuple[str, ...]) -> None:
    assert shell.written_files(command) == files


def test_a_dry_run_or_a_help_text_proves_nothing() -> None:
    assert shell.is_rehearsal("make -n build")
    assert shell.is_rehearsal("terraform apply --dry-run")
    assert not shell.is_rehearsal("make build")
