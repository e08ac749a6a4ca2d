"""Stable signatures of errors, so that the same failure is known again tomorrow.

Two failures share a fingerprint when only their numbers, paths, ids, times or quoted
names differ: 'port 8080 in use' and 'port 9090 in use' are one. Pure; patterns are
compiled on first use because `hindsight search` imports this on its hot path.
"""

from __future__ import annotations

import re
from functools import lru_cache

MAX_CHARS = 160
_HEAD_CHARS = 20_000  # of an output too long to scan whole; its end says more than its start
_TAIL_CHARS = 60_000
_LINE_CHARS = 600  # one line may be a minified bundle
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

# How much a line says about what went wrong, most telling first.
_EXCEPTION = 4
_MARKED = 3
_COMPLAINT = 2
_SUMMARY = 1

# (kind, pattern): the first that matches gives the line its kind.
_KINDS: tuple[tuple[int, str], ...] = (
    (0, r"^\s*(?:at |File \"|\.\.\. |\^|~+\^|#\d+ |note: |help: |hint: |warning[:\[ ])"),
    (0, r"\b(?:0|no) (?:errors?|failures?|failed)\b"),
    (
        _SUMMARY,
        r"^\W*(?:exit(?:ed)?(?: with)?(?: status| code)|command failed|process exited|make(?:\[\d+\])?:"
        r"|build failed|found \d+ errors?|=+ .*\bfailed\b|failed \(|npm err! (?:a complete log|this is)"
        r"|(?:error:? )?(?:script|command|process|task)\b.{0,80}\b(?:exit(?:ed)?|failed)\b"
        r"|error: (?:aborting due to|could not compile|recipe)|for more information)",
    ),
    (
        _EXCEPTION,
        r"^\s*(?:E\s{2,}|caused by:\s*|exception in thread \S+ |uncaught )?"
        r"(?:[A-Za-z_][\w$]*\.)*[A-Za-z_]*"
        r"(?:Error|Exception|Exit|Interrupt|Timeout|Warning|Failure|Fault|Mismatch|NotFound|Violation)"
        r"(?:\s\[\w+\])?(?::|\s*$)",
    ),
    (_EXCEPTION, r"^\s*(?:panic: |thread '.*' panicked|caused by: |exception in thread )"),
    (
        _MARKED,
        r"(?:^|[\s\])>])(?:fatal(?: error)?|error|err!|critical|e\d{3,5})\b\s?(?:\[[\w-]+\])?[:!\]]",
    ),
    (
        _MARKED,
        r"(?:^|: )(?:error|fatal)(?: [a-z]+\d+)?: |\berror (?:[A-Z]{1,6}-?\d{3,6})\b|\bERR_[A-Z_]+\b",
    ),
    (
        _COMPLAINT,
        r"\b(?:permission denied|not permitted|access denied|forbidden|unauthori[sz]ed|refused|rejected|denied"
        r"|no such|not found|not a |not recogni[sz]ed|is not writable|does not exist|doesn't exist"
        r"|already (?:exists|in use|allocated|been)|in use|timed? ?out|deadline exceeded|unreachable"
        r"|cannot|can't|can not|could not|couldn't|unable to|failed|failure|invalid|illegal|unknown|unexpected"
        r"|undefined|unresolved|unsupported|missing|mismatch|conflict|corrupt(?:ed)?|expired|exceeded"
        r"|out of memory|oom|killed|segmentation fault|core dumped|no space left|too many|overflow|deadlock"
        r"|locked|aborted|abort|crashed|error|exception|traceback|E[A-Z]{4,}|errno)\b"
        r"|错误|失败|异常|无法|不能|找不到|不存在|拒绝|超时|被占用|没有权限|未找到|报错",
    ),
)

_LEADS: tuple[str, ...] = (
    r"^\s*(?:E\s{2,}|[>|×✗✘❌•*-]+\s+)",
    r"^\s*\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:\s?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?[\s:|,-]*",
    r"^\s*\[?(?:mon|tue|wed|thu|fri|sat|sun)?\w{0,6}\s?\w{3}\s+\d{1,2}\s\d\d:\d\d:\d\d[^\]\s]*\]?\s*",
    r"^\s*\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s*",
    r"^\s*\[(?:\d+|pid \d+|[\w.-]+)\]\s*:?\s*(?=\S)",
    r"^\s*(?:\S+/)?(?:ba|z|da|k|fi)?sh: (?:line \d+: |\d+: )?",
    r"^\s*(?:[A-Za-z]:)?[\w./\\@+-]*\.\w{1,5}(?::\d+(?::\d+)?|\(\d+(?:,\d+)?\)):?\s*",
    r"^\s*(?:info|debug|warn(?:ing)?|notice|stderr|stdout)\b\s*[:|]\s*",
    r"^\s*[\w.-]+-\d+\s+\|\s+",
)

