"""One way to write each text: what is stored hides nothing from the person who reads it.

NFC everywhere; words spelt in look-alike compatibility letters (full-width, mathematical)
become plain, while single compatibility characters stay: an experience about full-width
digits or ℝ must keep them. Scanning reads more views of the text, see views.py.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from hindsight_cli.guard.escapes import CONCEALED

# Kinds of hiding, worst first; the gate decides what each costs.
TAG_CHARACTERS = "tag_characters"
BIDI_OVERRIDE = "bidi_override"
HIDDEN_BYTES = "hidden_bytes"  # data carried by variation selectors
SPLIT_WORDS = "split_words"  # invisible characters inside words
TERMINAL_ESCAPE = "terminal_escape"
CONTROL_CHARACTERS = "control_characters"
BIDI_ISOLATE = "bidi_isolate"

_BIDI_OVERRIDES = "\u202a\u202b\u202c\u202d\u202e"
_BIDI_OTHER = "\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f")
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
_LONE_SELECTORS = re.compile("[\U000e0100-\U000e01ef]")
_OVERRIDDEN = re.compile("[\u202d\u202e]([^\u202c\n]*)\u202c?")
# Characters with no glyph that text never needs; joiners are handled by script.
_FORMAT = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff"
    "\uffa0\ufff9-\ufffb]"
)
_SPLIT = re.compile(
    "[A-Za-z\u3400-\u9fff][\u00ad\u034f\u200b-\u200d\u2060-\u2064\ufeff]+(?=[A-Za-z\u3400-\u9fff])"
)
_ESCAPE = re.compile(
    r"\x1b\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b[PX\]^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|"
    r"[\x80-\x9f]"
)
_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_COMPAT_WORD = re.compile(
    "[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff\u2460-\u24ff\u1d2c-\u1d6a\U0001f130-"
    "\U0001f189]"
    "[\uff01-\uff5e\u3000\U0001d400-\U0001d7ff\u2460-\u24ff\u1d2c-\u1d6a\U0001f130-\U0001f189 ]+"
)
_MIN_SPLITS = 2  # one invisible character inside a word is an accident


@dataclass(frozen=True, slots=True)
class Canonical:
    """`text` as it may be stored, what was hidden in the raw one and the hidden words."""

    text: str
    hidden: tuple[str, ...] = ()
    payloads: tuple[str, ...] = ()  # texts that were invisible or shown in another order


def canonical(raw: str) -> Canonical:
    """The stored form of `raw` and every trick it took to get there. Never raises.

    Emoji sequences, subdivision flags and the joiners of scripts that need them
    survive; tag characters, bidi controls, escapes and control characters do not.
    """
    if raw.isascii() and not _CONTROL.search(raw):
        return Canonical(_newlines(raw))
    hidden: list[str] = []
    payloads: list[str] = []
    text = _drop_escapes(_newlines(raw), hidden)
    if not text.isascii():
        text = _drop_tags(text, hidden, payloads)
        text = _drop_selectors(text, hidden, payloads)
        text = _drop_bidi(text, hidden, payloads)
        text = _drop_format(text, hidden)
        text = unicodedata.normalize("NFC", _plain_words(text))
    return Canonical(text, tuple(dict.fromkeys(hidden)), tuple(payloads))


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _drop_escapes(text: str, hidden: list[str]) -> str:
    if CONCEALED.search(text):
        hidden.append(TERMINAL_ESCAPE)
    text = _COLOUR.sub("", text)  # other colours carry no text and hide none
    if _ESCAPE.search(text):
        hidden.append(TERMINAL_ESCAPE)
        text = _ESCAPE.sub("", text)
    if _CONTROL.search(text):
        hidden.append(CONTROL_CHARACTERS)
        text = _CONTROL.sub("", text)
    return text


def _drop_tags(text: str, hidden: list[str], payloads: list[str]) -> str:
    flags = _FLAG.findall(text)
    bare = _FLAG.sub("\ue000", text) if flags else text
    runs = _TAGS.findall(bare)
    if not runs:
        return text
    hidden.append(TAG_CHARACTERS)
    payloads += ["".join(chr(ord(c) - 0xE0000) for c in run if c >= "\U000e0020") for run in runs]
    kept = iter(flags)
    return re.sub("\ue000", lambda _: next(kept, ""), _TAGS.sub("", bare))


def _drop_selectors(text: str, hidden: list[str], payloads: list[str]) -> str:
    """Runs of variation selectors carry bytes; a single one belongs to its character."""
    for run in _SELECTORS.findall(text):
        hidden.append(HIDDEN_BYTES)
        data = bytes(_selector_byte(char) for char in run)
        payloads.append(data.decode("utf-8", "replace"))
    return _SELECTORS.sub("", text)


def _selector_byte(char: str) -> int:
    base = 0xFE00 if char <= "\ufe0f" else 0xE0100 - 16
    return ord(char) - base


def _drop_bidi(text: str, hidden: list[str], payloads: list[str]) -> str:
    if any(char in _BIDI_OVERRIDES for char in text):
        hidden.append(BIDI_OVERRIDE)
        payloads += [run[::-1] for run in _OVERRIDDEN.findall(text)]
        text = "".join(char for char in text if char not in _BIDI_OVERRIDES)
    if any(char in _BIDI_OTHER for char in text):
        hidden.append(BIDI_ISOLATE)
        text = "".join(char for char in text if char not in _BIDI_OTHER)
    return text


def _drop_format(text: str, hidden: list[str]) -> str:
    if len(_SPLIT.findall(text)) >= _MIN_SPLITS:
        hidden.append(SPLIT_WORDS)
    text = _FORMAT.sub("", text)
    if "\u200c" not in text and "\u200d" not in text:
        return text
    return "".join(
        char
        for i, char in enumerate(text)
        if char not in "\u200c\u200d" or _joins(text[i - 1 : i], text[i + 1 : i + 2])
    )


def _joins(before: str, after: str) -> bool:
    """Whether a joiner between these two does what joiners are for."""
    return any(_needs_joiner(char) for char in (before, after))


def _needs_joiner(char: str) -> bool:
    if not char:
        return False
    arabic_to_khmer = "\u0600" <= char <= "\u1fff"
    emoji = char == "\ufe0f" or "\u2190" <= char <= "\u2bff" or char >= "\U0001f000"
    return arabic_to_khmer or emoji


def _plain_words(text: str) -> str:
    return _COMPAT_WORD.sub(lambda m: unicodedata.normalize("NFKC", m.group()), text)
