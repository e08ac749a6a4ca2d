"""Wordings by which test runners, builds, shells and programs say that they failed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindsight_cli.capture.status_phrases import any_of


@dataclass(frozen=True, slots=True)
class Signal:
    """One family of wordings."""

    name: str
    pattern: re.Pattern[str]
    final: bool = False  # a verdict on the whole run: found anywhere, undone by nothing
    first_lines: int = 0  # else: how far from the start, and from the end, it counts
    last_lines: int = 0


_TEST_SUMMARY = any_of(
    # pytest, unittest
    r"^=+ .*\b[1-9]\d* (?:failed|errors?)\b.* =+$",
    r"^[1-9]\d* (?:failed|errors?)(?:,| in )",
    r"^(?:FAILED|ERROR) \((?:[\w ]+=\d+(?:, )?)+\)",
    # go, unittest, jest, bun; TAP
    r"^[^\w\n]{0,12}(?:--- )?FAIL\b(?::?\s|$)",
    r"^[^\w\n]{0,12}not ok \d+|^# fail [1-9]",
    # cargo, ctest, dotnet, deno, phpunit, xcodebuild
    r"^test result: FAILED",
    r"\b[1-9]\d* tests? failed out of\b",
    r"^Failed!  |^FAILED \||^FAILURES!",
    r"^\*\* \w+ FAILED \*\*",
    # jest, vitest, mocha, playwright
    r"^[^\w\n]{0,12}(?:Tests?|Test Suites|Test Files|Suites|Specs):?\s+[^\n]*?\b[1-9]\d* "
    r"(?:failed|failing|failures?)\b",
    r"^[^\w\n]{0,12}[1-9]\d* (?:failing|(?:tests? )?failed)\b",
    # rspec, minitest, exunit; junit and its relatives
    r"^[^\w\n]{0,12}\d+ (?:examples?|tests?|specs?|runs|assertions), [^\n]*?\b[1-9]\d* "
    r"(?:failures?|errors?|failed)\b",
    r"\bTests(?: run)?: \d+,[^\n]*\b(?:Failures|Errors): [1-9]",
    # pre-commit, ansible
    r"^[^\n]{3,80}\.{3,}Failed$",
    r"\bunreachable=\d+ +failed=[1-9]",
    flags=re.MULTILINE,
)
_BUILD_SUMMARY = any_of(
    r"^(?:\[[^\]\n]*\] )?ERROR task failed\b",
    r"^(?:g|c)?make(?:\[\d+\])?: \*\*\* |^CMake Error\b|^ninja: build stopped",
    r"^(?:npm|pnpm|yarn)? ?ERR!|^npm error\b|^[ \t]*ELIFECYCLE\b|^error Command failed",
    r"^BUILD FAILED|^FAILURE: Build failed|^\[ERROR\] (?:BUILD|Failed to execute goal)",
    r"^error: could not compile|^Build (?:failed|FAILED)\b|^Failed to compile",
    r"Build did NOT complete|^\[ERROR\] COMPILATION ERROR|^Code style issues (?:were )?found",
    r"^[1-9]\d* files? would be reformatted|^[^\n]{0,60}\berrors? occurred!$",
    r"^[^\w\n]{0,12}(?:Found )?[1-9]\d* errors?\b",
    r"^[^\w\n]{0,12}[1-9]\d* problems? \([1-9]\d* errors?\b",
    r"^[1-9]\d* issues?:$",
    r"^Command failed(?: with exit code [1-9]|:)",
    r"^(?:exit status|exited with(?: code| status)?|exit code:?) [1-9]\d*\s*$",
    r"^Automatic merge failed|^CONFLICT \(",
    r"^(?:task|recipe|script|job|step)\b[^\n]*\bfailed(?:$| (?:with|on))",
    flags=re.MULTILINE,
)
_SHELL_ERROR = any_of(
    r"^[\w./~-]+: (?:line )?\d+: [^\n]*(?:not found|no such|denied|unbound|syntax|unexpected|bad "
    r"|cannot|too many|ambiguous|expected|invalid)",
    r"^(?:[\w./-]*(?:ba|z|da|k|fi)?sh|\(eval\)):(?:[\w.-]+:)?(?:\d+:)? ?[^\n]*(?:not found|no such"
    r"|syntax error|parse error|no matches|denied|bad |unmatched)",
    r"^[^\s:]+: command not found|^command not found: |^[^\s:]+: not found$",
    r": unbound variable$|: Permission denied$|: Is a directory$|: Not a directory$",
    r": No such file or directory$|: cannot execute\b",
    flags=re.MULTILINE | re.IGNORECASE,
)
_CRASH = any_of(
    r"^Traceback \(most recent call last\):",
    r"^panic: |^goroutine \d+ \[running\]|^fatal error: ",
    r"^thread '[^'\n]*' (?:\(\d+\) )?panicked at",
    r"^Exception in thread |^Unhandled (?:promise )?(?:rejection|exception)|^Uncaught \w",
    r"^(?:Segmentation fault|Bus error|Aborted|Killed)\b|\(core dumped\)",
    r"^PHP (?:Fatal|Parse) error|^\*\* \(\w+\)|^[^\s:]+:\d+:in [^\n]*\(\w*Error\)$",
    r"^node:internal/|^(?:\w+\.)*\w*(?:Error|Exception)(?: \[\w+\])?: [^\n]*\n\s+at ",
    flags=re.MULTILINE,
)
_ERROR_LINE = any_of(
    r"^[^\w\n]{0,4}(?:fatal|error|usage error|ERROR|Error)(?:\[\w+\])?(?: TS\d+)?: ?\S",
    r"^(?:E: |ERROR |ERR! |! |Error (?:response|from) )[^\n]+",
    # compilers and linters: file:line:column
    r"^[^\s:()]+:\d+(?::\d+)?:? (?:- )?(?:fatal )?error\b",
    r"^[^\s:()]+\(\d+,\d+\): error ",
    r"^(?:vet: )?[\w./-]+\.go:\d+:\d+: ",
    r"^(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit): ",
    # a program naming itself
    r"^[\w.-]+: (?:error|fatal|invalid|unknown|unrecognized|illegal|missing)\b",
    r"^[\w.-]+: (?:cannot|can't|could not|unable to|failed to|no such) ",
    r"^[ \t]*(?:unknown|unrecognized|invalid|unsupported|no such) (?:shorthand )?"
    r"(?:flag|option|command|subcommand|argument)\b",
    r"^[ \t]*Unrecognized (?:option|argument)|^(?:Could not|Cannot|Unable to|Failed to) \w+",
    flags=re.MULTILINE,
)

SIGNALS = (
    Signal("test_summary", _TEST_SUMMARY, final=True),
    Signal("build_summary", _BUILD_SUMMARY, final=True),
    Signal("shell_error", _SHELL_ERROR, first_lines=5, last_lines=10),
    Signal("crash", _CRASH, first_lines=5, last_lines=40),
    Signal("error_line", _ERROR_LINE, first_lines=3, last_lines=8),
)
# The end of an output that went well.
SUCCESS = any_of(
    r"\ball (?:\w+ )?(?:tests|checks) (?:pass|passed|succeeded)\b",
    r"\b0 (?:failed|failures|errors|issues|problems)\b",
    r"^[^\w\n]{0,12}(?:PASS|PASSED|OK|ok|SUCCESS|DONE|Done|Success|Passed|passed)\b",
    r"\b[1-9]\d* (?:passed|passing)\b",
    r"^BUILD SUCCESS|^Successfully\b|^[^\w\n]{0,12}no (?:issues|errors|problems)\b",
    r"\b(?:completed|finished|built|installed|passed) successfully\b",
    r"^Finished (?:in|`|release|dev)",
    flags=re.MULTILINE,
)
