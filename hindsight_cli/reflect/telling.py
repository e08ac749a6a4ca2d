"""The part of an output, a command or an edit that is worth quoting, word for word.

Every excerpt is a contiguous piece of the original, so that a guard finds it in the trace. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from hindsight_cli.fingerprint import error_fingerprint, telling_lines
from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.trace import Call

_HEAD_CHARS = 6_000
_TAIL_CHARS = 12_000
_KEYS_KEPT = 2_048
MAX_LITERAL = 220
_TAG = re.compile(
    r"</?(?:tool_use_error|error|stderr|stdout|output|result|returncode)>|\x1b\[[0-9;]*m"
)
_EXIT_LINE = re.compile(
    r"\s*(?:Exit code|Process exited with code|Command exited with code|\[?exit)\b", re.I
)
_NOISE = re.compile(
    r"""\s*(?:Exit\ code\ \d+|at\ |\^+|~+|-+|=+|\.+|npm\ ERR!\ A\ complete\ log
    |FAIL(?:ED)?|String:\ .*
    |(?:errors?|warnings?|failed|failure):?|make(?:\[\d+\])?:\ \*\*\*.*
    |\[[\w:-]+\]\ ERROR\ task\ failed
    |File\ updated\b.*|Traceback\ \(most\ recent\ call\ last\):|\d+\ (?:issues?|errors?
    |problems?):?)\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_CODE_LINE = re.compile(
    r"(?:if|for|func|return|const|let|var|def|class|import|from|fn|pub|public|private)\b[^:]*[{(;]"
    r"|[\w.]+\(.*\)[;,]?$|[\w., ]+ :?= |[{}()\[\];]+$"
)
_FAILED_TEST = re.compile(
    r"\s*(?:--- FAIL: \S+|FAILED \S+|FAIL:? \S+|[✕✗×] .+|● .+|test \S+ \.\.\. FAILED|not ok \d+)"
)
_DIAGNOSTIC = re.compile(r"(?:\[[\w:-]+\] )?[\w./\\@-]+\.\w{1,5}[:(]\d+(?:[:,]\d+)?\)?:? +\S.{5,}")
_NAMED_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b: ?\S")
_MARKED_ERROR = re.compile(r"(?:^|[\s\]])(?:error|fatal|panic)(?:\[\w+\])?:\s*\S", re.I)
_SAYS_WHY = re.compile(
    r"\b(?:did not|does not|was not|is not|must|multiple|required|unique|invalid|cannot)\b", re.I
)
_LOG_ERROR = re.compile(r"\[(?:ERROR|FATAL|CRITICAL)\]|\b(?:ERROR|FATAL|CRITICAL)\b[ :]")
_LOG_LINE = re.compile(r"\b(?:INFO|DEBUG|TRACE)\b")
_EMPTY = re.compile(
    r"""\s*(?:No\ (?:files|matches|results|content|output)\b[^\n]{0,60}
    |\(no\ (?:output|content|matches)\)
    |\[\]|\{\}|null|0\ results?\b.*|Found\ 0\ \w+.*|<no\ output>
    |\(Bash\ completed\ with\ no\ output\))?\s*""",
    re.IGNORECASE | re.VERBOSE,
)
_EMPTY_CHARS = 200
SHOWN_ERROR = 110  # characters
_MIN_MESSAGE = 12
_MIN_CUT = 40
_MIN_CLAUSE = 4  # words that say enough by themselves
_MIN_SENTENCE = 3
_WHEN = re.compile(r"^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?[\d.,]*(?:Z|[+-]\d\d:?\d\d)?\]?\s+")
_PLACE = re.compile(r"^(?:\[[\w:-]+\]\s*)?(?:[\w./\\@-]+\.\w{1,5}[:(]\d+(?:[:,]\d+)?\)?:?\s+)?")
_LEAD = re.compile(r"^\s*(?:Error|错误)\s*[:：]\s*")
_ONE_OFF = re.compile(
    r"(?<![\w.])[\w.@+-]+(?:/[\w.@+-]+)+\.\w{1,5}(?!\w)|'[^'\n]{1,80}'|\"[^\"\n]{1,80}\"|`[^`\n]{1,80}`|(?<![\w.])[~/][\w.@+-]*/[\w./@+-]*"
    r"|(?<![\w'])[\w./:@#$-]*\d[\w./:@#-]*\w|(?<![\w'])\d+"
)


def is_empty(output: str) -> bool:
    """Whether an answer holds nothing: no match, no file, an empty list."""
    return len(output) < _EMPTY_CHARS and _EMPTY.fullmatch(output) is not None


def error_lines(call: Call, limit: int = 1) -> tuple[str, ...]:
    """Up to `limit` lines of the output that say what went wrong, most telling first."""
    lines = [clean_line(line) for line in _bounded(call.output).split("\n")]
    lines = [line for line in lines if line and not _NOISE.match(line)]
    found = [line for line in telling_lines("\n".join(lines)) if not _EXIT_LINE.match(line)]
    if call.tool_kind is not ToolKind.SHELL:
        marked = [line for line in lines if _NAMED_ERROR.search(line)]
        closing = [line for line in lines[-1:] if _SAYS_WHY.search(line)]
        found = _stated(lines) + marked[:1] + closing + found
    else:
        tests = [line for line in lines if _FAILED_TEST.match(line)]
        reports = [line for line in lines if _DIAGNOSTIC.match(line) and not _LOG_LINE.search(line)]
        found = tests[:1] + reports[:2] + [line for line in found if not _CODE_LINE.match(line)]
    if not found:
        found = lines[-1:]
    return tuple(excerpt(line) for line in _distinct(found)[:limit])


