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


def canonical(tag: str) -> str:
    """The key of a tag; tags that differ in case, hyphens or a known alias share it."""
    return tool_named("".join(_spelled(tag)))


def tool_named(term: str) -> str:
    """The key of the tool that a term of a query may name."""
    return _aliases().get(term, term)


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
