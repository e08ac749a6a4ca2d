"""One line of `validate --stdin`: any surface hostile text can arrive on.

A line holds an `experience` (or its `raw` text) with or without a small `trace`, or a `text`
a tool returned, a tool's description, or a `trace_id`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import TypedDict

from hindsight_cli.guard import risk as risks
from hindsight_cli.guard.candidate import SchemaError, load_strict, parse_candidate
from hindsight_cli.guard.canonical import BIDI_ISOLATE, SPLIT_WORDS, TERMINAL_ESCAPE, canonical
from hindsight_cli.guard.concept_rules import met
from hindsight_cli.guard.concepts import BIT, sentences
from hindsight_cli.guard.escapes import is_harmless
from hindsight_cli.guard.gate import judge
from hindsight_cli.guard.minitrace import trace_from
from hindsight_cli.guard.risk_classes import OVERRIDE
from hindsight_cli.guard.verdict import Level
from hindsight_cli.guard.views import MAX_VIEW_CHARS
from hindsight_cli.records.jsonvalue import JsonValue

_TO_AGENT = re.compile(
    r"\b(?:ai|llm|agents?|assistants?|models?|chat ?bot|copilot|claude|gpt|codex|gemini|reflector|"
    r"lessons?|hindsight|rules? \d+)\b|[\"']role[\"']\s*:|智能体|助手|大模型|经验|记忆",
    re.IGNORECASE,
)
_TO_READER = re.compile(
    r"\b(?:ai|llm|coding|automated) (?:agents?|assistants?|models?|tools)\b|\blanguage model|"
    r"(?:ai|AI) ?(?:助手|智能体|代理)|智能体|大模型"
)
_TOOL_READS_SECRETS = re.compile(
    r"(?:read|pass|include|send|provide|attach|supply|fill|contents?)[^.\n]{0,80}"
    r"(?:\.ssh|id_rsa|\.env\b|\.aws|mcp\.json|credentials|private key|api keys?|conversation|"
    r"system prompt|chat history|\bsecrets?\b|passwords?)",
    re.IGNORECASE,
)
_OVERLAP = 500
_TRACE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+=-]{0,127}")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?|[a-z]:.*", re.IGNORECASE)


class Answer(TypedDict):
    id: str
    verdict: str
    codes: list[str]
    risk: list[str]


def judge_line(record: Mapping[str, JsonValue]) -> Answer:
    """The verdict on one line. Never raises on what a line holds."""
    answer = _judge(record)
    answer["id"] = str(record.get("id", ""))
    return answer


def _judge(record: Mapping[str, JsonValue]) -> Answer:
    surface = str(record.get("surface", ""))
    if "experience" in record or "raw" in record:
        return _judge_experience(record)
    if surface == "trace_id" or "trace_id" in record:
        return _judge_trace_id(record.get("trace_id", record.get("text", record.get("value"))))
    text = record.get("text")
    if not isinstance(text, str):
        return _answer(Level.DROP, "schema")
    return _judge_text(text, description="description" in surface)


def _judge_experience(record: Mapping[str, JsonValue]) -> Answer:
    try:
        raw = record.get("raw")
        data = load_strict(raw) if isinstance(raw, str) else record.get("experience")
        candidate = parse_candidate(data)
        steps = record.get("trace")
        trace = None if steps is None else trace_from(steps)
    except SchemaError as error:
        return _answer(Level.DROP, error.code)
    if not candidate.cites:
        return _answer(Level.DROP, "no_citation")
    verdict = judge(candidate, trace)
    return _answer(
        verdict.verdict, *(finding.code for finding in verdict.findings), risk=verdict.risk
    )


def _judge_text(text: str, *, description: bool) -> Answer:
    """Whether text that was read, not proposed, tries to steer who reads it."""
    read = canonical(text)
    hidden = [kind for kind in read.hidden if kind not in (BIDI_ISOLATE, SPLIT_WORDS)]
    if hidden == [TERMINAL_ESCAPE] and is_harmless(text):
        hidden = []
    hits = [
        h
        for part in (*_windows(read.text), *read.payloads)
        for h in _hits(part, commands=description)
    ]
    risk = {h.risk for h in hits if not h.quoted and _is_meant(h, description=description)}
    risk.update(_told(read.text, description=description))
    if description and _TOOL_READS_SECRETS.search(read.text):
        risk.add(risks.EXFILTRATE)
    codes = ["hostile_text"] if risk else []
    codes += ["hidden_text"] if hidden else []
    return _answer(Level.QUARANTINE if codes else Level.ACCEPT, *codes, risk=sorted(risk))


def _told(text: str, *, description: bool) -> Iterator[str]:
    """What a sentence that speaks of, or to, an agent wants done to what."""
    for sentence in sentences(text[:MAX_VIEW_CHARS].casefold()):
        if description or (sentence.held & BIT["you"] and _TO_AGENT.search(sentence.text)):
            yield from met(sentence)
            ordered = sentence.held & (BIT["must"] | BIT["every"])
            if description and ordered and sentence.held & (BIT["url"] | BIT["secret"]):
                yield risks.EXFILTRATE
            if sentence.held & BIT["must"] and _TO_READER.search(sentence.text):
                yield OVERRIDE


def _hits(text: str, *, commands: bool) -> list[risks.Hit]:
    return [*risks.scan_every(text, commands=commands), *risks.scan_turned(text)]


def _windows(text: str) -> Iterator[str]:
    """`text` in pieces that a scan reads whole, overlapping by more than a phrase."""
    for start in range(0, max(len(text), 1), MAX_VIEW_CHARS - _OVERLAP):
        yield text[start : start + MAX_VIEW_CHARS]


def _is_meant(hit: risks.Hit, *, description: bool) -> bool:
    """Whether a hit in text that was merely read is meant for an agent."""
    if hit.risk in risks.HOSTILE or description:
        return True
    return hit.risk in (risks.MEMORY, risks.MISREPORT) and bool(_TO_AGENT.search(hit.around))


def _judge_trace_id(value: JsonValue) -> Answer:
    """An id becomes a file name: nothing that leads elsewhere."""
    if not isinstance(value, str) or not _TRACE_ID.fullmatch(value):
        return _answer(Level.DROP, "schema")
    odd = ".." in value or value.endswith(".") or _DEVICE.fullmatch(value) is not None
    odd = odd or unicodedata.normalize("NFKC", value) != value
    return _answer(Level.DROP, "schema") if odd else _answer(Level.ACCEPT)


def _answer(verdict: Level, *codes: str, risk: tuple[str, ...] | list[str] = ()) -> Answer:
    return {
        "id": "",
        "verdict": verdict.value,
        "codes": list(dict.fromkeys(codes)),
        "risk": list(risk),
    }
