"""Stable signatures of errors, so that the same failure is known again tomorrow.

Two failures share a fingerprint when only their numbers, paths, ids, times or quoted
values differ: 'port 8080 in use' and 'port 9090 in use' are one. Where the name is what the
error says (a missing module, see names.py) it stays. Pure; patterns are
compiled on first use because `hindsight search` imports this on its hot path.
"""

from __future__ import annotations

import re
from functools import cache

MAX_CHARS = 160
_HEAD_CHARS = 20_000  # of an output too long to scan whole; its end says more than its start
_TAIL_CHARS = 60_000
_LINE_CHARS = 600  # one line may be a minified bundle
_MAX_TRIED = 100  # telling lines; a compiler may print thousands
_OWN_MESSAGE_LINES = 3  # where a tool that is no shell says what went wrong
_CHAIN_CHARS = 80
_CHAIN_CLAUSES = 4
_CAUSE_WORDS = 6
_MIN_EXACT_WORDS = 3  # fewer words than this name a class of errors, not one error
SHELL_TOOLS = frozenset(
    {
        "",
        "bash",
        "sh",
        "zsh",
        "shell",
        "terminal",
        "exec",
        "execute",
        "powershell",
        "local_shell",
        "run_shell_command",
        "run_terminal_cmd",
        "execute_command",
        "exec_command",
        "shell_command",
        "run_command",
    }
)

# How much a line says about what went wrong.
_EXCEPTION = 4
_MARKED = 3
_COMPLAINT = 2
_SUMMARY = 1

_IGNORE_CASE = re.IGNORECASE
_AS_WRITTEN = 0  # exceptions are told by their capitals

# (kind, flags, pattern): the first that matches gives the line its kind.
_KINDS: tuple[tuple[int, int, str], ...] = (
    (
        0,
        _IGNORE_CASE,
        r"^\s*(?:at |File \"|\.\.\. |\^|~+\^|#\d+ |note: |help: |hint: |warning[:\[ ]"
        r"|traceback \(most recent call)"
        r"|\b(?:0|no) (?:errors?|failures?|failed)\b",
    ),
    (
        _SUMMARY,
        _IGNORE_CASE,
        r"^(?:\[[^\]]*\])?\W*(?:exit(?:ed)?(?: with)?(?: status| code)|command failed"
        r"|process exited|make(?:\[\d+\])?:|build failed|found \d+ errors?"
        r"|=+ .*\bfailed\b|fail(?:ed)?\s|npm err! (?:a complete log|this is)|for more information"
        r"|(?:error:? )?(?:script|command|process|task)\b.{0,80}\b(?:exit(?:ed)?|failed)\b"
        r"|error: (?:aborting due to|could not compile|recipe))",
    ),
    (
        _EXCEPTION,
        _AS_WRITTEN,
        r"^\s*(?:E\s{2,}|Caused by:\s*|Exception in thread \S+ |Uncaught )?"
        r"(?:[A-Za-z_][\w$]*\.)*[A-Za-z_]*(?:Error|Exception|Exit|Interrupt|Timeout|Warning"
        r"|Failure|Fault|Mismatch|NotFound|Violation)(?:\s\[\w+\])?(?::|\s*$)",
    ),
    (
        _EXCEPTION,
        _IGNORE_CASE,
        r"^\s*(?:panic: |thread '.*' panicked|caused by: |exception in thread )",
    ),
    (
        _MARKED,
        _IGNORE_CASE,
        r"(?:^|[\s\])>])(?:fatal(?: error)?|error|err!|critical|e\d{3,5})\b\s?(?:\[[\w-]+\])?[:!\]]"
        r"|(?:^|: )(?:error|fatal)(?: [a-z]+\d+)?: |\berror [a-z]{1,6}-?\d{3,6}\b"
        r"|\berr_[a-z_]+\b|^E\s{2,}assert\b|^\s*(?:错误|报错|异常)\s*[:：]",
    ),
    (_COMPLAINT, _IGNORE_CASE, r"^\s*[\w./\\-]+\.\w{1,5}:\d+:\d+: "),  # a compiler's position
)
# Plain substrings: a search that is read as an error should not wait for a pattern to compile.
_COMPLAINTS = (
    *("denied", "not permitted", "forbidden", "unauthorized", "unauthorised", "refused"),
    *("rejected", "no such", "not found", "not a ", "not recognized", "not recognised"),
    *("not writable", "not exist", "doesn't exist", "already exists", "already in use", "in use"),
    *("already allocated", "already been", "timed out", "timeout", "time out", "deadline exceeded"),
    *("unreachable", "cannot", "can't", "can not", "could not", "couldn't", "unable to", "failed"),
    *("failure", "invalid", "illegal", "unknown", "unexpected", "undefined", "unresolved"),
    *("unsupported", "missing", "mismatch", "conflict", "corrupt", "expired", "exceeded"),
    *("out of memory", "oomkilled", "killed", "segmentation fault", "core dumped", "no space left"),
    *("too many", "overflow", "deadlock", "locked", "abort", "crashed", "error", "exception"),
    *("traceback", "errno", "enoent", "eacces", "eaddrinuse", "econn", "etimedout", "eperm"),
    *("错误", "失败", "异常", "无法", "不能", "找不到", "不存在", "拒绝", "超时", "被占用"),
    *("no module named", "not defined", "undeclared", "unbound variable"),
    *("没有权限", "未找到", "报错"),
)

