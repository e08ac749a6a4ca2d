"""What a hook does: put an experience before the agent, once, and append what it was told.

A hot path beside a live agent: few imports, and nothing here may harm the agent.
Source: docs/explanation/hooks.md.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hindsight_cli.api.privacy import is_excluded, paused_by
from hindsight_cli.api.project import Project
from hindsight_cli.capture.hooks import find_dialect, folder_of
from hindsight_cli.errors import HindsightError
from hindsight_cli.records.injection import TAG

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.api.injecting import Prepared
    from hindsight_cli.capture.hooks import Dialect
    from hindsight_cli.capture.hooks.told import Told
    from hindsight_cli.records.jsonvalue import JsonValue

REFLECTING_VARIABLE = "HINDSIGHT_CLI_REFLECTING"
SESSION_VARIABLE = "HINDSIGHT_CLI_SESSION"
BLOCK_VARIABLE = "HINDSIGHT_CLI_INJECTION_FILE"
INJECT_VARIABLE = "HINDSIGHT_CLI_INJECT"  # set by `run`: what is left for hooks to inject
RUN_AGENT_VARIABLE = "HINDSIGHT_CLI_RUN_AGENT"  # whose transcript `run` imports at its end
INJECT_NOTHING = "nothing"
INJECT_ON_ERRORS = "errors"  # the run itself saw to the task
LOG_FILE = Path("logs", "hook.log")
LOCK_FILE = "hook.lock"
TOLD_FILE = "told"  # this project's user knows what is recorded
# As HookKind has them, which is loaded only where there is work.
_START, _PROMPT, _STOP, _END = "start", "prompt", "stop", "end"
_ERROR_CHARS = 8_000  # of an error's end, looked up
_MAX_BLOCK_BYTES = 1024 * 1024
_WINDOW_BYTES = 32 * 1024
_LOCK_S = 2.0  # as long as an agent waits
_POLL_S = 0.01

# Takes the document to print, {} for none; tells whether the agent got it.
Reply = Callable[[Mapping[str, "JsonValue"]], bool]


def answer_hook(agent: str, event: str, raw: bytes, env: Mapping[str, str], reply: Reply) -> None:
    """Answer one call of a hook: `reply` is called exactly once, as early as can be."""
    hook = _find_hook(agent, event, raw, env)
    if hook is None:
        reply({})
        return
    once = _Once(reply)
    try:
        hook.inject(once)
    except (HindsightError, OSError) as error:
        hook.log(f"nothing injected: {error}")
    except Exception:  # the border beside a live agent: told in the log, never raised
        hook.log_fault()
    finally:
        once({})
    try:
        hook.record()
        hook.finish()
    except (HindsightError, OSError) as error:
        hook.log(f"not recorded: {error}")
    except Exception:  # as above
        hook.log_fault()


class _Once:
    """A reply that is given once; a second one is nothing new."""

    def __init__(self, reply: Reply) -> None:
        self._reply: Reply | None = reply

    def __call__(self, document: Mapping[str, JsonValue]) -> bool:
        reply, self._reply = self._reply, None
        return reply(document) if reply is not None else False


def _find_hook(agent: str, event: str, raw: bytes, env: Mapping[str, str]) -> Hook | None:
    """The hook's work; None where there is none: no project here, paused, nothing understood."""
    if env.get(REFLECTING_VARIABLE):
        return None
    try:
        payload = json.loads(raw)
        folder = folder_of(agent, payload, env)
        start = Path(folder) if folder and folder.startswith("/") else None
        project = Project.find(None if env.get("HINDSIGHT_CLI_PROJECT") else start, env=env)
        dialect = find_dialect(agent) if project is not None else None
        if project is None or dialect is None or paused_by(project, env) is not None:
            return None
        from hindsight_cli.capture.hooks.told import told_of  # only in a project

        told = told_of(dialect, event, payload)
        if told is None or is_excluded(project, told.cwd or str(project.root)):
            return None
    except (HindsightError, OSError, ValueError, RecursionError):
        return None
    return Hook(project, dialect, event, told)


