"""What values look like: placeholders, code, paths, words and randomness. Pure."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.vocabulary import (
    BIGRAMS,
    FILE_ENDINGS,
    PLACEHOLDER_PARTS,
    PLACEHOLDERS,
    PROSE,
)

_PARTS_CHARS = 120  # placeholders are short; longer values are not searched for their parts
_FEW = 3  # fewer different characters than this: ****, xxxx, abab
_SPOKEN = 0.6  # share of a word's pairs of letters that must be common ones
_WORDY = 0.55  # share of a value made of words from which it reads as words
_SHORT_WORD = 3
_NUMBER_CHARS = 4  # digits at the end of a word: a year, a count
_ALPHABETIC_CHARS = 20  # a random value without a digit must be this long
_CAPITALS = 4
_SCRAMBLED_CHARS = 10
_RANDOM_CHARS = 16
_LONG_RANDOM_CHARS = 20
_HEX_DISTINCT = 7
_DISTINCT = 10

_SHAPES = {
    "template": r"\$[A-Za-z_]\w*(?:[^\w!@#$%^&*].*)?|\$\d|\$?\{[\w.:\[\]'\"()| -]*\}?|%\w+%"
    r"|%[-+\d.]*[a-zA-Z]|%\(\w+\)\w?|<.*|&(?:lt|#x3[cC]|#60);.*"
    r"|\[[A-Za-z _.-]+\]?|@[A-Z_]+@|__[A-Z_]+__|:[a-z_]+"
    r"|ENC\[.*|op://.*|vault:.*|arn:aws:.*|(?:env|file|secret|secrets|var|vars|ref)[:.].*"
    r"|process\.env.*|os\.environ.*|!(?:[A-Z][a-z]+|vault|secret|env\w*|include)|\\?",
    "call": r"[&*!]*[A-Za-z_$][\w$.:\->?]*[(\[].*|[(\[{].*",
    "script": r".*(?:\}\)|\)\}|\(\)|=>|&&|\|\||={3}|!==|\+=[^=]|\),|\);|\]\)|\}\]|\},|\d<<\d).*",
    "dotted": r"[&*!@]*[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+[!?;,)]*",
    "identifier": r"[&*!@]*[A-Za-z_$](?:[A-Za-z_$]*\d?|\w*_\w*(?:/[\w().,-]+)*)"
    r"(?:,[A-Za-z_$][\w$]*)*[?;,)\]}]*",
    "number": r"[-+]?[\d.,_]+(?:e[-+]?\d+)?(?:ms|s|m|h|d|px|em|rem|%|[kKmMgG]i?[bB]?)?",
    "version": r"[vV]?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d-\d\d.*|\d+(?::\d+)+|(?:\d{1,3}\.){3}.*"
    r"|[A-Za-z][\w.]*(?:-[A-Za-z]\w*)*[-_]v?\d+\.\d+[\w.-]*",
    "date": r"\d{4}-\d\d-\d\d[T_ ].*",
    "email": r"[\w.+-]+@[\w-]+(?:\.[A-Za-z]{2,})+",
    "uuid": r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    "hex": r"(?:0x)?[0-9a-fA-F]+",
    "windows": r"[A-Za-z]:[\\/].*",
    "url": r"[a-z][a-z0-9+.-]{1,15}://.*",
    "random": r"[\w+/.~:|%-]+={0,2}",
    "pair": r"[a-z_]{2,}[a-z0-9_]*=.+",
    "typename": r"[A-Z][A-Za-z0-9]*"
    r"(?:Keys?|Token|Types?|Error|Config|Provider|Secret|Credentials?)",
    "numbered": r".*[A-Za-z]\d{3,}\W?",  # code seldom ends in a number of three digits
    "mnemonic": r"(?:[a-z]{3,8} ){11,23}[a-z]{3,8}",
    "speech": r"[\w./: -]+",
    "hash": r"(?:sha\d+|md5|h1|blake2\w*)[-:=].*",
}
_FILLED_IN = (
    r"\{[A-Za-z_][\w.]*(?:\([^{}]*\)|\[[^{}]*\])?\}|%\(\w+\)s|(?<![\w%])%[sd]\b|<[A-Za-z][\w -]*>"
)
_WORD = r"[A-Z]?[a-z]{2,}|[A-Z]{4,}"
_SEGMENT = r"[^\W_]+"
_DIGIT_INSIDE = r"[A-Za-z]\d+(?=[A-Za-z])"
_CAPITAL_INSIDE = r"[a-z][A-Z]"
_TURN = r"(?<=[a-z])[A-Z]|(?<=[A-Z][A-Z])[a-z]"


def is_shape(name: str, value: str) -> bool:
    """Whether the whole value has the shape called `name`."""
    return compiled(_SHAPES[name]).fullmatch(value) is not None


def is_placeholder(value: str) -> bool:
    """Whether `value` stands for a secret instead of being one."""
    low = value.lower()
    bare = low.strip("\"'`<>[](){}*_-.:;,!?= ")
    if not bare or bare in PLACEHOLDERS or bare in PROSE or "[redacted" in low:
        return True
    if len(set(bare)) < _FEW or is_shape("template", value):
        return True
    if len(value) <= _PARTS_CHARS and any(part in low for part in PLACEHOLDER_PARTS):
        return True
    return compiled(_FILLED_IN).search(value) is not None


def is_sequence(value: str) -> bool:
    """Whether the value counts up or repeats: 123456789, abcdefgh, aaaa."""
    steps = sum(0 <= ord(after) - ord(before) <= 1 for before, after in pairwise(value))
    return steps > _SPOKEN * (len(value) - 1)


def is_path(value: str) -> bool:
    """Whether the value names a file, folder or address rather than holding a secret."""
    if value.startswith(("./", "../", "~", ".\\")) or is_shape("windows", value):
        return True
    if value.lower().endswith(FILE_ENDINGS):
        return "/" in value or not is_random(value, _LONG_RANDOM_CHARS)
    if value.startswith("/"):
        return "." in value or not is_random(value, _LONG_RANDOM_CHARS)
    return is_shape("url", value)


def is_code(value: str, *, config: bool = False) -> bool:
    """Whether an unquoted value is an expression: a call, a variable, an attribute.

    In a place that holds only values (`config`) a bare word is a word, not a variable.
    """
    if is_shape("call", value) or is_shape("script", value):
        return True
    if is_shape("identifier", value):
        return not (config or is_random(value, _RANDOM_CHARS) or is_scrambled(value))
    if not is_shape("dotted", value) or (config and any(char.isdigit() for char in value)):
        return False
    return not any(is_random(part, _RANDOM_CHARS) for part in value.split("."))


def is_scrambled(value: str) -> bool:
    """Whether capitals stand where no word has them: aUyvgqkMSmel."""
    turns = len(compiled(_TURN).findall(value))
    return len(value) >= _SCRAMBLED_CHARS and turns >= _CAPITALS and not is_wordy(value)


def is_wordy(value: str) -> bool:
    """Whether most of the value is made of words, like my-test-token-1."""
    if len(compiled(_DIGIT_INSIDE).findall(value)) >= 2 + len(value) // 16:
        return False
    enough = _WORDY * len(value)
    spoken = [word for word in compiled(_WORD).findall(value) if _is_spoken(word)]
    if sum(map(len, spoken)) >= enough:
        return True
    if not is_shape("speech", value):
        return False
    segments = compiled(_SEGMENT).findall(value)
    known = [s for s in segments if _is_word(s)] if len(segments) > 1 else []
    return sum(map(len, known)) >= enough


def _is_spoken(word: str) -> bool:
    """Whether the pairs of letters of a word are those of words."""
    low = word.lower()
    common = sum(low[i : i + 2] in BIGRAMS for i in range(len(low) - 1))
    if len(low) <= _SHORT_WORD:
        return len(low) == _SHORT_WORD and common == len(low) - 1
    return common >= _SPOKEN * (len(low) - 1)


def _is_word(segment: str) -> bool:
    """Whether what stands between two separators is a word, a short one or one with a number."""
    bare = segment.rstrip("0123456789")
    if not bare.isalpha() or len(segment) - len(bare) > _NUMBER_CHARS:
        return False
    if not (bare.islower() or bare.isupper() or bare.istitle()):
        return False
    return len(bare) <= _SHORT_WORD or _is_spoken(bare)


@lru_cache(maxsize=32)  # one candidate is asked about several times in a row
def is_random(value: str, min_chars: int) -> bool:
    """Whether the value looks machine-made: long, mixed and not made of words."""
    if len(value) < min_chars or not is_shape("random", value):
        return False
    if not any(char.isalpha() for char in value) or is_shape("date", value):
        return False
    if not any(char.isdigit() for char in value):
        capitals = len(compiled(_CAPITAL_INSIDE).findall(value))
        if len(value) < _ALPHABETIC_CHARS or capitals < _CAPITALS:
            return False
        if not (value.isalpha() or is_scrambled(value)):
            return False
    needed = min(_DISTINCT, 5 + len(value) // 5)
    if len(set(value)) < (_HEX_DISTINCT if is_shape("hex", value) else needed):
        return False
    return not is_wordy(value) and not is_sequence(value)
