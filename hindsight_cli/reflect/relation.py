"""Whether one command line is about the same thing as another one that failed. Pure."""

from __future__ import annotations

import difflib
import itertools
import re

from hindsight_cli.records.trace import Call
from hindsight_cli.reflect import shell
from hindsight_cli.reflect.calls import base_name, words_of
from hindsight_cli.reflect.shell import Invocation
from hindsight_cli.reflect.telling import error_text

_MAX_OPERANDS = 20
_MAX_OPERAND = 120  # characters compared
_ALIKE_CODE = 0.34
_ALIKE_WORDS = 0.3
_ALIKE_CHARS = 0.75
_MIN_CHARS = 4
_MIN_SLIP = 3  # characters of a word that can be mistyped
_LONG_WORD = 6  # two letters of it can be wrong
_SHORT_OPTION = re.compile(r"-[A-Za-z]{1,3}")
_DIGITS = re.compile(r"\D+")
_STATEMENT_OPTIONS = frozenset({"-e", "-c", "--execute", "--eval", "--command", "--query"})
# Words of programming languages: two scripts that share no others have nothing in common.
_CODE_WORDS = frozenset(
    re.findall(
        r"\w+",
        "import from as def class return print if else elif for in while with try except lambda"
        " and or is not none null true false const let var function require console log puts use"
        " my sys os open read write str int len range main self new echo end do then async await",
    )
)


def operands(one: Invocation) -> tuple[str, ...]:
    """What a program is given: words that are no options, values of options, no subcommand."""
    named = set(one.intent.split()[1:]) if not _is_code(one) else set()
    found = []
    for word in one.words:
        value = word.partition("=")[2] if word.startswith("-") else word
        if value and value not in named and not value.startswith("-"):
            found.append(value[:_MAX_OPERAND])
    return tuple(found[:_MAX_OPERANDS])


def is_about_the_same(failed: str, later: str) -> bool:
    """Whether two lines start one program for one purpose on things they share.

    Programs alone do not make two lines related: what they work on must, or be left open.
    """
    if failed.strip() == later.strip():
        return True
    pairs = itertools.product(shell.invocations(failed), shell.invocations(later))
    return any(one.intent == other.intent and _alike(one, other) for one, other in pairs)


def left_out(failed: Call, later: Call) -> str:
    """What the error is about, when the later line neither names it nor anything like it."""
    told = error_text(failed)
    given = [word for one in shell.invocations(later.command) for word in operands(one)]
    for one in shell.invocations(failed.command):
        if _is_code(one):
            continue
        for word in operands(one):
            is_gone = _names(told, word) and word not in later.command
            if is_gone and not any(_alike_words(word, other) for other in given):
                return word
    return ""


def is_same_but_for_options(failed: str, later: str) -> bool:
    """Whether only options, or what stands before the program, differ."""
    one, other = shell.invocations(failed), shell.invocations(later)
    return len(one) == len(other) and all(
        a.program == b.program and operands(a) == operands(b)
        for a, b in zip(one, other, strict=True)
    )


def is_typing_error(failed: Call, later: str) -> bool:
    """Whether the lines differ by letters of words that the error names."""
    bad, good = failed.command.split(), later.split()
    if len(bad) != len(good) or bad == good:
        return False
    told = failed.output
    differing = [(a, b) for a, b in zip(bad, good, strict=True) if a != b]
    return all(_is_slip(a, b) and _names(told, a) for a, b in differing)


def _alike(one: Invocation, other: Invocation) -> bool:
    if _is_code(one) or _is_code(other):
        return _share(_code_words(one), _code_words(other))
    if (asked := _statement(one)) and (then := _statement(other)):  # mysql shop -e "SELECT ..."
        return _share(asked, then)
    mine, theirs = operands(one), operands(other)
    if not mine or not theirs:
        return True
    return any(_alike_words(a, b) for a, b in itertools.product(mine, theirs))


def _alike_words(one: str, other: str) -> bool:
    if one == other or (base_name(one) and base_name(one) == base_name(other)):
        return True
    words, more = words_of(one), words_of(other)
    if words & more and len(words & more) / len(words | more) >= _ALIKE_WORDS:
        return True
    if min(len(one), len(other)) < _MIN_CHARS:
        return False
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE_CHARS


def _is_code(one: Invocation) -> bool:
    return one.intent.endswith(" -c")


def _statement(one: Invocation) -> frozenset[str]:
    """The words of a statement that a client is given to run: what it is about."""
    words = [b for a, b in itertools.pairwise(one.words) if a in _STATEMENT_OPTIONS]
    return frozenset(words_of(" ".join(words)))


def _share(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    shared = len(mine & theirs)
    return shared > 0 and shared / len(mine | theirs) >= _ALIKE_CODE


def _code_words(one: Invocation) -> frozenset[str]:
    return frozenset(words_of(" ".join(one.words)) - _CODE_WORDS)


def _names(text: str, word: str) -> bool:
    bare = word.strip("'\"")
    if len(bare) <= 1:
        return False
    return re.search(rf"(?<![\w-]){re.escape(bare)}(?![\w-])", text) is not None


def _is_slip(bad: str, good: str) -> bool:
    if min(len(bad), len(good)) < _MIN_SLIP or _SHORT_OPTION.fullmatch(bad):
        return False
    if _DIGITS.sub(" ", bad) != _DIGITS.sub(" ", good):
        return False  # another number is another value
    if bad in {f"{good}s", f"{good}es"} or good in {f"{bad}s", f"{bad}es"}:
        return False  # a name that was guessed, and is another one
    return _distance(bad, good) <= (2 if len(bad) >= _LONG_WORD else 1)


def _distance(one: str, other: str) -> int:
    """Letters to add, remove, change or swap with their neighbour."""
    if abs(len(one) - len(other)) > 2 or max(len(one), len(other)) > _MAX_OPERAND:  # noqa: PLR2004
        return _MAX_OPERAND
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, last = row, before
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
