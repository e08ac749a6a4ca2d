"""Message content as model APIs write it: a string, or a list of typed blocks."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping

from hindsight_cli.capture.draft import Blob
from hindsight_cli.records.event import JsonValue

# Blocks that hold text under one of these keys, whatever their type is called.
_TEXT_KEYS = ("text", "input_text", "output_text", "refusal", "content")


def blocks_of(content: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    """The blocks of a message; bare strings become text blocks, other things are passed over."""
    items = content if isinstance(content, list) else [content]
    for item in items:
        if isinstance(item, str):
            yield {"type": "text", "text": item}
        elif isinstance(item, dict):
            yield item


def text_of(content: JsonValue) -> str:
    """All text of a content value, blocks joined by a newline."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list | dict):
        return json.dumps(content)
    return "\n".join(part for block in blocks_of(content) if (part := block_text(block)))


def block_text(block: Mapping[str, JsonValue]) -> str:
    """The text of one block; a placeholder for a picture or a file."""
    for key in _TEXT_KEYS:
        value = block.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return text_of(value)
    kind = block.get("type")
    return f"[{kind}]" if isinstance(kind, str) else json.dumps(block, ensure_ascii=False)


def blobs_of(content: JsonValue) -> tuple[Blob, ...]:
    """The binaries inside a content value, nested lists included."""
    return tuple(_blobs(content)) if isinstance(content, list | dict) else ()


def _blobs(content: JsonValue) -> Iterator[Blob]:
    for block in blocks_of(content):
        blob = _blob(block)
        if blob is not None:
            yield blob
        elif isinstance(block.get("content"), list):
            yield from _blobs(block["content"])


def _blob(block: Mapping[str, JsonValue]) -> Blob | None:
    source = block.get("source")
    if isinstance(source, dict) and isinstance(source.get("data"), str):
        return _decoded(str(source.get("media_type") or "application/octet-stream"), source["data"])
    if isinstance(block.get("data"), str) and isinstance(block.get("mimeType"), str):
        return _decoded(block["mimeType"], block["data"])
    picture = block.get("image_url")
    url = picture.get("url") if isinstance(picture, dict) else picture
    if isinstance(url, str) and url.startswith("data:"):
        head, _, data = url[5:].partition(",")
        return _decoded(head.removesuffix(";base64") or "application/octet-stream", data)
    return None


def _decoded(mime: str, data: str) -> Blob | None:
    try:
        return Blob(mime=mime, data=base64.b64decode(data))
    except (binascii.Error, ValueError):
        return None
