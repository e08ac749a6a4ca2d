"""`hook`: the door that agents call. It waits for nobody, and whatever happens it says 0.

The work is done by a process of its own, forked before anything is loaded. This one hands
its answer on if it comes in time, and ends; what is to be stored is stored behind its back.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import time
from collections.abc import Callable, Mapping, Sequence

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue

PATIENT_S = 2.0  # for what opens a task
DEADLINE_S = 0.9  # for all else
_PATIENT = frozenset({"SessionStart", "UserPromptSubmit", "BeforeAgent", "chat.message"})
MAX_PAYLOAD_BYTES = 16 * 1024 * 1024  # of a larger one nothing is recorded; transcripts have it
_READ_BYTES = 1 << 20
_QUIET_BYTES = 16
_QUIET_S = 0.05  # a payload that seems whole, and nothing more comes: stdin may stay open
_LONGEST_S = 60  # the other process, unless it has a transcript to read
_FDS = 3
_WORDS = 2


def run_hook(words: Sequence[str]) -> int:
    """`hook AGENT EVENT`: 0, whatever happened; 1 for a command that was never meant so."""
    started = time.monotonic()
    _fill_standard_streams()
    if len(words) != _WORDS:
        os.write(2, b"hindsight: hook takes the name of an agent and that of an event\n")
        return 1
    gc.disable()  # too short a life to clean up in; it is a tenth of it
    agent, event = words
    deadline = started + (PATIENT_S if event in _PATIENT else DEADLINE_S)
    try:
        payload = _read_payload(deadline)
        if payload and not os.environ.get("HINDSIGHT_CLI_REFLECTING"):
            _hand_over(agent, event, payload, deadline)
    except Exception:  # the border beside a live agent: it goes on, with or without us
        if os.environ.get("HINDSIGHT_CLI_DEBUG"):
            import traceback

            traceback.print_exc()
    return 0


def _hand_over(agent: str, event: str, payload: bytes, deadline: float) -> None:
    """Let another process do the work; print its answer if it comes in time."""
    answer_read, answer_write = os.pipe()
    got_read, got_write = os.pipe()
    if os.fork() == 0:
        try:
            os.close(answer_read)
            os.close(got_write)
            _work(agent, event, payload, _reply_over(answer_write, got_read))
        finally:
            os._exit(0)
    os.close(answer_write)
    os.close(got_read)
    answer = _read_until_end(answer_read, deadline)
    if answer.endswith(b"\n"):  # whole: a document may be larger than a pipe
        _write_all(1, answer)
        os.write(got_write, b"1")


def _work(
    agent: str, event: str, payload: bytes, reply: Callable[[Mapping[str, JsonValue]], bool]
) -> None:
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_LONGEST_S)
        _leave_the_agent()
        from hindsight_cli.api.hooking import answer_hook

        answer_hook(agent, event, payload, os.environ, reply)
    except BaseException:  # as above; its traceback has nowhere to go unless asked for
        if os.environ.get("HINDSIGHT_CLI_DEBUG"):
            import traceback

            traceback.print_exc()


def _reply_over(answer: int, got: int) -> Callable[[Mapping[str, JsonValue]], bool]:
    def reply(document: Mapping[str, JsonValue]) -> bool:
        import json

        if document:
            text = json.dumps(document, ensure_ascii=True)
            try:
                _write_all(answer, text.encode() + b"\n")
            except OSError:
                document = {}  # nobody waits any more
        os.close(answer)
        return bool(document) and os.read(got, 1) == b"1"

    return reply


def _leave_the_agent() -> None:
    """The agent waits neither for us nor for the end of its pipes, and its end is not ours."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    kept = 2 if os.environ.get("HINDSIGHT_CLI_DEBUG") else _FDS
    for fd in range(kept):
        os.dup2(nowhere, fd)


def _fill_standard_streams() -> None:
    """An agent may have closed one; a pipe of ours must not get its number."""
    for fd in range(_FDS):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _read_payload(deadline: float) -> bytes:
    """What stands on stdin: to its end, or until it is whole and nothing more comes.

    Empty when it did not come in time, or is too large; then it is still taken, as long as
    there is time, so that the agent does not write into a closed pipe.
    """
    data = bytearray()
    size = looked_at = 0
    while True:
        may_be_whole = size != looked_at and data[-_QUIET_BYTES:].rstrip().endswith(b"}")
        left = deadline - time.monotonic()
        wait = min(left, _QUIET_S) if may_be_whole else left
        if not select.select([0], [], [], max(wait, 0))[0]:
            if may_be_whole and _is_document(data):
                return bytes(data)
            if left <= wait:
                return b""
            looked_at = size
            continue
        chunk = os.read(0, _READ_BYTES)
        if not chunk:
            return bytes(data) if size <= MAX_PAYLOAD_BYTES else b""
        size += len(chunk)
        if size <= MAX_PAYLOAD_BYTES:
            data += chunk
        else:
            data.clear()


def _is_document(data: bytes | bytearray) -> bool:
    import json

    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _read_until_end(fd: int, deadline: float) -> bytes:
    data = b""
    while (left := deadline - time.monotonic()) > 0 and select.select([fd], [], [], left)[0]:
        chunk = os.read(fd, _READ_BYTES)
        if not chunk:
            return data
        data += chunk
    return b""


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
