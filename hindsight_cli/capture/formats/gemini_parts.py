"""Messages in the terms of the Gemini API, as Gemini CLI and Qwen Code keep them: parts.

Source: `Content` and `Part` of https://ai.google.dev/api/caching#Content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hindsight_cli.capture.draft import Blob
from hindsight_cli.capture.formats.content import decoded_blob
from hindsight_cli.records.jsonvalue import JsonValue

Record = Mapping[str, JsonValue]


def string(record: Record, *keys: str) -> str:
    """The first of the members that is a string with something in it."""
    return next((value for key in keys if isinstance(value := record.get(key), str) and value), "")


def mapping(value: JsonValue) -> Record:
    return value if isinstance(value, dict) else {}


def parts_of(content: JsonValue) -> Iterator[Record]:
    """The parts of a content: a string, one part, a list of both, or an object with `parts`."""
    if isinstance(content, dict) and isinstance(content.get("parts"), str | list):
        content = content["parts"]
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, str):
            yield {"text": item}
        elif isinstance(item, dict):
            yield item


def with_files(response: Record, parts: list[Record]) -> Record:
    """A response with the files that lie beside it, where it is the only one."""
    files: list[JsonValue] = [dict(part) for part in parts if "inlineData" in part]
    alone = sum("functionResponse" in part for part in parts) == 1
    return {**response, "parts": files} if files and alone else response


def blob_of(part: Record) -> Blob | None:
    inline = part.get("inlineData")
    if not isinstance(inline, dict) or not isinstance(inline.get("data"), str):
        return None
    return decoded_blob(string(inline, "mimeType") or "application/octet-stream", inline["data"])


def blobs_in(response: Record) -> Iterator[Blob]:
    nested = response.get("parts")
    for part in parts_of(nested) if nested else ():
        if blob := blob_of(part):
            yield blob