_ERROR_MARKS = (":", "\n", "err", "exception", "错误", "异常", "报错")

# (what a line must have, pattern): what stands before the message. A pattern is compiled
# only when a line has one of the marks it needs.
_DIGITS = tuple("0123456789")
_LEADS: tuple[tuple[tuple[str, ...], str], ...] = (
    (tuple("E>|×✗✘❌•*-"), r"^\s*(?:E\s{2,}|[>|×✗✘❌•*-]+\s+)"),
    (
        _DIGITS,
        r"^\s*\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?"
        r"(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?[\s:|,-]*",
    ),
    (_DIGITS, r"^\s*\[?(?:[a-z]{3,9}\s)?[a-z]{3}\s+\d{1,2}\s\d\d:\d\d:\d\d[^\]\s]*\]?\s*"),
    (_DIGITS, r"^\s*\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s*"),
    (("<",), r"^\s*<[a-z][\w-]*>\s*"),
    (("]",), r"^\s*\[(?:pid \d+|[\w.:/-]+)\]\s*:?\s*(?=\S)"),
    (("sh: ",), r"^\s*(?:\S+/)?(?:ba|z|da|k|fi)?sh: (?:line \d+: |\d+: )?"),
    (
        _DIGITS,
        r"^\s*(?:[a-z]:)?[\w./\\@+-]*\.\w{1,5}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)):?\s*",
    ),
    ((":", "|"), r"^\s*(?:info|debug|warn(?:ing)?|notice|stderr|stdout)\b\s*[:|]\s*"),
    (("|",), r"^\s*[\w.-]+-\d+\s+\|\s+"),
)

