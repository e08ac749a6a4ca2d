"""Tags under one spelling: 'K8s' and 'kubernetes' are one tool."""

from __future__ import annotations

from functools import lru_cache

from hindsight_cli.retrieve.stem import stem
from hindsight_cli.retrieve.tokens import words

_SAME_TOOL = """
kubernetes k8s kubectl
postgres postgresql pg psql psycopg psycopg2
mysql mysqld mariadb
mongo mongodb
node nodejs
python python3 py
go golang
javascript js
typescript ts
terraform tf
github gh
docker container dockerfile 容器
compose docker-compose
"""
# Languages and tools of everyday work. That two texts name one of them says in which corner
# they are, not that they are about one thing. No name here has another meaning in a request.
_EVERYDAY = """
ansible apache apt aws azure babel bash bazel bun c++ c# cargo celery chrome claude clang cmake
codex composer conda cpp csharp curl cypress deno django docker elasticsearch eslint excel fastapi
firefox flask gcc gcloud gemini git github gitlab golang gradle grafana gunicorn helm heroku
homebrew html java javascript jenkins jest jira jq kafka kotlin kubernetes laravel latex lua
maven mongo mypy mysql nextjs nginx node nodejs npm npx numpy openssl pandas perl php
pip pipenv playwright pnpm podman poetry postgres powershell prettier prisma prometheus pulumi
pylint pytest python pytorch rabbitmq rails redis rsync ruby ruff rustc rustup scala selenium
sql sqlalchemy sqlite ssh sudo svelte systemctl systemd tensorflow terraform tmux
typescript uvicorn vim vite vitest vscode vue webpack wget wsl yarn zsh
"""


def canonical(tag: str) -> str:
    """The key of a tag; tags that differ in case, hyphens or a known alias share it."""
    return tool_named("".join(_spelled(tag)))


def tool_named(term: str) -> str:
    """The key of the tool that a term of a query may name."""
    return _aliases().get(term, term)


def is_everyday(term: str) -> bool:
    """Whether a term of a query is the name of a common tool or language, versions aside."""
    name = tool_named(term.rstrip("0123456789") or term)
    return name in _everyday_stems(name[:1])


@lru_cache(maxsize=64)
def _everyday_stems(initial: str) -> frozenset[str]:
    """Of the everyday names with this initial, their keys: stems keep their initials."""
    names = (name for name in _EVERYDAY.split() if name[:1] == initial)
    return frozenset(tool_named(stem(name)) for name in names)


@lru_cache(maxsize=1)
def _aliases() -> dict[str, str]:
    return {
        stem(alias.replace("-", "")): stem(line.split()[0])
        for line in _SAME_TOOL.strip().splitlines()
        for alias in line.split()
    }


def _spelled(tag: str) -> list[str]:
    return [
        word.surface if word.is_cjk else word.whole or "".join(word.parts) for word in words(tag)
    ]
