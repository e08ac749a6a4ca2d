"""Pure text work shared by all stages."""

from __future__ import annotations

import re
import unicodedata

SUMMARY_CHARS = 200
_WORD_END = re.compile(r"[\s\"'`]")
_JOINERS = {"\u200d", "\ufe0e", "\ufe0f"}


def summarize(text: str, max_chars: int = SUMMARY_CHARS) -> str:
    """`text` whole when it fits, else its head and tail with the number of characters left out.

    At most `max_chars` code points. A cut never falls inside a combining or
    zero-width-joiner sequence. Lone surrogates become U+FFFD, so that the result
    is always valid UTF-8.
    """
    text = text.encode("utf-8", "replace").decode() if _has_surrogate(text) else text
    if len(text) <= max_chars:
        return text
    mark = f" …[{len(text):,} characters]… "
    room = max(max_chars - len(mark), 2)
    head_end = _safe_cut(text, room * 3 // 5, -1)
    tail_start = _safe_cut(text, len(text) - (room - room * 3 // 5), 1)
    return (text[:head_end] + mark + text[tail_start:])[:max_chars]


def one_line(text: str, max_chars: int) -> str:
    """`text` on one line, white space folded, cut with an ellipsis."""
    folded = " ".join(text.split())
    return folded if len(folded) <= max_chars else folded[: max_chars - 1] + "…"


def head_of_words(text: str, max_chars: int) -> str:
    """The beginning of `text`, which ends with a whole word: half a secret is not known for one.

    A word ends at white space or a quotation mark. Nothing is left of one that is too long.
    """
    if len(text) <= max_chars:
        return text
    ends = [match.end() for match in _WORD_END.finditer(text, 0, max_chars)]
    return text[: ends[-1]] if ends else ""


def tail_of_words(text: str, max_chars: int) -> str:
    """The end of `text`, which begins with a whole word, as `head_of_words`."""
    if len(text) <= max_chars:
        return text
    first = _WORD_END.search(text, len(text) - max_chars)
    return text[first.end() :] if first else ""


def plain_utf8(text: str) -> str:
    """`text` without lone surrogates, which neither SQLite nor a UTF-8 file can hold."""
    return text.encode("utf-8", "replace").decode() if _has_surrogate(text) else text


def _has_surrogate(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)


def _safe_cut(text: str, index: int, step: int) -> int:
    """The nearest place from `index`, going by `step`, that splits no grapheme (best effort)."""
    for _ in range(12):
        if not 0 < index < len(text):
            break
        after, before = text[index], text[index - 1]
        if after not in _JOINERS and before not in _JOINERS and not unicodedata.combining(after):
            break
        index += step
    return max(0, min(index, len(text)))
