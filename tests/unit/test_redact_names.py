"""What names promise, and what values look like."""

from __future__ import annotations

import pytest

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.names import meaning_of
from hindsight_cli.redact.shapes import is_placeholder, is_random, is_wordy
from tests.unit.redact_samples import fill


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("password", Level.PASSWORD),
        ("DB_PASSWORD_PROD", Level.PASSWORD),
        ("PGPASSWORD", Level.PASSWORD),
        ("--http-password", Level.PASSWORD),
        ("keyStorePass", Level.PASSWORD),
        ("client_secret", Level.SECRET),
        ("AWS_SECRET_ACCESS_KEY", Level.SECRET),
        ("x-api-key", Level.TOKEN),
        ("_authToken", Level.TOKEN),
        ("OPENAI_API_KEY_2", Level.TOKEN),
        ("AccountKey", Level.TOKEN),
        ("AccessKeyId", Level.WEAK),
        ("some_key", Level.WEAK),
        ("auth", Level.WEAK),
        ("todo_secret_do_not_commit", Level.WEAK),
        ("otp", Level.PIN),
        ("password_file", Level.NONE),
        ("token_url", Level.NONE),
        ("key_id", Level.NONE),
        ("max_tokens", Level.NONE),
        ("nextPageToken", Level.NONE),
        ("public_key", Level.NONE),
        ("cacheKey", Level.NONE),
        ("csrf_token", Level.NONE),
        ("bypass", Level.NONE),
        ("should_pass", Level.NONE),
        ("author", Level.NONE),
        ("monkey", Level.NONE),
    ],
)
def test_a_name_says_what_its_value_is(name: str, level: Level) -> None:
    assert meaning_of(name).level is level


@pytest.mark.parametrize(
    "value",
    ["<your-token>", "${TOKEN}", "$TOKEN", "{{ token }}", "%TOKEN%", "********", "xxxxxxxx",
     "...", "changeme", "your_api_key", "string", "None", "[REDACTED:token:ab12]", "&lt;key>"],
)  # fmt: skip
def test_what_stands_for_a_secret_is_a_placeholder(value: str) -> None:
    assert is_placeholder(value)


@pytest.mark.parametrize("template", ["{b62:32}", "{hex:40}", "{url:43}", "{b36:32}", "{b64:43}="])
def test_machine_made_values_look_random(template: str) -> None:
    random = [is_random(fill(template, seed), 16) for seed in range(300)]
    assert sum(random) >= 0.97 * len(random)


@pytest.mark.parametrize(
    "value",
    ["my-test-token-1", "application_configuration", "getUserPasswordFromStore",
     "2026-11-30T10:00:00", "some/path/to/module", "base64_encoded_string", "1234567890123456"],
)  # fmt: skip
def test_words_and_dates_do_not_look_random(value: str) -> None:
    assert not is_random(value, 16)


def test_words_are_told_from_noise() -> None:
    assert is_wordy("correct-horse-battery")
    assert not is_wordy("x7Kq-9vTz-bQ2m")
