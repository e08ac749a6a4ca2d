"""Message content as model APIs write it: a string, or a list of typed blocks."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping

from hindsight_cli.capture.draft import Blob
from hindsight_cli.records.jsonvalue import JsonValue

# Blocks that hold text under one of these keys, whatever their type is called.
_TEXT_KEYS = ("text", "input_text", "output_text", "refusal", "content")
_ENCODED = re.compile(
    r"data:(?P<mime>[\w.+-]+/[\w.+-]+)(?:;[\w=.+-]+)*;base64,(?P<uri>[A-Za-z0-9+/]{200,}={0,2})"
    r"|(?P<bare>[A-Za-z0-9+/]{1000,}={0,2})"
)
_MIN_BARE_CHARS = 1000
_BLOCK = re.compile(rf"[A-Za-z0-9+/]{{{_MIN_BARE_CHARS // 2}}}")
_MIXTURE = tuple(map(re.compile, ("[a-z]", "[A-Z]", "[0-9]")))


def blocks_of(content: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    """The blocks of a message; bare strings become text blocks, other things are passed over."""
    items = content if isinstance(content, list) else [content]
    for item in items:
        if isinstance(item, str):
            yield {"type": "text", "text": item}
        elif isinstance(item, dict):
            yield item


def type_of(block: Mapping[str, JsonValue]) -> str:
    """The type of a block or record; "" where that is missing or no string."""
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""


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
    resource = block.get("resource")
    if isinstance(resource, dict) and isinstance(resource.get("text"), str):
        return str(resource["text"])
    kind = type_of(block)
    return f"[{kind}]" if kind else json.dumps(block, ensure_ascii=False)


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
        return decoded_blob(
            str(source.get("media_type") or "application/octet-stream"), source["data"]
        )
    if isinstance(block.get("data"), str) and isinstance(block.get("mimeType"), str):
        return decoded_blob(block["mimeType"], block["data"])
    picture = block.get("image_url")
    url = picture.get("url") if isinstance(picture, dict) else picture
    if isinstance(url, str) and url.startswith("data:"):
        head, _, data = url[5:].partition(",")
        return decoded_blob(head.removesuffix(";base64") or "application/octet-stream", data)
    return None


def decoded_blob(mime: str, data: str) -> Blob | None:
    """The binary that base64 text holds; None when it is no base64."""
    try:
        return Blob(mime=mime, data=base64.b64decode(data))
    except (binascii.Error, ValueError):
        return None


def _has_long_run(text: str) -> bool:
    """Whether base64 may go on for `_MIN_BARE_CHARS`: it then fills one block of half that size."""
    size = _MIN_BARE_CHARS // 2
    return any(_BLOCK.match(text, at) for at in range(0, len(text) - size + 1, size))


def take_out_encoded(text: str) -> tuple[str, tuple[Blob, ...]]:
    """A text without the base64 in it, and what that decodes to.

    Takes data URIs, and runs too long and too mixed to be words or code.
    """
    # Nearly every text stops here, at a fraction of what the pattern costs.
    if ";base64," not in text and not _has_long_run(text):
        return text, ()
    blobs: list[Blob] = []

    def placeholder(match: re.Match[str]) -> str:
        data = match["uri"] or match["bare"]
        if match["bare"] and not all(kind.search(data) for kind in _MIXTURE):
            return match.group()
        blob = decoded_blob(match["mime"] or "application/octet-stream", data)
        if blob is None:
            return match.group()
        blobs.append(blob)
        return f"[{blob.mime}, {len(blob.data)} bytes]"

    return _ENCODED.sub(placeholder, text), tuple(blobs)
