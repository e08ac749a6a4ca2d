"""Redaction of JSON values and of secrets known by value."""

from __future__ import annotations

import base64
import html
import json
import urllib.parse
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_cli.redact import Redactor
from tests.unit.redact_samples import fill

TOKEN = fill("ghp_{b62:36}", 5)
PASSWORD = fill("{pw}", 5)


def clean(value: Any) -> Any:
    return Redactor(key=b"k").value(value)


@pytest.mark.parametrize("secret", ["x", "hunter", "12345", "Falcon@harbor4559", "two words 7"])
def test_a_password_field_holds_a_password_however_weak(secret: str) -> None:
    assert str(clean({"password": secret})["password"]).startswith("[REDACTED:password:")


@pytest.mark.parametrize(
    "value",
    [
        {"password": ""},
        {"password": None},
        {"password": True},
        {"password": "********"},
        {"password": "${DB_PASSWORD}"},
        {"password": "string"},
        {"password": {"type": "string", "description": "The password of the user"}},
        {"PWD": "/workspace/app", "pwd": "/root"},
        {"pass": "12 passed"},
        {"type": "thinking", "signature": fill("{b64:200}")},
        {"tokens": 12345, "max_tokens": "4096", "token": "hello"},
        {"key": "pip-linux", "session_id": "ses_1f2e3d4c5b6a"},
        {"n": 1.5, "ok": False, "items": [1, "two", None, {}]},
    ],
)
def test_other_fields_stay_as_they_are(value: dict[str, Any]) -> None:
    assert clean(value) == value


def test_a_number_in_a_password_field_is_replaced() -> None:
    assert clean({"password": 123456, "pin": 1234, "port": 5432}) == {
        "password": clean({"password": "123456"})["password"],
        "pin": clean({"pin": "1234"})["pin"],
        "port": 5432,
    }


def test_secrets_in_keys_go_and_no_two_keys_become_one() -> None:
    answer = clean({TOKEN: 1, "a": {f"{TOKEN} x": 2, f"{TOKEN} y": 3}})

    assert TOKEN not in json.dumps(answer)
    assert next(iter(answer.values())) == 1
    assert sorted(answer["a"].values()) == [2, 3]


def test_a_flag_tells_what_the_next_argument_is() -> None:
    argv = ["docker", "login", "-u", "ci", "-p", PASSWORD, "registry.test"]

    answer = clean(argv)

    assert answer[:5] == argv[:5]
    assert answer[5].startswith("[REDACTED:password:")
    assert answer[6] == "registry.test"


def test_a_name_beside_a_value_tells_what_it_is() -> None:
    answer = clean(
        {
            "env": [{"name": "DB_PASSWORD", "value": PASSWORD}, {"name": "DEBUG", "value": "1"}],
            "headers": [["Authorization", f"Bearer {TOKEN}"], ["Accept", "*/*"]],
        }
    )

    assert answer["env"][0]["name"] == "DB_PASSWORD"
    assert PASSWORD not in json.dumps(answer)
    assert TOKEN not in json.dumps(answer)
    assert answer["env"][1] == {"name": "DEBUG", "value": "1"}
    assert answer["headers"][1] == ["Accept", "*/*"]


def test_a_key_block_split_over_the_lines_of_a_list_goes_whole() -> None:
    body = [fill("{b64:64}", seed) for seed in range(4)]
    lines = ["-----BEGIN PRIVATE KEY-----", *body, "-----END PRIVATE KEY-----"]

    answer = clean({"lines": ["$ cat key", *lines, "$ ls"]})["lines"]

    assert len(answer) == len(lines) + 2
    assert (answer[0], answer[-1]) == ("$ cat key", "$ ls")
    assert not set(body) & set(answer)


def test_every_value_of_a_kubernetes_secret_goes() -> None:
    answer = clean({"kind": "Secret", "metadata": {"name": "a"}, "data": {"u": "YWRtaW4x"}})

    assert answer["metadata"] == {"name": "a"}
    assert answer["data"]["u"].startswith("[REDACTED:secret:")


