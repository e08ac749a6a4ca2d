"""What kind of rule an API's refusal states, and which argument it is about. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hindsight_cli.records.event import Status
from hindsight_cli.records.trace import Call
from hindsight_cli.reflect.calls import flat_arguments
from hindsight_cli.reflect.essence import leaf
from hindsight_cli.reflect.telling import error_text


class Rule(StrEnum):
    FIGURE = "figure"  # it names the figure that it expected
    ENOUGH = "enough"  # there is less of something than was asked for
    UNKNOWN = "unknown"  # no such thing: the name or id was made up or is gone
    BARRED = "barred"  # this kind of value is never taken
    UNAVAILABLE = "unavailable"  # asking again does not help
    OTHER = "other"


_FIGURE = re.compile(
    r"(?:^|[,;:.(] ?)(?:the )?(?P<label>[A-Za-z][A-Za-z _-]{2,30}?) "
    r"(?:is|was|should be|must be|:|=) ?\$?(?P<figure>\d[\d.,]*\d)\b.{0,20}?"
    r"\b(?:but|got|received|paid|given|not|instead)\b",
    re.I,
)
_RULES = (
    (
        Rule.ENOUGH,
        re.compile(
            r"\bnot enough\b|\binsufficient\b|\bexceed(?:s|ed)?\b|\bonly \d+ (?:left|remain)"
            r"|\btoo (?:many|few|large|long|short)\b|不足|不够|超出|超过",
            re.I,
        ),
    ),
    (
        Rule.UNKNOWN,
        re.compile(
            r"\bnot found\b|\bunknown\b|\bno (?:such )?[\w ]{1,30}\bfound\b|\bno such\b"
            r"|\b(?:does not|doesn't) exist\b|\bis not (?:a )?(?:valid|known)\b"
            r"|\bunrecogni[sz]ed\b|不存在|找不到",
            re.I,
        ),
    ),
    (
        Rule.BARRED,
        re.compile(
            r"\b(?:cannot|can't|can not|may not|must not) be\b|\bnot (?:allowed|permitted|supported"
            r"|accepted|eligible)\b|不能|不允许|不支持",
            re.I,
        ),
    ),
    (
        Rule.UNAVAILABLE,
        re.compile(r"\bnot available\b|\bunavailable\b|\bsold out\b|\bexpired\b|\balready\b", re.I),
    ),
)
_KIND = re.compile(r"([A-Za-z]{3,}(?:[_-][A-Za-z]{3,})*)[_-]?\d+")
_NAME = re.compile(r"[A-Za-z][A-Za-z_.:-]{1,79}")
_MIN_VALUE = 3
_PERSONAL = re.compile(r"(?:^|_)(?:name|user|email|phone|address|date|dob|city|id)(?:_|$)", re.I)
_SAID_OFTEN = re.compile(
    r"\b(?:error|not|enough|insufficient|available|the|for|and|exceeds?|exceeded|too|many|few|date)\b",
    re.I,
)
_MOST = 0.6  # share of the words
_LOOKED_AT = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An error, the rule it states, and the argument it is about."""

    rule: Rule
    error: str
    figure: str = ""  # what the error calls the figure it expected
    argument: str = ""  # name; "" when none stands out
    value: str = ""


def refusal_of(failed: Call) -> Refusal:
    error = error_text(failed)
    match = _FIGURE.search(error)
    if match:
        return Refusal(rule=Rule.FIGURE, error=error, figure=match.group("label").strip())
    rule = next((rule for rule, told in _RULES if told.search(error)), Rule.OTHER)
    name, value = blamed_argument(failed, error)
    return Refusal(rule=rule, error=error, argument=leaf(name), value=value)


def blamed_argument(failed: Call, error: str) -> tuple[str, str]:
    """The argument whose value or name the error speaks of; ("", "") when none."""
    spoken = _stems(error)

    def rank(item: tuple[str, str]) -> tuple[bool, int]:
        name, value = item
        named = len(value) > 2 and value.lower() in error.lower()  # noqa: PLR2004
        return named, len(_stems(f"{leaf(name)} {value}") & spoken)

    items = [item for item in flat_arguments(failed).items() if item[1]]
    best = max(items, key=rank, default=("", ""))
    return best if best[0] and any(rank(best)) else ("", "")


def list_source(refusal: Refusal, calls: Iterable[Call]) -> Call | None:
    """The accepted look that tells most of what the error speaks of, and names the value.

    None when no answer speaks of most of it: "not enough seats" is not settled by a price list.
    """
    spoken = _stems(_SAID_OFTEN.sub("", refusal.error.replace(refusal.value, "")))
    shape = re.compile(re.sub(r"\d+", r"\\d+", re.escape(refusal.value)))
    best: tuple[int, int, int, Call] | None = None
    for call in calls:
        if call.status is not Status.OK or not _names(call.output, refusal.value):
            continue
        told = len(spoken & _stems(call.output[:_LOOKED_AT]))
        choices = len(set(shape.findall(call.output[:_LOOKED_AT])))
        rank = (told, choices, -call.step_index)
        if told >= _MOST * len(spoken) and (best is None or rank > best[:3]):
            best = (*rank, call)
    return best[3] if best else None


def _names(text: str, value: str) -> bool:
    return len(value) > 2 and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None  # noqa: PLR2004


def kind_of(value: str) -> str:
    """`gift_card` of `gift_card_5094`; "" when the value shows no kind."""
    match = _KIND.fullmatch(value)
    return match.group(1) if match else ""


def is_portable(name: str, value: str, answer: str = "") -> bool:
    """Whether a value means the same in another run: a mode or a name, no id, amount or date.

    A name with a capital may be a person or a place unless the answer spells it out.
    """
    if not _NAME.fullmatch(value) or _PERSONAL.search(leaf(name)):
        return False
    return value[:1].islower() or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", answer) is not None


def portable(pairs: Sequence[tuple[str, str]], answer: str = "") -> list[tuple[str, str]]:
    return [(name, value) for name, value in pairs if is_portable(name, value, answer)]


def missing_marks(sent: str, taken: str) -> str:
    """`#` when the accepted value is the sent one with `#` before it; "" otherwise."""
    if sent == taken or len(sent) < _MIN_VALUE or not taken.endswith(sent):
        return ""
    marks = taken.removesuffix(sent)
    return marks if re.fullmatch(r"[^\w\s]{1,3}", marks) else ""


def _stems(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"[a-z]{3,}", text.lower().replace("_", " "))}
