"""What every source of answers has in common, and how several answers are asked for at once."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from hindsight_cli.errors import HindsightError, ModelFailedError
from hindsight_cli.records.jsonvalue import JsonValue

_GRACE_S = 1.0  # for a source to report that its own deadline passed


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said; `notes` tell what it was asked for and did not take."""

    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt, and the JSON schema that its answer should have."""

    prompt: str
    schema: Mapping[str, JsonValue]


class Answering(Protocol):
    """A model or a command. May be asked from several threads at once."""

    name: str

    def prepare(self) -> None:
        """Load what takes long; a failure is told by `answer`, too."""

    def answer(
        self, prompt: str, *, schema: Mapping[str, JsonValue], timeout_s: float
    ) -> Answer: ...

    def close(self) -> None:
        """End what still runs."""


Reply = Answer | HindsightError


def ask(source: Answering, question: Question, *, samples: int, timeout_s: float) -> list[Reply]:
    """`samples` answers to one question, side by side; in place of one that failed, its error.

    Returns at latest `timeout_s` + 1 s after the source is prepared, whatever it does then:
    the threads are daemons and what has not arrived by then is an error.
    """
    with contextlib.suppress(HindsightError):
        source.prepare()
    deadline = time.monotonic() + timeout_s
    arrived: queue.SimpleQueue[tuple[int, Reply]] = queue.SimpleQueue()

    def one(number: int) -> None:
        arrived.put((number, _answered(source, question, timeout_s)))

    for number in range(samples):
        threading.Thread(target=one, args=(number,), daemon=True).start()
    replies: dict[int, Reply] = {}
    try:
        while len(replies) < samples:
            left = deadline + _GRACE_S - time.monotonic()
            number, reply = arrived.get(timeout=max(left, 0))
            replies[number] = reply
    except queue.Empty:
        pass
    finally:
        source.close()
    return [replies.get(n) or timed_out(source.name, timeout_s) for n in range(samples)]


def timed_out(name: str, timeout_s: float) -> ModelFailedError:
    return ModelFailedError(
        name,
        f"no answer within {timeout_s:.0f} s",
        remedy="`hindsight config set llm_timeout_s N` gives it more time.",
    )


def _answered(source: Answering, question: Question, timeout_s: float) -> Reply:
    try:
        return source.answer(question.prompt, schema=question.schema, timeout_s=timeout_s)
    except HindsightError as error:
        return error
    except Exception as error:  # a foreign library's thread: what it raises is a lost answer
        return ModelFailedError(
            source.name,
            f"{type(error).__name__}: {str(error)[:200]}",
            remedy="Run it again, or look for what is wrong with this model.",
        )