def test_cookie_and_authorization_fields_are_read_as_headers() -> None:
    token = fill("{b62:32}", 2)
    answer = clean({"Cookie": f"theme=dark; sid={token}", "authorization": f"Bearer {token}"})

    assert answer["Cookie"].startswith("theme=dark; sid=[REDACTED:cookie:")
    assert answer["authorization"].startswith("Bearer [REDACTED:bearer_token:")


def test_json_within_a_string_stays_json() -> None:
    inner = json.dumps({"password": 12345678, "token": TOKEN, "n": 1})

    answer = json.loads(clean({"arguments": inner})["arguments"])

    assert answer["n"] == 1
    assert TOKEN not in json.dumps(answer)


@pytest.mark.parametrize("after", ['\\"', '"', ",", "}", "]", "\\n"])
def test_a_secret_beside_punctuation_leaves_the_line_parseable(after: str) -> None:
    line = json.dumps({"a": f"password={PASSWORD}{after} next", "b": [f"{TOKEN}{after}"]})

    answer = json.dumps(clean(json.loads(line)))

    assert PASSWORD not in answer
    assert TOKEN not in answer
    assert json.loads(answer).keys() == {"a", "b"}


def test_depth_does_not_matter() -> None:
    value: Any = f"token={TOKEN}"
    for _ in range(20_000):
        value = [value]

    answer = clean(value)
    while isinstance(answer, list):
        answer = answer[0]

    assert answer.startswith("token=[REDACTED:")


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.just(f"a {TOKEN} b"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(_JSON)
def test_a_redacted_value_serialises_and_is_left_alone(value: Any) -> None:
    once = clean(value)

    assert TOKEN not in json.dumps(once)
    assert json.loads(json.dumps(once)) == once
    assert clean(once) == once


SECRET = 'q7 "zürich"/+& plum\\9'
ESCAPED = {
    "raw": SECRET,
    "json": json.dumps(SECRET)[1:-1],
    "json, not ascii": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "json in json": json.dumps(json.dumps(SECRET)[1:-1])[1:-1],
    "url": urllib.parse.quote(SECRET, safe=""),
    "url, slash kept": urllib.parse.quote(SECRET),
    "form": urllib.parse.quote_plus(SECRET),
    "html": html.escape(SECRET),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 for urls": base64.urlsafe_b64encode(SECRET.encode()).decode(),
    "python": repr(SECRET)[1:-1],
}


@pytest.mark.parametrize("escaped", ESCAPED.values(), ids=ESCAPED.keys())
def test_a_known_value_goes_in_every_escaping(escaped: str) -> None:
    redactor = Redactor(key=b"k", known_values={"MY_SECRET": SECRET})

    answer = redactor.text(f"before {escaped} after")

    assert answer.startswith("before [REDACTED:my_secret:")
    assert answer.endswith("] after")


def test_a_known_value_has_one_mark_whatever_its_escaping() -> None:
    redactor = Redactor(key=b"k", known_values={"MY_SECRET": SECRET})
    assert len({redactor.text(escaped) for escaped in ESCAPED.values()}) == 1


@pytest.mark.parametrize("user", ["a", "ab", "abc", "abcd"])
def test_a_known_value_goes_within_longer_base64(user: str) -> None:
    value = fill("{b62:30}", 4)
    redactor = Redactor(known_values={"API_TOKEN": value})
    encoded = base64.b64encode(f"{user}:{value}:tail".encode()).decode()

    answer = redactor.text(f"x {encoded} y")

    assert "[REDACTED:" in answer
    assert value[4:-4] not in base64.b64decode(answer.split()[1].split("[")[0] + "==").decode(
        "utf-8", "replace"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("hunter22", "a wild_hunter2222 file"),
        ("true", "it is true"),
        ("/run/secrets/key", "open /run/secrets/key"),
        ("1234567", "port 1234567"),
        ("password", "the password field"),
    ],
)
def test_a_known_value_that_says_nothing_is_not_looked_for(value: str, text: str) -> None:
    assert Redactor(known_values={"SOME_KEY": value}).text(text) == text
