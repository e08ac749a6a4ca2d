"""Whether a trace bears a candidate out: its citations and its literals (statuses: claims.py).

Fabrication is the enemy, paraphrase is not: what cannot be looked up exactly is left
to the human who reviews.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hindsight_cli.guard.candidate import Candidate, Cite
from hindsight_cli.guard.facts import Facts, Haystack, Step, normalized
from hindsight_cli.guard.literals import Literal, Shape, find_literals, pieces
from hindsight_cli.guard.stopwords import STOP_WORDS
from hindsight_cli.guard.verdict import Finding, Level, Verdict
from hindsight_cli.records.trace import Call

__all__ = ["Finding", "Level", "Verdict", "check_citations", "check_literals", "is_in", "is_tool"]

_QUALIFIERS = re.compile(r"__|[./:]")
_PARTS = re.compile(r"[\s=,;()\[\]{}<>|&]+")
_PATH_START = re.compile(r"^(?:\./|~/|\$\{?home\}?/|/)")
_PLURAL = re.compile(r"(?:'s|s)$")
_QUOTE_SHARE = 0.75  # of a quotation's words, found close together: it was said
_PARAPHRASE_SHARE = 0.5  # fewer: nobody said anything like it
_MIN_TAIL = 2  # folders of a path that must be found when its head is elsewhere
_TIME_UNITS = (1, 60, 1000, 60_000)  # a time may be told in another unit
# In a long trace any number turns up somewhere: these must stand beside what they are said to be.
_REACH = 24
_LABELLED = (
    (
        re.compile(
            r"(?:exit(?:ed)?(?: with)? (?:code|status)|return(?:ed)? code|退出码)\W{0,3}$", re.I
        ),
        re.compile(r"(?:exit\w*|code|status|returned|signal|rc|退出码?)\D{0,12}\0"),
    ),
    (
        re.compile(r"(?:http|状态码)(?:/\d(?:\.\d)?)?(?: code| status| error)*\W{0,3}$", re.I),
        re.compile(
            r"(?:http\S*|status|code|error|response|returned|got)\W{0,8}\0|\0\W{0,4}(?:not|"
            r"forbidden|"
            r"unauth|bad|internal|too|gateway|service|conflict|ok|created|unprocess|client|"
            r"server|request)"
        ),
    ),
)
_TIMED = re.compile(r"\s*(?:ms|s|sec|seconds?|min|minutes?|h|hours?|秒|毫秒|分钟|分)\b")


def check_citations(candidate: Candidate, facts: Facts) -> Iterator[Finding]:
    """Every cited step exists, may be cited and used the tool that is named."""
    if not candidate.cites:
        yield Finding("no_citation", "cites no step")
        return
    for cite in candidate.cites:
        yield from _check_cite(cite, candidate.any_tool, facts)
    steps = [facts.steps.get(cite.step, Step()) for cite in candidate.cites]
    if not any(step.is_evidence for step in steps):
        yield Finding("no_citation", "cites only words: no tool call and no decision")
    used = [call for step in steps for call in step.calls]
    for tool in candidate.any_tool:
        if not any(is_tool(tool, call) for call in used):
            yield Finding("tool_not_at_step", f"{tool!r} was used at none of the cited steps")


def _check_cite(cite: Cite, any_tool: tuple[str, ...], facts: Facts) -> Iterator[Finding]:
    step = facts.steps.get(cite.step)
    if step is None or not step.citable:
        yield Finding("step_not_in_trace", f"step {cite.step} is not in the trace")
        return
    named = (cite.tool,) if cite.tool else any_tool
    if not named or (not step.calls and not cite.tool):
        return
    if not any(is_tool(tool, call) for tool in named for call in step.calls):
        used = ", ".join(sorted({call.tool_name for call in step.calls})) or "no tool"
        yield Finding("tool_not_at_step", f"step {cite.step} used {used}, not {', '.join(named)}")


def is_tool(name: str, call: Call) -> bool:
    """Whether `name` names the tool of `call`, with or without its server in front."""
    claimed, used = _name_parts(name), _name_parts(call.tool_name)
    if call.server and _name_parts(call.server) != used[: len(_name_parts(call.server))]:
        used = [*_name_parts(call.server), *used]
    shorter, longer = sorted((claimed, used), key=len)
    return bool(shorter) and longer[-len(shorter) :] == shorter


def _name_parts(name: str) -> list[str]:
    parts = [part for part in _QUALIFIERS.split(name.strip().casefold()) if part]
    return parts[1:] if len(parts) > 1 and parts[0] == "mcp" else parts


def check_literals(candidate: Candidate, facts: Facts) -> Iterator[Finding]:
    """Every literal stands in the trace; those of `recommend` may be what nobody tried."""
    for name in ("scenario", "avoid", "why"):
        for literal in find_literals(getattr(candidate, name)):
            if not is_in(literal, facts.everything, getattr(candidate, name)):
                yield _missing(literal, name, facts.everything)
    for literal in find_literals(candidate.recommend):
        if not is_in(literal, facts.everything, candidate.recommend):
            yield Finding("untried_literal", f"recommend: {literal.text!r} was not tried")


def _missing(literal: Literal, name: str, hay: Haystack) -> Finding:
    if literal.shape is Shape.QUOTE and _quoted_share(literal.text, hay) >= _PARAPHRASE_SHARE:
        return Finding("quote_not_verbatim", f"{name}: {literal.text!r} was said differently")
    return Finding("literal_not_in_trace", f"{name}: {literal.text!r} is not in the trace")


def is_in(literal: Literal, hay: Haystack, context: str = "") -> bool:
    """Whether `hay` holds the literal, however it was spaced, quoted or shortened."""
    if literal.shape is Shape.NUMBER:
        return _has_number(literal.text, hay, context)
    if literal.shape is Shape.COMMAND:
        return all(hay.has(word) for word in normalized(literal.text).split())
    if literal.shape is Shape.QUOTE:
        return _quoted_share(literal.text, hay) >= _QUOTE_SHARE
    whole = normalized(literal.text)
    return hay.has(whole) or _has_path(whole, hay) or _has_parts(literal, hay)


def _has_number(word: str, hay: Haystack, context: str) -> bool:
    digits = word.replace(",", "")
    grouped = f"{int(digits):,}" if digits.isdigit() else digits
    before, _, after = context.partition(word)
    for label, company in _LABELLED:
        if label.search(before):
            return any(company.search(around) for around in hay.around(digits, _REACH))
    if hay.has(digits) or hay.has(grouped):
        return True
    if not digits.isdigit() or not _TIMED.match(after):
        return False
    value = int(digits)
    scaled = {value * unit for unit in _TIME_UNITS}
    scaled |= {value // unit for unit in _TIME_UNITS if value % unit == 0}
    return any(hay.has(str(number)) for number in scaled)


def _has_path(whole: str, hay: Haystack) -> bool:
    """A path written from another folder: its start may be missing, or stand elsewhere."""
    if "/" not in whole or " " in whole or "://" in whole:
        return False
    bare = _PATH_START.sub("", whole).rstrip("/")
    if bare != whole and bare.count("/") and hay.has(bare):
        return True
    if bare != whole and not whole.startswith("/") and hay.has(bare):
        return True
    parts = bare.split("/")
    for cut in range(1, len(parts)):
        head, tail = "/".join(parts[:cut]), "/".join(parts[cut:])
        long_enough = max(cut, len(parts) - cut) >= _MIN_TAIL
        if long_enough and hay.has(head) and hay.has(tail):
            return True
    return False


def _has_parts(literal: Literal, hay: Haystack) -> bool:
    parts: list[str] = []
    for piece in pieces(literal.text):
        split = [part for part in _PARTS.split(normalized(piece)) if re.search(r"\w", part)]
        parts += split
    if not parts:
        return True
    if len(parts) == 1:
        single = parts[0].strip("${}:.,;-") if parts[0].startswith("$") else parts[0]
        return (
            hay.has(single) or hay.has(_PLURAL.sub("", single)) or hay.has(single.rstrip(":.,;/"))
        )
    return hay.has_near(parts)


def _quoted_share(text: str, hay: Haystack) -> float:
    whole = normalized(text)
    if hay.has(whole):
        return 1.0
    words = [word.strip(".,:;!?…()") for piece in pieces(whole) for word in piece.split()]
    telling = [word for word in words if word and word not in STOP_WORDS]
    return hay.share_near(telling if len(telling) > 1 else list(filter(None, words)))
