"""What SWE-agent writes into texts: the task, an action in a fence, the state of its shell."""

from __future__ import annotations

import re

from hindsight_cli.records.event import ToolKind

# How its prompts begin and go on round the task, of all versions.
_TASKS = (
    (
        re.compile(r"<(?:pr|issue)_description>\n?"),
        re.compile(r"\n?</(?:pr|issue)_description>"),
    ),
    (
        re.compile(r"\AWe're currently solving the following issue[^\n]*\n+(?:ISSUE:\n)?"),
        re.compile(r"\n\s*INSTRUCTIONS:\n"),
    ),
    (
        re.compile(r"\AWe're currently solving the following [^\n]{0,40}challenge\. ?"),
        re.compile(r"\n\s*INSTRUCTIONS:\n"),
    ),
)
_DEMONSTRATION = "Here is a demonstration of how to correctly accomplish this task"
_SHELL_STATE = re.compile(
    r"\s*(?:\(Open file: [^\n]*\)\s*)?\(Current directory: (?P<cwd>[^\n]*)\)\s*bash-\$\s*\Z"
)
_OBSERVATION = re.compile(r"\AOBSERVATION:\n|\AObservation: ")
_NO_OUTPUT = re.compile(
    r"\AYour (?:last )?command ran successfully and did not produce any output\.?\s*\Z"
)
_FENCE = re.compile(r"^```(\S*)[ \t]*$", re.MULTILINE)
# What its shell answers when a command did not run, or not to its end.
TIMED_OUT = re.compile(
    r"\A\s*(?:EXECUTION TIMED OUT\b"
    r"|The command '.{0,4000}?' was cancell?ed because it took more than )",
    re.DOTALL,
)
NOT_RUN = re.compile(
    r"\A\s*(?:COMMAND FAILED TO EXECUTE\b|BROKEN PIPE ERROR\b|UNKNOWN ERROR\b"
    r"|EXECUTION FAILED OR COMMAND MALFORMED\b"
    r"|(?:Interactive o|O)peration '[^\n]{0,400}' is not supported by this environment"
    r"|Your bash command contained syntax errors and was NOT executed"
    r"|Your (?:output|last output) was not formatted correctly"
    r"|Your last output did not use any tool calls|Environment died unexpectedly)"
)
# What its own commands say when they do nothing.
REFUSED = re.compile(
    r"\A\s*(?:usage: |No file open\b|Error: |Wrong flag!|Failed to edit\b"
    r"|(?:File|Directory|Path|Text) [^\n]{0,400}\bnot found\b|The path [^\n]{0,400}\b(?:does not"
    r" exist|is not an absolute path|is a directory)|Invalid `\w+` parameter"
    r"|Unrecognized command\b|\w+ must be (?:an? )?(?:integer|number|less|greater|between)\b)",
    re.IGNORECASE,
)
# The commands that it adds to a shell; a toolkinds entry need not exist for each.
_COMMANDS = {
    **dict.fromkeys(("open", "goto", "scroll_up", "scroll_down", "filemap"), ToolKind.READ),
    **dict.fromkeys(("search_dir", "search_file", "find_file"), ToolKind.SEARCH),
    **dict.fromkeys(("edit", "insert", "str_replace_editor"), ToolKind.EDIT),
    "create": ToolKind.WRITE,
    **dict.fromkeys(("submit", "exit_forfeit", "skip"), ToolKind.OTHER),
}
_MULTILINE = frozenset({"edit", "insert", "create", "str_replace_editor", "submit"})
_WORD = re.compile(r"\s*([\w-]+)(?:[ \t]+([\w-]+))?")
_CHAINED = re.compile(r"&&|\|\||;|\|")
_EDITOR_KINDS = {"view": ToolKind.READ, "create": ToolKind.WRITE}


def tool_of(action: str) -> tuple[str, ToolKind]:
    """The tool that an action uses: one of SWE-agent's commands by its name, else the shell."""
    match = _WORD.match(action)
    name = match[1] if match else ""
    kind = _COMMANDS.get(name)
    is_one = name in _MULTILINE or not ("\n" in action.strip() or _CHAINED.search(action))
    if match is None or kind is None or not is_one:
        return "bash", ToolKind.SHELL
    if name == "str_replace_editor":
        kind = _EDITOR_KINDS.get(match[2] or "", kind)
    return name, kind


def split_task(prompt: str) -> tuple[str, str]:
    """The task in the first prompt, and what the agent's template put round it.

    Where no known template is found, all of it is the task.
    """
    text, _ = without_shell_state(prompt)
    for before, after in _TASKS:
        start = before.search(text)
        end = after.search(text, start.end()) if start else None
        if start and end and (task := text[start.end() : end.start()].strip()):
            return task, f"{text[: start.end()]}\n{text[end.start() :]}".strip()
    return text, ""


def is_demonstration(text: str) -> bool:
    return text.startswith(_DEMONSTRATION)


def without_shell_state(text: str) -> tuple[str, str | None]:
    """A text without the prompt below it, and the folder that the prompt names."""
    match = _SHELL_STATE.search(text, max(len(text) - 4_000, 0))
    return (text[: match.start()], match["cwd"]) if match else (text, None)


def observed_in(text: str) -> str:
    """What came of an action, out of the message that tells the model of it."""
    text, _ = without_shell_state(text)
    text = _OBSERVATION.sub("", text, count=1)
    return "" if _NO_OUTPUT.match(text) else text


def split_reply(text: str) -> tuple[str, str]:
    """A reply's words and the action in its last fence; "" for an action that is not there."""
    fences = list(_FENCE.finditer(text))
    if len(fences) < 2:  # noqa: PLR2004
        return text, ""
    start, end = fences[-2], fences[-1]
    action = text[start.end() : end.start()].strip("\n")
    return f"{text[: start.start()]}{text[end.end() :]}".strip(), action
