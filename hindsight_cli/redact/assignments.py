"""`NAME=value` in all its dress: shell, JSON, YAML, TOML, XML, flags, URL queries, headers.

The name decides what the value must look like (names.py), the value decides whether it is a
secret (values.py); this module finds the value. Pure.
"""

from __future__ import annotations

import re

from hindsight_cli.redact.headers import authorization_value
from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.literals import Value, read_value
from hindsight_cli.redact.names import IN_QUERY, Meaning, meaning_of, words_of
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_random, is_scrambled, is_secret, is_shape, is_told

_QUOTES = "\"'`"
_LINK_CHARS = 120
_MARKUP_CHARS = 600
_RANDOM_CHARS = 16
_LONE_RANDOM_CHARS = 20
_SCALARS = frozenset(("|", "|-", ">", ">-", "|+", ">+"))
_ASSIGN = (
    r"(?P<close>\\*[\"'`]|&quot;|&#3[49];|%22)?[\])]?[ \t]{0,8}"
    r"(?::[ \t]*[A-Za-z_][\w.\[\] |]{0,40}?[ \t]*(?==[ \t]*\\*[bfru]?[\"']))?"  # annotation
    r"(?P<sep>=>|:=|\?\?=|\|\|=|&&=|\?=|\?:|\+=|={1,3}|:(?![:/=])|：|＝|->|%3[aAdD])"
    r"(?P<space>[ \t]{0,16})"
)
# <password>x</..  <name>password</name><value>x  key="password" value="x"  name="password">x
_TAGGED = (
    r">(?P<text>[^<>\n]{1,400})</|</[\w:]+>\s{0,40}<[\w:]+>(?P<next>[^<>\n]{1,400})</"
    r"|[\"'](?:\s+[\w:-]+=[\"'][^\"'<>]{0,60}[\"'])?\s+value=[\"'](?P<attr>[^\"'<>\n]{1,400})[\"']"
    r"|[\"'][^<>\n]{0,60}>(?P<body>[^<>\n]{1,400})</"
)
# "name": "DB_PASSWORD", "value": "x"   - name: DB_PASSWORD \n value: x   ("API_KEY", "x")
_PAIRED = (
    r"\\*[\"']?\s{0,3},?\s{0,40}\\*[\"']?(?P<field>(?i:value|val|secretvalue))\\*[\"']?[ \t]*[:=]>?[ \t]*"
    r"|\\*[\"'][ \t]*,\s{0,20}(?=[bfru]?\\*[\"'])"
)
_FLAG_GAP = r"[ \t]+(?:\\\r?\n[ \t]*)?|(\\*[\"'])[ \t]*,\s*(?=\1)"
_BEFORE_ENV = r"(?:ENV|setx|setenv|set -\w+)[ \t]+\Z"
_BEFORE_WORD = r"(?:login|user|connect|ssid)[ \t]+\S+[ \t]+\Z"


def assigned(text: str, start: int, end: int) -> Hit | None:
    """The value given to the name at `start:end`, if the name promises a secret and it is one."""
    name = text[start:end]
    meaning = meaning_of(name)
    if name.lower() == "key":
        meaning, end = _spelled_out(text, start, end)
    if meaning.level is Level.NONE:
        return None
    if name.lower().endswith("authorization"):
        return authorization_value(text, end)
    by_name = _by_separator(text, start, end, meaning)
    if by_name is not None or meaning.kind == IN_QUERY:
        return by_name
    return (
        _by_markup(text, start, end, meaning)
        or _by_pair(text, end, meaning, is_env=name.isupper() and "_" in name)
        or _by_flag(text, start, end, meaning)
        or _by_call(text, start, end, meaning)
        or _by_space(text, start, end, meaning)
    )


def _spelled_out(text: str, start: int, end: int) -> tuple[Meaning, int]:
    """The meaning of "API key", "Secret access key", "Access key ID"."""
    words = text[max(0, start - 24) : start].rsplit("\n", 1)[-1]
    phrase = " ".join(re.findall(r"[A-Za-z]+", words)[-2:]) if words[-1:] in " _" else ""
    if text[end : end + 3].lower() == " id":
        end += 3
    return meaning_of(f"{phrase} {text[start:end]}".strip()), end


def _hit(value: Value, meaning: Meaning, quote: str = "") -> Hit:
    return Hit(value.start, value.end, meaning.kind, quote=quote)


def _by_separator(text: str, start: int, end: int, meaning: Meaning) -> Hit | None:
    assign = compiled(_ASSIGN).match(text, end, end + _LINK_CHARS)
    if assign is None:
        return None
    in_query = text[start - 1 : start] in ("?", "&", "#") and assign["sep"] == "="
    value = read_value(text, assign.end())
    if value is not None and text[value.start : value.end] in _SCALARS:
        value = _block_scalar(text, value.end)
    if value is None or (assign["sep"].startswith("==") and not value.quote):
        return None
    if not value.quote and (in_query or assign["sep"][0] == "%"):
        ends = "&" if in_query else r"&|%2[26]|%0[aA]"
        cut = compiled(ends).search(text, value.start, value.end)
        value = value._replace(end=cut.start()) if cut else value
    quoted = bool(value.quote)
    if meaning.kind == IN_QUERY and not in_query:
        return None
    config = in_query or _is_config(text, start, assign, value)
    if quoted and value.start - assign.end() > len(value.quote) + 2:  # in a call: get("x")
        meaning = meaning._replace(level=min(meaning.level, Level.SECRET))
    if not _accepts(text, value, meaning, quoted=quoted, config=config, name=text[start:end]):
        return None
    close = assign["close"] or ""
    bare_json = close if close and not quoted and assign["sep"] == ":" else ""
    return _hit(value, meaning, bare_json)


