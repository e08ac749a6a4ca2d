"""A project with two lessons, in English and in Chinese, that lives as long as a module."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hindsight_cli.api.project import Project
from hindsight_cli.api.proposing import add_experiences

MYSQL = {
    "kind": "failure_lesson",
    "scenario": "Deploying MySQL in a container",
    "recommend": "Hand `--env-file .env` to docker run, so that a root password is set.",
    "avoid": "Starting mysql:8.4 without a password option.",
    "tool_tags": ["docker", "mysql"],
    "task_tags": ["deployment"],
}
REPORT = {
    "kind": "key_decision",
    "scenario": "统计上个月的退款订单时选择时间字段",
    "recommend": "按 refunded_at 过滤,不要用 created_at。",
    "tool_tags": ["mysql"],
    "task_tags": ["data"],
}
PORT = {
    "kind": "failure_lesson",
    "scenario": "Error: bind: address already in use when the web server is started",
    "recommend": "Find the owner with `ss -ltnp` and stop it, or set PORT=8081.",
    "tool_tags": ["server"],
}


@dataclass(frozen=True)
class Shop:
    """A project, the environment its processes need, and the ids of its lessons."""

    project: Project
    env: dict[str, str]
    mysql: str
    report: str
    port: str


def make_shop(folder: Path) -> Shop:
    env = {"HINDSIGHT_CLI_DATA_DIR": str(folder / "user")}
    project = Project(folder / "shop", env=env)
    project.root.mkdir()
    project.init()
    own: list[dict[str, Any]] = [MYSQL, REPORT, PORT]
    ids = [s.experience.experience_id for s in add_experiences(project, own, approve=True)]
    return Shop(project, env, *ids)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return make_shop(tmp_path_factory.mktemp("mcp"))
