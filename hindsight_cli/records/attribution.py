"""Why a task ended as it did."""

from __future__ import annotations

from dataclasses import dataclass

from hindsight_cli.records.event import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidStep:
    """A step that did not help: a detour, a repeat, a dead end."""

    step_index: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """A failed step and the step that ended the failure."""

    failed_step: int
    fixed_by_step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Workaround:
    """A step that got past a problem without solving it."""

    step_index: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    trace_id: str
    outcome: Outcome
    outcome_source: str  # reward | test | build | lint | rerun | human | end | rule | llm | none
    key_steps: tuple[int, ...] = ()
    invalid_steps: tuple[InvalidStep, ...] = ()
    recoveries: tuple[Recovery, ...] = ()
    workarounds: tuple[Workaround, ...] = ()
    unchecked_steps: tuple[int, ...] = ()  # changes after the last check of a run that had one
    votes: int = 1
    unfinished: bool = False  # the trace has no end: it may go on, and turn out otherwise