def _block_scalar(text: str, at: int) -> Value | None:
    line = compiled(r"[ \t]*\r?\n[ \t]+(\S[^\n]{3,})").match(text, at, at + 600)
    return Value(line.start(1), line.end(1), '"') if line else None


def _is_config(text: str, start: int, assign: re.Match[str], value: Value) -> bool:
    """Whether the place holds only values: an environment, a JSON field, a line of YAML."""
    if assign["close"]:
        return bool(value.quote)
    tight = assign["sep"] == "=" and not assign["space"] and assign.start("sep") == assign.start()
    line = text[text.rfind("\n", 0, start) + 1 : start] if start else ""
    alone = not line.strip(" \t-+>#") or line.rstrip().endswith(("export", "ENV", "-e", "env", "set"))
    rest = text[value.end : value.end + 2].strip("\"' ")
    around = text[start - 1 : start] if start else ""
    if around in _QUOTES and around and text.startswith(around, value.end):  # -var="password=x"
        return tight
    return alone and (not rest or rest[0] in "\r\n#") and (tight or assign["sep"] in (":", "="))


def _accepts(  # noqa: PLR0913
    text: str, value: Value, meaning: Meaning, *, quoted: bool, config: bool, name: str
) -> bool:
    candidate = text[value.start : value.end]
    if not is_secret(candidate, meaning.level, quoted=quoted, config=config):
        return False
    if name == "PASS" and not quoted and is_shape("identifier", candidate):
        return False  # --- PASS: TestParse_EmptyInput
    doubtful = meaning.level is Level.WEAK and meaning.kind == "api_key" and not name.isupper()
    return not (doubtful and is_shape("hex", candidate))  # a key of a cache, not of a door


def _by_markup(text: str, start: int, end: int, meaning: Meaning) -> Hit | None:
    if text[end] not in "<>\"'":
        return None
    tagged = compiled(_TAGGED).match(text, end, end + _MARKUP_CHARS)
    if tagged is None:
        return None
    group = tagged.lastgroup or "text"
    if group == "text" and text[start - 1 : start] not in ("<", ":"):
        return None
    value = Value(tagged.start(group), tagged.end(group), '"')
    if not is_secret(text[value.start : value.end], meaning.level, config=True):
        return None
    return _hit(value, meaning)


def _by_pair(text: str, end: int, meaning: Meaning, *, is_env: bool) -> Hit | None:
    pair = compiled(_PAIRED).match(text, end, end + _LINK_CHARS)
    value = read_value(text, pair.end()) if pair else None
    if value is None:
        return None
    candidate = text[value.start : value.end]
    if pair is not None and pair["field"]:
        found = is_secret(candidate, meaning.level, quoted=bool(value.quote), config=True)
    else:  # two strings in a row, as in setenv("API_KEY", "x"): the second must speak for itself
        found = is_random(candidate, 16) or (is_env and is_secret(candidate, Level.TOKEN))
        found = found and is_secret(candidate, Level.TOKEN)
        found = found and not (is_shape("identifier", candidate) and not is_scrambled(candidate))
        found = found and (is_env or not any(mark in candidate for mark in ".: "))
    return _hit(value, meaning) if found else None


def _by_flag(text: str, start: int, end: int, meaning: Meaning) -> Hit | None:
    """`--password x`, `-token x`, and the same as a JSON list of arguments."""
    if text[start] != "-":
        return None
    gap = compiled(_FLAG_GAP).match(text, end)
    value = read_value(text, gap.end()) if gap else None
    if value is None or compiled(r"-{1,2}[A-Za-z]|[|&>;]").match(text, value.start):
        return None
    if not is_secret(text[value.start : value.end], meaning.level, config=True):
        return None
    return _hit(value, meaning)


def _by_call(text: str, start: int, end: int, meaning: Meaning) -> Hit | None:
    """`.password("x")`, `PASSWORD('x')`: a literal handed to something named after a secret."""
    if text[end] != "(" or text[end + 1 : end + 2] not in ("'", '"'):
        return None
    value = read_value(text, end + 1)
    if value is None or text[value.end + 1 : value.end + 2] not in (")", ","):
        return None
    plain = words_of(text[start:end])[-1] in ("password", "passwd", "passphrase", "pwd")
    level = Level.SECRET if plain else Level.WEAK
    return _hit(value, meaning) if is_secret(text[value.start : value.end], level) else None


def _by_space(text: str, start: int, end: int, meaning: Meaning) -> Hit | None:
    """`ENV API_KEY x`, `PASSWORD 'x'`, `login bot password x`: nothing but a space between."""
    gap = compiled(r"[ \t]{1,4}(?=[^\s|&;])").match(text, end)
    value = read_value(text, gap.end()) if gap else None
    if value is None or meaning.level is Level.WEAK or text[start:end].lower() == "pass":
        return None
    candidate = text[value.start : value.end]
    if text[start:end].isupper() and compiled(_BEFORE_ENV).search(text, max(0, start - 12), start):
        return _hit(value, meaning) if is_secret(candidate, meaning.level, config=True) else None
    if meaning.level is not Level.PASSWORD:
        return _hit(value, meaning) if is_random(candidate, 20) and is_secret(candidate, Level.TOKEN) else None
    told = value.quote or compiled(_BEFORE_WORD).search(text, max(0, start - 80), start)
    if not told or not is_told(candidate, quoted=bool(value.quote)):
        return None
    return _hit(value, meaning)
