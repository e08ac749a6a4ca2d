"""Brings the forms of an English word together: installs, installed, installation."""

from __future__ import annotations

from functools import lru_cache

_MIN_STEM = 3
_IRREGULAR = {
    form: base
    for base, forms in {
        "begin": "began begun",
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "catch": "caught",
        "choos": "chose chosen",
        "cut": "cutting",
        "die": "dies died dying",
        "find": "found",
        "freez": "froze frozen",
        "forget": "forgot forgotten",
        "get": "got gotten getting",
        "hang": "hung",
        "hid": "hide hidden",
        "hold": "held",
        "index": "indices indexes",
        "keep": "kept",
        "leav": "left",
        "lose": "lost losing",
        "put": "putting",
        "read": "reading",
        "run": "ran",
        "send": "sent",
        "shut": "shutting",
        "spend": "spent",
        "stick": "stuck",
        "take": "took taken taking",
        "tell": "told",
        "throw": "threw thrown",
        "use": "used uses using",
        "writ": "wrote written",
    }.items()
    for form in forms.split()
} | {word: word for word in ("format", "repeat", "locale", "station", "always", "this")}


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a lower-case word; anything but plain English letters comes back as it is."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= _MIN_STEM or not (word.isascii() and word.isalpha()):
        return word
    return _noun(_verb(_singular(word)))


def _singular(word: str) -> str:
    if word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _verb(word: str) -> str:
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            if len(base) >= _MIN_STEM and any(letter in "aeiouy" for letter in base):
                return _IRREGULAR.get(base, _undoubled(base))
    return word


def _noun(word: str) -> str:
    for ending, shortest in _NOUN_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= shortest:
            word = word[: -len(ending)]
            break
    if word.endswith("y") and len(word) > _MIN_STEM and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    if word.endswith("er") and len(word) > 5 and word[-3] == word[-4]:  # noqa: PLR2004
        return _undoubled(word[:-2])  # runner, logger
    return word[:-1] if word.endswith("e") and len(word) > _MIN_STEM else word


_NOUN_ENDINGS = (
    ("isation", 4),
    ("ization", 4),
    ("ation", 4),
    ("ise", 5),
    ("ize", 5),
    ("is", 5),
    ("iz", 5),
    ("ion", 4),
    ("ment", 5),
    ("ness", 4),
    ("able", 4),
    ("ible", 4),
    ("ate", 4),
    ("at", 4),
    ("ly", 4),
)


def _undoubled(base: str) -> str:
    return base[:-1] if base[-1] == base[-2] and base[-1] not in "aeioulsz" else base
