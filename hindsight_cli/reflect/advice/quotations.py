"""The literals of a piece of advice, each with what the sentence wants of it. Pure.

Good enough for advice in English and Chinese; a literal whose part in the sentence is not
plain counts as something to be done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_QUOTED = re.compile(r"(?<!`)(`{1,2})(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_FILLER = (
    r"(?:(?:to|run|use|call|pass|set|add|give|try|send|repeat|start|do|with|by|via|the|an?|any|just"
    r"|again|plain|bare|running|using|calling|passing|adding|option|flag|command|line|call|value"
    r"|argument|setting)\s+){0,3}"
)
_NOT_DONE = re.compile(
    rf"""(?:(?:\b(?:instead\ of|rather\ than|in\ place\ of|other\ than|without|not|never|no|unlike
        |avoid(?:ing)?|stop|drop(?:ping)?|leav(?:e|ing)\ out|omit(?:ting)?|remov(?:e|ing)
        |replac(?:e|ing)|chang(?:e|ing)|swap(?:ping)?|prefer\b[^.`]*\bover)|n['’]t)
        \s+{_FILLER}[(“"']?
    |(?:不要|别|勿|而不是|而非|代替|取代|不用|不能|不带|不加|不得|避免|去掉|删去|删除|移除|停止|禁止)
        [^`，。；,;]{{0,6}}
    |(?:^|[.;:]\s+)(?:never|do\ not|don['’]t|avoid)\b[^`.;:,]{{0,40}})$""",
    re.IGNORECASE | re.VERBOSE,
)
# Told to avoid, it is the lack of it that is avoided: "`run` without `--flag`".
_LACKING = re.compile(
    rf"""(?:\b(?:instead\ of|rather\ than|without|leav(?:e|ing)\ out|omit(?:ting)?|skip(?:ping)?
        |forget(?:ting)?|lack(?:ing)?|before|until)\s+{_FILLER}[(“"']?
    |(?:而不是|而非|不带|不加|没有|缺少|漏掉|忘记|去掉|跳过)[^`，。；,;]{{0,6}})$""",
    re.IGNORECASE | re.VERBOSE,
)
_REPLACED = re.compile(r"\s*(?:改为|改成|换成|换为|替换为|替换成|is not|does not|fails)")
_SEPARATOR = re.compile(r"\s*(?:[,、/，]|\band\b|\bor\b|,\s*(?:and|or)\b|和|或者?|及|与)?\s*")
_OR = re.compile(r"\s*,?\s*(?:\bor\b(?:\s+(?:with|via|run|use))?|或者?(?:用|运行)?|/)\s*", re.I)
_IF = re.compile(
    r"(?:^|[.;:。；：]\s*)\s*(?:(?:if|unless|where|otherwise|else|when)\b"
    r"|如果|若|假如|否则|除非|必要时)[^.;。；]*$",
    re.I,
)
_PLACING = re.compile(
    r"\b(?:before|after|above|below|behind|next to)\s+$|(?:放到|置于|之后的)\s*$", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """One literal between backticks."""

    text: str
    before: str  # the words since the literal before it
    to_do: bool  # False: the sentence says to leave it, or to put something else in its place
    lacking: bool  # the sentence speaks of being without it
    optional: bool  # stands in a sentence that begins with a condition
    alternative: bool  # joined by "or" to the one before
    placing: bool  # "before `x`": says where, not what


def quotations(advice: str) -> tuple[Quotation, ...]:
    """Every literal of `advice`, in order."""
    return tuple(_read(advice))


def _read(advice: str) -> Iterator[Quotation]:
    end = 0
    to_do = True
    for match in _QUOTED.finditer(advice):
        before = advice[end : match.start()]
        if end == 0 or not _SEPARATOR.fullmatch(before):
            told = _NOT_DONE.search(before) or _REPLACED.match(advice, match.end())
            to_do = told is None
        yield Quotation(
            text=match.group(2).strip(),
            before=before,
            to_do=to_do,
            lacking=_LACKING.search(before) is not None,
            optional=_IF.search(_bare(advice[: match.start()])) is not None,
            alternative=end > 0 and _OR.fullmatch(before) is not None,
            placing=_PLACING.search(before) is not None,
        )
        end = match.end()


def _bare(text: str) -> str:
    """The words alone: a literal may hold a full stop."""
    return _QUOTED.sub("…", text)
