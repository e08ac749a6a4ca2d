"""The words of an experience that a trace either holds or does not.

A literal is something one types or reads exactly: a command, flag, path, version, variable,
identifier, URL, error code, number. Plain words are not literals, so an honest paraphrase
stands; a name nobody wrote does not.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import errno
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial

# Names written in mixed case that are words of the language, not identifiers of a project.
_PRODUCTS = frozenset(
    """github gitlab bitbucket javascript typescript coffeescript postgresql mysql nosql sqlite
    mongodb mariadb graphql openai chatgpt latex bibtex numpy pypi pytorch tensorflow macos
    ios ipados devops openssl openssh oauth youtube linkedin whatsapp iphone ipad powershell
    webpack websocket websockets fastapi javadoc jupyterlab matlab wordpress yaml toml json
    xml html css codeql cloudflare cloudformation cloudwatch dynamodb elasticsearch rabbitmq
    kubectl vscode intellij pycharm webstorm readme makefile cmake gtest dockerfile gitignore
    changelog todo wifi ebay paypal dotenv asyncio stackoverflow duckdb clickhouse influxdb
    opentelemetry deepseek anthropic huggingface bugbot posthog mcp llm api cli ci cd pr prs
    os id ids url urls uri ui ux db vm vms node.js vue.js next.js nuxt.js express.js d3.js
    ipv http utf three.js asp.net vb.net e.g i.e etc vs a.k.a a.m p.m u.s u.k no. fig inc ltd ph.d
    mid-air""".split()  # noqa: SIM905
)
_EXTENSIONS = (
    "py|pyi|ipynb|js|jsx|ts|tsx|mjs|cjs|json|jsonl|json5|yaml|yml|toml|ini|cfg|conf|env|lock|md|"
    "mdx|rst|txt|csv|tsv|xml|html|htm|css|scss|less|sql|db|sqlite|sh|bash|zsh|fish|ps1|bat|cmd|go|"
    "mod|sum|rs|rb|php|java|kt|kts|gradle|scala|c|h|cc|cpp|hpp|cs|swift|m|mm|r|jl|lua|pl|pm|ex|exs|"
    "erl|hs|ml|vue|svelte|dart|tf|tfvars|proto|graphql|gql|log|out|bak|tmp|diff|patch|tar|gz|tgz|"
    "zip|whl|jar|so|dll|exe|bin|img|iso|pem|key|crt|cer|pdf|png|jpg|jpeg|gif|svg|properties|"
    "service|"
    "cmake|mk|dockerfile|tmpl|tpl|j2|snap|map|d\\.ts"
)
# Program and subcommand make a command even without a flag; other words after a program's
# name are prose ("git history", "docker images in the registry").
_SUBCOMMANDS = {
    "git": "add am apply bisect blame branch checkout cherry-pick clean clone commit config diff "
    "fetch filter-branch filter-repo fsck gc grep init log ls-files merge mv notes pull push "
    "rebase "
    "reflog remote reset restore revert rm show stash status submodule switch tag worktree",
    "gh": "api auth issue pr release repo run workflow",
    "docker": "attach build builder buildx commit compose container cp exec info inspect "
    "kill load login logs network ps pull push restart rm rmi run save start stats stop system tag "
    "update volume",
    "kubectl": "apply cordon create delete describe drain edit exec get logs patch rollout scale",
    "helm": "install lint rollback template uninstall upgrade",
    "npm|yarn|pnpm|bun": "add audit ci exec install link prune publish remove run uninstall update",
    "pip|pip3|pipx": "check config download freeze install list show uninstall wheel",
    "uv": "add lock pip run sync tool venv",
    "poetry|conda": "add create env export install lock remove run update",
    "cargo": "add bench build check clean clippy fmt install publish run test update",
    "go": "build clean fmt generate get install mod test vet work",
    "apt|apt-get|brew|dnf|yum|apk": "add install purge remove update upgrade autoremove",
    "systemctl": "daemon-reload disable enable mask reload restart start status stop",
    "terraform|tofu": "apply destroy force-unlock import init output plan refresh state validate",
    "aws": "ec2 ecr ecs iam lambda s3 sts",
    "alembic": "current downgrade history revision stamp upgrade",
    "mise": "exec install run use",
    "dotnet": "build publish restore run test",
    "make": "all build check clean install lint test",
}
_RUNTIMES = (
    "python|node|nodejs|java|jdk|ruby|rails|php|postgres|postgresql|mysql|mariadb|redis|django|"
    "flask|react|angular|vue|ubuntu|debian|fedora|centos|alpine|cuda|gcc|clang|llvm|cmake|npm|yarn|"
    "pip|kubernetes|k8s|terraform|ansible|gradle|maven|electron|chrome|firefox|ios|android|"
    "pydantic|"
    "sqlalchemy|flake8|eslint|webpack|vite|jest|spring|angular|openssl|mongodb|elasticsearch|kafka"
)

_L = r"(?<![A-Za-z0-9_])"  # ASCII borders: Chinese text runs into names without a space
_R = r"(?![A-Za-z0-9_])"
_BACKTICKED = re.compile(r"```(?:\w+\n)?(.+?)```|``(.+?)``|`([^`\n]+)`", re.DOTALL)
_QUOTED = re.compile(r'"([^"\n]{2,160})"|“([^”\n]{2,160})”|「([^」\n]{2,160})」|«([^»\n]{2,160})»')
_SINGLE = re.compile(r"(?<![\w'])'([^'\n]{2,160})'(?![\w'])|‘([^’\n]{2,160})’")
_PLACEHOLDER = re.compile(r"<[A-Za-z_][\w .:/-]*>|\{[A-Za-z_][\w .-]*\}|\[\.\.\.\]|\.{3,}|…|\*+")
_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,12}://[^\s<>\"'`)\]，。；、（）]+", re.IGNORECASE)
_HOST = re.compile(
    _L + r"(?:[a-z0-9-]{1,60}\.){1,6}(?:com|org|net|io|dev|test|local|internal|ai|cn|co|app|sh|"
    r"example)" + _R,
    re.IGNORECASE,
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]+)+", re.ASCII)
_FLAG = re.compile(r"(?<![\w/.\-])--?[A-Za-z][\w-]*(?:=[^\s,;)`'\"，。；、]+)?", re.ASCII)
_PATH = re.compile(
    r"(?<![\w/.\-~$@:])(?:[A-Za-z]:\\(?:[\w.@+-]+\\?)+|(?:~/|\.{1,2}/|/|\$[A-Z_]+/|[\w.@+-]+/)"
    r"(?:[\w.@+*~-]+/)*[\w.@+*~-]+/?)",
    re.ASCII,
)
_FILE = re.compile(
    r"(?<![\w.-])[\w.-]{0,120}[A-Za-z0-9_-]\.(?:" + _EXTENSIONS + r")" + _R + r"(?![.(][A-Za-z])",
    re.ASCII | re.IGNORECASE,
)
_DOTFILE = re.compile(r"(?<![\w./*-])\.[a-z][a-z0-9_-]{2,}(?:\.[a-z]+)*" + _R, re.ASCII)
_SNAKE = re.compile(_L + r"_*[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_*(?:\(\))?", re.ASCII)
_DUNDER = re.compile(r"(?<![\w])__[a-z]\w*", re.ASCII)
_CAMEL = re.compile(
    _L + r"(?:[a-z][a-z0-9]{0,60}(?:[A-Z][a-z0-9]{0,60}){1,12}|"
    r"[A-Z][a-z0-9]{1,60}(?:[A-Z][A-Za-z0-9]{0,60}){1,12}|"
    r"[A-Z]{2,12}[a-z][A-Za-z0-9]{0,80})(?:\(\))?" + _R,
    re.ASCII,
)
_CALL = re.compile(_L + r"[A-Za-z_][\w.]*\(\)", re.ASCII)
_DOTTED = re.compile(_L + r"[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)+" + _R, re.ASCII)
_SCOPED = re.compile(_L + r"[A-Za-z_][\w-]*(?:::?[A-Za-z_][\w-]*)+" + _R, re.ASCII)
_PACKAGE = re.compile(
    r"@[a-z0-9-]+/[a-z0-9._-]+|" + _L + r"[A-Za-z][\w.-]*(?:==|>=|<=|~=|@)\d[\w.*-]*", re.ASCII
)
_VERSION = re.compile(
    r"(?<![\w.])[vV]?\d+(?:\.\d+)+(?:[-+.]?(?:rc|alpha|beta|dev|post|a|b)\.?\d*)?(?:\.x)?(?![\w])",
    re.ASCII,
)
_RUNTIME = re.compile(
    _L + r"(?:" + _RUNTIMES + r")\s+v?(\d{1,2})(?![\d.\w%])", re.IGNORECASE | re.ASCII
)
_COMMAND = re.compile(
    _L
    + "(?:"
    + "|".join(f"(?:{head}) (?:{'|'.join(subs.split())})" for head, subs in _SUBCOMMANDS.items())
    + r")(?![\w.:/-])",
    re.ASCII,
)
_ERRNO = re.compile(
    _L
    + r"(?:"
    + "|".join(errno.errorcode.values())
    + r"|[A-Z]{1,5}-?\d{3,}[A-Z]?|0x[0-9a-fA-F]{2,}|SIG[A-Z]{2,})"
    + _R,
    re.ASCII,
)
_ENV = re.compile(_L + r"\$?\{?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\}?", re.ASCII)
_ASSIGNED = re.compile(_L + r"[A-Za-z_][\w.-]*=(?!=)[^\s,;)\]'\"，。；、`]+", re.ASCII)
_RANGE = re.compile(r"(?<![\d.:])\d+:\d+(?![\d:])", re.ASCII)
_NUMBER = re.compile(
    r"(?<![\w.,:#/-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w.:/-]|,\d)"
    r"|(?<![\w.,:#/-])\d{3,}(?=[a-zA-Z]|[.:,/-](?!\d))",
    re.ASCII,
)
_KEBAB = re.compile(
    r"\b(?:package|module|image|branch|plugin|library|container|install|skill|agent|repo|option|"
    r"flag|service|job|workflow|target|crate|hook|chart|subagent)\s+([A-Za-z][\w]*(?:-[\w]+)+)",
    re.ASCII,
)
_STEP_WORD = re.compile(
    r"(?:steps?|步骤?|第)\s*#?-?\d+(?:\s*(?:,|and|to|-|–|和|、|到)\s*#?\d+)*\s*步?", re.IGNORECASE
)
_ABOUT = re.compile(
    r"(?:about|over|under|around|roughly|nearly|almost|more than|less than|at least|at most|"
    r"up to|~|约|大约|超过|至少|至多|近)\s*$",
    re.IGNORECASE,
)
_MIN_NUMBER = 100  # smaller ones count things; larger ones name them
_MIN_ASSIGNMENT = 4  # characters: a=b is algebra
_MIN_QUOTED_WORDS = 3
_MIN_QUOTED_CJK = 6


class Shape(StrEnum):
    CODE = "code"  # typed exactly: whole in the trace, or its parts close together
    QUOTE = "quote"  # said by somebody: most of its words close together
    NUMBER = "number"
    COMMAND = "command"  # two plain words that make a command: each in the trace


@dataclass(frozen=True, slots=True)
class Literal:
    text: str
    shape: Shape
    marked: bool = False  # in backticks or quotes: meant to be exact


def literals(text: str) -> list[str]:
    """Every literal of `text` in order of appearance, each once."""
    return list(dict.fromkeys(item.text for item in find_literals(text)))


@lru_cache(maxsize=256)  # a candidate's texts are looked through by several checks
def find_literals(text: str) -> tuple[Literal, ...]:
    """The literals with the way each has to be looked up.

    A backticked span is one literal; names inside a quotation count for themselves too.
    """
    found: list[tuple[int, Literal]] = []
    rest = _take_backticked(text, found)
    rest = _STEP_WORD.sub(lambda m: " " * len(m.group()), rest)
    _take_quoted(rest, found)
    rest = _take_code(rest, found)
    _take_numbers(rest, found)
    found.sort(key=lambda pair: pair[0])
    return tuple(dict.fromkeys(item for _, item in found))


def pieces(literal: str) -> list[str]:
    """`literal` without placeholders, cut where an author may have left something out."""
    return [part.strip() for part in _PLACEHOLDER.split(literal) if re.search(r"\w", part)]


def _take_backticked(text: str, found: list[tuple[int, Literal]]) -> str:
    for match in _BACKTICKED.finditer(text):
        span = next(group for group in match.groups() if group is not None).strip()
        if re.search(r"\w", span) and not _is_plain_word(span):
            found.append((match.start(), Literal(span, Shape.CODE, marked=True)))
        elif span:
            found.append((match.start(), Literal(span, Shape.COMMAND, marked=True)))
    return _BACKTICKED.sub(lambda m: " " * len(m.group()), text)


def _is_plain_word(span: str) -> bool:
    return span.isascii() and span.isalpha() and span.islower()


def _take_quoted(text: str, found: list[tuple[int, Literal]]) -> None:
    for pattern in (_QUOTED, _SINGLE):
        for match in pattern.finditer(text):
            span = next(group for group in match.groups() if group is not None).strip()
            if _is_message(span):
                found.append((match.start(), Literal(span, Shape.QUOTE, marked=True)))


def _is_message(span: str) -> bool:
    cjk = sum(1 for char in span if "\u3400" <= char <= "\u9fff")
    return len(span.split()) >= _MIN_QUOTED_WORDS or cjk >= _MIN_QUOTED_CJK


def _take_code(text: str, found: list[tuple[int, Literal]]) -> str:
    """Longest shapes first; each takes its characters out of the text for the next ones."""
    for pattern in _CODE_PATTERNS:
        text = pattern.sub(partial(_take, pattern, found), text)
    for match in _COMMAND.finditer(text):
        found.append((match.start(), Literal(match.group(), Shape.COMMAND)))
    return text


def _take(pattern: re.Pattern[str], found: list[tuple[int, Literal]], match: re.Match[str]) -> str:
    word = _trimmed(match.group(match.lastindex or 0))
    if _is_ordinary(word, pattern):
        return match.group()
    found.append((match.start(), Literal(word, Shape.CODE)))
    return " " * len(match.group())


def _trimmed(word: str) -> str:
    word = word.rstrip(".,;:!?)")
    if word.count("(") > word.count(")"):
        word += ")"
    return word.removesuffix("()")


_SLASHED_WORDS = re.compile(r"[A-Za-z-]+(?:/[A-Za-z-]+){1,2}|[A-Z0-9_]+(?:/[A-Z0-9_]+)+", re.ASCII)


def _is_ordinary(word: str, pattern: re.Pattern[str]) -> bool:
    """Whether a match is a word of the language after all."""
    folded = word.casefold()
    if folded in _PRODUCTS or not re.search(r"[A-Za-z0-9]", word):
        return True
    if pattern is _PATH:  # and/or, gh api/jq, client/server
        return _SLASHED_WORDS.fullmatch(word) is not None or word.replace("/", "").isdigit()
    if pattern is _CAMEL:  # PRs, APIs, IDs
        return bool(re.fullmatch(r"[A-Z]{2,}s", word)) or folded.rstrip("s0123456789") in _PRODUCTS
    if pattern is _SCOPED:  # "note:this", "key:value"
        return bool(re.fullmatch(r"[a-z]+:[a-z]+", word))
    if pattern is _ASSIGNED:
        return len(word) < _MIN_ASSIGNMENT
    return False


_CODE_PATTERNS = (
    *(_URL, _EMAIL, _PACKAGE, _FLAG, _PATH, _FILE, _HOST, _ASSIGNED, _ENV, _SCOPED, _CALL),
    *(_DUNDER, _DOTTED, _SNAKE, _DOTFILE, _CAMEL, _VERSION, _RANGE, _ERRNO, _KEBAB),
)


def _take_numbers(text: str, found: list[tuple[int, Literal]]) -> None:
    for match in _RUNTIME.finditer(text):
        found.append((match.start(), Literal(match.group(1), Shape.NUMBER)))
    for match in _NUMBER.finditer(text):
        word = match.group().replace(",", "")
        rounded = float(word) % _MIN_NUMBER == 0 and _ABOUT.search(text[: match.start()])
        if float(word) >= _MIN_NUMBER and not rounded:
            found.append((match.start(), Literal(word, Shape.NUMBER)))
