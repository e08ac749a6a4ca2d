"""Is this text a secret, or does it only stand where one would stand?

Every rule finds candidates by their surroundings and asks here about the candidate itself:
`<your-token>`, `${TOKEN}`, `********`, `get_token()`, `/run/secrets/x` and `string` are no
secrets however secret the name beside them is. Pure.
"""

from __future__ import annotations

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.names import meaning_of
from hindsight_cli.redact.shapes import (
    is_code,
    is_path,
    is_placeholder,
    is_random,
    is_scrambled,
    is_sequence,
    is_shape,
    is_wordy,
)
from hindsight_cli.redact.vocabulary import PROSE, TALK

_LEAST_CHARS = 4
_LEAST_WORD_CHARS = 5  # of a password of letters only
_LEAST_TOKEN_CHARS = 8
_LEAST_TOLD_CHARS = 6
_PIN_CHARS = 8
_WEAK_RANDOM_CHARS = 16
_ALPHABETIC_CHARS = 20
_LONG_CHARS = 512  # longer values are judged by their randomness alone
_DESCRIPTION_WORDS = 5
_CJK = "\u2e80"  # from here on scripts that passwords are not typed in
_SYMBOLS = frozenset("!@#$%^&*+=?~")
_BRACKETS = " ()[]{}<>\\\"'`;"
_JOINERS = frozenset("-_./: ")


def is_secret(value: str, level: Level, *, quoted: bool = True, config: bool = False) -> bool:
    """Whether a value found where a secret of `level` would stand is one.

    `quoted`: the value is a literal, so identifiers in it are not code. `config`: it stands
    alone in a place that holds only values (an environment variable, a JSON field, a flag).
    """
    if len(value) < _LEAST_CHARS or is_placeholder(value):
        return False
    if len(value) > _LONG_CHARS:
        return is_random(value, _LONG_CHARS) and not is_shape("hash", value)
    chosen = level is Level.PASSWORD and (config or is_shape("numbered", value))
    if is_path(value) or (not quoted and is_code(value, config=chosen)):
        return False
    if level is Level.PIN:
        found = value.isdigit() and len(value) <= _PIN_CHARS
    elif level is Level.PASSWORD:
        found = _is_password(value, quoted=quoted, config=config)
    elif level is Level.WEAK:
        found = not _is_identifier(value) and is_random(value, _WEAK_RANDOM_CHARS)
        found = found or is_shape("mnemonic", value)
    else:
        found = _is_token(value, level)
    return found


def _is_password(value: str, *, quoted: bool, config: bool) -> bool:
    digits = any(char.isdigit() for char in value)
    if " " in value:
        return quoted and is_phrase(value)
    if not value.isascii():
        return (config or quoted) and digits and max(value) < _CJK
    if value.replace("_", "").replace("-", "").isalpha():
        return is_scrambled(value) or ((quoted or config) and _is_lone_word(value))
    named = is_shape("dotted", value) and not digits  # a key of translations
    listed = "/" in value and not quoted and is_wordy(value)  # PASS: TestParse/empty_input
    numbered = is_shape("version", value) and not value.isdigit()
    return not (named or listed or numbered or is_shape("email", value))


def _is_identifier(value: str) -> bool:
    """Whether the value is as random as a key but open to everybody, or the name of one."""
    return any(is_shape(name, value) for name in ("uuid", "hash", "version")) or _is_name(value)


def _is_lone_word(value: str) -> bool:
    """A password of letters only; words that talk of passwords are none."""
    talks = any(word in value.lower() for word in TALK)
    return len(value) >= _LEAST_WORD_CHARS and value.isalpha() and not talks


def is_phrase(value: str) -> bool:
    """Whether some words are a password: few, with a digit, and no sentence."""
    words = value.lower().split()
    digits = any(char.isdigit() for char in value)
    return digits and len(words) < _DESCRIPTION_WORDS and PROSE.isdisjoint(words)


def _is_name(value: str) -> bool:
    """Whether the value is itself the name of a secret: get("API_KEY"), api_key_2."""
    if is_shape("typename", value.rpartition(".")[2]):
        return True
    plain = value.replace("_", "a").replace("-", "a").isalnum()
    return plain and meaning_of(value).level is not Level.NONE


def _is_token(value: str, level: Level) -> bool:
    if level is Level.SECRET and is_shape("mnemonic", value):
        return True
    brackets = " " if level is Level.SECRET else _BRACKETS
    if len(value) < _LEAST_TOKEN_CHARS or not value.isascii() or any(b in value for b in brackets):
        return False
    if any(is_shape(name, value) for name in ("number", "version", "email", "hash")):
        return False
    if is_sequence(value) or _is_name(value):
        return False
    digits = any(char.isdigit() for char in value)
    if not digits or not any(char.isalpha() for char in value):
        return is_random(value, _ALPHABETIC_CHARS) or is_scrambled(value)
    typed = level is Level.SECRET and _JOINERS.isdisjoint(value)
    return typed or not is_wordy(value)


def is_told(value: str, *, quoted: bool) -> bool:
    """Whether a word that a sentence calls a password is one: mixed, not a word of the sentence."""
    if len(value) < _LEAST_TOLD_CHARS or " " in value or is_shape("pair", value):
        return False
    digits = any(char.isdigit() for char in value)
    mixed = digits or not _SYMBOLS.isdisjoint(value[1:-1]) or is_scrambled(value)
    if not mixed or not (value.isdigit() or any(char.isalpha() for char in value)):
        return False
    return is_secret(value, Level.PASSWORD, quoted=quoted, config=digits)
