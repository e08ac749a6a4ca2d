"""Which agent's program a command starts, seen through the wrappers it may stand behind.

Only wrappers that hand on what follows them word for word. One of them with an option that
is not listed makes the command an unknown one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_EXECUTABLES = {
    "claude": "claude_code",
    "codex": "codex",
    "gemini": "gemini",
    "qwen": "qwen",
    "opencode": "opencode",
    "pi": "pi",
    "copilot": "copilot",
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
    "@mariozechner/pi-coding-agent": "pi",
    "@github/copilot": "copilot",
}
_PYTHON_PACKAGES = {"mini-swe-agent": "mini_swe_agent", "aider-chat": "aider"}
_PYTHON_MODULES = {
    "minisweagent": "mini_swe_agent",
    "minisweagent.run.mini": "mini_swe_agent",
    "aider": "aider",
}


class Program:
    """An agent's program in a command."""

    __slots__ = ("agent", "env", "start")

    def __init__(self, agent: str, start: int, env: dict[str, str]) -> None:
        self.agent = agent  # the module here that knows it
        self.start = start  # where its own arguments begin
        self.env = env  # variables that the command sets for it


class _Wrapper:
    """What may stand between a wrapper's name and the program it starts."""

    __slots__ = ("flags", "operands", "sources", "values")

    def __init__(
        self, flags: str = "", values: str = "", *, operands: int = 0, sources: str = ""
    ) -> None:
        self.flags = frozenset(flags.split())
        self.sources = frozenset(sources.split())  # options that name the program's package
        self.values = frozenset(values.split()) | self.sources
        self.operands = operands

    def end_of_options(self, argv: Sequence[str], at: int) -> int | None:
        """Where its own options, which begin at `at`, end; None when one is not known."""
        while at < len(argv) and argv[at].startswith("-"):
            option, equals, _ = argv[at].partition("=")
            if argv[at] == "--":
                return at + 1
            if argv[at] in self.flags or (equals and option in self.values):
                at += 1
            elif argv[at] in self.values:
                at += 2
            else:
                return None
        return at

    def source(self, arguments: Sequence[str]) -> str | None:
        """The package that the options name."""
        for at, argument in enumerate(arguments):
            option, equals, value = argument.partition("=")
            if option in self.sources:
                return value if equals else "".join(arguments[at + 1 : at + 2])
        return None


_PREFIXES = {
    "nohup": _Wrapper(),
    "time": _Wrapper("-p -v --verbose", "-o -f"),
    "nice": _Wrapper(values="-n --adjustment"),
    "timeout": _Wrapper(
        "-v --verbose -f --foreground -p --preserve-status",
        "-k --kill-after -s --signal",
        operands=1,
    ),
    "caffeinate": _Wrapper("-d -i -m -s -u"),
    "uv run": _Wrapper("-q --quiet --frozen --locked --no-sync --offline", "--with -p --python"),
    "poetry run": _Wrapper(),
    "pdm run": _Wrapper(),
}
_NPX = _Wrapper(
    "-y --yes -q --quiet --silent --no-install --offline --prefer-offline --prefer-online --bun",
    sources="-p --package",
)
_UVX = _Wrapper(
    "-q --quiet --offline --isolated --refresh -U --upgrade --no-cache",
    "--with -p --python --index-url",
    sources="--from --spec",
)
_RUNNERS = {
    **dict.fromkeys(("npx", "bunx", "pnpx", "bun x", "pnpm dlx", "yarn dlx"), _NPX),
    **dict.fromkeys(("uvx", "uv tool run", "pipx run"), _UVX),
}
_PYTHON = _Wrapper("-u -B -E -I -s")


def find_program(argv: Sequence[str]) -> Program | None:
    """The agent's program in a command; None when there is none, or it is not certain."""
    env: dict[str, str] = {}
    at = 0
    while at < len(argv):
        agent = _EXECUTABLES.get(_basename(argv[at]).removesuffix(".exe")) or _agent_of_script(
            argv[at]
        )
        if agent:
            return Program(agent, at + 1, env)
        if _basename(argv[at]) == "env":
            at += 1
            while at < len(argv) and _is_assignment(argv[at]):
                variable, _, value = argv[at].partition("=")
                env[variable] = value
                at += 1
            continue
        wrapper, after = _named(_PREFIXES, argv, at)
        end = wrapper.end_of_options(argv, after) if wrapper is not None else None
        if wrapper is None or end is None:
            found = _started_by_another(argv, at)
            return Program(*found, env) if found else None
        at = end + wrapper.operands
    return None


def _started_by_another(argv: Sequence[str], at: int) -> tuple[str, int] | None:
    """The agent that an interpreter or a package runner starts, and where its arguments begin."""
    name = _basename(argv[at])
    if name in ("node", "bun") and (agent := _agent_of_script("".join(argv[at + 1 : at + 2]))):
        return agent, at + 2
    if name.startswith("python"):
        while at + 1 < len(argv) and argv[at + 1] in _PYTHON.flags:
            at += 1
        agent = _PYTHON_MODULES.get("".join(argv[at + 2 : at + 3]), "")
        return (agent, at + 3) if agent and argv[at + 1] == "-m" else None
    runner, after = _named(_RUNNERS, argv, at)
    if runner is None:
        return None
    end = runner.end_of_options(argv, after)
    if end is None or end >= len(argv):
        return None
    source = runner.source(argv[after:end])
    package = _package_name(argv[end] if source is None else source)
    agent = (_NPM_PACKAGES if runner is _NPX else _PYTHON_PACKAGES).get(package, "")
    if not agent or (source is not None and _EXECUTABLES.get(argv[end]) != agent):
        return None
    return agent, end + 1


def _named(
    wrappers: Mapping[str, _Wrapper], argv: Sequence[str], at: int
) -> tuple[_Wrapper | None, int]:
    """The wrapper that one to three words name, and where they end."""
    for length in (1, 2, 3):
        name = " ".join([_basename(argv[at]), *argv[at + 1 : at + length]])
        if name in wrappers:
            return wrappers[name], at + length
    return None, at


def _agent_of_script(path: str) -> str:
    """The agent whose npm package a script belongs to; empty when none."""
    _, folder, inside = path.rpartition("/node_modules/")
    if not folder or not path.endswith((".js", ".mjs", ".cjs")):
        return ""
    parts = inside.split("/")
    return _NPM_PACKAGES.get("/".join(parts[:2])) or _NPM_PACKAGES.get(parts[0], "")


def _package_name(requirement: str) -> str:
    """`@scope/name@1.2` and `name[extra]==1.2` without what follows the name."""
    end = min(
        (at for mark in "@=<>~![" if (at := requirement.find(mark, 1)) > 0),
        default=len(requirement),
    )
    return requirement[:end]


def _is_assignment(argument: str) -> bool:
    name, equals, _ = argument.partition("=")
    return bool(equals) and name.isidentifier()


def _basename(path: str) -> str:
    return path.rpartition("/")[2]
