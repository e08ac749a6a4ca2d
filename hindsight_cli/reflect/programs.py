"""What programs are for: which take a subcommand, which only look, which check. Data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum


class CheckKind(StrEnum):
    """A command whose result depends on the state of the files: an edit can turn it green."""

    TEST = "test"
    LINT = "lint"
    BUILD = "build"
    SCRIPT = "script"


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


WRAPPERS = _names(
    "sudo env time nohup command exec nice stdbuf builtin xvfb-run then do else ! { }"
)
# Program -> the word after which the real command follows; () means at once.
RUNNERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("uv", "poetry", "pipenv", "rye", "pdm", "hatch", "pipx"), ("run",)),
    **dict.fromkeys(("npx", "bunx", "uvx"), ()),
    "bundle": ("exec",),
    "pnpm": ("exec", "dlx"),
}
SHELLS = _names("bash sh zsh dash")
INTERPRETERS = SHELLS | _names("python node ruby perl php deno bun tsx ts-node")
TRIVIAL = _names(
    "cd echo export set true false pwd source . sleep printf unset pushd popd wait exit return"
    " done fi if for while test ["
)
FILTERS = _names(
    "head tail grep egrep rg sort uniq wc tee cat less more awk sed cut tr jq xargs column"
)
LOOKERS = _names(
    "cat ls head tail find grep rg egrep sed wc file stat tree fd ag less more bat which whereis"
)
# Intents that change and check nothing.
SHOWING = frozenset(
    {"git status", "git log", "git diff", "git show", "git branch", "git fetch", "git stash list"}
    | {"ls", "cat", "head", "tail", "grep", "find", "wc", "which", "gh pr view", "ps", "env"}
    | {"docker ps", "docker logs", "docker inspect", "docker images", "docker stats", "ss", "lsof"}
    | {"podman ps", "podman logs", "kubectl get", "kubectl describe", "kubectl logs", "netstat"}
    | {"systemctl status", "journalctl", "dmesg", "pip list", "pip show", "npm ls", "du", "df"}
)
# Intents that stand beside what a line is for: they seldom are what failed.
WEAK = frozenset(
    {"git add", "git fetch", "git status", "git log", "git diff", "git show", "git branch", "mkdir"}
    | {"cat", "ls", "grep", "find", "rm", "cp", "mv", "head", "tail", "touch", "chmod", "which"}
    | {"git stash"}
)
# Programs whose first word names what they are to do.
_WITH_SUBCOMMAND = _names(
    " git docker podman kubectl npm yarn pnpm go cargo mise just make gh glab apt"
    " apt-get dnf yum apk pip uv poetry brew systemctl service terraform aws gcloud az"
    " helm conda dotnet gradle gradlew mvn mvnw bazel composer rails rake mix swift"
    " flutter dart deno bun task nox tox invoke npx hatch pdm rustup gem cmake ansible"
    " flyctl heroku vercel netlify firebase supabase prisma alembic django-admin"
)
# Program -> first words after which a second one says what is to be done.
_SECOND_WORD: dict[str, frozenset[str]] = {
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun", "mise", "deno", "cargo", "rye"), _names("run")),
    **dict.fromkeys(("gh", "glab"), _names("pr issue api repo release workflow run mr")),
    "docker": _names("compose"),
}
# Words after which another one says what is to be done: "git stash pop", "docker volume rm".
GROUPS = _names(
    "stash remote submodule worktree bisect lfs notes network volume image container system"
    " builder buildx context config cache state workspace rollout auth secret package env tool"
    " s3 s3api ec2 ecr iam compute"
)
# Programs that are run with nothing behind them.
CHECKERS = _names(
    "pytest tox nox jest vitest mocha ruff mypy flake8 pyright eslint tsc black isort pre-commit"
    " rspec phpunit ctest make"
)
# Options that tell how much is said, and whether anybody is asked: not what a command does.
MANNERS = _names(
    "-q -v -y -d -it -i -t --quiet --verbose --yes --rm --no-pager --color --no-color --progress"
    " --silent --assume-yes"
)
_SAME = {"nodejs": "node"}
_VERSIONED = re.compile(r"(python|pip|pypy|ruby|perl|php|gcc|clang)-?\d+(?:\.\d+)*")
_CHECKS: tuple[tuple[CheckKind, re.Pattern[str]], ...] = (
    (
        CheckKind.TEST,
        re.compile(
            r"\b(?:pytest|py\.test|unittest|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|pest"
            r"|playwright|cypress|bats|spec)\b|manage\.py test"
            r"|(?:^| )(?:run )?(?:[\w-]*[:_.-])?tests?(?:[:_.-][\w:.-]*)?(?: |$)"
        ),
    ),
    (
        CheckKind.LINT,
        re.compile(
            r"lint|\b(?:ruff|flake8|mypy|pyright|eslint|tsc|clippy|go vet|shellcheck|rubocop|biome"
            r"|typecheck|type-check|stylelint|phpstan|ktlint|swiftlint|staticcheck|pre-commit"
            r"|black|isort)\b"
        ),
    ),
    (
        CheckKind.BUILD,
        re.compile(
            r"\b(?:build|compile|make|cmake|ninja|gcc|g\+\+|clang|javac|rustc|webpack|rollup|vite"
            r"|esbuild|msbuild|xcodebuild|cargo check|gradlew?|mvnw?|bazel|meson|latexmk|pdflatex"
            r"|configure)\b"
        ),
    ),
)


def plain_name(program: str) -> str:
    """`python3.11`, `python3` and `python` are one."""
    match = _VERSIONED.fullmatch(program)
    return match.group(1) if match else _SAME.get(program, program)


def check_kind(program: str, intent: str) -> CheckKind | None:
    for kind, pattern in _CHECKS:
        if pattern.search(intent):
            return kind
    runs_script = program in INTERPRETERS and not intent.endswith(" -c")
    return CheckKind.SCRIPT if runs_script or program.startswith("./") else None


def intent_of(program: str, words: Sequence[str]) -> str:
    """Program and what it is to do: "git rebase", "npm run build", "python seed.py"."""
    plain = [word for word in words if not word.startswith("-")]
    if program == "python" and "-m" in words[:-1]:
        at = list(words).index("-m")
        return intent_of(plain_name(words[at + 1]), words[at + 2 :])
    if program in INTERPRETERS and program not in _WITH_SUBCOMMAND:
        return _script_intent(program, words, plain)
    if program not in _WITH_SUBCOMMAND:
        return program
    if program == "git":
        plain = _after_git_options(words)
    parts = [program, *plain[:1]]
    if plain and plain[0] in _SECOND_WORD.get(program, ()):
        parts += plain[1:2]
    return " ".join(parts)


def _script_intent(program: str, words: Sequence[str], plain: Sequence[str]) -> str:
    if not plain or any(word in {"-c", "-e", "-"} for word in words[:2]):
        return f"{program} -c"
    script = plain[0].rstrip("/").rpartition("/")[2]
    manages = script == "manage.py" and len(plain) > 1
    return f"{program} {script} {plain[1]}" if manages else f"{program} {script}"


def _after_git_options(words: Sequence[str]) -> list[str]:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in {"-C", "-c", "--git-dir", "--work-tree"} else rest[1:]
    return [word for word in rest if not word.startswith("-")]


def is_known(program: str) -> bool:
    """Whether a word at the beginning of a literal names a program."""
    return (
        program in _WITH_SUBCOMMAND | INTERPRETERS | LOOKERS | FILTERS | WRAPPERS
        or program in RUNNERS
    )
