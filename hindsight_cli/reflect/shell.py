"""What a shell command line asks for: its programs, what they are to do, the files it writes.

A reading, not a shell: good enough to tell that two lines want the same thing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

_MAX_CHARS = 4_000
_MAX_NESTING = 3
_HEREDOC = re.compile(
    r"<<-?\s*(['\"]?)(\w+)\1(.*?)\n(.*?)(?:\n\s*\2[ \t]*(?=\n|$|\)|\")|\Z)", re.DOTALL
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_OPERATORS = ("&&", "||", "|&", ";;", "|", ";", "&", "\n")
_REDIRECT = re.compile(r"(?:\d*|&)>{1,2}(?:&\d|\|)?|\d*<")

_WRAPPERS = frozenset(
    {"sudo", "env", "time", "nohup", "command", "exec", "nice", "stdbuf", "builtin", "xvfb-run"}
)
_RUNNERS = {
    "uv": ("run",),
    "poetry": ("run",),
    "pipenv": ("run",),
    "rye": ("run",),
    "pdm": ("run",),
    "hatch": ("run",),
    "bundle": ("exec",),
    "pnpm": ("exec", "dlx"),
    "npx": (),
    "bunx": (),
    "pipx": ("run",),
    "uvx": (),
}
_SAME_PROGRAM = {"python3": "python", "python2": "python", "pip3": "pip", "nodejs": "node"}
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_INTERPRETERS = (
    frozenset(
        {
            "python",
            "python3",
            "python2",
            "node",
            "ruby",
            "perl",
            "php",
            "deno",
            "bun",
            "tsx",
            "ts-node",
        }
    )
    | _SHELLS
)
# Programs whose first word names what they are to do.
_WITH_SUBCOMMAND = frozenset(
    "git docker podman kubectl npm yarn pnpm go cargo mise just make gh glab apt apt-get dnf yum apk"
    " pip pip3 uv poetry brew systemctl service terraform aws gcloud az helm conda dotnet gradle gradlew"
    " mvn mvnw bazel composer rails rake mix swift flutter dart deno bun task nox tox invoke npx hatch pdm"
    " rustup gem cmake ansible flyctl heroku vercel netlify firebase supabase prisma alembic django-admin".split()
)
_SECOND_WORD = frozenset(
    {"run", "compose", "pr", "issue", "api", "repo", "release", "workflow", "exec"}
)
_TRIVIAL = frozenset(
    {
        "cd",
        "echo",
        "export",
        "set",
        "true",
        "false",
        "pwd",
        "source",
        ".",
        "sleep",
        "printf",
        "unset",
    }
    | {
        "pushd",
        "popd",
        "wait",
        "exit",
        "return",
        "then",
        "do",
        "done",
        "fi",
        "if",
        "else",
        "for",
        "while",
        "test",
        "[",
    }
)
_KEYWORDS = frozenset({"then", "do", "else", "!", "{", "}"})
_FILTERS = frozenset(
    "head tail grep egrep rg sort uniq wc tee cat less more awk sed cut tr jq xargs column".split()
)


class CheckKind(StrEnum):
    """A command whose result depends on the state of the files: an edit can turn it green."""

    TEST = "test"
    LINT = "lint"
    BUILD = "build"
    SCRIPT = "script"


_CHECKS: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (
    (
        CheckKind.TEST,
        re.compile(
            r"\b(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|pest|playwright"
            r"|cypress|bats)\b|(?:^| )(?:run )?(?:[\w-]*[:_.-])?tests?(?:[:_.-][\w:.-]*)?(?: |$)|\bspec\b|manage\.py test"
        ),
    ),
    (
        CheckKind.LINT,
        re.compile(
            r"lint|\b(?:ruff|flake8|mypy|pyright|eslint|tsc|clippy|go vet|shellcheck|rubocop|typecheck|type-check"
            r"|stylelint|phpstan|ktlint|swiftlint|staticcheck|pre-commit|biome|black|isort)\b"
        ),
    ),
    (
        CheckKind.BUILD,
        re.compile(
            r"\b(?:build|compile|make|cmake|ninja|gcc|g\+\+|clang|javac|rustc|webpack|rollup|vite|esbuild|msbuild|xcodebuild"
            r"|cargo check|gradlew?|mvnw?|bazel|meson|latexmk|pdflatex|configure)\b"
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One program started by a command line."""

    program: str  # base name
    words: tuple[str, ...]  # its arguments, unquoted
    intent: str  # program and what it is to do: "git rebase", "npm run build", "python seed.py"
    piped: bool = False  # reads the output of the one before

    @property
    def check(self) -> CheckKind | None:
        for kind, pattern in _CHECKS:
            if pattern.search(self.intent):
                return kind
        runs_script = self.program in _INTERPRETERS and not self.intent.endswith(" -c")
        if runs_script or self.program.startswith("./"):
            return CheckKind.SCRIPT
        return None


