"""`hindsight run`: relay a command, a recorder beside it. A hot path: few imports.

The recorder is a forked process of its own. It looks up what to inject, takes copies of the
output over a pipe that never blocks, and does all the storing and reflecting; whatever
happens to it, the command runs on. Source: docs/explanation/running.md.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hindsight_cli.capture.command.feed import Feed
from hindsight_cli.integrations import find_agent

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.capture.command.ended import Ended
    from hindsight_cli.integrations import Agent
    from hindsight_cli.records.jsonvalue import JsonValue

SESSION_VARIABLE = "HINDSIGHT_CLI_SESSION"
BLOCK_VARIABLE = "HINDSIGHT_CLI_INJECTION_FILE"
INJECT_VARIABLE = "HINDSIGHT_CLI_INJECT"  # what is left for the agent's hooks to inject
RUN_AGENT_VARIABLE = "HINDSIGHT_CLI_RUN_AGENT"  # its transcript is imported by us, not by hooks
REFLECTING_VARIABLE = "HINDSIGHT_CLI_REFLECTING"  # set for what a reflector runs: not observed
PREPARE_S = 2.0  # the agent starts without injection when it takes longer
FINISH_S = 2.0  # after the run; what takes longer goes on in the background
_READ_BYTES = 64 * 1024
_COERCED = ("C.UTF-8", "C.utf8", "UTF-8")

Say = Callable[[str], None]


class RunRequest:
    """What a person asked for; `argv` is the command, word for word."""

    __slots__ = ("argv", "inject", "reflect", "start", "task")

    def __init__(
        self,
        argv: Sequence[str],
        *,
        task: str | None = None,
        start: Path | None = None,
        inject: bool = True,
        reflect: bool = True,
    ) -> None:
        self.argv = argv
        self.task = task
        self.start = start  # where the search for the project begins
        self.inject = inject
        self.reflect = reflect


class RunPlan:
    """What a run is to be, known before it starts."""

    __slots__ = (
        *("agent", "argv", "block_by_flag", "cwd", "env", "inject", "is_native"),
        *("is_run", "may_inject", "reflect", "session_id", "start", "started_ns", "task"),
    )

    def __init__(self, request: RunRequest, env: Mapping[str, str]) -> None:
        self.argv = list(request.argv)
        self.agent: Agent | None = find_agent(self.argv)
        self.task = request.task or (self.agent.prompt_in(self.argv) if self.agent else None)
        self.start = request.start
        self.env = _as_given(env)
        self.cwd = _current_folder()
        self.may_inject = request.inject
        self.inject = request.inject and bool(self.task)
        self.reflect = request.reflect
        self.started_ns = time.time_ns()
        self.is_run = self.agent is None or self.agent.starts_run(self.argv)
        self.session_id, self.is_native = self._session()
        self.block_by_flag = bool(
            self.inject and self.agent and self.agent.with_block(self.argv, "x") is not None
        )

    def _session(self) -> tuple[str, bool]:
        """The run's session id, and whether the agent's own transcript will have it."""
        if self.agent is not None:
            given = self.agent.given_session(self.argv)
            if given:
                return given, True
            chosen = _uuid()
            argv = self.agent.with_session(self.argv, chosen)
            if argv is not None:
                self.argv = argv
                return chosen, True
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        return f"run-{stamp}-{os.urandom(3).hex()}", False


def run(plan: RunPlan, say: Say) -> int:
    """Run the command to its end; its exit code.

    Raises:
        CannotStartError: there is no such program, or it cannot be executed.
    """
    if plan.env.get(REFLECTING_VARIABLE) or not plan.is_run:
        from hindsight_cli.capture.command.relay import run_command

        return run_command(plan.argv, plan.env, _Nobody()).exit_code
    try:
        recorder = _Recorder.start(plan, say)
    except OSError as error:  # no room for another process or a pipe
        say(f"This run is not recorded: {error.strerror}.")
        from hindsight_cli.capture.command.relay import run_command

        return run_command(plan.argv, plan.env, _Nobody()).exit_code
    argv, env = plan.argv, {**plan.env, SESSION_VARIABLE: plan.session_id}
    for name in (BLOCK_VARIABLE, INJECT_VARIABLE, RUN_AGENT_VARIABLE):
        env.pop(name, None)
    env.update(_for_hooks(plan))
    if plan.inject:
        argv, env = _with_block(plan, argv, env, recorder)
    try:
        # Loaded while the recorder, which has more to load, is at it on another core.
        from hindsight_cli.capture.command.relay import run_command

        ended = run_command(argv, env, recorder.feed)
    except BaseException:
        recorder.close()
        raise
    if ended.fallback:
        say(f"Recorded through pipes, not as on a terminal: {ended.fallback}.")
    if ended.unwritten:
        say(f"The command's output could not be passed on: {ended.unwritten}.")
    with contextlib.suppress(KeyboardInterrupt):  # no more waiting; the command's end stands
        recorder.finish(ended)
    if ended.signal == signal.SIGINT:
        _end_by_interrupt(whole_group=ended.is_apart and ended.interrupted_by is None)
    return ended.exit_code


def _for_hooks(plan: RunPlan) -> dict[str, str]:
    """What the hooks of the agent must know to do nothing that the run does itself."""
    told = {} if plan.agent is None else {RUN_AGENT_VARIABLE: plan.agent.name}
    if not plan.may_inject:
        told[INJECT_VARIABLE] = "nothing"
    elif plan.inject:
        told[INJECT_VARIABLE] = "errors"
    return told


def _end_by_interrupt(*, whole_group: bool) -> None:
    """End as the command did: Ctrl-C ends a loop or a script only if what it ran died of it.

    `whole_group`: the script that runs us has to be told, as its terminal would have.
    """
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(0 if whole_group else os.getpid(), signal.SIGINT)


def _with_block(
    plan: RunPlan, argv: list[str], env: dict[str, str], recorder: _Recorder
) -> tuple[list[str], dict[str, str]]:
    """The command with what was prepared for it, if it came in time."""
    prepared = recorder.prepared()
    block, path = prepared.get("block"), prepared.get("path")
    what = f"{prepared.get('count')} from earlier runs, receipt {prepared.get('receipt')}"
    if block and plan.agent is not None and plan.block_by_flag:
        changed = plan.agent.with_block(argv, str(block))
        if changed is not None:
            flag = next(a for a, b in zip(changed, [*argv, ""], strict=False) if a != b)
            recorder.say(f"Gave {plan.agent.name} {what}, with {flag}.")
            recorder.feed.delivered("flag")
            return changed, env
    if path:
        recorder.say(f"Put {what}, into the file that ${BLOCK_VARIABLE} names.")
        recorder.feed.delivered("file")
        return argv, {**env, BLOCK_VARIABLE: str(path)}
    return argv, env


class _Nobody:
    """A sink that looks away."""

    def output(self, data: bytes) -> None:
        pass

    def resized(self, rows: int, columns: int) -> None:
        pass

    def started(self, pid: int) -> None:
        pass

    def typed(self) -> None:
        pass


class _Recorder:
    """The recorder as the relay sees it: a feed to it, lines from it."""

    def __init__(self, feed: Feed, reply_fd: int, say: Say) -> None:
        self.feed = feed
        self._reply_fd = reply_fd
        self._say = say
        self._buffer = b""

    @classmethod
    def start(cls, plan: RunPlan, say: Say) -> _Recorder:
        feed_read, feed_write = os.pipe()
        reply_read, reply_write = os.pipe()
        if os.fork() == 0:
            try:
                os.close(feed_write)
                os.close(reply_read)
                _leave_the_terminal()
                from hindsight_cli.api.run_recording import serve

                serve(plan, feed_read, reply_write)
            except BaseException as error:  # the border beside a live agent: told, never raised
                told = {"say": f"This run is not recorded: {error!r}."}
                os.write(reply_write, json.dumps(told).encode() + b"\n")
            finally:
                os._exit(0)
        os.close(feed_read)
        os.close(reply_write)
        return cls(Feed(feed_write), reply_read, say)

    def say(self, message: str) -> None:
        self._say(message)

    def prepared(self) -> dict[str, JsonValue]:
        """What the recorder found to inject; {} when there is nothing or it takes too long."""
        deadline = time.monotonic() + PREPARE_S
        while (answer := self._next(deadline)) is not None:
            if "prepared" in answer:
                return dict(answer["prepared"])
        return {}

    def finish(self, ended: Ended) -> None:
        """Tell how the run ended; show what the recorder has to say of it."""
        deadline = time.monotonic() + FINISH_S
        fields = ("exit_code", "mode", "signal", "interrupted_by", "fallback")
        payload = json.dumps({name: getattr(ended, name) for name in fields})
        self.feed.ended(payload.encode(), timeout_s=FINISH_S)
        done = False
        while not done and (answer := self._next(deadline)) is not None:
            done = bool(answer.get("done"))
        if not done and time.monotonic() >= deadline:
            self._say("Still at work on this run in the background: see `hindsight status`.")
        os.close(self._reply_fd)

    def close(self) -> None:
        self.feed.ended(b"{}", timeout_s=0.2)
        os.close(self._reply_fd)

    def _next(self, deadline: float) -> dict[str, JsonValue] | None:
        """The next line from the recorder; None at its end or at the deadline."""
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._reply_fd], [], [], left)[0]:
                return None
            data = os.read(self._reply_fd, _READ_BYTES)
            if not data:
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        answer: dict[str, JsonValue] = json.loads(line)
        if "say" in answer:
            self._say(str(answer["say"]))
        return answer


def _leave_the_terminal() -> None:
    """The recorder outlives the terminal, hears no Ctrl-C and holds no pipe of the user's."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    from hindsight_cli.capture.command.start import close_inherited

    close_inherited()


def _current_folder() -> str:
    """Where the command runs; told as best as can be where the folder is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return os.environ.get("PWD", "/")


def _as_given(env: Mapping[str, str]) -> Mapping[str, str]:
    """`env` without what Python put into it: LC_CTYPE where the locale is C (PEP 538)."""
    if env.get("LC_CTYPE") not in _COERCED:
        return env
    try:
        given = Path("/proc/self/environ").read_bytes().split(b"\0")
    except OSError:
        return env
    before = [os.fsdecode(v[len("LC_CTYPE=") :]) for v in given if v.startswith(b"LC_CTYPE=")]
    rest = {name: value for name, value in env.items() if name != "LC_CTYPE"}
    return {**rest, "LC_CTYPE": before[0]} if before else rest


def _uuid() -> str:
    from hindsight_cli.records.ledger import new_entry_id

    return new_entry_id()
