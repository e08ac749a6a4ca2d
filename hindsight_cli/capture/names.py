"""Secrets in what is not text: names of tools, ids, times, token counts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace

from hindsight_cli.capture.draft import DraftEvent
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.redact import Redactor
from hindsight_cli.text import plain_utf8

# Ids and times as agents write them, which are no secrets whatever they look like.
_HARMLESS = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
)
_MAX_NAMES = 20_000
_NAMES = (
    "timestamp",
    "tool_name",
    "server",
    "call_id",
    "status_rule",
    "native_status",
    "error_type",
)


class Names:
    """Redacts the short strings of events: names, ids, times. Each is looked at once.

    Equal strings get equal placeholders, so that a call and its result still pair.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._seen: dict[str, str] = {}

    def clean(self, text: str) -> str:
        """`text` without secrets."""
        clean = self._seen.get(text)
        if clean is None:
            clean = text if _HARMLESS.fullmatch(text) else self._redactor.text(text)
            if len(self._seen) >= _MAX_NAMES:
                self._seen.clear()
            self._seen[text] = clean
        return clean

    def clean_or_none(self, text: str | None) -> str | None:
        """As `clean`, for a field that may be empty."""
        return self.clean(text) if text else text

    def of(self, given: DraftEvent) -> DraftEvent:
        """An event with clean names; itself when they are."""
        texts = [text for name in _NAMES if (text := getattr(given, name))]
        if all(self.clean(text) == text for text in texts):
            return given
        return replace(
            given,
            timestamp=self.clean_or_none(given.timestamp),
            tool_name=self.clean_or_none(given.tool_name),
            server=self.clean_or_none(given.server),
            call_id=self.clean_or_none(given.call_id),
            status_rule=self.clean_or_none(given.status_rule),
            native_status=self.clean_or_none(given.native_status),
            error_type=self.clean_or_none(given.error_type),
        )

    def event_id(self, session_id: str, chosen: str | None) -> str | None:
        """The id a program chose for an event; where it is a secret, one made from it.

        A placeholder would not do: ids that differ must stay different.
        """
        if not chosen or self.clean(chosen) == plain_utf8(chosen) == chosen:
            return chosen
        return hashlib.sha256(f"{session_id}\n{chosen}".encode("utf-8", "replace")).hexdigest()[:20]

    def usage(self, usage: Mapping[str, JsonValue] | None) -> Mapping[str, JsonValue] | None:
        """Token counts; a text among them, or a name, may be anything."""
        if not usage:
            return usage
        if all(self.clean(k) == k and type(v) in (int, float) for k, v in usage.items()):
            return usage
        clean: JsonValue = self._redactor.value(dict(usage))
        return dict(clean)
