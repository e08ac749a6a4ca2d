"""OpenTelemetry as JSON: traces and logs of agents, as exporters and collectors write them.

GenAI spans, OpenInference, and the spans and logs of Claude Code and Gemini CLI. A span,
log record or metric is one native record. Source: docs/reference/native-formats.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hindsight_cli.capture.draft import Draft, Problem
from hindsight_cli.capture.formats import otlp_logs, otlp_messages
from hindsight_cli.capture.formats.otlp_signals import Kind, Signal, signals_of
from hindsight_cli.capture.formats.otlp_spans import SpanReader
from hindsight_cli.capture.formats.otlp_state import Conversations, draft_of

# Not the agent's own id: its transcript tells the same, and so do spans and logs.
_LOGS = "-otlp"
_SPANS = "-otlp-spans"
_NEAR_BYTES = 4096
_REQUEST = re.compile(rb'\A[\s\[]*\{\s*"resource(?:Spans|Logs|Metrics)"\s*:\s*\[')
_PRINTED = re.compile(
    rb'\A[\s\[]*\{\s*"(?:hrTime|resource)"[\s\S]{0,4000}?"(?:hrTime|instrumentationScope)"\s*:'
)
_DETAILS = "gen_ai.client.inference.operation.details"


def recognizes(path: Path, head: bytes) -> bool:
    """Whether the file begins with a request of OTLP, or with a record as the SDK prints it."""
    near = head.removeprefix(b"\xef\xbb\xbf")[:_NEAR_BYTES]
    return bool(_REQUEST.match(near) or _PRINTED.match(near))


def read(path: Path) -> Iterator[Draft | Problem]:
    """Every log record in file order, then every span in the order in which they began."""
    reader = _Reader()
    for signal in signals_of(path):
        if isinstance(signal, Problem):
            yield signal
        else:
            yield from reader.drafts(signal)
    yield from reader.rest()


class _Reader:
    def __init__(self) -> None:
        self._logged = Conversations(_LOGS)
        self._logs = otlp_logs.LogReader(self._logged)
        self._spans = SpanReader(Conversations(_SPANS))

    def drafts(self, signal: Signal) -> Iterator[Draft]:
        if signal.kind is Kind.SPAN:
            yield from self._spans.drafts(signal)
        elif signal.kind is Kind.LOG and otlp_logs.is_dialect(signal):
            yield from self._logs.drafts(signal)
        else:
            yield self._other(signal)

    def rest(self) -> Iterator[Draft]:
        yield from self._logs.rest()
        yield from self._spans.rest()

    def _other(self, signal: Signal) -> Draft:
        """A metric, a log record of the GenAI conventions, or one of another program."""
        conversation = self._logged.of(signal)
        messages = []
        if signal.kind is Kind.LOG and otlp_messages.is_message(signal.name):
            messages = [otlp_messages.message_of(signal)]
        elif signal.name == _DETAILS:
            messages = list(otlp_messages.messages_in(signal, with_answers=True))
        events = [
            event
            for message in messages
            if conversation.is_new(message)
            for event in otlp_messages.message_events(message, conversation, signal.time)
        ]
        identity = otlp_logs.identity_of(signal.name, signal)
        return draft_of(signal, conversation, identity, *events)
