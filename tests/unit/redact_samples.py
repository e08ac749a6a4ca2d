"""Random secrets for the redaction tests, made while they run.

Nothing here was ever issued by anybody, and no real-looking key lies in the repository,
where the scanners of hosting services would stop a push.
"""

from __future__ import annotations

import random
import re
import string

_ALPHABETS = {
    "b62": string.ascii_letters + string.digits,
    "b36": string.ascii_lowercase + string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "url": string.ascii_letters + string.digits + "-_",
    "hex": string.digits + "abcdef",
    "HEX": string.digits + "ABCDEF",
    "up": string.ascii_uppercase + "234567",
    "dig": string.digits,
    "alpha": string.ascii_letters,
}
_WORDS = ("Falcon", "harbor", "Velvet", "orchid", "Copper", "quartz", "River", "lantern")


def fill(template: str, seed: int = 1) -> str:
    """The template with `{b62:36}` and the like filled in, `{pw}` by a typed password."""
    source = random.Random(f"{template} {seed}")

    def filled(match: re.Match[str]) -> str:
        if match[1] == "pw":
            return a_password(source)
        return "".join(source.choices(_ALPHABETS[match[1]], k=int(match[2])))

    return re.sub(rf"\{{(pw|{'|'.join(_ALPHABETS)})(?::(\d+))?\}}", filled, template)


def a_password(source: random.Random) -> str:
    """What people type: two words, something between, a number."""
    first, second = source.sample(_WORDS, 2)
    return f"{first}{source.choice('@#!x_.')}{second}{source.randrange(1000, 9999)}"


def a_token(seed: int = 1, chars: int = 40) -> str:
    """A machine-made token of letters and digits."""
    return fill(f"{{b62:{chars}}}", seed)
