"""The one pass that looks for the signs of all detectors."""

from __future__ import annotations

import random
import re

import pytest

from hindsight_cli.redact.named import _WORDS
from hindsight_cli.redact.signs import LITERALS, find_signs

NAMES = (
    *("password", "passwd", "pwd", "psk", "psw", "parola", "pin", "phrase", "secret", "senha"),
    *("seed", "sk", "salt", "sig", "signature", "sas", "sessionid", "token", "ticket", "key"),
    *("kennwort", "cred", "contrasena", "cookie", "code", "cvv", "auth", "appid", "ak", "jwt"),
    *("mnemonic", "motdepasse", "mdp", "bearer", "otp", "heslo", "haslo", "ñkey", "Kennwort"),
)
FLAGS = [f"{before}-{letter}" for before in " \t\"'" for letter in "hpPauUwsktAXbScnBN"]
CHUNK_CHARS = 65_536


@pytest.mark.parametrize(
    ("detector", "literal"), [(name, text) for name, texts in LITERALS.items() for text in texts]
)
def test_every_sign_is_found_at_every_place(detector: str, literal: str) -> None:
    whole = {":a": ":a_b", "-us": "-us1"}.get(literal, literal)
    for before in ("", "x", "中文 ", "\n" * (CHUNK_CHARS - 2), "\n" * CHUNK_CHARS):
        for after in ("", " ", "\n中", "9"):
            assert find_signs(before + whole + after)[detector] == [len(before)]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_that_talks_of_secrets_is_found(name: str) -> None:
    low = name.lower()
    is_word = re.compile(_WORDS).search
    texts = (
        before + low + after
        for before in ("", "db_", "中", "." * (CHUNK_CHARS - 3))
        for after in ("", "=x", "：", "\n")
    )
    for text in texts:
        found = is_word(text)
        assert found is not None
        assert found.start() in find_signs(text)["named"]


@pytest.mark.parametrize("flag", FLAGS)
def test_every_flag_is_found(flag: str) -> None:
    assert find_signs(f"curl{flag.lower()} x")["flags"] == [len("curl")]


def test_ordinary_text_has_next_to_no_signs() -> None:
    chance = random.Random(3)
    words = ("error", "file", "the", "of", "module", "line", "returned", "item", "build", "value")
    text = " ".join(chance.choices(words, k=20_000))

    assert sum(map(len, find_signs(text).values())) < len(text) / 100