# (what a text must have, pattern, placeholder), in this order: the longer shapes first.
_VARIABLE: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("://",), r"\b[a-z][a-z0-9+.-]{1,12}://[^\s'\"`<>)]+", "<url>"),
    (("@",), r"\b[\w.+-]{1,64}@[\w-]+\.[\w.-]+\b", "<email>"),
    (
        ("-", ":"),
        r"\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?)?"
        r"|\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b",
        "<time>",
    ),
    (
        _DIGITS,
        r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b0x[0-9a-f]+\b"
        r"|\b(?:sha\d+:)?(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b"
        r"|(?<=\()(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{4,}(?=\))",
        "<id>",
    ),
    (
        (".", ":"),
        r"\b(?:[a-z0-9-]{1,63}\.){1,5}(?:com|org|net|io|dev|local|internal|cn)(?![.\w])(?::\d+\b)?"
        r"|(?:\b\d{1,3}(?:\.\d{1,3}){3}|\blocalhost|\[?::1?\]?)(?::\d+)\b"
        r"|\b\d{1,3}(?:\.\d{1,3}){3}\b",
        "<host>",
    ),
    (
        ("/", "\\"),
        r"(?<![\w<])(?:[a-z]:)?[\\/][\w.@+~%=-]+(?:[\\/][\w.@+~%=-]*)*(?::\d+)*"
        r"|(?<![\w<])(?:\.{1,2}|~|[\w.@+-]+)(?:[\\/][\w.@+=-]+)+(?::\d+)*",
        "<path>",
    ),
    (
        (".",),
        r"\b[\w-]{1,80}\.(?:py|js|tsx?|jsx|mjs|cjs|go|rs|java|rb|php|c|h|cc|cpp|cs|sh|sql|json|ya?ml"
        r"|toml|lock|txt|md|cfg|ini|env|tf|html?|css|log|db|so|whl|zip|tar|gz)(?![.\w])(?::\d+)*",
        "<path>",
    ),
    (
        _DIGITS,
        r"\bv?\d+(?:\.\d+)+(?:[-+.]?(?:rc|a|b|dev|post|alpha|beta)\.?\d*)?(?=[^\w]|[a-z]{1,3}\b|$)"
        r"|(?<![\w.<])[-+]?\d[\d,_]*(?:\.\d+)?(?=[^\w]|_|(?:[kmgt]i?b?|[mun]?s|px|min|h|x)\b|$)",
        "<n>",
    ),
)
# Numbers that name the error itself and therefore stay.
_KEPT_NUMBER = (
    r"\b(?:http(?:/[\d.]+)?|status(?: code)?|exit(?:ed)?(?: with)?(?: status| code)?"
    r"|errno|sqlstate)[ :=(]{1,3}\d{1,5}\b"
)
_QUOTED = r"(?<!\w)(['\"`])(?:(?!\1).){1,200}?\1(?!\w)|[“‘「『][^”’」』]{1,200}[”’」』]"
_ANSI = r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
_CLOSING_TAG = r"\s*</[a-z][\w-]*>\s*$"
_NO_NEWS = r"(?:error: )?(?:\w+ )?exit(?:ed)?(?: with)?(?: status| code)?:? \d{1,2}"