# (pattern, replacement), in this order: the longer shapes first.
_VARIABLE: tuple[tuple[str, str], ...] = (
    (r"\b[a-z][a-z0-9+.-]{1,12}://[^\s'\"`<>)]+", "<url>"),
    (r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b", "<email>"),
    (r"\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?)?", "<time>"),
    (r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b", "<time>"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<id>"),
    (r"\b(?:sha\d+:)?(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b", "<id>"),
    (r"\b0x[0-9a-f]+\b", "<id>"),
    (r"(?<=\()(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{4,}(?=\))", "<id>"),
    (r"\b(?:[a-z0-9-]+\.)*[a-z0-9-]+\.(?:com|org|net|io|dev|local|internal|cn)(?::\d+)?\b", "<host>"),
    (r"(?:\b\d{1,3}(?:\.\d{1,3}){3}|\blocalhost|\[?::1?\]?)(?::\d+)\b", "<host>"),
    (r"\b\d{1,3}(?:\.\d{1,3}){3}\b", "<host>"),
    (r"(?<![\w<])(?:[a-z]:)?[\\/][\w.@+~%=-]+(?:[\\/][\w.@+~%=-]*)*(?::\d+)*", "<path>"),
    (r"(?<![\w<])(?:\.{1,2}|~|[\w.@+-]+)(?:[\\/][\w.@+=-]+)+(?::\d+)*", "<path>"),
    (r"\b[\w-]+\.(?:py|js|ts|tsx|jsx|mjs|cjs|go|rs|java|rb|php|c|h|cc|cpp|cs|sh|sql|json|ya?ml|toml|lock"
     r"|txt|md|cfg|ini|env|tf|html?|css|log|db|so|whl|zip|tar|gz)(?![.\w])(?::\d+)*", "<path>"),
    (r"\bv?\d+(?:\.\d+)+(?:[-+.]?(?:rc|a|b|dev|post|alpha|beta)\.?\d*)?(?=[^\w]|[a-z]{1,3}\b|$)", "<n>"),
    (r"(?<![\w.<])[-+]?\d[\d,_]*(?:\.\d+)?(?=[^\w]|_|(?:[kmgt]i?b?|[mun]?s|px|min|h|x)\b|$)", "<n>"),
)  # fmt: skip
# Numbers that name the error itself and therefore stay.
_KEPT_NUMBER = r"\b(?:http(?:/[\d.]+)?|status(?: code)?|exit(?:ed)?(?: with)?(?: status| code)?|errno|sqlstate)[ :=(]{1,3}\d{1,5}\b"
_QUOTED = r"(?<!\w)(['\"`])(?:(?!\1).){1,200}?\1(?!\w)|[“‘「『][^”’」』]{1,200}[”’」』]"
_ANSI = r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"


@lru_cache(maxsize=None)
def _compiled(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
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
    lines = _lines(error_text)
    signatures = (_signature(line) for line in telling_lines(lines))
    found = list(dict.fromkeys(signature for signature in signatures if signature))
    if not found and tool_name.lower().rpartition("__")[2] not in SHELL_TOOLS:
        found = [signature for line in lines[:3] if (signature := _signature(line))]
    return found[:limit]


def looks_like_error(text: str) -> bool:
    """Whether `text` reads like a tool's error output rather than a person's request."""
    lines = _lines(text)
    kinds = [_kind(line) for line in lines]
    if any(kind >= _MARKED for kind in kinds):
        return True
    complaints = [line for line, kind in zip(lines, kinds, strict=True) if kind == _COMPLAINT]
    if len(lines) > 1:
        return len(complaints) * 2 >= len(lines)
    return any(_compiled(r"\s*[\w./\\-]+: .*:").match(line) for line in complaints)


def is_specific(fingerprint: str) -> bool:
    """Whether a fingerprint says enough to take two errors with it for the same one."""
    words = _compiled(r"<[a-z]+>|[^\W\d_]{2,}").findall(fingerprint)
    return sum(not word.startswith("<") for word in words) >= _MIN_EXACT_WORDS


def telling_lines(lines: list[str]) -> list[str]:
    """Lines that say what went wrong, the most telling first.

    A traceback ends with its reason, so the last exception wins; compilers and package
    managers begin with it, so the first marked line wins.
    """
    kinds = [_kind(line) for line in lines]
    exceptions = [line for line, kind in zip(lines, kinds, strict=True) if kind == _EXCEPTION]
    rest = [
        line
        for wanted in (_MARKED, _COMPLAINT, _SUMMARY)
        for line, kind in zip(lines, kinds, strict=True)
        if kind == wanted
    ]
    return exceptions[::-1] + rest


def _lines(text: str) -> list[str]:
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        text = f"{text[:_HEAD_CHARS]}\n{text[-_TAIL_CHARS:]}"
    plain = _compiled(_ANSI).sub("", text).replace("\x00", "")
    # A carriage return redraws the line: what the terminal showed last is what counts.
    drawn = (line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))
    return [line[:_LINE_CHARS] for line in drawn if line.strip()]


def _kind(line: str) -> int:
    for kind, pattern in _KINDS:
        # Exception names are told by their capitals ("TypeError:"), the rest by words.
        flags = 0 if kind == _EXCEPTION and "Error|" in pattern else re.IGNORECASE
        if _compiled(pattern, flags).search(line):
            return kind
    return 0


def _signature(line: str) -> str:
    for _ in range(2):  # prefixes nest: time, level, source position
        for lead in _LEADS:
            line = _compiled(lead).sub("", line, count=1)
    text = _compiled(_QUOTED).sub(lambda match: _quoted(match.group(), len(line)), line)
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match.group())
        return f" \x01{chr(0xE000 + len(kept) - 1)} "

    text = _compiled(_KEPT_NUMBER).sub(keep, text.lower())
    for pattern, placeholder in _VARIABLE:
        text = _compiled(pattern).sub(placeholder, text)
    for index, words in enumerate(kept):
        text = text.replace(f"\x01{chr(0xE000 + index)}", words)
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    text = text.strip(" .,:;!|-=*")
    return _shortened(text) if _tells(text) else ""


def _tells(signature: str) -> bool:
    """Placeholders alone, or the exit code every failure has, tell nothing."""
    bare = _compiled(r"<[a-z]+>").sub(" ", signature)
    if not _compiled(r"[^\W\d_]{2,}").search(bare):
        return False
    return not _compiled(r"(?:error: )?(?:\w+ )?exit(?:ed)?(?: with)?(?: status| code)?:? [012]").fullmatch(bare)


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
