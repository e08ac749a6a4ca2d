"""Where another task begins in a session: told by hard signs, guessed by soft ones. Pure.

Of follow-up messages only one in nine starts a new task (labelled runs), so a session is
split on what the person says outright, and never on a guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from hindsight_cli.records.event import Actor, Event, EventType

# Texts, compiled when first asked for: a program that records one event never asks.
_CJK = "\u3400-\u9fff"
_THANKS = (
    r"(?:(?:ok(?:ay)?|thanks?(?: you)?(?: (?:so|very) much| a lot)?|thx|great|perfect|good|nice"
    r"|cool|done|all right|alright|now|and|also|so|that works|works|it works"
    r"|好的?|谢谢|多谢|感谢|可以了?|明白了?|收到|辛苦了|行|嗯)[\s,.!;:，。！；：、~…-]*){0,4}"
)
_SAYS = r"(?:i (?:have|'?ve got|got) |here(?:'s| is| comes) |let(?:'s| us) (?:do|start|begin) )?"
_STOP = r"\s*(?:[:：—–]|-\s|\n)\s*"  # what a heading ends with
# The person says that something else begins; what follows the heading is the task.
_OUTRIGHT = (
    rf"{_THANKS}{_SAYS}(?:"
    rf"(?:a |the )?(?:new|next|another|different|separate) task{_STOP}"
    rf"|(?:totally |completely )?(?:unrelated|off[- ]topic)"
    rf"(?: (?:question|task|issue|request|topic))?(?:{_STOP}|\s*,\s*)"
    rf"|(?:new|different|another|next) topic(?:{_STOP}|\s*[,.]\s*)"
    rf"|(?:let(?:'s| us) )?(?:switch(?:ing)?|chang(?:e|ing)) (?:topics?|(?:the )?subject)"
    rf"(?:{_STOP}|\s*[,.]\s*)"
    r"|(?:一个)?(?:新|下一个|另一个|另外一个)(?:的)?任务\s*(?:[:：—–\n]|-\s)\s*"
    r"|(?:我们?|咱们?)?换(?:一)?个(?:话题|任务|主题)(?:吧)?\s*[:：,，。.!！—\n\s]\s*"
    r"|(?:和|跟|与)(?:刚才|前面|上面|之前)(?:的)?(?:都|完全)?(?:无关|没有?关系)(?:的)?"
    r"(?:问题|任务)?\s*[:：,，。—\n\s]\s*"
    r")"
)
# One thing more: of the same matter as often as of another one.
_ONE_MORE = (
    rf"{_THANKS}{_SAYS}(?:"
    r"(?:just |only )?(?:an?other|one more|a different|a new|a separate)"
    r" (?:question|thing|task|issue|request|problem)\b"
    r"|(?:on to )?(?:the )?next (?:task|question|issue)\b"
    r"|(?:我)?(?:还有|另外|再问|另)(?:还有)?(?:一)?(?:个|件)(?:别的|其他的?|其它的?|新的?)?"
    r"(?:问题|事情?|任务|需求)"
    r"|下(?:一)?个(?:任务|问题|需求)"
    r")"
)
_SOFT = (
    rf"{_THANKS}(?:next\b|now\b|also\b|then\b|separately\b|by the way\b|btw\b|another\b"
    r"|另外|接下来|然后|现在|顺便|下一步|还有)"
)
_BACK = (
    r"\b(?:this|that|these|those|it|its|they|them|same|again|above|earlier|previous(?:ly)?|former"
    r"|still|instead|you (?:just|did|made|said|wrote|changed|added)|the (?:error|fix|change|result)"
    r")\b|这|那|它|刚才|刚刚|上面|上述|之前|前面|同样|同一|再次|还是|仍然|你(?:刚|改|加|写|说)"
)
_RESET = re.compile(r"/(?:new|clear|reset)(?![\w/.-])[ \t]*(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_RESET_TOLD = re.compile(r"A new session was started via /(?:new|clear|reset)\b")
_WORD = re.compile(rf"[A-Za-z_][A-Za-z0-9_]{{2,}}|[{_CJK}]+")
_COMMON_WORDS = """
about add after all also and another any are before but can change check code could create
did does doing done file files fix for from get give had has have help here how into issue just
know let like look make more need new next not now off one only other our out please problem
question run see should show some sure task than thank thanks that the their them then there
these they thing this those topic unrelated update use using want was way well were what when
where which who why will with work would write you your
一个 一下 帮我 我们 可以 什么 怎么 如何 问题 任务 请问 需要 还有 另外 下一 个问 个任 现在 然后
接下 下来 能不 不能 是不 为什 有没 没有 我想 你能 请帮 给我 话题 换个
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_MIN_TERMS = 2  # of a request that says enough to be told from the task before it
_KNOWN_TERMS = 400


