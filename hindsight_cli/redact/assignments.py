"""`NAME=value` in all its dress: shell, JSON, YAML, TOML, flags, URL queries, headers.

The name decides what the value must look like (names.py), the value decides whether it is a
secret (values.py); this module finds the value. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from hindsight_cli.redact import adjacent
from hindsight_cli.redact.adjacent import Name
from hindsight_cli.redact.headers import authorization_value
from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.literals import Value, read_value
from hindsight_cli.redact.names import IN_QUERY, Meaning, meaning_of
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.shapes import is_shape
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_secret

_QUOTES = frozenset("\"'`")
_LINK_CHARS = 120
_JSON_DIGITS = 6  # a shorter bare number in JSON is an index
_LINE_CHARS = 120  # how far back a line's beginning is looked for
_PHRASE_CHARS = 24
_MIXED_CHARS = 6  # a shorter name with a number is a variable
_SCALARS = frozenset(("|", "|-", ">", ">-", "|+", ">+"))
_SCALAR_CHARS = 600
_ENV_WORDS = ("export", "ENV", "-e", "env", "set", "--env")
_ASSIGN = (
    r"(?P<close>\\*[\"'`]|&quot;|&#3[49];|%22)?[\])]?[ \t]{0,8}"
    r"(?::[ \t]*[A-Za-z_][\w.\[\] |]{0,40}?[ \t]*(?==[ \t]*\\*[bfru]?[\"']))?"  # annotation
    r"(?P<sep>=>|:=|\?\?=|\|\|=|&&=|\?=|\?:|\+=|={1,3}|:(?![:/=])|::(?=[ \t])|：|＝|->|%3[aAdD])"
    r"(?P<space>[ \t]{0,16})"
)
# The twelve to twenty-four words that restore a wallet.
_MNEMONIC = r"\\*[\"']?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b(?![ \t]+[a-z])"
Form: TypeAlias = "Callable[[Name], Hit | None]"


def assigned(text: str, start: int, end: int) -> Hit | None:
    """The value given to the name at `start:end`, if the name promises a secret and it is one."""
    word = text[start:end]
    meaning = meaning_of(word)
    if word.lower() in ("key", "phrase"):
        meaning, end = _spelled_out(text, start, end)
    if meaning.level is Level.NONE or end >= len(text):
        return None
    if word.lower().endswith("authorization"):
        return authorization_value(text, end)
    name = Name(text, start, end, meaning)
    forms = (_by_separator,) if meaning.kind == IN_QUERY else _forms().get(text[end], ())
    return next((hit for form in forms if (hit := form(name)) is not None), None)


@lru_cache(maxsize=1)
def _forms() -> Mapping[str, tuple[Form, ...]]:
    """What may follow a name, by the first character after it."""
    quoted = (_by_separator, adjacent.by_markup, adjacent.by_pair, adjacent.by_flag)
    spaced = (_by_separator, adjacent.by_flag, adjacent.by_space)
    table: dict[str, tuple[Form, ...]] = dict.fromkeys(":=：＝?|&+%-)", (_by_separator,))
    table |= dict.fromkeys("\"'`\\]", quoted) | dict.fromkeys(" \t", spaced)
    table |= dict.fromkeys("<>", (adjacent.by_markup,))
    table |= {"(": (adjacent.by_call, adjacent.by_tuple), "=": (adjacent.by_tuple, _by_separator)}
    return MappingProxyType(table | dict.fromkeys(",\r\n", (adjacent.by_pair,)))


def _spelled_out(text: str, start: int, end: int) -> tuple[Meaning, int]:
    """The meaning of "API key", "Secret access key", "Access key ID"."""
    words = text[max(0, start - _PHRASE_CHARS) : start].rsplit("\n", 1)[-1]
    phrase = " ".join(compiled(r"[A-Za-z]+").findall(words)[-2:]) if words[-1:] in " _" else ""
    if text[end : end + 3].lower() == " id":
        end += 3
    return meaning_of(f"{phrase} {text[start:end]}".strip()), end


def _by_separator(name: Name) -> Hit | None:
    text, meaning = name.text, name.meaning
    assign = compiled(_ASSIGN).match(text, name.end, name.end + _LINK_CHARS)
    if assign is None:
        return None
    in_query = assign["sep"] == "=" and text[name.start - 1 : name.start] in ("?", "&", "#")
    if meaning.kind == IN_QUERY and not in_query:
        return None
    value = _value(text, assign, in_query=in_query)
    if value is None or _is_no_value(name, assign, value):
        return None
    candidate = text[value.start : value.end]
    config = in_query or _is_config(name, assign, value)
    if value.quote and value.start - assign.end() > len(value.quote) + 2:  # in a call: get("x")
        meaning = meaning._replace(level=min(meaning.level, Level.SECRET))
    if not is_secret(candidate, meaning.level, quoted=bool(value.quote), config=config):
        return None
    if _is_doubtful(name, candidate, value):
        return None
    close = assign["close"] or ""
    keep_json = close if close and not value.quote and assign["sep"] == ":" else ""
    return Hit(value.start, value.end, meaning.kind, quote=keep_json)


def _is_no_value(name: Name, assign: re.Match[str], value: Value) -> bool:
    if not value.quote:
        number = assign["close"] and value.end - value.start < _JSON_DIGITS
        digits = name.text[value.start : value.end].isdigit()
        return assign["sep"].startswith("==") or bool(number and digits)  # a vocabulary of tokens
    # In "Password:" the second quote closes what the first opened.
    return not assign["close"] and value.quote == name.text[name.start - 1 : name.start]


def _value(text: str, assign: re.Match[str], *, in_query: bool) -> Value | None:
    phrase = compiled(_MNEMONIC).match(text, assign.end())
    if phrase is not None:
        return Value(phrase.start(1), phrase.end(1), '"')
    value = read_value(text, assign.end())
    if value is None or value.quote:
        return value
    if text[value.start : value.end] in _SCALARS:
        line = compiled(r"[ \t]*\r?\n[ \t]+(\S[^\n]{3,})").match(
            text, value.end, value.end + _SCALAR_CHARS
        )
        return Value(line.start(1), line.end(1), '"') if line else None
    if in_query or assign["sep"][0] == "%":
        ends = "&" if in_query else r"&|%2[26]|%0[aA]"
        cut = compiled(ends).search(text, value.start, value.end)
        return value._replace(end=cut.start()) if cut else value
    return value


def _is_config(name: Name, assign: re.Match[str], value: Value) -> bool:
    """Whether the place holds only values: an environment, a JSON field, a line of YAML."""
    if assign["close"]:
        return bool(value.quote)
    text, start = name.text, name.start
    tight = assign["sep"] == "=" and not assign["space"] and assign.start("sep") == assign.start()
    around = text[start - 1 : start]
    if around in _QUOTES and text.startswith(around, value.end):  # -var="password=x"
        return tight
    floor = max(0, start - _LINE_CHARS)
    line = text[max(floor, text.rfind("\n", floor, start) + 1) : start]
    alone = not line.strip(" \t-+>#") or line.rstrip().endswith(_ENV_WORDS)
    if tight and not value.quote and text[value.end : value.end + 1] in (" ", "\t"):
        return _is_among_settings(name, line, value)
    rest = text[value.end : value.end + 2].strip("\"' ")
    return alone and (not rest or rest[0] in "\r\n#") and (tight or assign["sep"] in (":", "="))


def _is_among_settings(name: Name, line: str, value: Value) -> bool:
    """`PGPASSWORD=x psql`, `--password=x shop`, `host=h password=x dbname=d`."""
    word = name.text[name.start : name.end]
    given = name.text[value.start : value.end]
    mixed = any(map(str.isdigit, given)) and any(map(str.isalpha, given))
    if (mixed and len(given) >= _MIXED_CHARS) or word.isupper() or word.startswith("--"):
        return True
    after = name.text[value.end : value.end + _LINK_CHARS]
    pair = r"[A-Za-z_][\w-]{0,40}=[^\s=]{1,80}"
    return bool(
        compiled(rf"[ \t]+{pair}").match(after)
        or compiled(rf"(?:^|[ \t\"'])({pair})[ \t]+$").search(line)
    )


def _is_doubtful(name: Name, candidate: str, value: Value) -> bool:
    if name.word == "PASS" and not value.quote and is_shape("identifier", candidate):
        return True  # --- PASS: TestParse_EmptyInput
    weak = name.meaning.level is Level.WEAK and name.meaning.kind == "api_key"
    # A key of a cache, not of a door.
    return weak and not name.word.isupper() and is_shape("hex", candidate)
