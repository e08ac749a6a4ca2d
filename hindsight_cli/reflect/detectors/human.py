"""Where a human stepped in: refusals, and words against what the agent had done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindsight_cli.records.event import Status, ToolKind
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import EDIT_KINDS, is_lookup
from hindsight_cli.reflect.findings import Correction, Denial
from hindsight_cli.reflect.reading import Reading, Said

_SAID = re.compile(
    r"(?:the user said:|user (?:feedback|said)[^:\n]{0,40}:|reason for the rejection:|(?:rejected"
    r"|denied) with (?:the )?(?:message|reason|feedback):"
    r"|用户(?:说|表示|反馈)[:：])\s*(.+?)(?:\n\nNote:|\Z)",
    re.I | re.S,
)
_OBJECTION = re.compile(
    r"^\s*(?:no|nope|stop|wait|hmm|wrong|but)\b|\b(?:don'?t|do not|doesn'?t|didn'?t|isn'?t"
    r"|aren'?t|wasn'?t|shouldn'?t|can'?t (?:see|find)"
    r"|not (?:what|right|correct|working|true|really)|why (?:did|do|are|is|was|would|wasn|didn"
    r"|won|not)|instead of"
    r"|still (?:fail|broken|not|get|see|doesn|isn)|fail(?:s|ed|ing|ure)?|broke(?:n)?"
    r"|double[- ]check (?:that|whether|if)|are you sure"
    r"|revert|undo|you (?:should|forgot|missed|skipped|ignored)|missing|incorrect)\b|\bFAIL\b"
    r"|\bError:|Traceback"
    r"|不对|不是|不要|别|错了|为什么|怎么还|还是(?:不|报|失败)|失败|报错|没有(?:生效|用)|应该是|忘了|撤销|改回",
    re.I,
)
_ACCEPTANCE = re.compile(
    r"\b(?:thanks|thank you|thx|perfect|great|awesome|excellent|works(?: now)?|looks good|lgtm"
    r"|well done"
    r"|that'?s (?:it|right|correct))\b|谢谢|感谢|可以了|没问题|完美|搞定|不错|好了|对了|正确",
    re.I,
)
_RESERVE = re.compile(
    r"\?|\b(?:but|however|except|also|now|next|please|can you)\b|但|不过|还要|再|请|？", re.I
)
_PASTED = re.compile(
    r"--- FAIL|\bFAILED\b|Traceback \(most|\berror(?:\[\w+\])?:|\bfail(?:s|ed|ing)?\b|报错|失败",
    re.I,
)
_OPENING = 120  # characters in which an objection shows; later ones belong to new instructions
_PASTED_CHARS = 600
_KEPT_BEFORE = 2
_KEPT_AFTER = 4
_GROUP = 4  # calls between refusals of the same matter


def find_denials(reading: Reading) -> tuple[Denial, ...]:
    """Refusals, those close together taken as one, with the last words said about them."""
    groups: list[list[int]] = []
    for index, call in enumerate(reading.calls):
        if call.status is not Status.DENIED:
            continue
        if groups and index - groups[-1][-1] <= _GROUP:
            groups[-1].append(index)
        else:
            groups.append([index])
    return tuple(_denial(reading, group) for group in groups)


def _denial(reading: Reading, group: Sequence[int]) -> Denial:
    calls = tuple(reading.calls[i] for i in group)
    words = next((w for c in reversed(calls) if (w := words_in_refusal(c))), "")
    if not words:
        words = next((s.text for s in reading.user_said if s.after == group[-1] + 1), "")
    later = reading.calls[group[-1] + 1 : group[-1] + 7]
    instead = next((c for c in later if c.status is Status.OK and _acts(c)), None)
    return Denial(calls=calls, words=words.strip(), instead=instead)


def words_in_refusal(call: Call) -> str:
    match = _SAID.search(call.output)
    return match.group(1).strip() if match else ""


def find_corrections(reading: Reading) -> tuple[Correction, ...]:
    """The user's objections to finished work. Conversations without any local work have none."""
    if not any(c.tool_kind in {ToolKind.SHELL, *EDIT_KINDS} for c in reading.calls):
        return ()
    found = []
    said = reading.user_said
    for number, words in enumerate(said):
        until = said[number + 1].after if number + 1 < len(said) else len(reading.calls)
        if _objects(words, reading):
            found.append(_correction(reading, words, until))
    return tuple(c for c in found if c.after)


def is_failure_report(words: str) -> bool:
    """Whether the user shows a failure that the agent had not seen."""
    return _PASTED.search(words[:_PASTED_CHARS]) is not None


def _objects(words: Said, reading: Reading) -> bool:
    if not 0 < words.after < len(reading.calls):
        return False
    if reading.calls[words.after - 1].status is Status.DENIED:
        return False  # told by the refusal
    if not any(c.status is Status.OK and _works(c) for c in reading.calls[: words.after]):
        return False  # nothing was done yet that could be objected to
    return _OBJECTION.search(words.text[:_OPENING]) is not None


def _correction(reading: Reading, words: Said, until: int) -> Correction:
    before = [c for c in reading.calls[: words.after] if c.status is Status.OK and _works(c)]
    answers = [c for c in reading.calls[words.after : until] if c.status is Status.OK]
    acting = [c for c in answers if _acts(c) and not is_lookup(c)]
    return Correction(
        words=words.text.strip(),
        before=tuple(before[-_KEPT_BEFORE:]),
        after=_kept_after(acting or answers),
    )


def _kept_after(calls: Sequence[Call]) -> tuple[Call, ...]:
    """The first few, and the last, which settled it."""
    if len(calls) <= _KEPT_AFTER:
        return tuple(calls)
    return (*calls[: _KEPT_AFTER - 1], calls[-1])


def accepts(words: str) -> bool:
    """Whether the user is content with what was done."""
    short = len(words) <= _OPENING and _ACCEPTANCE.search(words) is not None
    return short and not _OBJECTION.search(words) and not _RESERVE.search(words)


def _works(call: Call) -> bool:
    """Whether a call changes something or checks it."""
    if call.tool_kind is ToolKind.SHELL:
        return not is_lookup(call) and not shell.only_shows(call.command)
    return call.tool_kind in EDIT_KINDS


def _acts(call: Call) -> bool:
    return call.tool_kind not in {ToolKind.PLAN, ToolKind.ASK, ToolKind.READ}
