"""Secrets of the environment are known by the names and shapes they have in practice."""

from __future__ import annotations

from pathlib import Path

import pytest

from hindsight_cli.api.known_secrets import known_secrets
from hindsight_cli.api.project import Project

VALUE = "correct-horse-battery"


@pytest.mark.parametrize(
    "name",
    [
        *("TOKEN", "PASSWORD", "SECRET", "PGPASSWORD", "DB_PASS", "GITHUB_PAT", "NPM_AUTH"),
        *("MYSQL_PWD", "SENTRY_DSN", "openai_api_key", "OPENAIAPIKEY", "SSH_PASSPHRASE"),
        *("DB_PASSWD", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "APP_CREDENTIALS", "TOKEN_2"),
    ],
)
def test_values_of_secret_names_are_known(name: str) -> None:
    assert known_secrets({name: VALUE}) == {name: VALUE}
    assert known_secrets({name: VALUE[:7]}) == {}


@pytest.mark.parametrize(
    "name",
    [
        *("PWD", "OLDPWD", "SSH_AUTH_SOCK", "HOME", "PATH", "GIT_AUTHOR_NAME", "DATABASE_URL"),
        *("COMPASS", "MONKEY", "PATTERN", "TOKEN_ENDPOINT"),
    ],
)
def test_values_of_other_names_are_not(name: str) -> None:
    assert known_secrets({name: f"/{VALUE}"}) == {}


def test_paths_of_existing_files_are_none(tmp_path: Path) -> None:
    assert known_secrets({"GOOGLE_CREDENTIALS": str(tmp_path)}) == {}
    assert known_secrets({"A_PASSWORD": str(tmp_path / "missing")}) != {}


@pytest.mark.parametrize("name", ["DATABASE_URL", "HTTP_PROXY", "PIP_INDEX_URL", "anything"])
def test_an_address_is_known_with_its_password(name: str) -> None:
    known = set(known_secrets({name: "postgres://me:hunter2%40home@db:5432/x"}).values())
    assert known == {"postgres://me:hunter2%40home@db:5432/x", "hunter2%40home", "hunter2@home"}
    assert known_secrets({name: "https://example.org:8080/a@b"}) == {}


def test_a_store_redacts_them_by_value(project: Project) -> None:
    opened = Project(project.root, env={"PGPASSWORD": VALUE})
    assert VALUE not in opened.redactor.text(f"it said {VALUE} and left")
