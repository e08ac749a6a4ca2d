"""Put the right experience before an agent, once, with a receipt. A hot path."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hindsight_cli import appendlog
from hindsight_cli.api.project import Project
from hindsight_cli.api.searching import Found, SearchOptions, search
from hindsight_cli.experiences.freshness import age_days, with_freshness
from hindsight_cli.experiences.rows import retrievable_states
from hindsight_cli.inject.block import Rule, estimate_tokens, render_block
from hindsight_cli.records.injection import Injection
from hindsight_cli.records.ledger import EntryKind, LedgerEntry, new_entry_id
from hindsight_cli.retrieve.lexical import KNOWN_ERROR

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue

ON_ERROR = "error"  # in a receipt: shown because of an error, not for the task
NAMED = "case"  # in a receipt: only the case was named, not what to do
_AT_MOST = 2  # experiences in a block
_CLEARLY_CLOSE = 0.9  # of the first one's score: such a third one is named, too


class Shape:
    """How long a block may be (None: as in the settings), and whether all in it is whole."""

    __slots__ = ("max_tokens", "whole")

    def __init__(self, *, max_tokens: int | None = None, whole: bool = False) -> None:
        self.max_tokens = max_tokens
        self.whole = whole


class Prepared:
    """A block made and not yet put before anybody; `deliver` writes its receipts."""

    __slots__ = ("injection", "receipts")

    def __init__(self, injection: Injection, receipts: list[LedgerEntry]) -> None:
        self.injection = injection
        self.receipts = receipts


def inject(
    project: Project,
    task: str,
    *,
    error: bool = False,
    session: str | None = None,
    shape: Shape | None = None,
) -> Injection:
    """The block for a task, or for an error text; empty when nothing fits well enough.

    The best one is given whole, of the next only the case, for the agent to ask for the rest.
    Stale experiences are left out, and those shown in this session before. Each one shown
    leaves an `injected` entry: the receipt that `feedback` credits.

    Raises:
        StorageError: the receipt could not be written.
    """
    prepared = prepare(project, task, error=error, session=session, shape=shape)
    deliver(project, prepared)
    return prepared.injection


def prepare(
    project: Project,
    task: str,
    *,
    error: bool = False,
    session: str | None = None,
    shape: Shape | None = None,
) -> Prepared:
    """As `inject`, without receipts: the caller may yet fail to put the block anywhere."""
    session = project.redactor.text(session) if session else None
    result = search(project, task, SearchOptions(error=error, can_wait=not error))
    seen = receipts_of(project, session, whole_only=error) if session else {}
    fresh = [f for f in result.found if not f.state.stale]
    new = _consistent([f for f in fresh if f.state.experience.experience_id not in seen])
    injection_id = f"inj-{os.urandom(6).hex()}"
    shape = shape or Shape()
    cap = project.settings.inject_max_tokens if shape.max_tokens is None else shape.max_tokens
    rules = rules_of(project, new) if shape.whole else little_by_little(project, new)
    text, shown = render_block(rules, injection_id, max_tokens=cap)
    if not shown:
        reason = result.reason if result.abstained else _why_none(result.found, fresh, new)
        nothing = Injection(injection_id="", text="", experience_ids=(), tokens=0, reason=reason)
        return Prepared(nothing, [])
    injection = Injection(
        injection_id=injection_id,
        text=text,
        experience_ids=tuple(shown),
        tokens=estimate_tokens(text),
    )
    data = {"injection_id": injection_id}
    if session:
        data["session"] = session
    if error:
        data["on"] = ON_ERROR
    named = {rule.experience_id for rule in rules if not rule.whole}
    receipts = [_receipt(project, i, data | ({"form": NAMED} if i in named else {})) for i in shown]
    return Prepared(injection, receipts)


def deliver(project: Project, prepared: Prepared) -> None:
    """Leave the receipts of a block that was put before an agent."""
    if prepared.receipts:  # an agent waits; a lost receipt is no harm
        project.ledger.append(prepared.receipts, durable=False)


def give(project: Project, experience_id: str, *, session: str | None = None) -> Injection:
    """One experience whole, by its id, with a receipt; empty unless it may be injected.

    Raises:
        StorageError: the index cannot be read or made, or the receipt not written.
    """
    from hindsight_cli.api.index import fresh_connection

    session = project.redactor.text(session) if session else None
    connection = fresh_connection(project)
    try:
        states = retrievable_states(connection, [experience_id])
    finally:
        connection.close()
    now, days = project.clock(), project.settings.stale_days
    fresh = [s for s in states if not with_freshness(s, now, stale_days=days).stale]
    injection_id = f"inj-{os.urandom(6).hex()}"
    rules = rules_of(project, [Found(state, 1.0, ()) for state in fresh])
    cap = project.settings.inject_max_tokens
    text, shown = render_block(rules, injection_id, max_tokens=cap)
    if not shown:
        why = "too long for the token cap" if rules else "no such experience is in use"
        return Injection(injection_id="", text="", experience_ids=(), tokens=0, reason=why)
    data = {"injection_id": injection_id} | ({"session": session} if session else {})
    given = Injection(
        injection_id=injection_id,
        text=text,
        experience_ids=tuple(shown),
        tokens=estimate_tokens(text),
    )
    deliver(project, Prepared(given, [_receipt(project, i, data) for i in shown]))
    return given


def rules_of(project: Project, found: Iterable[Found]) -> list[Rule]:
    """What was found as an agent reads it, in the same order."""
    now = project.clock()
    return [
        Rule(
            experience_id=f.state.experience.experience_id,
            content=f.state.experience.content,
            age_days=int(age_days(f.state, now)),
        )
        for f in found
    ]


def _consistent(found: Sequence[Found]) -> Sequence[Found]:
    """Without those that contradict one that fits better: an agent is told one thing."""
    if len(found) < 2:  # noqa: PLR2004
        return found
    from hindsight_cli.experiences.contradiction import contradicts  # most blocks need none

    kept: list[Found] = []
    for f in found:
        content = f.state.experience.content
        if not any(contradicts(content, k.state.experience.content) for k in kept):
            kept.append(f)
    return kept


def little_by_little(project: Project, found: Sequence[Found]) -> list[Rule]:
    """The first whole, and any whose very error this is; of one more, or two when clearly
    close, only the case. Measured with tests/quality/measure_injection.py.
    """
    rules = []
    for place, (one, rule) in enumerate(zip(found, rules_of(project, found), strict=True)):
        is_whole = place == 0 or KNOWN_ERROR in one.why_matched
        is_close = one.score >= _CLEARLY_CLOSE * found[0].score
        if is_whole or place < _AT_MOST or (is_close and place == _AT_MOST):
            rules.append(rule if is_whole else replace(rule, whole=False))
    return rules


def _why_none(found: Sequence[Found], fresh: Sequence[Found], new: Sequence[Found]) -> str:
    if not fresh:
        return "what matches is stale and waits for review" if found else "nothing matches"
    return "too long for the token cap" if new else "shown in this session before"


def receipts_of(project: Project, session: str, *, whole_only: bool = False) -> dict[str, str]:
    """The experiences put before this session so far, each with its latest injection id.

    `session` is redacted, as receipts have it. `whole_only` leaves out those of which only
    the case was named.
    """
    return {
        str(entry.get("experience_id")): str(entry["data"].get("injection_id"))
        for entry in _receipts(project, session)
        if not (whole_only and entry["data"].get("form") == NAMED)
    }


def was_begun(project: Project, session: str) -> bool:
    """Whether this session was given something for its task, not only on an error."""
    session = project.redactor.text(session)
    return any(entry["data"].get("on") != ON_ERROR for entry in _receipts(project, session))


def _receipts(project: Project, session: str) -> Iterator[dict[str, JsonValue]]:
    needle = json.dumps(session, ensure_ascii=False).encode()
    try:
        lines = project.local_ledger.read_bytes().split(b"\n")
    except OSError:
        return
    for line in lines:
        if b'"injected"' in line and needle in line:
            entry = appendlog.parse_object(line)[0] or {}
            data: JsonValue = entry.get("data")
            is_receipt = entry.get("entry") == EntryKind.INJECTED and isinstance(data, dict)
            if is_receipt and data.get("session") == session:
                yield entry


def _receipt(project: Project, experience_id: str, data: dict[str, str]) -> LedgerEntry:
    return LedgerEntry(
        entry_id=new_entry_id(),
        entry=EntryKind.INJECTED,
        experience_id=experience_id,
        at=project.now(),
        by="inject",
        data=data,
    )
