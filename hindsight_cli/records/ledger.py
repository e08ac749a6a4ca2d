"""One line of the ledger: something that happened to an experience.

Source: docs/reference/experience-format.md.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue


LEDGER_VERSION = 1


class EntryKind(StrEnum):
    PROPOSED = "proposed"
    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    PROMOTED = "promoted"
    FORGOTTEN = "forgotten"
    UNDONE = "undone"
    VERIFIED = "verified"
    EXPIRED = "expired"
    INJECTED = "injected"
    OUTCOME = "outcome"
    SUSPENDED = "suspended"
    MET = "met"  # another trace bears it out


# Committed with the project; everything else stays on this machine.
SHARED_KINDS = frozenset(
    {
        EntryKind.APPROVED,
        EntryKind.EDITED,
        EntryKind.SUPERSEDED,
        EntryKind.PROMOTED,
        EntryKind.FORGOTTEN,
        EntryKind.UNDONE,
    }
)
HUMAN = "human"
# What reading an object that somebody else wrote may end in.
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
_MAX_ID_CHARS = 200


def new_entry_id() -> str:
    """A random UUID (version 4); not through `uuid`, which costs a tenth of an `inject`."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    text = raw.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    entry_id: str  # uuid
    entry: EntryKind
    experience_id: str
    at: str  # ISO 8601, UTC
    by: str  # "human", or what acted on its own: "rules", "llm", "expire" ...
    data: Mapping[str, JsonValue] = field(default_factory=dict)
    v: int = LEDGER_VERSION

    @property
    def digest(self) -> str:
        """sha256 over the whole entry: what a trust list remembers."""
        import hashlib  # not on the way to a search

        text = json.dumps(entry_to_dict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def entry_to_dict(entry: LedgerEntry) -> dict[str, JsonValue]:
    return {
        "v": entry.v,
        "entry_id": entry.entry_id,
        "entry": entry.entry.value,
        "experience_id": entry.experience_id,
        "at": entry.at,
        "by": entry.by,
        "data": dict(entry.data),
    }


def entry_from_dict(data: Mapping[str, JsonValue]) -> LedgerEntry:
    """Inverse of `entry_to_dict`.

    Raises:
        ValueError, KeyError, TypeError: the object is no ledger entry, or of a kind
            that only a later version knows.
    """
    entry_id, experience_id = data["entry_id"], data["experience_id"]
    for identity in (entry_id, experience_id):
        if not isinstance(identity, str) or not 0 < len(identity) <= _MAX_ID_CHARS:
            raise ValueError(f"not an id: {identity!r:.80}")
        if not identity.isprintable():
            raise ValueError("an id with control characters or lone surrogates")
    return LedgerEntry(
        v=int(data.get("v", 1)),
        entry_id=entry_id,
        entry=EntryKind(data["entry"]),
        experience_id=experience_id,
        at=str(data["at"]),
        by=str(data["by"]),
        data=dict(data.get("data") or {}),
    )
