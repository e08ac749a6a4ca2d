from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hindsight_cli.guard.literals import literals


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run `docker compose up -d` again", ["docker compose up -d"]),
        ("pass --no-cache and -k to it", ["--no-cache", "-k"]),
        ("edit src/app/main.py", ["src/app/main.py"]),
        ("see /etc/nginx/nginx.conf", ["/etc/nginx/nginx.conf"]),
        ("write ~/.config/tool.toml", ["~/.config/tool.toml"]),
        ("pyproject.toml lists it", ["pyproject.toml"]),
        ("MYSQL_ROOT_PASSWORD must be set", ["MYSQL_ROOT_PASSWORD"]),
        ("set DEBUG_LEVEL=3", ["DEBUG_LEVEL=3"]),
        ("upgrade to v2.14.0", ["v2.14.0"]),
        ("needs Python 3.12", ["3.12"]),
        ("needs node 18", ["18"]),
        ("call get_user_details first", ["get_user_details"]),
        ("parseConfigFile raises KeyError", ["parseConfigFile", "KeyError"]),
        ("object.File.Hash differs", ["object.File.Hash"]),
        ("fetch https://example.com/a?b=1", ["https://example.com/a?b=1"]),
        ("ends with ENOENT or TS2345", ["ENOENT", "TS2345"]),
        ("exit code 137", ["137"]),
        ("port 54320", ["54320"]),
        ("1,203 dollars", ["1203"]),
        ('it says "has already been declared here"', ["has already been declared here"]),
        ("replace lines 287:296", ["287:296"]),
        ("do git rebase first", ["git rebase"]),
        ("pip install flask==2.3", ["flask==2.3", "pip install"]),
        ("用`npm ci`安装,再看 src/index.ts", ["npm ci", "src/index.ts"]),
        ("设置环境变量APP_MODE后重启", ["APP_MODE"]),
        ("端口8443被占用", ["8443"]),
    ],
)
def test_what_is_typed_or_read_exactly_is_a_literal(text: str, expected: list[str]) -> None:
    assert sorted(literals(text)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "Read the file again before editing it.",
        "Transfer to a human after the first refusal and/or timeout.",
        "GitHub, PyPI and JavaScript APIs, e.g. the REST API; PRs in CI",
        "use it 3+ times, wait 30 s, try 5 of 12",
        "over 1000 lines, about 500 rows",
        "the git history and docker images of the team",
        "step 12 and steps 3, 4 and 150",
        "第 120 步之后再做",
        'treat an empty result as "no comments"',
        "a root-cause fix, not a work-around; it's the user's",
        "先读文件再修改,不要猜测。",
        "OAuth2 over IPv6 and HTTP2",
    ],
)
def test_plain_words_are_no_literals(text: str) -> None:
    assert literals(text) == []


@given(st.text(max_size=300))
def test_any_text_has_a_list_of_literals(text: str) -> None:
    assert all(literals(text))