class Sign(StrEnum):
    HARD = "hard"
    SOFT = "soft"


@dataclass(slots=True)
class TaskState:
    """What must be remembered of a task to see the next one begin.

    Only summaries are read, so that a session gives the same whether it is read at once
    or as it grows.
    """

    was_worked_on: bool = False  # the agent has done something since the task began
    is_reset: bool = False  # a session command ended the task; the next request begins another
    terms: set[str] = field(default_factory=set)  # of what the person said
    reply_terms: frozenset[str] = frozenset()  # of the agent's last words

    def note(self, event: Event) -> None:
        if event.event_type is EventType.BOUNDARY:
            step = event.extra.get("from_step")
            if isinstance(step, int) and step > event.step_index:  # not one put in later by hand
                self.begin()
        elif event.actor is Actor.AGENT:
            self.was_worked_on = True
            if event.event_type is EventType.MESSAGE:
                self.reply_terms = frozenset(_terms(event.output_summary))
        elif is_reset(event):
            self.is_reset = self.was_worked_on
        elif is_request(event):
            self.is_reset = False
            if len(self.terms) < _KNOWN_TERMS:
                self.terms |= _terms(event.output_summary)

    def begin(self) -> None:
        self.was_worked_on = self.is_reset = False
        self.terms = set()
        self.reply_terms = frozenset()

    def sign_of(self, event: Event) -> Sign | None:
        """What tells that this message of the person, not noted yet, begins another task."""
        if not self.was_worked_on or not is_request(event):
            return None
        text = event.output_summary.lstrip()
        command = _RESET.match(text)
        if command is not None:
            return Sign.HARD if command["rest"].strip() else None
        if self.is_reset:
            return Sign.HARD
        outright = re.match(_OUTRIGHT, text, re.IGNORECASE)
        if outright is not None and _terms(text[outright.end() :]):
            return Sign.HARD
        one_more = re.match(_ONE_MORE, text, re.IGNORECASE)
        if one_more is not None:
            return Sign.HARD if self._is_elsewhere(text[one_more.end() :]) else None
        soft = re.match(_SOFT, text, re.IGNORECASE)
        return Sign.SOFT if soft is not None and self._is_elsewhere(text[soft.end() :]) else None

    def _is_elsewhere(self, text: str) -> bool:
        """No word of it was said before, and nothing in it points back."""
        terms = _terms(text)
        is_known = not terms.isdisjoint(self.terms) or not terms.isdisjoint(self.reply_terms)
        return (
            len(terms) >= _MIN_TERMS
            and not is_known
            and re.search(_BACK, text, re.IGNORECASE) is None
        )


def is_request(event: Event) -> bool:
    """Whether a person said it: a task, or a later message."""
    kinds = (EventType.TASK, EventType.MESSAGE)
    return event.event_type in kinds and event.actor is Actor.USER and not event.injected


def is_reset(event: Event) -> bool:
    """Whether it is a session command alone, or an agent's note of one."""
    if event.event_type is not EventType.MESSAGE or event.actor is Actor.AGENT:
        return False
    text = event.output_summary.lstrip()
    command = _RESET.match(text)
    if command is not None:
        return event.injected or not command["rest"].strip()
    return event.injected and _RESET_TOLD.match(text) is not None


def next_trace_id(session_id: str, known: Iterable[str]) -> str:
    """The id of the session's next trace. No session has it: theirs are without a dot."""
    taken = set(known) | {session_id}
    number = len(taken) + 1
    while f"{session_id}.{number}" in taken:
        number += 1
    return f"{session_id}.{number}"


def likely_starts(events: Sequence[Event]) -> list[int]:
    """Steps of a trace at which another task may begin, by soft signs."""
    state, steps = TaskState(), []
    for event in events:
        if state.sign_of(event) is not None:
            steps.append(event.step_index)
            state.begin()
        state.note(event)
    return steps


def _terms(text: str) -> set[str]:
    """Words that say what it is about: Latin ones cut to a stem, Chinese ones as pairs."""
    terms: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if word[0] >= "\u3400":
            terms.update(word[i : i + 2] for i in range(len(word) - 1))
        else:
            terms.update(_stem(part) for part in word.split("_") if part not in _COMMON)
    return {term for term in terms if len(term) > 1} - _COMMON


def _stem(word: str) -> str:
    """Crude, so that `test`, `tests` and `testing` are one: better one word too many known."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:  # noqa: PLR2004
            return word[: -len(ending)]
    return word