class Hook:
    """One call of a hook inside a project."""

    def __init__(self, project: Project, dialect: Dialect, event: str, told: Told) -> None:
        self._project = project
        self._dialect = dialect
        self._event = event
        self._told = told
        self._run_id = project.env.get(SESSION_VARIABLE, "")

    def inject(self, reply: Reply) -> None:
        """Print what there is for the task or the error, and once what is recorded here."""
        notice = self._notice()
        if not self._may_inject():
            document = self._dialect.document(self._event, context="", notice=notice)
            self._tell(document, notice, reply)
            return
        began = time.monotonic()
        with _alone(self._project.folder / LOCK_FILE) as is_alone:
            prepared, text = self._block() if is_alone else (None, "")
            document = self._dialect.document(self._event, context=text, notice=notice)
            delivered = self._tell(document, notice, reply)
            if delivered and prepared is not None:
                from hindsight_cli.api.injecting import deliver

                deliver(self._project, prepared)
        took = round(1000 * (time.monotonic() - began))
        what = "ok" if text and delivered else "nothing"
        if (text and not delivered) or not is_alone:
            what = "too late"
        why = prepared.injection.injection_id or prepared.injection.reason if prepared else ""
        self.log(f"inject {what} {took} ms {why}".rstrip())

    def record(self) -> None:
        """Append what was told to `<session>.hooks.jsonl`.

        Raises:
            StorageError: it cannot be written.
        """
        from dataclasses import replace

        from hindsight_cli.api.session_tail import tail_state
        from hindsight_cli.capture.draft import Draft
        from hindsight_cli.capture.hooks.told import NATIVE_TYPE, events_of
        from hindsight_cli.capture.recorder import EventBuilder
        from hindsight_cli.records.event import RUN
        from hindsight_cli.traces.files import HOOKS

        now = self._project.now()
        drafts = events_of(self._told, now)
        if not drafts:
            return
        redactor, session_id = self._project.redactor, self.session_id
        with self._project.traces.open(session_id, month=now[:7], source=HOOKS) as session:
            state = tail_state(session, session_id, drafts, window=_WINDOW_BYTES)
            builder = EventBuilder(state, redactor, self._project.outputs.put)
            events = []
            if self._run_id and state.seq == 0:
                first = {**drafts[0].extra, RUN: self._run_id}
                drafts = [replace(drafts[0], extra=first), *drafts[1:]]
            for draft in drafts:
                native = Draft(
                    session=self._told.session,
                    line=state.seq + 1,
                    native_type=NATIVE_TYPE,
                    events=(draft,),
                )
                events.append(builder.build_one(native, os.urandom(10).hex()))
            session.append(events)

    def finish(self) -> None:
        """At a rest or an end: read the transcript and learn from it, unless a run will."""
        if self._told.kind not in (_STOP, _END):
            return
        if self._run_id and self._project.env.get(RUN_AGENT_VARIABLE) == self._told.agent:
            return
        from hindsight_cli.api.hook_finishing import finish  # loads the rest of the program

        for line in finish(self._project, self._told, self.session_id):
            self.log(line)

    @property
    def session_id(self) -> str:
        """The session's id here: as the import of its transcript will have it."""
        from hindsight_cli.capture.names import Names
        from hindsight_cli.capture.numbering import safe_session_id

        return safe_session_id(Names(self._project.redactor).clean(self._told.session_id))

    def log(self, message: str) -> None:
        """A line in the project's log; where there is no room for it, nowhere."""
        from hindsight_cli.api.private_file import open_log
        from hindsight_cli.text import one_line

        head = f"{self._project.now()} {self._told.agent} {self._event} {self.session_id}"
        line = self._project.redactor.text(f"{head} {one_line(message, 2000)}")
        with contextlib.suppress(OSError), open_log(self._project.folder / LOG_FILE) as log:
            os.write(log, f"{line}\n".encode("utf-8", "replace"))

    def log_fault(self) -> None:
        import traceback

        self.log(f"fault: {traceback.format_exc()}")

    def _may_inject(self) -> bool:
        told, left = self._told, self._project.env.get(INJECT_VARIABLE, "")
        if left == INJECT_NOTHING:
            return False
        return told.failed or (told.kind == _PROMPT and bool(self._task()))

    def _block(self) -> tuple[Prepared | None, str]:
        """What to put before the agent, "" for nothing, and its receipts if they are ours."""
        from hindsight_cli.api.injecting import prepare, was_begun

        session = self._run_id or self.session_id
        if self._told.failed and self._told.tool is not None:
            text = self._told.tool.text[-_ERROR_CHARS:]
            if not text.strip():
                return None, ""
            prepared = prepare(self._project, text, error=True, session=session)
            return prepared, prepared.injection.text
        if self._project.env.get(INJECT_VARIABLE) == INJECT_ON_ERRORS:
            return None, _block_of_run(self._project)
        if was_begun(self._project, session):
            return None, ""
        prepared = prepare(self._project, self._task(), session=session)
        return prepared, prepared.injection.text

    def _task(self) -> str:
        from hindsight_cli.capture.hooks.told import task_in

        return task_in(self._told.text)

    def _notice(self) -> str:
        """What is recorded and how to stop it: said once a project, where it is recorded."""
        folder = self._project.folder
        if self._told.kind not in (_START, _PROMPT):
            return ""
        if (folder / TOLD_FILE).exists() or not os.access(folder, os.W_OK):
            return ""
        return (
            f"Hindsight records the sessions of this project in {folder}/traces: prompts, calls "
            "and their results, secrets taken out, on this machine only. Pause it: `hindsight "
            "pause`. Leave folders out: `exclude` in .hindsight/project.toml. Delete: `hindsight "
            "traces delete`. (Said once.)"
        )

    def _tell(self, document: Mapping[str, JsonValue], notice: str, reply: Reply) -> bool:
        delivered = reply(document)
        if delivered and notice and "systemMessage" in document:
            with contextlib.suppress(OSError):
                flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
                os.close(os.open(self._project.folder / TOLD_FILE, flags, 0o600))
        return delivered


