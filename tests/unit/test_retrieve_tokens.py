from __future__ import annotations

import pytest

from hindsight_cli.retrieve.stem import stem
from hindsight_cli.retrieve.tokens import terms


@pytest.mark.parametrize(
    "forms",
    [
        "install installs installed installing installation",
        "migrate migrates migrating migration migrations",
        "configure configured configuration",
        "retry retries retried retrying",
        "run runs running ran runner",
        "write writes writing written wrote",
        "build builds building built",
        "initialise initialize initialised initialization",
        "connect connects connecting connection",
        "cache caches cached caching",
        "class classes",
        "status",
    ],
)
def test_the_forms_of_a_word_are_one_term(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("container", "contain"), ("format", "form"), ("server", "serve"), ("utf8", "utf16")],
)
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MAX_RETRY_COUNT", {"max", "retri", "count", "maxretrycount"}),
        ("maxRetryCount", {"max", "retri", "count", "maxretrycount"}),
        ("max-retry-count", {"max", "retri", "count", "maxretrycount"}),
        ("api.internal.host", {"api", "internal", "host", "apiinternalhost"}),
        ("--dry-run", {"dry", "run", "dryrun"}),
        ("HTTPServer", {"http", "server", "httpserver"}),
        ("std::sort", {"std", "sort", "stdsort"}),
        ("utf8mb4", {"utf8mb4"}),
        ("C++ and C#", {"cpp", "and", "csharp"}),
        ("don't", {"don"}),
        ("naïve ｆｕｌｌ", {"naiv", "full"}),
    ],
)
def test_an_identifier_gives_its_parts_and_itself(text: str, expected: set[str]) -> None:
    assert set(terms(text)) == expected


def test_chinese_gives_characters_and_pairs_apart_from_latin_next_to_it() -> None:
    assert terms("重跑gen-x后") == ["重", "跑", "重跑", "gen", "x", "genx", "后"]


@pytest.mark.parametrize("text", ["", "\x00", "\ud800", "🚀 ✅", "---", "'", "a" * 100_000])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert terms(text) == []
