"""A session that a program records of itself, and the calls in it."""

from __future__ import annotations

import functools
import os
import time
import uuid
from collections.abc import Callable
from contextvars import ContextVar, Token, copy_context
from pathlib import Path

from hindsight_cli.api.plain_values import ended_process, json_of, text_of
from hindsight_cli.api.record_writing import TraceWriter

TYPE_CHECKING = False  # as typing's, without loading typing in a stranger's program
if TYPE_CHECKING:
    from types import TracebackType
    from typing import ParamSpec, Self, TypeVar

    from hindsight_cli.records.jsonvalue import JsonValue

    P = ParamSpec("P")
    T = TypeVar("T")

CURRENT: ContextVar[Session | None] = ContextVar("hindsight_session", default=None)
_STATUSES = ("ok", "error", "denied", "cancelled", "timeout", "missing", "unknown")
_OUTCOMES = ("success", "failure", "partial", "unknown")
_ACTORS = {"agent": "agent", "assistant": "agent", "user": "user", "system": "system"}
_ERROR_CHARS = 8_000  # of an error's end, looked up


class Session:
    """One task, recorded from `with` to its end. Made by `hindsight_cli.api.record.session`.

    Its methods may be called from any thread, task and forked child. A fault of Hindsight's is
    logged once (logger `hindsight_cli.record`) and never raised.
    """

    def __init__(self, task: str, *, agent: str, project: str | Path | None, reflect: bool) -> None:
        if not isinstance(task, str) or not task.strip():
            raise ValueError(f"a session needs its task as text, got {task!r}")
        if not isinstance(agent, str) or not agent.strip():
            raise ValueError(f"agent is a name, got {agent!r}")
        self._task = task
        self._agent = agent
        self._reflect = reflect
        self._writer = TraceWriter(None if project is None else Path(project))
        self._pid = 0  # of the process that began it and ends it
        self._token: Token[Session | None] | None = None
        self._has_outcome = False
        self._block: str | None = None

    @property
    def session_id(self) -> str:
        """Its id in `hindsight traces list`; "" where nothing is recorded (paused, excluded)."""
        return self._writer.session_id

    def tool_call(
        self,
        name: str,
        input: object = None,  # noqa: A002 -- the word of the event format
        *,
        output: object = None,
        status: str | None = None,
        exit_code: int | None = None,
    ) -> ToolCall:
        """Record a call; with an output, status or exit code also its result.

        `input` is the arguments as any JSON, a shell command as `{"command": …}`. Without a
        status it is derived from exit code and text. A call without its result can be given
        one later: `call.result(…)`.

        Raises:
            ValueError: `status` is none there is.
        """
        call = ToolCall(self, name, input)
        _one_of("status", status, _STATUSES)
        call._begin()
        if output is not None or status is not None or exit_code is not None:
            call.result(output, status=status, exit_code=exit_code)
        return call

    def tool(self, name: str, input: object = None) -> ToolCall:  # noqa: A002 -- as above
        """A call for `with` or `async with`: an exception in it is recorded as its error."""
        return ToolCall(self, name, input)

    def message(self, text: object, *, role: str = "agent") -> None:
        """Record what was said: by the `agent` (or `assistant`), the `user` or the `system`.

        Raises:
            ValueError: another role.
        """
        _one_of("role", role, tuple(_ACTORS))
        self._note("message", text, actor=_ACTORS[role])

    def reasoning(self, text: object) -> None:
        """Record what the model thought."""
        self._note("reasoning", text)

    def decision(self, text: object) -> None:
        """Record what was decided, and why."""
        self._note("decision", text)

    def outcome(self, outcome: str, *, source: str = "agent") -> None:
        """Say how the task ended and who knows it (`human`, `tests`, …); the last word counts.

        Raises:
            ValueError: it is none of success, failure, partial and unknown.
        """
        _one_of("outcome", outcome, _OUTCOMES)
        self._has_outcome = True
        self._write({"type": "outcome", "outcome": outcome, "extra": {"source": str(source)}})

    @property
    def experience(self) -> str:
        """What earlier sessions teach about the task, for the prompt; "" when nothing fits.

        Looked up when first read; only then does it count as shown.
        """
        if self._block is None and self.session_id:
            self._block = self._look_up(self._task, error=False)
        return self._block or ""

    def inject(self, error: object) -> str:
        """What earlier sessions teach about an error (text or exception), for the prompt.

        "" when nothing fits or it was given in this session before.
        """
        text = text_of(error)[-_ERROR_CHARS:]
        return self._look_up(text, error=True) if self.session_id and text.strip() else ""

    async def ainject(self, error: object) -> str:
        """As `inject`, beside the event loop."""
        return await _off_loop(lambda: self.inject(error))

    def bind(self, function: Callable[P, T]) -> Callable[P, T]:
        """`function` with this session as its current one, in whatever thread it is called."""

        @functools.wraps(function)
        def bound(*args: P.args, **kwargs: P.kwargs) -> T:
            def inside() -> T:
                CURRENT.set(self)
                return function(*args, **kwargs)

            return copy_context().run(inside)

        return bound

    def start(self) -> Self:
        """Begin it without `with`; `end` has to be called then.

        Raises:
            RuntimeError: it was begun before.
        """
        self._enter()
        self._begin()
        return self

    def end(self, error: BaseException | None = None) -> None:
        """Close it, learn from it. An exception is a failure unless the outcome was told."""
        self._leave()
        self._finish(error)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end(error)

    async def __aenter__(self) -> Self:
        self._enter()
        await _off_loop(self._begin)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave()
        await _off_loop(lambda: self._finish(error))

    def _enter(self) -> None:
        if self._pid:
            raise RuntimeError("this session was begun before: make another one")
        self._pid = os.getpid()
        self._parent = CURRENT.get()
        self._token = CURRENT.set(self)

    def _leave(self) -> None:
        token, self._token = self._token, None
        if token is not None:
            try:
                CURRENT.reset(token)
            except ValueError:  # ended in another context than it was begun in
                if CURRENT.get() is self:
                    CURRENT.set(self._parent)

    def _begin(self) -> None:
        parent = self._parent.session_id if self._parent is not None else ""
        self._writer.start(self._task, self._agent, parent)

    def _finish(self, error: BaseException | None) -> None:
        if self._pid != os.getpid():  # a forked child: the session is its parent's
            return
        self._pid = -1
        if _is_fault(error) and not self._has_outcome:
            self.outcome("failure", source="exception")
        is_cut_off = error is not None and not isinstance(error, Exception | SystemExit)
        self._writer.end("interrupted" if is_cut_off else "completed")
        if self._reflect and not is_cut_off:
            self._writer.learn()

    def _note(self, event_type: str, text: object, **more: JsonValue) -> None:
        told = self._writer.attempt("read a text", lambda: text_of(text), "")
        self._write({"type": event_type, "text": told, **more})

    def _write(self, event: dict[str, JsonValue]) -> None:
        if self._pid == 0:
            raise RuntimeError("begin the session first: `with record.session(…) as session:`")
        self._writer.write(event)

    def _look_up(self, text: str, *, error: bool) -> str:
        def given() -> str:
            from hindsight_cli.api.hooking import given_in_session

            project = self._writer.project
            return given_in_session(project, text, session=self.session_id, error=error)

        return self._writer.attempt("look up an experience", lambda: self._writer.alone(given), "")


