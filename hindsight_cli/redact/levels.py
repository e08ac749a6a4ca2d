"""How far the surroundings of a value go to prove that it is a secret."""

from __future__ import annotations

from enum import IntEnum


class Level(IntEnum):
    """How much the surroundings alone prove; the less, the more the value must show."""

    NONE = 0
    WEAK = 1  # `..._key`, `auth`, `signature`: only a long random value is a secret
    TOKEN = 2  # `token`, `api_key`: machine-made, so words and versions are not
    SECRET = 3  # `client_secret`: mostly machine-made, sometimes typed by a person
    PASSWORD = 4  # chosen by people: anything that is not a placeholder
    PIN = 5  # digits only
