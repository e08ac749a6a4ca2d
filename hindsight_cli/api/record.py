"""Record an agent of your own: the public door for Python programs.

    from hindsight_cli.api import record

    with record.session("Deploy the shop", agent="shop-bot") as session:
        prompt = SYSTEM + session.experience
        with session.tool("bash", {"command": "make"}) as call:
            call.result(subprocess.run(["make"], capture_output=True))
        session.outcome("success", source="tests")

Nothing of Hindsight's is raised into the program but for plain misuse (ValueError for a word
that does not exist, RuntimeError for a session used before it was begun, TypeError for a
decorated thing that is no function). Source: docs/reference/python-api.md.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path

from hindsight_cli.api.record_session import CURRENT, Session, ToolCall

TYPE_CHECKING = False  # as typing's, without loading typing in a stranger's program
if TYPE_CHECKING:
    from typing import Any, TypeVar, overload

    F = TypeVar("F", bound=Callable[..., Any])

__all__ = ["Session", "ToolCall", "current", "session", "tool"]


def session(
    task: str,
    *,
    agent: str = "python",
    project: str | Path | None = None,
    reflect: bool = True,
) -> Session:
    """A session for `with` or `async with`: one task of one agent.

    Args:
        task: what is to be done, in words; the first step of the trace.
        agent: who does it, as `hindsight traces list` shows it.
        project: a folder in the project; None: that of HINDSIGHT_CLI_PROJECT or the current
            folder. It is made if there is none.
        reflect: learn from the session at its end, by rules (some hundred milliseconds) and
            in the background with a model if you chose one.

    Raises:
        ValueError: `task` or `agent` is no text, or empty.
    """
    return Session(task, agent=agent, project=project, reflect=reflect)


def current() -> Session | None:
    """The session that this code runs in; None outside of one.

    Tasks of asyncio find it; a thread does when started with `session.bind(function)`.
    """
    return CURRENT.get()


if TYPE_CHECKING:

    @overload
    def tool(function: F) -> F: ...
    @overload
    def tool(*, name: str | None = None) -> Callable[[F], F]: ...


def tool(function: Callable[..., Any] | None = None, *, name: str | None = None) -> Any:
    """Record every call of a function, sync or async, in the session it is called in.

    Use it bare or with a name: `@record.tool`, `@record.tool(name="search")`. Arguments are
    recorded by their names, `self` and `cls` left out; what is returned or raised is the
    result. Outside a session the function is just called.

    Raises:
        TypeError: what is decorated is no function, or gives its results bit by bit.
    """
    if function is None:
        return functools.partial(tool, name=name)
    if not callable(function) or inspect.isclass(function):
        raise TypeError(f"record.tool decorates functions, not {function!r}")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError("record.tool records no generators: use `with session.tool(…)`")
    label = name or str(getattr(function, "__name__", type(function).__name__))
    wrap = _async_wrapper if inspect.iscoroutinefunction(function) else _wrapper
    return wrap(function, label)


def _wrapper(function: Callable[..., Any], label: str) -> Callable[..., Any]:
    @functools.wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        inside = current()
        if inside is None:
            return function(*args, **kwargs)
        with inside.tool(label, _arguments(function, args, kwargs)) as call:
            value = function(*args, **kwargs)
            call.result(value)
        return value

    return recorded


def _async_wrapper(function: Callable[..., Any], label: str) -> Callable[..., Any]:
    @functools.wraps(function)
    async def recorded(*args: Any, **kwargs: Any) -> Any:
        inside = current()
        if inside is None:
            return await function(*args, **kwargs)
        async with inside.tool(label, _arguments(function, args, kwargs)) as call:
            value = await function(*args, **kwargs)
            call.result(value)
        return value

    return recorded


def _arguments(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The arguments by name; as they came where they do not fit the function."""
    try:
        given = dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return {"args": list(args), **kwargs} if args else dict(kwargs)
    return {key: value for key, value in given.items() if key not in ("self", "cls")}
