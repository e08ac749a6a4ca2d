"""Whole answers of a model's API as the server-sent events that stream them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

Document = Mapping[str, Any]


def message_events(message: Document) -> Iterator[str]:
    """An Anthropic message as the events of its stream."""
    start = {**message, "content": [], "stop_reason": None}
    yield _named("message_start", message=start)
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty: Document = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield _named("content_block_start", index=index, content_block=empty)
        yield _named("content_block_delta", index=index, delta=delta)
        yield _named("content_block_stop", index=index)
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    usage = {"output_tokens": message["usage"]["output_tokens"]}
    yield _named("message_delta", delta=ended, usage=usage)
    yield _named("message_stop")


def completion_events(completion: Document) -> Iterator[str]:
    """An OpenAI chat completion as the chunks of its stream."""
    choice = completion["choices"][0]
    delta = dict(choice["message"])
    calls = [{"index": i, **call} for i, call in enumerate(delta.get("tool_calls", ()))]
    if calls:
        delta["tool_calls"] = calls
    about = {**completion, "object": "chat.completion.chunk"}
    del about["usage"]
    for part, reason in ((delta, None), ({}, choice["finish_reason"])):
        yield _data({**about, "choices": [{"index": 0, "delta": part, "finish_reason": reason}]})
    yield _data({**about, "choices": [], "usage": completion["usage"]})
    yield "data: [DONE]\n\n"


def _named(kind: str, **fields: Any) -> str:
    return f"event: {kind}\n" + _data({"type": kind, **fields})


def _data(document: Document) -> str:
    return f"data: {json.dumps(document)}\n\n"