def error_text(call: Call) -> str:
    """The most telling line, "" when the output is empty."""
    return next(iter(error_lines(call)), "")


def error_key(call: Call) -> str:
    """Equal for two failures of the same nature; "" when the output tells nothing."""
    return _fingerprint(call.tool_name, _bounded(call.output))


@lru_cache(maxsize=_KEYS_KEPT)
def _fingerprint(tool_name: str, output: str) -> str:
    """Every failure of a run is compared with many others of it."""
    return error_fingerprint(tool_name, output)


def has_marked_error(call: Call) -> bool:
    """Whether an accepted answer, such as a log, reports an error."""
    lines = _bounded(call.output).split("\n")
    return any(_MARKED_ERROR.search(line) or _LOG_ERROR.search(line) for line in lines)


def short_error(call: Call, max_chars: int = SHOWN_ERROR) -> str:
    """The most telling line as far as it tells at a glance, without where it was found."""
    if call.tool_kind is not ToolKind.SHELL:
        return stable(error_text(call), max_chars)
    lines = error_lines(call, 3)
    line = next((text for text in lines if not is_failed_test(text)), error_text(call))
    return _at_clause(without_place(line), max_chars)


def _at_clause(line: str, max_chars: int) -> str:
    """A line that is too long up to the last clause that fits."""
    cut = excerpt(line, max_chars)
    ends = [match.start() for match in re.finditer(r"[;,.:] ", cut)]
    if len(cut) == len(line.strip()) or not ends or ends[-1] < _MIN_CUT:
        return cut
    return cut[: ends[-1]]


def without_place(line: str) -> str:
    """A report without time, file and line; still a piece of the original."""
    bare = _PLACE.sub("", _WHEN.sub("", line, count=1), count=1)
    return bare if len(bare) >= _MIN_MESSAGE else line


def is_failed_test(line: str) -> bool:
    """Whether a line says no more than which test failed."""
    return _FAILED_TEST.match(line) is not None


def stable(line: str, max_chars: int = SHOWN_ERROR) -> str:
    """A message with an ellipsis for all that belongs to this one call: equal in every run.

    Names, numbers, dates, paths and quotations are left out; what is left stands in the line.
    """
    bare = _ONE_OFF.sub("…", _LEAD.sub("", line, count=1))
    bare = re.sub(r"…(?:[\s,]*…)+", "…", bare).strip(" :…").rstrip(".。")
    clause = re.split(r"[,;，；]\s", bare)[0]
    if "…" in bare and "…" not in clause and len(clause.split()) >= _MIN_CLAUSE:
        return clause
    first = re.split(r"(?<=[.!?;。])\s", bare)[0]
    text = first if len(first.replace("…", " ").split()) >= _MIN_SENTENCE else bare
    return excerpt(text, max_chars).rstrip(".。;")


def is_pointed(call: Call) -> bool:
    """Whether the output points at the trouble: a place, a failed test, a named error."""
    line = error_text(call)
    return any(p.search(line) for p in (_DIAGNOSTIC, _FAILED_TEST, _NAMED_ERROR, _MARKED_ERROR))


def failed_tests(output: str) -> frozenset[str]:
    """Names of tests that an output reports as failed."""
    text = _bounded(output)
    found = re.findall(r"--- FAIL: (\w+)", text) + re.findall(
        r"^FAILED [^\s:]+::([\w:]+)", text, re.M
    )
    found += re.findall(r"^(?:FAIL|ERROR): (\w+)", text, re.M) + re.findall(
        r"^test (\S+) \.\.\. FAILED", text, re.M
    )
    return frozenset(name.rpartition("::")[2] for name in found)


def clean_line(line: str) -> str:
    """A line without colours and harness tags; still a piece of the original."""
    parts = [part.strip() for part in _TAG.split(line) if part.strip()]
    return re.sub(r"^(?:[-*•] +|E +(?=\S))", "", max(parts, key=len, default=""))


def excerpt(text: str, max_chars: int = MAX_LITERAL) -> str:
    """The first line of `text` with content, cut at a word to `max_chars`."""
    line = next((part.strip() for part in text.split("\n") if part.strip()), "")
    if len(line) <= max_chars:
        return line
    cut = line[:max_chars]
    space = cut.rfind(" ")
    if space <= max_chars // 2:  # no word to end at: end before the last name that was cut
        space = max(i for i, char in enumerate(f" {cut}") if not char.isalnum() and char != "_") - 1
    return (cut[:space] if space > 0 else cut).rstrip()


def quoted(text: str, max_chars: int = MAX_LITERAL) -> str:
    """`text` between backticks, in one line; an ellipsis outside them tells that it was cut."""
    piece = excerpt(text, max_chars)
    if "`" in piece:
        if "``" not in piece:
            return f"`` {piece} ``"
        piece = max(piece.split("`"), key=len).strip()  # what no marks could hold whole
    return f"`{piece}`" + ("…" if piece != text.strip() else "")


def quoted_piece(text: str) -> str:
    """`text` between backticks when it is already as short as it should be; "" for ""."""
    return quoted(text, len(text) + 1) if text else ""


def _stated(lines: list[str]) -> list[str]:
    """What a tool that is no shell says: its message comes first."""
    return [line for line in lines[:6] if re.search(r"[^\W\d_]{2,}", line)][:1]


def _bounded(output: str) -> str:
    if len(output) <= _HEAD_CHARS + _TAIL_CHARS:
        return output
    return output[:_HEAD_CHARS] + "\n" + output[-_TAIL_CHARS:]


def _distinct(lines: Iterable[str]) -> list[str]:
    kept: list[str] = []
    for line in lines:
        if not any(line in other or other in line for other in kept):
            kept.append(line)
    return kept
