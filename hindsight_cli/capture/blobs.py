"""Binaries without the secrets in them. Pure.

What an agent attaches as base64 is often no picture: an `.env`, a kubeconfig, a tar of
the working folder. Text is redacted as text; of anything else, the readable parts are.
"""

from __future__ import annotations

import codecs
import re

from hindsight_cli.redact import Redactor

_READABLE = re.compile(rb"[\t\n\r -~]{12,}")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\ufffd]")
_MAX_UNREADABLE = 0.05  # of the characters of a text: a torn character, form feeds
_SAMPLE_BYTES = 4_096
_MIN_NULS = 0.3  # of the bytes: letters of UTF-16 without its mark


def redacted_blob(data: bytes, redactor: Redactor) -> bytes:
    """`data` without secrets; equal to `data` when it has none.

    Text in UTF-16 comes back in UTF-8 when something was taken out.
    """
    text = text_in(data)
    if text is not None:
        clean = redactor.text(text)
        return data if clean == text else clean.encode("utf-8", "replace")
    readable = b"\n".join(dict.fromkeys(_READABLE.findall(data))).decode("ascii")
    if redactor.text(readable) == readable:
        return data
    return _READABLE.sub(lambda run: redactor.text(run.group().decode("ascii")).encode(), data)


def text_in(data: bytes) -> str | None:
    """The text that `data` is, or None when it is something else."""
    text = data.decode(_encoding(data[:_SAMPLE_BYTES]), "replace")
    unreadable = len(_CONTROL.findall(text[:_SAMPLE_BYTES]))
    if unreadable > _MAX_UNREADABLE * min(len(text), _SAMPLE_BYTES):
        return None
    if len(_CONTROL.findall(text)) > _MAX_UNREADABLE * len(text):
        return None
    return text


def _encoding(sample: bytes) -> str:
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if sample[1::2].count(0) > _MIN_NULS * len(sample[1::2]):
        return "utf-16-le"
    if sample[0::2].count(0) > _MIN_NULS * len(sample[0::2]):
        return "utf-16-be"
    return "utf-8-sig"
