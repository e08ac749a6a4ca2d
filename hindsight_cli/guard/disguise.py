"""Words written so that a person does not read them: a sign that needs no list of phrases.

Nobody who has something honest to say spells it in escapes, in the letters of three
alphabets or letter by letter. What is disguised is decoded by views.py; here only the
disguise itself is told.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final

from hindsight_cli.guard.views import payloads, spelt_out

_ESCAPED_LETTERS = re.compile(
    r"(?:%(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])){4}"
    r"|(?:&#(?:x[46][1-9a-f]|x[57][0-9a]|6[5-9]|[789]\d|1[01]\d|12[0-2]);){4}"
    r"|(?:\\u00(?:[46][1-9a-f]|[57][0-9a])){4}|(?:\\x(?:[46][1-9a-f]|[57][0-9a])){4}"
    r"|(?:\\[01][0-7]{2}){5}|(?:%25[0-9a-f]{2}){3}"
    r"|(?:(?:\\u|&#x)[4-9][0-9a-f]{3};?){4}|(?:(?:%|\\x)e[4-9](?:%|\\x)[0-9a-f]{2}(?:%|\\x)[0-9a-f]{2}){4}",
    re.IGNORECASE,
)
_SPACES: Final = ("%20", "%2520")  # of escaped prose; an address may hold a few
_MIXED_WORD = re.compile(
    r"[A-Za-z]+[\u0370-\u03ff\u0400-\u04ff\u0561-\u0587][A-Za-z\u0370-\u04ff]*"
    r"|[\u0370-\u03ff\u0400-\u04ff][\u0370-\u03ff\u0400-\u04ff]*[A-Za-z]{2,}"
)
_ODD_LETTERS = re.compile(
    "[\U0001d400-\U0001d6a3]{3}|[\u24b6-\u24e9]{3}|[\U0001f130-\U0001f189]{3}"
    "|(?:[\u1d00-\u1d22\u0299\u0262\u026a\u029f\u0274\u0280\ua730\ua731\u028f]\\w?){3}"
    "|(?:[A-Za-z][\u0335-\u0338\u0488\u0489]){4}|(?:\\w[\u0300-\u036f]{3,}){2}"
)
_LEET_WORD = re.compile(
    r"(?<![\w$@./-])(?=[a-z]*[0134578$@])(?=[\w$@]*[a-z])[a-z0134578$@]{3,14}(?![\w$@./-])"
)
_MANY_LEET: Final = 4  # words with digits for letters: `k8s` and `i18n` are none
_LEET_PAIR = re.compile(r"[a-z][0134578$@][a-z]|[0134578$@][a-z]+[0134578$@]")
_MIXED_CASE = re.compile(r"\b(?:[a-z][A-Z]){2,}[a-z]?\b|\b(?:[A-Z][a-z]){2,}[A-Z]\b")
_WORDS = re.compile(r"[A-Za-z']{2,}")
_CJK_RUN = re.compile(
    "[\u3400-\u9fff].*[\u3400-\u9fff].*[\u3400-\u9fff].*[\u3400-\u9fff]", re.DOTALL
)
_LINES_OF_ONE_WORD = re.compile(r"(?:^[^\s]{1,20}\n){6}", re.MULTILINE)
_LINES_OF_ONE_CJK = re.compile(r"(?:^[\u3400-\u9fff]\n){4}", re.MULTILINE)
_FAR_BELOW = re.compile(r"\n[ \t\n]{30,}\S")
_COMMENT = re.compile(
    r"<!--.{12,}?-->|^\[(?://|comment|_metadata_)[^\]]*\]:\s*#?\s*[(\"<].{12,}",
    re.DOTALL | re.MULTILINE,
)
_FREQUENT: Final = frozenset(
    ("the and of to in is with for on this that it all your from are be").split()  # noqa: SIM905
)
_MIN_FREQUENT: Final = 2
_MIN_WORDS: Final = 3
_IN_COMMENT: Final = 4  # `<!-- prettier-ignore -->` is no message


def disguises(text: str) -> list[str]:
    """The ways in which `text`, as it came, hides words from who reads it."""
    return list(dict.fromkeys(_found(text)))


def _found(text: str) -> Iterator[str]:
    yield from _encoded(text)
    if not text.isascii():
        yield from _foreign(text)
    if "\n" in text:
        yield from _laid_out(text)
    yield from _respelt(text)


def _encoded(text: str) -> Iterator[str]:
    if any(_is_worded(payload) for payload in payloads(text)):
        yield "encoded words"
    if _ESCAPED_LETTERS.search(text) or _has_escaped_spaces(text):
        yield "escaped letters"


def _foreign(text: str) -> Iterator[str]:
    if len(_MIXED_WORD.findall(text)) >= _MIN_WORDS:
        yield "words of two alphabets"
    if _ODD_LETTERS.search(text):
        yield "letters that are symbols"


def _laid_out(text: str) -> Iterator[str]:
    if _LINES_OF_ONE_WORD.search(text) or _LINES_OF_ONE_CJK.search(text):
        yield "one word a line"
    if _FAR_BELOW.search(text):
        yield "words far below"


def _respelt(text: str) -> Iterator[str]:
    if any(is_prose(words, least=_IN_COMMENT) for words in _COMMENT.findall(text)):
        yield "words in a comment"
    if any(is_prose(word, least=1) for word in spelt_out(text)):
        yield "spelt-out words"
    if sum(1 for w in _LEET_WORD.findall(text.casefold()) if _LEET_PAIR.search(w)) >= _MANY_LEET:
        yield "digits for letters"
    if len(_MIXED_CASE.findall(text)) >= _MIN_FREQUENT:
        yield "upper and lower case in turn"
    if _is_turned(text):
        yield "turned words"


def is_prose(text: str, *, least: int = _MIN_WORDS) -> bool:
    """Whether decoded text is something to read, not a number or a key."""
    return len(_WORDS.findall(text)) >= least or _CJK_RUN.search(text) is not None


def _has_escaped_spaces(text: str) -> bool:
    words = [word for word in text.split() if "%2" in word and "://" not in word]
    return any(word.count(space) >= _MIN_WORDS for word in words for space in _SPACES)


def _is_worded(payload: str) -> bool:
    """Whether a decoded payload is something to read, or one more encoding of it."""
    escaped = _ESCAPED_LETTERS.search(payload) or _has_escaped_spaces(payload)
    if escaped or is_prose(payload):
        return True
    return any(is_prose(inner) for inner in payloads(payload))


def _is_turned(text: str) -> bool:
    """Whether the small words of English stand in it backwards or in rot13."""
    words = [word.casefold() for word in _WORDS.findall(text)]
    if len(words) < _MIN_WORDS:
        return False
    backwards = sum(1 for w in words if w[::-1] in _FREQUENT and w not in _PALINDROMIC)
    if backwards >= _MIN_FREQUENT:
        return True
    rotated = sum(1 for w in words if len(w) > 1 and w in _ROTATED)
    return rotated >= _MIN_FREQUENT


_PALINDROMIC: Final = frozenset({"no", "on", "si", "era", "eb", "rof"})
_ROTATED: Final = (
    frozenset(codecs.encode(word, "rot13") for word in _FREQUENT) - _FREQUENT - {"be", "or"}
)
