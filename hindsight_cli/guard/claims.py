"""What a text claims about how steps and commands ended, held against how they did.

A claim is read only where it is plain ("step 3 fixed it", "`make lint` passed"); hedges,
conditions and negations are left to the human.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hindsight_cli.guard.candidate import Candidate
from hindsight_cli.guard.facts import NOT_RUN, Facts, Step
from hindsight_cli.guard.grounding import is_in
from hindsight_cli.guard.literals import Literal, Shape, find_literals
from hindsight_cli.guard.verdict import Finding
from hindsight_cli.records.event import Outcome, Status
from hindsight_cli.records.experience import ExperienceKind
from hindsight_cli.records.trace import Call

_WORKED = re.compile(
    r"\b(?:succeed(?:s|ed)|success(?:ful(?:ly)?)?|works|worked(?! around)|fixe[sd]|solve[sd]|"
    r"resolve[sd]|"
    r"repaired|cured|passes|passed(?!\s+(?:the|an?|its?|no|only|wrong|-|`))|went green|is green)\b"
    r"|成功|解决|修复了|修好|通过了|有效",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"\b(?:failed|fails|failure|errored|error(?:ed)? out|crashed|timed out|broke|was rejected)\b"
    r"|失败|报错|出错|超时",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:\b(?:not|never|no|nothing|none|without|neither|hardly|cannot)|n't|未|没有?|不|无法|"
    r"并非)\W{0,3}(?:\w+\W+){0,2}$",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:until|if|whether|when|once|unless|before|so that|make sure|check|verify|ensure|should|"
    r"would|might|may|could|must|to see|see that|hoping|expect(?:ed|ing)?|claim(?:ed|ing)?|"
    r"assum\w+)\b"
    r"|直到|是否|如果|确认|确保|应该|可能|以为|声称",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"\bsteps?\s*#?(-?\d{1,9})(?!\.?\d)(?!\s*[:：)])((?:\s*(?:,|and|&)\s*#?-?\d{1,9})*)"
    r"|第\s*(-?\d{1,9})\s*步|步骤\s*(-?\d{1,9})(?!\s*[:：)])"
    r"|\bstep\s+(-\d{1,9})",
    re.IGNORECASE,
)
_OF_GUIDE = re.compile(
    r"\s*(?:of|in|from)\s+(?:the|a|this|their|its)\s+\w*\s*(?:guide|docs?|readme|tutorial|"
    r"manual|wizard|list|plan|checklist|instructions)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"(?<=[.!?])\s+|[。！？;；\n，]|,\s|\b(?:but|while|whereas|however)\b|但|而是|然后"
)
_REACH = 60  # characters between a step and the word about it
_TROUBLE = re.compile(
    r"error|fail|exception|traceback|panic|fatal|denied|refused|not found|no such|cannot|can't|"
    r"unable|invalid|missing|timed? ?out|abort|warn|reject|conflict|unknown|undefined|mismatch|"
    r"exit (?:code|status) [1-9]|wrong|错误|失败|异常|找不到|拒绝|超时|不存在",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Claim:
    worked: bool


def check_claims(candidate: Candidate, facts: Facts) -> Iterator[Finding]:
    """Findings where the text, or the kind, contradicts the statuses of the trace."""
    texts = (candidate.scenario, candidate.recommend, candidate.avoid, candidate.why)
    for text in texts:
        yield from _check_step_claims(text, facts)
        yield from _check_command_claims(text, facts)
    cited = [call for cite in candidate.cites for call in _calls_at(cite.step, facts)]
    if candidate.kind is ExperienceKind.SUCCESS_PATTERN:
        yield from _check_success(candidate, cited, facts)
    elif cited and all(map(did_not_work, cited)):
        advice = (candidate.recommend, candidate.why)
        if any(_plain_claim(c) == _Claim(worked=True) for t in advice for c in _CLAUSE.split(t)):
            yield Finding("claim_not_cited", "says something worked and cites only failures")


def did_not_work(call: Call) -> bool:
    return call.failed or call.status in NOT_RUN


def _check_success(candidate: Candidate, cited: list[Call], facts: Facts) -> Iterator[Finding]:
    if cited and all(map(did_not_work, cited)):
        yield Finding("success_from_failed_steps", "every cited call failed or never ran")
    for literal in find_literals(candidate.recommend):
        if literal.marked and " " in literal.text and _only_failed(literal, facts):
            yield Finding("status_contradicted", f"{literal.text!r} never worked in this trace")
    if facts.ends_failed or facts.outcome is Outcome.FAILURE:
        yield Finding("success_not_final", "the trace ends in a failure")


def _calls_at(step: int, facts: Facts) -> tuple[Call, ...]:
    return facts.steps.get(step, Step()).calls


def _check_step_claims(text: str, facts: Facts) -> Iterator[Finding]:
    mentions = list(_STEP.finditer(text))
    for i, match in enumerate(mentions):
        if _OF_GUIDE.match(text, match.end()):
            continue
        numbers = [int(n) for n in re.findall(r"-?\d+", match.group())]
        for number in numbers:
            if number not in facts.steps:
                yield Finding("step_not_in_trace", f"speaks of step {number}, not in the trace")
        end = mentions[i + 1].start() if i + 1 < len(mentions) else len(text)
        start = mentions[i - 1].end() if i else 0
        claim = _claim_about(text[start : match.start()], text[match.end() : end])
        if claim is not None:
            yield from _contradictions(numbers, claim, facts)


def _claim_about(before: str, after: str) -> _Claim | None:
    """The nearest plain claim in the clause: behind the step first, then in front of it."""
    clause_after = _CLAUSE.split(after.lstrip(" ,:，、-–"))[0][:_REACH]
    clause_before = _CLAUSE.split(before)[-1][-_REACH:]
    return _plain_claim(clause_after) or _plain_claim(clause_before, last=True)


def _plain_claim(clause: str, *, last: bool = False) -> _Claim | None:
    """What `clause` says for sure, by its first (or last) word about an end."""
    worked, failed = list(_WORKED.finditer(clause)), list(_FAILED.finditer(clause))
    found = sorted([*worked, *failed], key=lambda m: m.start(), reverse=last)
    if not found or _CONDITION.search(clause):
        return None
    word = found[0]
    negated = _NEGATED.search(clause[: word.start()]) is not None
    return _Claim(worked=(word in worked) is not negated)


def _contradictions(numbers: list[int], claim: _Claim, facts: Facts) -> Iterator[Finding]:
    calls = [call for number in numbers for call in _calls_at(number, facts)]
    named = ", ".join(map(str, numbers))
    if claim.worked and calls and all(map(did_not_work, calls)):
        yield Finding("status_contradicted", f"step {named} did not work, the text says it did")
    elif not claim.worked and calls and all(map(_plainly_ok, calls)):
        yield Finding("status_contradicted", f"step {named} did not fail, the text says it did")


def _plainly_ok(call: Call) -> bool:
    """Worked, and said nothing that an honest author could call a failure."""
    return (
        call.status is Status.OK
        and bool(call.output.strip())
        and call.exit_code in (None, 0)
        and not _TROUBLE.search(call.output)
    )


def _check_command_claims(text: str, facts: Facts) -> Iterator[Finding]:
    for clause in _CLAUSE.split(text):
        if not clause or _plain_claim(clause) != _Claim(worked=True):
            continue
        for literal in find_literals(clause):
            if literal.shape is Shape.CODE and literal.marked and _only_failed(literal, facts):
                yield Finding("status_contradicted", f"{literal.text!r} never worked here")


def _only_failed(literal: Literal, facts: Facts) -> bool:
    """Whether the trace ran `literal` and every call with it failed."""
    ran = [call for call in facts.calls if is_in(literal, facts.inputs[call.call_event.seq])]
    return bool(ran) and all(map(did_not_work, ran))