@cache
def _compiled(pattern: str, flags: int = _IGNORE_CASE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def error_fingerprint(tool_name: str, error_text: str) -> str:
    """The signature of the most telling line of `error_text`.

    `tool_name` is not part of the signature, since one agent's Bash is another's
    exec_command; it decides how to read the text: a shell's output needs a line that
    looks like an error, any other tool's first line is taken for its message.

    Returns:
        Lower-case text of at most 160 characters with placeholders such as `<n>`,
        `<path>` and `<str>`; "" when no line tells anything.
    """
    found = error_fingerprints(tool_name, error_text, limit=1)
    return found[0] if found else ""


def error_fingerprints(tool_name: str, error_text: str, *, limit: int = 6) -> list[str]:
    """Signatures of all telling lines of `error_text`, the most telling first."""
    lines = telling_lines(error_text)
    if not lines and tool_name.lower().rpartition("__")[2] not in SHELL_TOOLS:
        lines = _lines(error_text)[:_OWN_MESSAGE_LINES]
    found: dict[str, None] = {}
    for line in lines[:_MAX_TRIED]:
        if signature := _signature(line):
            found[signature] = None
        if len(found) >= limit:
            break
    return list(found)


def looks_like_error(text: str) -> bool:
    """Whether `text` reads like a tool's error output rather than a person's request."""
    lowered = text.lower()
    if not any(mark in lowered for mark in _ERROR_MARKS):
        return False
    lines = _lines(text)
    kinds = [_kind(line) for line in lines]
    if any(kind >= _MARKED for kind in kinds):
        return True
    complaints = [line for line, kind in zip(lines, kinds, strict=True) if kind == _COMPLAINT]
    if len(lines) > 1:
        return len(complaints) * 2 >= len(lines)
    return any(_compiled(r"\s*[\w./\\-]+: .*:").match(line) for line in complaints)


def is_specific(fingerprint: str) -> bool:
    """Whether a fingerprint says enough to take two errors with it for the same one.

    `assertionerror: <n> != <n>` is what any test says that compares two numbers.
    """
    words = _compiled(r"<[a-z]+>|[^\W\d_]{2,}").findall(fingerprint)
    exact = [word for word in words if not word.startswith("<")]
    if len(exact) < _MIN_EXACT_WORDS:
        return False
    from hindsight_cli.fingerprint import classes  # a search for a task has no error to read

    return len(classes.own_words(fingerprint, exact)) >= _MIN_EXACT_WORDS


def telling_lines(text: str) -> list[str]:
    """Lines that say what went wrong, the most telling first.

    A traceback ends with its reason, so the last exception wins; compilers and package
    managers begin with it, so the first marked line wins.
    """
    lines = _lines(text)
    kinds = [_kind(line) for line in lines]
    exceptions = [line for line, kind in zip(lines, kinds, strict=True) if kind == _EXCEPTION]
    rest = [
        line
        for wanted in (_MARKED, _COMPLAINT, _SUMMARY)
        for line, kind in zip(lines, kinds, strict=True)
        if kind == wanted
    ]
    return [_cause(line) for line in exceptions[::-1] + rest]


def _cause(line: str) -> str:
    """The innermost reason of a long chain `wrapper: wrapper: what failed: why`.

    Wrappers name containers, hosts and ids of the day; what is common to two failures
    stands at the end. Gives a contiguous piece of `line`; short chains stay whole.
    """
    if len(line) <= _CHAIN_CHARS:
        return line
    clauses = list(_compiled(r"(?:^|: +)(?=\S)").finditer(line))
    if len(clauses) < _CHAIN_CLAUSES:
        return line
    for clause in reversed(clauses):
        tail = line[clause.end() :]
        if len(_compiled(r"\S*\w\S*").findall(tail)) >= _CAUSE_WORDS:
            return tail
    return line


def _lines(text: str) -> list[str]:
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        text = f"{text[:_HEAD_CHARS]}\n{text[-_TAIL_CHARS:]}"
    if "\x1b" in text or "\x9b" in text:
        text = _compiled(_ANSI).sub("", text)
    # A carriage return redraws the line: what the terminal showed last is what counts.
    drawn = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return [line[:_LINE_CHARS] for line in drawn if line.strip()]


def _kind(line: str) -> int:
    for kind, flags, pattern in _KINDS:
        if _compiled(pattern, flags).search(line):
            return kind
    lowered = line.lower()
    return _COMPLAINT if any(complaint in lowered for complaint in _COMPLAINTS) else 0


def _signature(line: str) -> str:
    for _ in range(2):  # prefixes nest: time, level, source position
        for marks, lead in _LEADS:
            if any(mark in line for mark in marks):
                line = _compiled(lead).sub("", line, count=1)
    if "</" in line:
        line = _compiled(_CLOSING_TAG).sub("", line)
    from hindsight_cli.fingerprint import names  # a search for a task has no error to read

    line, kept = names.held(line)
    text = _compiled(_QUOTED).sub(lambda match: _quoted(match.group(), len(line)), line).lower()
    # An odd part is a number to keep, the even ones lie around it.
    parts = _compiled(f"({_KEPT_NUMBER})").split(text)
    parts[::2] = map(_without_variables, parts[::2])
    parts = [names.put_back(part, kept) for part in parts]
    text = "".join(c if c.isprintable() else " " for c in "".join(parts))
    text = " ".join(text.split()).strip(" .,:;!|-=*")
    return _shortened(text) if _tells(text) else ""


def _without_variables(text: str) -> str:
    for marks, pattern, placeholder in _VARIABLE:
        if any(mark in text for mark in marks):
            text = _compiled(pattern).sub(placeholder, text)
    return text


def _tells(signature: str) -> bool:
    """Placeholders alone, or the exit code every failure has, tell nothing."""
    bare = _compiled(r"<[a-z]+>").sub(" ", signature)
    is_text = _compiled(r"[^\W\d_]{2,}").search(bare) is not None
    return is_text and _compiled(_NO_NEWS).fullmatch(bare) is None


def _quoted(quotation: str, line_chars: int) -> str:
    """A name or value becomes a placeholder; a message that merely stands in quotes stays."""
    inner = quotation[1:-1]
    is_message = len(inner.split()) > 3 and len(inner) * 2 > line_chars  # noqa: PLR2004
    return inner if is_message else "<str>"


def _shortened(text: str) -> str:
    if len(text) <= MAX_CHARS:
        return text
    cut = text[:MAX_CHARS].rpartition(" ")[0]
    return (cut or text[:MAX_CHARS]).rstrip(" .,:;")
