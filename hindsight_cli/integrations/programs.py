"""Which agent's program a command starts, seen through the wrappers it may stand behind."""

from __future__ import annotations

from collections.abc import Sequence

_EXECUTABLES = {
    "claude": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "qwen": "qwen",
    "opencode": "opencode",
    "mini": "mini_swe_agent",
    "mini-swe-agent": "mini_swe_agent",
    "aider": "aider",
}
_NPM_PACKAGES = {
    "@anthropic-ai/claude-code": "claude_code",
    "@openai/codex": "codex",
    "@google/gemini-cli": "gemini",
    "@qwen-code/qwen-code": "qwen",
    "opencode-ai": "opencode",
}
_PYTHON_PACKAGES = {"mini-swe-agent": "mini_swe_agent", "aider-chat": "aider"}
_PYTHON_MODULES = {"minisweagent": "mini_swe_agent", "aider": "aider"}


class Program:
    """An agent's program in a command."""

    __slots__ = ("agent", "env", "start")

    def __init__(self, agent: str, start: int, env: dict[str, str]) -> None:
        self.agent = agent  # the module that knows it
        self.start = start  # where its own arguments begin
        self.env = env  # variables that the command sets for it


class _Wrapper:
    """Options of a program that starts the one named after them."""

    __slots__ = ("flags", "operands", "values")

    def __init__(self, flags: str = "", values: str = "", operands: int = 0) -> None:
        self.flags = frozenset(flags.split())
        self.values = frozenset(values.split())
        self.operands = operands


_PREFIXES = {
    "nohup": _Wrapper(),
    "time": _Wrapper("-p -v", "-o -f"),
    "nice": _Wrapper("", "-n --adjustment"),
    "timeout": _Wrapper(
        "-v --verbose --foreground --preserve-status", "-k --kill-after -s --signal", operands=1
    ),
    "caffeinate": _Wrapper("-d -i -m -s -u"),
}
_NPX = _Wrapper(
    "-y --yes -q --quiet --no-install --offline --prefer-offline --prefer-online --bun --silent",
    "-p --package",
)
_UVX = _Wrapper(
    "-q --quiet --offline --isolated --refresh -U --upgrade",
    "--from --with -p --python --index-url",
)
_NPM_RUNNERS = {("npx",), ("bunx",), ("pnpx",), ("bun", "x"), ("pnpm", "dlx"), ("yarn", "dlx")}
_PYTHON_RUNNERS = {("uvx",), ("uv", "tool", "run"), ("pipx", "run")}
_PYTHON = _Wrapper("-u -B -E -I -s -O")


def find_program(argv: Sequence[str]) -> Program | None:
    """The agent's program in a command; None when there is none, or it is not certain."""
    env: dict[str, str] = {}
    at = 0
    while at < len(argv):
        name = _basename(argv[at])
        if name in _EXECUTABLES:
            return Program(_EXECUTABLES[name], at + 1, env)
        if name == "env":
            at += 1
            while at < len(argv) and _is_assignment(argv[at]):
                variable, _, value = argv[at].partition("=")
                env[variable] = value
                at += 1
        elif name in _PREFIXES:
            after = _after_options(argv, at + 1, _PREFIXES[name])
            if after is None:
                return None
            at = after + _PREFIXES[name].operands
        else:
            return _run_by_another(argv, at, env)
    return None


def _run_by_another(argv: Sequence[str], at: int, env: dict[str, str]) -> Program | None:
    """A program that an interpreter or a package runner starts."""
    name = _basename(argv[at])
    if name in ("node", "bun") and at + 1 < len(argv) and _script_of(argv[at + 1]):
        return Program(_script_of(argv[at + 1]), at + 2, env)
    if name.startswith("python"):
        return _python_module(argv, at + 1, env)
    for length in (1, 2, 3):
        words = (name, *argv[at + 1 : at + length])
        if words in _NPM_RUNNERS:
            return _package(argv, at + length, env, _NPX)
        if words in _PYTHON_RUNNERS:
            return _package(argv, at + length, env, _UVX)
    return None


def _package(argv: Sequence[str], at: int, env: dict[str, str], runner: _Wrapper) -> Program | None:
    """The package, or the program in the package, that a package runner is to start."""
    after = _after_options(argv, at, runner)
    if after is None or after >= len(argv):
        return None
    packages = _NPM_PACKAGES if runner is _NPX else _PYTHON_PACKAGES
    options = {"-p", "--package"} if runner is _NPX else {"--from"}
    sources = [
        value
        for option, value in zip(argv[at:after], argv[at + 1 : after], strict=False)
        if option in options
    ]
    named = argv[after]
    agent = packages.get(_unversioned(named))
    if sources:
        agent = packages.get(_unversioned(sources[-1]))
        if agent is None or _EXECUTABLES.get(named) != agent:
            return None
    return Program(agent, after + 1, env) if agent else None


def _python_module(argv: Sequence[str], at: int, env: dict[str, str]) -> Program | None:
    after = _after_options(argv, at, _PYTHON, stop="-m")
    if after is None or after + 1 >= len(argv) or argv[after] != "-m":
        return None
    agent = _PYTHON_MODULES.get(argv[after + 1])
    return Program(agent, after + 2, env) if agent else None


def _after_options(
    argv: Sequence[str], at: int, wrapper: _Wrapper, *, stop: str = "--"
) -> int | None:
    """Where a wrapper's options end; None when one of them is not known."""
    while at < len(argv) and argv[at].startswith("-"):
        name, equals, _ = argv[at].partition("=")
        if argv[at] == stop:
            return at + (stop == "--")
        if argv[at] in wrapper.flags or (equals and name in wrapper.values):
            at += 1
        elif argv[at] in wrapper.values:
            at += 2
        else:
            return None
    return at


def _script_of(path: str) -> str:
    """The agent whose npm package holds a script; empty when it is of none."""
    folders = path.rpartition("/node_modules/")[2].split("/")
    if "/node_modules/" not in path or not path.endswith((".js", ".mjs", ".cjs")):
        return ""
    return _NPM_PACKAGES.get("/".join(folders[:2])) or _NPM_PACKAGES.get(folders[0], "")


def _unversioned(package: str) -> str:
    name, at, _ = package.rpartition("@")
    return name if at and name else package


def _is_assignment(argument: str) -> bool:
    name, equals, _ = argument.partition("=")
    return bool(equals) and name.isidentifier()


def _basename(path: str) -> str:
    return path.rpartition("/")[2]