@lru_cache(maxsize=512)
def invocations(command: str) -> tuple[Invocation, ...]:
    """Every program the line starts, in order; shell words such as `cd` and `echo` left out."""
    return tuple(_read(command, 0))


def intents(command: str) -> frozenset[str]:
    """What the line is for. Filters behind a pipe are not what it is for."""
    found = [i for i in invocations(command) if not (i.piped and i.program in _FILTERS)]
    return frozenset(i.intent for i in found)


def checks(command: str) -> frozenset[CheckKind]:
    return frozenset(i.check for i in invocations(command) if i.check is not None)


def programs(command: str) -> tuple[str, ...]:
    """Programs worth naming, in order, each once."""
    seen = dict.fromkeys(i.program for i in invocations(command))
    telling = [p for p in seen if p not in _FILTERS]
    return tuple(telling or seen)


@lru_cache(maxsize=512)
def written_files(command: str) -> tuple[str, ...]:
    """Files the line writes itself: redirections, `tee`, `sed -i`, `cp` and `mv` targets."""
    bare = _HEREDOC.sub(r" \3 ", command[:_MAX_CHARS])
    found = [m.group(1) for m in re.finditer(r"(?<![\d&>])>{1,2}\s*([\w./~$@{}+-]+)", bare)]
    for one in invocations(command):
        plain = [w for w in one.words if not w.startswith("-")]
        if one.program == "tee":
            found += plain
        elif one.program in {"sed", "perl"} and any(re.match(r"-\w*i", w) for w in one.words):
            found += plain[1:] or plain
        elif one.program in {"cp", "mv"} and plain:
            found.append(plain[-1])
    return tuple(f for f in dict.fromkeys(found) if not f.startswith("/dev/"))


def is_rehearsal(command: str) -> bool:
    """Whether the line only shows what would be done, or prints help or a version."""
    return any(
        {"--dry-run", "--help", "--version", "--collect-only", "--list", "-h"} & set(one.words)
        or (one.program in {"make", "gmake", "ninja"} and "-n" in one.words)
        for one in invocations(command)[:1]
    )


def removed_files(command: str) -> tuple[str, ...]:
    """Files or folders the line removes."""
    return tuple(
        word
        for one in invocations(command)
        if one.program in {"rm", "rmdir", "unlink"} or one.intent == "git rm"
        for word in one.words
        if not word.startswith("-") and word != "rm"
    )


def _read(command: str, depth: int) -> Iterator[Invocation]:
    if depth > _MAX_NESTING:
        return
    bare = _HEREDOC.sub(r" \3\n", command[:_MAX_CHARS])
    for words, piped in _segments(bare):
        yield from _invocation(words, piped, depth)


