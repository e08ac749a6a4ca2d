"""Values beside a name without `=`: in markup, pairs, flags, calls, after a space. Pure."""

from __future__ import annotations

from typing import NamedTuple

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.literals import Value, read_value
from hindsight_cli.redact.names import Meaning, words_of
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.shapes import is_random, is_scrambled, is_shape
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_secret, is_told

_PAIR_CHARS = 120
_MARKUP_CHARS = 600
_RANDOM_CHARS = 16
_LONE_RANDOM_CHARS = 20
# <password>x</..  <name>password</name><value>x  key="password" value="x"  name="password">x
_TAGGED = (
    r">(?P<text>[^<>\n]{1,400})</|</[\w:]+>\s{0,40}<[\w:]+>(?P<next>[^<>\n]{1,400})</"
    r"|[\"'](?:\s+[\w:-]+=[\"'][^\"'<>]{0,60}[\"'])?\s+value=[\"'](?P<attr>[^\"'<>\n]{1,400})[\"']"
    r"|[\"'][^<>\n]{0,60}>(?P<body>[^<>\n]{1,400})</"
)
# "name": "DB_PASSWORD", "value": "x"   - name: DB_PASSWORD \n value: x   ("API_KEY", "x")
_PAIRED = (
    r"\\*[\"']?\s{0,3},?\s{0,40}\\*[\"']?"
    r"(?P<field>(?i:value|val|secretvalue))\\*[\"']?[ \t]*[:=]>?[ \t]*"
    r"|\\*[\"'][ \t]*,\s{0,20}(?=[bfru]?\\*[\"'])"
)
_FLAG_GAP = r"[ \t]+(?:\\\r?\n[ \t]*)?|(\\*[\"'])[ \t]*,\s*(?=\1)"
_BEFORE_ENV = r"(?:ENV|setx|setenv|set -\w+)[ \t]+\Z"
_BEFORE_WORD = (
    r"(?:(?:login|user|username|connect|ssid)[ \t]+\S+(?:[ \t]+privilege[ \t]+\d+)?|enable)[ \t]+\Z"
)
_TUPLE = (
    r"[ \t]*=?[ \t]*\([ \t]*([\"'])[^\"'\n]{0,80}\1[ \t]*,[ \t]*[bru]?([\"'])([^\"'\n]{4,128})\2"
)


class Name(NamedTuple):
    """A name in a text, and what it promises of its value."""

    text: str
    start: int
    end: int
    meaning: Meaning

    @property
    def word(self) -> str:
        """The name as written."""
        return self.text[self.start : self.end]

    def hit(self, value: Value) -> Hit:
        """The report that this name's value is a secret."""
        return Hit(value.start, value.end, self.meaning.kind)


def by_markup(name: Name) -> Hit | None:
    """`<password>x</password>`, `key="password" value="x"`."""
    text, start = name.text, name.start
    tagged = compiled(_TAGGED).match(text, name.end, name.end + _MARKUP_CHARS)
    if tagged is None:
        return None
    group = tagged.lastgroup or "text"
    if group == "text" and text[start - 1 : start] not in ("<", ":"):
        return None
    value = Value(tagged.start(group), tagged.end(group), '"')
    found = is_secret(text[value.start : value.end], name.meaning.level, config=True)
    return name.hit(value) if found else None


def by_pair(name: Name) -> Hit | None:
    """`name: DB_PASSWORD` and `value: x`; `("API_KEY", "x")`."""
    text, level = name.text, name.meaning.level
    pair = compiled(_PAIRED).match(text, name.end, name.end + _PAIR_CHARS)
    value = read_value(text, pair.end()) if pair else None
    if pair is None or value is None:
        return None
    candidate = text[value.start : value.end]
    if pair["field"]:
        found = is_secret(candidate, level, quoted=bool(value.quote), config=True)
        return name.hit(value) if found else None
    # Two strings in a row, as in setenv("API_KEY", "x"): the second must speak for itself.
    if not is_secret(candidate, Level.TOKEN):
        return None
    if is_shape("identifier", candidate) and not is_scrambled(candidate):
        return None
    is_env = name.word.isupper() and "_" in name.word
    plain = not any(mark in candidate for mark in ".: ")
    return name.hit(value) if is_env or (plain and is_random(candidate, _RANDOM_CHARS)) else None


def by_flag(name: Name) -> Hit | None:
    """`--password x`, `-token x`, and the same as a JSON list of arguments."""
    text = name.text
    gap = compiled(_FLAG_GAP).match(text, name.end) if text[name.start] == "-" else None
    value = read_value(text, gap.end()) if gap else None
    if value is None or compiled(r"-{1,2}[A-Za-z]|[|&>;]").match(text, value.start):
        return None
    found = is_secret(text[value.start : value.end], name.meaning.level, config=True)
    return name.hit(value) if found else None


def by_call(name: Name) -> Hit | None:
    """`.password("x")`, `PASSWORD('x')`: a literal handed to something named after a secret."""
    text, end = name.text, name.end
    value = read_value(text, end + 1) if text[end + 1 : end + 2] in ("'", '"') else None
    if value is None or text[value.end + 1 : value.end + 2] not in (")", ","):
        return None
    plain = words_of(name.word)[-1] in ("password", "passwd", "passphrase", "pwd")
    level = Level.SECRET if plain else Level.WEAK
    return name.hit(value) if is_secret(text[value.start : value.end], level) else None


def by_space(name: Name) -> Hit | None:
    """`ENV API_KEY x`, `PASSWORD 'x'`, `login bot password x`: nothing but a space between."""
    text, start, level = name.text, name.start, name.meaning.level
    if level is Level.WEAK or name.word.lower() == "pass":
        return None
    # A router's configuration has a digit between, the kind of hash.
    gap = compiled(r"[ \t]{1,4}(?:[05-9][ \t]+)?(?=[^\s|&;])").match(text, name.end)
    value = read_value(text, gap.end()) if gap else None
    if value is None:
        return None
    candidate = text[value.start : value.end]
    if name.word.isupper() and compiled(_BEFORE_ENV).search(text, max(0, start - 12), start):
        found = is_secret(candidate, level, config=True)
    elif level is not Level.PASSWORD:
        found = is_random(candidate, _LONE_RANDOM_CHARS) and is_secret(candidate, Level.TOKEN)
    else:
        told = value.quote or compiled(_BEFORE_WORD).search(text, max(0, start - 80), start)
        found = bool(told) and is_told(candidate, quoted=bool(value.quote))
    return name.hit(value) if found else None


def by_tuple(name: Name) -> Hit | None:
    """`auth=("bot", "x")`, `HTTPBasicAuth("bot", "x")`: the second string is a password."""
    if words_of(name.word)[-1] != "auth":
        return None
    pair = compiled(_TUPLE).match(name.text, name.end, name.end + _PAIR_CHARS * 2)
    if pair is None or not is_secret(pair[3], Level.PASSWORD):
        return None
    return Hit(pair.start(3), pair.end(3), "password")