class ToolCall:
    """One call of a tool: `with session.tool(…) as call: call.result(…)`."""

    def __init__(self, session: Session, name: str, arguments: object) -> None:
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"a call needs the name of its tool, got {name!r}")
        self._session = session
        self._name = name
        self._arguments = arguments
        self._id = uuid.uuid4().hex[:16]
        self._began = 0.0
        self._is_inside = False
        self._held: dict[str, JsonValue] = {}

    def result(
        self, output: object = None, *, status: str | None = None, exit_code: int | None = None
    ) -> None:
        """What came of it; a `subprocess.CompletedProcess` brings its exit code along.

        Inside `with` it is written at the end, together with an exception that may yet come.

        Raises:
            ValueError: `status` is none there is.
        """
        _one_of("status", status, _STATUSES)
        nothing: tuple[str, int | None] = ("", None)
        read = self._session._writer.attempt("read a result", lambda: _read(output), nothing)
        code = read[1] if exit_code is None else exit_code
        found = {"output": read[0], "status": status, "exit_code": code}
        self._held = {name: value for name, value in found.items() if value is not None}
        if not self._is_inside:
            self._answer()

    def __enter__(self) -> Self:
        self._is_inside = True
        self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._finish(error)

    async def __aenter__(self) -> Self:
        self._is_inside = True
        await _off_loop(self._begin)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await _off_loop(lambda: self._finish(error))

    def _begin(self) -> None:
        self._began = time.monotonic()
        given = self._session._writer.attempt("read a call", lambda: json_of(self._arguments), None)
        self._session._write(
            {"type": "tool_call", "tool": self._name, "call_id": self._id, "input": given}
        )

    def _finish(self, error: BaseException | None) -> None:
        self._is_inside = False
        if error is not None:
            said = self._session._writer.attempt("read an error", lambda: text_of(error), "")
            before = self._held.get("output")
            self._held = {
                "output": f"{before}\n{said}" if before else said,
                "status": _status_of(error),
                "error_type": type(error).__name__,
            }
        self._answer()

    def _answer(self) -> None:
        took = round(1000 * (time.monotonic() - self._began))
        result = {"type": "tool_result", "tool": self._name, "call_id": self._id}
        self._session._write({**result, "duration_ms": took, **self._held})


def _read(output: object) -> tuple[str, int | None]:
    return ended_process(output) or (text_of(output), None)


def _status_of(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    return "error" if isinstance(error, Exception) else "cancelled"


def _is_fault(error: BaseException | None) -> bool:
    if isinstance(error, SystemExit):
        return error.code not in (None, 0)
    return isinstance(error, Exception)


def _one_of(name: str, value: str | None, allowed: tuple[str, ...]) -> None:
    if value is not None and value not in allowed:
        raise ValueError(f"{name} {value!r} is none of {', '.join(allowed)}")


async def _off_loop(action: Callable[[], T]) -> T:
    """Run `action`, which never raises, beside the event loop; on it where that ends."""
    import asyncio

    try:
        return await asyncio.to_thread(action)
    except RuntimeError:  # no more threads are given out at the program's end
        return action()