def _segments(text: str) -> Iterator[tuple[list[str], bool]]:
    """Simple commands as lists of unquoted words, and whether each reads a pipe."""
    words: list[str] = []
    piped = False
    for token, is_operator in _tokens(text):
        if not is_operator:
            words.append(token)
            continue
        if words:
            yield words, piped
        words, piped = [], token.startswith("|") and token != "||"
    if words:
        yield words, piped


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    word, quote, at = "", "", 0
    started = False
    while at < len(text):
        char = text[at]
        if quote:
            if char == quote:
                quote = ""
            elif char == "\\" and quote == '"' and at + 1 < len(text):
                at += 1
                word += text[at]
            else:
                word += char
        elif char in "'\"":
            quote, started = char, True
        elif char == "\\" and at + 1 < len(text):
            at += 1
            word += "" if text[at] == "\n" else text[at]
        elif operator := next((o for o in _OPERATORS if text.startswith(o, at)), ""):
            if operator == "&" and (word.endswith(">") or text[at + 1 : at + 2] == ">"):
                word += char  # 2>&1, &>file
            else:
                if word or started:
                    yield word, False
                word, started = "", False
                yield operator, True
                at += len(operator) - 1
        elif char in " \t\r()" or (char == "#" and not word):
            if word or started:
                yield word, False
            word, started = "", False
            if char == "#":
                at = (text + "\n").index("\n", at) - 1
        else:
            word += char
        at += 1
    if word or started:
        yield word, False


def _invocation(words: Sequence[str], piped: bool, depth: int) -> Iterator[Invocation]:
    words = _unwrapped(_without_redirects(words))
    if not words:
        return
    program = _base(words[0])
    if program in _SHELLS and len(words) > 2 and re.fullmatch(r"-\w*c", words[1]):  # noqa: PLR2004
        yield from _read(words[2], depth + 1)
        return
    if program in _RUNNERS and len(words) > 1:
        leads = _RUNNERS[program]
        rest = [w for w in words[1:] if not w.startswith("-")]
        if not leads and rest:
            yield from _invocation(rest, piped, depth)
            return
        if rest and rest[0] in leads and len(rest) > 1:
            known = next((w for w in rest[1:] if w in _INTERPRETERS), rest[1])
            yield from _invocation(words[words.index(known) :], piped, depth)
            return
    if program in _TRIVIAL:
        return
    arguments = tuple(words[1:])
    if words[0].startswith("./"):
        program = words[0]
    yield Invocation(
        program=program, words=arguments, intent=_intent(program, arguments), piped=piped
    )


def _unwrapped(words: list[str]) -> list[str]:
    """The command without assignments, `sudo`, `timeout 30` and the like before it."""
    while words:
        if words[0] == "timeout":
            words = [w for w in words[1:] if not w.startswith("-")][1:]
        elif _ASSIGNMENT.match(words[0]) or words[0] in _WRAPPERS or words[0] in _KEYWORDS:
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
        else:
            break
    return words


def _without_redirects(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif match := _REDIRECT.match(word):
            skip = match.end() == len(word) and "&" not in word
        else:
            kept.append(word)
    return kept


def _intent(program: str, words: Sequence[str]) -> str:
    program = _SAME_PROGRAM.get(program, program)
    plain = [w for w in words if not w.startswith("-")]
    if program == "python" and "-m" in words[:-1]:
        module = words[list(words).index("-m") + 1]
        return _intent(module, [w for w in words[list(words).index("-m") + 2 :]])
    if program in _INTERPRETERS and program not in _WITH_SUBCOMMAND:
        if any(w in {"-c", "-e", "-"} for w in words[:2]) or not plain:
            return f"{program} -c"
        script = f"{program} {_base(plain[0])}"
        return (
            f"{script} {plain[1]}" if plain[0].endswith("manage.py") and len(plain) > 1 else script
        )
    if program in _WITH_SUBCOMMAND and plain:
        if program == "git":
            plain = _after_git_options(words)
        parts = [program, *plain[:1]]
        if plain and plain[0] in _SECOND_WORD and len(plain) > 1:
            parts.append(plain[1])
        return " ".join(parts)
    return program


def _after_git_options(words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in {"-C", "-c", "--git-dir", "--work-tree"} else rest[1:]
    return [w for w in rest if not w.startswith("-")]


def _base(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2] or word
