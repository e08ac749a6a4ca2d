"""The readings of a text that a scan has to see: decoded, unspaced, unmasked.

A view is made only where its encoding shows, so ordinary prose costs one pass.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import sys
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from urllib.parse import unquote

MAX_VIEWS = 24
MAX_VIEW_CHARS = 20_000
_ROUNDS = 3  # an encoding inside an encoding
_MIN_PAYLOAD = 16  # characters of base64 or hex that can hold a phrase
_MIN_MASKED = 3  # letters of a word spelt in look-alikes alone
_MIN_LETTERS = 0.6  # share of printable text a decoded payload must have

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_BASE32 = re.compile(r"\b[A-Z2-7]{24,}={0,6}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :,]?|\\x[0-9a-fA-F]{2}|0x[0-9a-fA-F]{2}[ ,]*){8,}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})")
_ENTITY = re.compile(r"&(?:#\d{2,7}|#x[0-9a-fA-F]{2,6}|[a-z]{2,8});", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(?:u\{?[0-9a-fA-F]{4,6}\}?|x[0-9a-fA-F]{2})")
_BYTES = re.compile(r"(?:\\(?:x[0-9a-fA-F]{2}|[0-3][0-7]{2})){4,}")
_BASE85 = re.compile(r"(?<!\S)[!-~]{30,}(?!\S)")
_SPELT = re.compile(
    r"(?<!\S)(?:[^\s]([.\-_*|/·]))(?:[^\s]\1){2,}[^\s](?!\S)"
    r"|(?<!\S)(?:\S[ \t]){7,}\S(?!\S)|(?<!\S)(?:\S[ \t]{1,3}){11,}\S(?!\S)"
)
_FOLDED = re.compile(r"(?<=[A-Za-z0-9+/]{40})\n(?=[A-Za-z0-9+/=])")
_MARKS = re.compile(r"[!#$%&()*+;<=>?@^`{|}~][^!#$%&()*+;<=>?@^`{|}~]*[!#$%&()*+;<=>?@^`{|}~]")
_NOT_ENCODED = re.compile(r"[^A-Za-z0-9+/=%._~-]")
_BINARY = re.compile(r"(?:[01]{8}\s?){6,}")
_DECIMAL = re.compile(r"(?:\b(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])\b[ ,]+){8,}\d{2,3}")
_SPACED = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z][ \t\n._\-*|/·]{1,3}){5,}[A-Za-z](?![A-Za-z0-9])")
_SPACED_CJK = re.compile(r"(?:[\u3400-\u9fff][\s.·_\-*|/]+){3,}[\u3400-\u9fff]")
_GAP = re.compile(r"(?<=[A-Za-z])(?:[ \t]{2,}|\n{2,})(?=[A-Za-z])")
_SEPARATORS = re.compile(r"[\s.·_\-*|/]+")
_LEET_WORD = re.compile(r"[A-Za-z0134578@$!|+]{3,40}")
_HYPHENATED = re.compile(r"(?<=[A-Za-z])-\n\s*(?=[a-z])|(?<=[A-Za-z])(?:''|\"\"|\\)(?=[A-Za-z])")
_JOINED = re.compile(r"['\"]\s*\+\s*['\"]")

_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]{0,80}>|<!--.*?-->|/\*.*?\*/")
_EMPHASIS = re.compile(r"(?<=[A-Za-z])[*_~`^|]{1,3}(?=[A-Za-z])")
_WRAPPED = re.compile(r"(?<=[\w,、，])[ \t]*\n[ \t>#*/-]*(?=[a-z\u3400-\u9fff])")
MAX_JOINED_CHARS = 1200  # longer texts are documents: only their wrapped lines are joined

_LEET = str.maketrans("0134578@$!|+", "oieastbasilt")
_LEET_L = str.maketrans("0134578@$!|+", "oleastbasilt")
# Letters of other alphabets that look like Latin ones.
_LOOKALIKE = str.maketrans(
    "авеікмнорстухцѕјһԁԛԝɡɩӏАВЕКМНОРСТУХІЅЈԌԚԜαβγειικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧаոսօ"
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
    "abeikmhopctyxusjhdqwgilABEKMHOPCTYXISJGQWabyeiiknoptuxwABEZHIKMNOPTYXanuo"
    "abcdefghijklmnoprstuvwyz",
)
_FLIPPED = str.maketrans("ɐqɔpǝɟƃɓɥıᴉɾʞlɯuodbɹsʇnʌʍxʎz", "abcdefgghiijklmnopqrstuvwxyz")
_LETTER_SYMBOLS = re.compile("[\U0001f150-\U0001f169\U0001f170-\U0001f189\U0001f1e6-\U0001f1ff]")
_SYMBOL_BASES = (0x1F1E6, 0x1F170, 0x1F150)
_LATIN = re.compile(r"[A-Za-z]")
_FOREIGN_WORD = re.compile(r"[A-Za-z\u0370-\u03ff\u0400-\u052f\u0561-\u0587ɡɩ]+")


@lru_cache(maxsize=32)
def views(text: str) -> tuple[str, ...]:
    """`text` in NFKC first, then every decoded reading, without repeats. Never raises."""
    plain = text[:MAX_VIEW_CHARS]
    if not plain.isascii():
        plain = _LETTER_SYMBOLS.sub(_plain_letter, unicodedata.normalize("NFKC", plain))
    found = [plain]
    fresh = found
    for _ in range(_ROUNDS):
        fresh = [v for source in fresh for v in _readings(source) if v not in found]
        fresh = list(dict.fromkeys(fresh))[: MAX_VIEWS - len(found)]
        found += fresh
    return tuple(found)


def _plain_letter(match: re.Match[str]) -> str:
    """The letter a squared, circled or flag-making symbol stands for."""
    code = ord(match.group())
    return chr(ord("a") + next(code - base for base in _SYMBOL_BASES if code >= base))


def _readings(text: str) -> Iterator[str]:
    yield from _charset_readings(text)
    yield from _payload_readings(text)
    yield from _spelling_readings(text)
    yield from _layout_readings(text)


def _charset_readings(text: str) -> Iterator[str]:
    if _PERCENT.search(text):
        yield unquote(text.replace("+", " ") if " " not in text else text)
    if _ENTITY.search(text):
        yield html.unescape(text)
    if _BYTES.search(text):
        yield _BYTES.sub(_unescape_bytes, text)
    if _ESCAPED.search(text):
        yield _ESCAPED.sub(_unescape, text)


def _unescape(match: re.Match[str]) -> str:
    code = int(re.sub(r"[^0-9a-fA-F]", "", match.group()[2:]), 16)
    char = chr(code) if code <= sys.maxunicode else ""
    return "" if "\ud800" <= char <= "\udfff" else char


def _unescape_bytes(match: re.Match[str]) -> str:
    pieces = match.group().split("\\")[1:]
    codes = (int(p[1:], 16) if p[0] == "x" else int(p, 8) for p in pieces)
    return bytes(codes).decode("utf-8", "replace")


def payloads(text: str) -> Iterator[str]:
    """What stands in `text` in base64, base32, base85, hex, binary or decimal codes."""
    yield from _payload_readings(text)


def spelt_out(text: str) -> Iterator[str]:
    """Words written letter by letter, joined: `i.g.n.o.r.e`, `i g n o r e`."""
    for match in _SPELT.finditer(text):
        yield _joined(match)


def _joined(match: re.Match[str]) -> str:
    run, mark = match.group(), match[1]
    if mark:
        return run[::2]
    words = re.split(r"[ \t]{2,}", run)
    return " ".join(re.sub(r"\s", "", word) for word in words)


def _payload_readings(text: str) -> Iterator[str]:
    for match in _BASE64.finditer(text):
        yield from _decoded_base64(match.group())
    unfolded = _FOLDED.sub("", text) if "\n" in text else text
    if unfolded != text:
        for match in _BASE64.finditer(unfolded):
            yield from _decoded_base64(match.group())
    for match in _BASE85.finditer(text):
        if _MARKS.search(match.group()):
            yield from _readable(_quietly(base64.b85decode, match.group()))
    for match in _BASE32.finditer(text):
        word = match.group().rstrip("=")
        yield from _readable(_quietly(base64.b32decode, word + "=" * (-len(word) % 8)))
    yield from _digit_payloads(text)


def _digit_payloads(text: str) -> Iterator[str]:
    for match in _HEX.finditer(text):
        digits = re.sub(r"0x|\\x|[^0-9a-fA-F]", "", match.group())
        if len(digits) >= _MIN_PAYLOAD:
            yield from _readable(_quietly(bytes.fromhex, digits[: len(digits) // 2 * 2]))
    for match in _BINARY.finditer(text):
        bits = re.sub(r"\s", "", match.group())
        yield from _readable(int(bits, 2).to_bytes(len(bits) // 8, "big"))
    for match in _DECIMAL.finditer(text):
        yield from _readable(bytes(int(n) for n in re.findall(r"\d+", match.group())))


def _decoded_base64(word: str) -> Iterator[str]:
    word = word.rstrip("=").replace("-", "+").replace("_", "/")
    yield from _readable(_quietly(base64.b64decode, word + "=" * (-len(word) % 4)))


def _quietly(decode: Callable[[str], bytes], word: str) -> bytes:
    try:
        return decode(word)
    except (binascii.Error, ValueError):
        return b""


def _readable(data: bytes) -> Iterator[str]:
    """The payload as text, when it is text, or text once inflated."""
    if data[:1] in (b"\x78", b"\x1f"):
        data = _inflated(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return
    letters = sum(1 for char in text if char.isalnum() or char == " ")
    encoded = text.isascii() and not _NOT_ENCODED.search(text)
    wordy = letters / len(text) >= _MIN_LETTERS if text else False
    if text and (encoded or wordy) and text.replace("\n", " ").isprintable():
        yield text


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=47).decompress(data, MAX_VIEW_CHARS)
    except zlib.error:
        return data


def _spelling_readings(text: str) -> Iterator[str]:
    if _SPELT.search(text):
        yield _SPELT.sub(_joined, text)
    if _SPACED.search(text):
        yield _SPACED.sub(_unspaced, text)
        yield _SPACED.sub(lambda m: _SEPARATORS.sub("", m.group()), text)
    if _SPACED_CJK.search(text):
        yield _SPACED_CJK.sub(lambda m: _SEPARATORS.sub("", m.group()), text)
        yield re.sub(r"(?<=[^\x00-\x7f])\s+(?=[^\x00-\x7f])", "", text)
    if _HYPHENATED.search(text) or _JOINED.search(text):
        yield _JOINED.sub("", _HYPHENATED.sub("", text))
    leet = _LEET_WORD.sub(_unleet, text)
    if leet != text:
        yield leet
        yield _LEET_WORD.sub(lambda m: _unleet(m, table=_LEET_L), text)
    if not text.isascii():
        unmasked = _FOREIGN_WORD.sub(_unmask, text)
        if unmasked != text:
            yield unmasked
        yield _without_marks(text)


def _layout_readings(text: str) -> Iterator[str]:
    if "\n" in text.strip():
        if len(text) <= MAX_JOINED_CHARS:
            yield " ".join(text.split())
        yield _WRAPPED.sub(" ", text)
    if _MARKUP.search(text):
        yield _MARKUP.sub("", text)
    if _EMPHASIS.search(text):
        yield _EMPHASIS.sub("", text)


def _unspaced(match: re.Match[str]) -> str:
    """Spelt-out letters joined; a wider gap is the space between words."""
    words = _GAP.split(match.group())
    return " ".join(_SEPARATORS.sub("", word) for word in words)


def _unleet(match: re.Match[str], table: Mapping[int, int] = _LEET) -> str:
    """Digits and signs inside a word as the letters they stand for."""
    word = match.group()
    return word.translate(table) if _LATIN.search(word) and not word.isalpha() else word


def _unmask(match: re.Match[str]) -> str:
    """A word that mixes alphabets, or that look-alikes alone can spell, in Latin letters."""
    word = match.group()
    latin = word.translate(_LOOKALIKE)
    mixed = _LATIN.search(word) or len(word) >= _MIN_MASKED
    return latin if latin.isascii() and mixed else word


def _without_marks(text: str) -> str:
    """Latin letters without accents and stacked marks."""
    parts = unicodedata.normalize("NFD", text)
    return "".join(c for c in parts if not "\u0300" <= c <= "\u036f")


def turned(text: str) -> list[str]:
    """Readings no sign in the text calls for: backwards, upside down, rot13.

    Most texts become gibberish, so a scan should ask more of these than of `views`.
    """
    found = [text[::-1], " ".join(word[::-1] for word in text.split())]
    if not text.isascii():
        found.append(text[::-1].translate(_FLIPPED))
    return [*found, codecs.encode(text, "rot13")]