def given_in_session(project: Project, text: str, *, session: str, error: bool) -> str:
    """What there is for a task or an error, with its receipts written; "" for nothing.

    For a program that records itself: in `hindsight run`, what the run left for its task.

    Raises:
        HindsightError: the look-up failed, or its receipt could not be written.
    """
    from hindsight_cli.api.injecting import deliver, prepare, was_begun

    if project.env.get(INJECT_VARIABLE) == INJECT_NOTHING:
        return ""
    with _alone(project.folder / LOCK_FILE) as is_alone:
        if not is_alone:
            return ""
        if not error and was_begun(project, session):
            return _block_of_run(project)
        prepared = prepare(project, text, error=error, session=session)
        deliver(project, prepared)
    return prepared.injection.text


def _block_of_run(project: Project) -> str:
    """What `hindsight run` left in a file for its agent, taken so that nobody gets it twice."""
    name = project.env.get(BLOCK_VARIABLE)
    path = Path(name) if name else None
    if path is None or path.parent != project.folder / "injections":
        return ""
    from hindsight_cli.traces.plain import read_plain

    taken = path.with_name(f"{path.name}.{os.getpid()}.taken")
    try:
        path.rename(taken)
        text = read_plain(taken, _MAX_BLOCK_BYTES).decode("utf-8", "replace").strip()
        taken.unlink()
    except OSError:
        return ""
    return text if text.startswith(f"<{TAG} ") else ""


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """One hook of a project at a time injects: else two could give the same.

    False when others held the lock for so long that nobody waits for an answer any more.
    """
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:  # a project that cannot be written
        yield True
        return
    try:
        yield _is_taken(fd)
    finally:
        os.close(fd)  # releases the lock


def _is_taken(fd: int) -> bool:
    deadline = time.monotonic() + _LOCK_S
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)
        else:
            return True
