"""Signals in the text of tool results, as families of wording rather than single messages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindsight_cli.capture.shell_line import Command

_M = re.MULTILINE
_IM = re.MULTILINE | re.IGNORECASE
# Wrapping that harnesses put before the real text.
_LEAD = r"\A[\s<>]*(?:tool_use_error>|error>)?\s*(?:error:\s*)?"

DENIED_BY_USER = re.compile(
    _LEAD + r"(?:"
    r"the user (?:doesn'?t|does not|did not|didn'?t|has) (?:want|wish|allow|approve|reject|den|declin)"
    r"|(?:the )?user (?:rejected|denied|declined|refused|cancel+ed)\b"
    r"|(?:the )?tool (?:use|call) was (?:rejected|denied|declined)"
    r"|(?:\w+ ){0,4}(?:rejected|denied|declined) by (?:the )?user"
    r"|\[operation cancel+ed\] reason: user"
    r"|permission denied by (?:the )?user"
    r")",
    re.IGNORECASE,
)
DENIED_BY_POLICY = re.compile(
    _LEAD + r"(?:"
    r"permission (?:to|for) (?:use |this |run |call )?.{0,80}(?:denied|not granted)"
    r"|claude requested permissions? to .{0,200}haven'?t granted"
    r"|this (?:command|action|tool|operation) (?:requires|needs) (?:approval|permission)"
    r"|.{0,80}\b(?:blocked|denied|rejected|forbidden|disallowed|not allowed) by (?:the |a |an |your )?"
    r"[\w -]{0,40}\b(?:polic|hook|rule|permission|sandbox|admin|setting|configuration)"
    r"|(?:pre|post)tooluse\b.{0,60}hook (?:error|denied|blocked|returned blocking)"
    r"|the user has specified a rule which prevents"
    r"|permission denied and could not request permission"
    r")",
    re.IGNORECASE | re.DOTALL,
)
CANCELLED = re.compile(
    _LEAD + r"(?:"
    r"sibling tool call errored"
    r"|cancel+ed\b"
    r"|\[?request (?:was )?(?:interrupted|aborted|cancel+ed)\b"
    r"|\[?(?:tool|command|operation|execution)(?: \w+){0,3} (?:interrupted|cancel+ed|aborted)\b"
    r"|(?:aborted|interrupted|cancel+ed) by (?:the )?user"
    r"|(?:not (?:run|executed)|skipped)[,:]? (?:because|since|due to|after)\b"
    r")",
    re.IGNORECASE,
)
HARNESS = re.compile(r"\A\s*<tool_use_error>", re.IGNORECASE)
UNKNOWN_TOOL = re.compile(
    _LEAD + r"(?:no such (?:tool|function)\b|(?:unknown|unsupported|unrecognized|invalid) "
    r"(?:tool|function|skill|agent|command|subagent|call)\b|(?:tool|function|skill|agent type) "
    r"['\"`]?[\w:.-]+['\"`]? (?:is )?(?:not (?:found|available|exist|registered|supported)|does not exist)"
    r"|model tried to call unavailable tool)",
    re.IGNORECASE,
)
INVALID_ARGS = re.compile(
    r"inputvalidationerror|invalid (?:arguments?|input|parameters?|tool parameters)\b"
    r"|failed to parse (?:function )?(?:arguments|input)"
    r"|missing (?:a )?required\b|required (?:parameter|argument|property|field)"
    r"|(?:must|should) (?:have required|be (?:string|number|object|array|boolean|equal))"
    r"|unexpected (?:keyword argument|parameter)|\bvalidation errors? for\b|schema validation",
    re.IGNORECASE,
)
NOT_FOUND = re.compile(
    r"(?:file|path|directory|folder|resource|page|url)?\s*(?:does not|doesn'?t) exist"
    r"|no such file or directory|\bnot found\b|\bENOENT\b|\bHTTP (?:error )?404\b|cannot find\b",
    re.IGNORECASE,
)
TIMEOUT = re.compile(
    r"^\W*(?:error:? ?)?(?:the |your )?(?:\w+ ){0,3}?(?:command|tool|execution|process|request|operation|call|mcp \w+)"
    r"[^\n]{0,60}\b(?:timed[ -]?out|exceeded (?:the |its )?(?:time ?(?:limit|out)|timeout))"
    r"|^\W*(?:error:? ?)?(?:execution )?(?:timed[ -]?out|timeout(?:error)?)\b[^\n]{0,20}(?:after|of|:|exceeded)"
    r"|\bMCP error -32001\b",
    _IM,
)
NETWORK = re.compile(
    r"could not resolve (?:host|hostname)|temporary failure in name resolution"
    r"|name or service not known|getaddrinfo|connection (?:refused|reset|timed out|aborted)"
    r"|network is unreachable|no route to host|\bECONN(?:REFUSED|RESET|ABORTED)\b|\bETIMEDOUT\b"
    r"|\bENOTFOUND\b|\bEAI_AGAIN\b|tls handshake|failedtoopensocket|socket hang up|fetch failed"
    r"|\b50[234] (?:bad gateway|service unavailable|gateway time)",
    re.IGNORECASE,
)
API = re.compile(
    r"\A\s*API error\b|\brate.?limit(?:ed| exceeded| reached)|\b429\b.{0,30}too many"
    r"|overloaded_error|\bquota exceeded",
    re.IGNORECASE,
)

EXIT_CODE = re.compile(
    r"\A\s*(?:error:\s*)?exit(?:ed with)? (?:code|status):? (-?\d+)\b"
    r"|^(?:process|command) exited with (?:code|status) (-?\d+)\b"
    r"|^exit code: (-?\d+)\s*$"
    r"|<returncode>\s*(-?\d+)\s*</returncode>"
    r"|\[(?:the )?command (?:finished|completed|exited) with exit code (-?\d+)\.?\]"
    r"|^exited with exit code:? (-?\d+)\s*$",
    _IM,
)

# Programs whose output is other people's text: their words say nothing about them.
FOREIGN = frozenset(
    """cat head tail sed awk gawk grep egrep fgrep rg ag ack less more bat gh glab git curl wget
    http jq yq ls find fd tree echo printf man strings diff cmp xxd od hexdump file stat du df
    ps env printenv history journalctl wc sort uniq cut tr column nl tac zcat zgrep fold tee
    export set source . read test [ which type command pwd date whoami sleep true false exit
    cd pushd popd mkdir touch xargs watch pbpaste sqlite3 tldr pdftotext seq yes basename
    dirname realpath readlink return wait trap unset alias eval xmllint hostname uname id
    docker podman kubectl systemctl crontab lsof netstat ss top aws gcloud az""".split()
)
FILTERS = frozenset(
    """head tail grep egrep fgrep rg sed awk gawk sort uniq cut tr wc tee less more cat column nl
    jq fold rev tac fmt ts strip-ansi cmp""".split()
)
# Commands that are tried to learn whether something is there; a no is an answer.
PROBES = frozenset(
    """ls cat test [ which type command grep egrep fgrep rg ag pgrep find fd stat file diff cmp
    head tail readlink""".split()
)
ANSWERS_WITH_ONE = frozenset(
    "grep egrep fgrep rg ag ack zgrep diff cmp test [ pgrep which type command".split()
)
GIT_ACTIONS = frozenset(
    """merge rebase push pull fetch clone commit checkout cherry-pick apply am stash add rm mv
    switch restore reset revert submodule worktree init tag bisect clean""".split()
)
DOCKER_ACTIONS = frozenset("build run compose pull push exec up buildx create".split())


def prints_foreign_text(command: Command) -> bool:
    """Whether what a command prints was written by others: files, pages, logs, diffs."""
    if command.program == "git":
        return command.subcommand not in GIT_ACTIONS
    if command.program in {"docker", "podman"}:
        return command.subcommand not in DOCKER_ACTIONS
    return command.program in FOREIGN


@dataclass(frozen=True, slots=True)
class Signal:
    """A wording by which programs say that they failed."""

    name: str
    pattern: re.Pattern[str]
    final: bool = False  # a verdict on the whole: a success line elsewhere does not undo it


SHELL_SIGNALS = (
    Signal(
        "test_summary",
        re.compile(
            r"^=+ .*\b[1-9]\d* (?:failed|errors?)\b.* =+$"
            r"|^(?:FAILED|ERROR) \((?:failures|errors)="
            r"|^FAILED \((?:[\w ]+=\d+(?:, )?)+\)"
            r"|^\W*(?:--- )?FAIL\b(?!ED\b)(?::?\s|$)"
            r"|^test result: FAILED"
            r"|^\W*(?:Tests?|Test Suites|Test Files|Suites|Specs):?\s+[^\n]*?\b[1-9]\d* (?:failed|failing|failures?)\b"
            r"|^\W*[1-9]\d* (?:failing|(?:tests? )?failed)\b"
            r"|^\W*\d+ (?:examples?|tests?|specs?|runs|assertions), [^\n]*?\b[1-9]\d* (?:failures?|errors?|failed)\b"
            r"|\bTests run: \d+, Failures: (?:[1-9]\d*|\d+, Errors: [1-9])"
            r"|^#?\s*fail(?:ed|ures)?:? [1-9]\d*\s*$"
            r"|^[1-9]\d* (?:failed|errors?)(?:,| in )",
            _M,
        ),
        final=True,
    ),
    Signal(
        "build_summary",
        re.compile(
            r"^(?:\[[^\]\n]*\] )?ERROR task failed\b"
            r"|^(?:g|c)?make(?:\[\d+\])?: \*\*\* "
            r"|^(?:npm|pnpm|yarn)? ?(?:ERR!|error code ELIFECYCLE)|^npm error\b|^\s*ELIFECYCLE\b"
            r"|^BUILD FAILED|^FAILURE: Build failed|^\[ERROR\] (?:BUILD|Failed to execute goal)"
            r"|^ninja: build stopped|^error: could not compile|^Build failed\b|^Failed to compile"
            r"|^\W*(?:Found )?[1-9]\d* (?:errors?|problems? \([1-9]\d* errors?)\b"
            r"|^[1-9]\d* issues:$|^Command failed(?: with exit code [1-9]|:)"
            r"|^(?:exit status|exited with(?: code| status)?|exit code:?) [1-9]\d*\s*$"
            r"|^Automatic merge failed|^CONFLICT \(|^(?:task|recipe|script)\b[^\n]*\bfailed(?:$| (?:with|on))",
            _M,
        ),
        final=True,
    ),
    Signal(
        "shell_error",
        re.compile(
            r"^(?:[\w./~-]+|\([\w-]+\)): ?(?:line )?\d+: [^\n]+$"
            r"|^(?:[\w./-]*(?:ba|z|da|k|fi)?sh|\(eval\)):(?:[\w.-]+:)?(?:\d+:)? ?[^\n]*(?:not found|no such|syntax error|parse error|no matches|denied|bad |unmatched)[^\n]*$"
            r"|^[^\s:]+: (?:command )?not found(?:: |$)"
            r"|^command not found: "
            r"|: unbound variable$|: Permission denied$|: Is a directory$|: Not a directory$"
            r"|: No such file or directory$|: cannot execute\b",
            _IM,
        ),
    ),
    Signal(
        "crash",
        re.compile(
            r"^Traceback \(most recent call last\):"
            r"|^panic: |^goroutine \d+ \[running\]|^fatal error: "
            r"|^thread '[^'\n]*' (?:\(\d+\) )?panicked at"
            r"|^Exception in thread |^Unhandled (?:promise )?(?:rejection|exception)|^Uncaught \w*"
            r"|^(?:Segmentation fault|Bus error|Aborted|Killed)\b|\(core dumped\)"
            r"|^node:internal/|^(?:\w+\.)*\w*(?:Error|Exception)(?: \[\w+\])?: [^\n]*\n\s+at ",
            _M,
        ),
    ),
    Signal(
        "error_line",
        re.compile(
            r"^\W{0,4}(?:(?:fatal|error|usage error)(?:\[\w+\])?|ERROR|Error)(?: TS\d+)?: ?\S"
            r"|^[^\s:()]+(?::\d+)(?::\d+)?: (?:fatal )?error\b"
            r"|^[^\s:()]+\(\d+,\d+\): error "
            r"|^[\w./-]+\.go:\d+:\d+: "
            r"|^(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit): "
            r"|^(?:E: |ERROR |ERR! |! )[^\n]+|^[\w.-]+: (?:error|fatal|invalid|unknown|unrecognized|illegal|missing) "
            r"|^[\w.-]+: (?:cannot|can't|could not|unable to|failed to|no such) "
            r"|^(?:unknown|unrecognized|invalid|unsupported|no such) (?:shorthand )?(?:flag|option|command|subcommand|argument)\b"
            r"|^(?:Could not|Cannot|Can't|Unable to|Failed to) \w+"
            r"|^\s*Unrecognized (?:option|argument)|^error Command ",
            _M,
        ),
    ),
)
SUCCESS = re.compile(
    r"\b(?:all (?:tests|checks) (?:pass|passed|succeeded)|0 (?:failed|failures|errors|issues|problems)\b)"
    r"|^\W*(?:PASS|OK|ok|SUCCESS|DONE|Done|Success|Passed|passed)\b"
    r"|\b[1-9]\d* (?:passed|passing)\b|^BUILD SUCCESS|^Successfully\b|^\W*no (?:issues|errors|problems)\b"
    r"|\b(?:completed|finished|built|installed|passed) successfully\b|^Finished (?:in|`|release|dev)",
    _M,
)
# A line in which a program speaks of itself, as in "ls: x: No such file or directory".
SELF_REPORT = re.compile(
    r"^(?:/[\w./-]*/)?(?P<program>[\w.\[-]+): (?:[^\n]*: )?(?:\(\d+\) )?[^\n]*"
    r"(?:no such|not found|denied|cannot|can't|could not|invalid|illegal|unrecognized|unknown|is a directory"
    r"|not a directory|error|failed|refused|missing|usage|bad |does not exist|unable|extra characters|unterminated)",
    re.IGNORECASE,
)
GIT_REPORT = re.compile(r"^(?:fatal|error): ")
GH_REPORT = re.compile(
    r"^(?:gh: |HTTP [45]\d\d\b|GraphQL: |could not |no [\w ]+ found|unknown (?:command|flag|shorthand flag|JSON field)"
    r"|failed to |accepts \d|error |X )",
    re.IGNORECASE,
)

# A tool that is no shell and has no flag answers with its failure first.
LEADING_ERROR = re.compile(
    r"\A\W{0,4}(?:(?:fatal )?error|ERROR|exception|failure)\b(?:\s*(?:code\b)?\s*[-\w]*)?\s*(?:[:(\[]|-\s|$)"
    r"|\A\W{0,4}(?:internal |unexpected |server |validation |tool |api |execution |runtime |http )"
    r"(?:\w+ )?error\b"
    r"|\A\W{0,4}error (?:executing|calling|invoking|running|while|in|occurred|during|when|from|reading|writing|editing|creating)\b"
    r"|\A(?:[\w.]*[A-Z]\w*(?:Error|Exception)): "
    r"|\ATraceback \(most recent call last\):"
    r"|\A(?:failed|unable|cannot|could not) to \w+|\A(?:cannot|could not) \w+"
    r"|\AMCP error -?\d+",
    re.IGNORECASE,
)
