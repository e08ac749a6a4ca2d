"""A shell command line taken apart into simple commands. A reading, not a shell. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_CHARS = 4_000
HEREDOC = re.compile(
    r"<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n(.*?)(?:\n\s*\2[ \t]*(?=\n|$|\)|\")|\Z)", re.DOTALL
)
_OPERATORS = ("&&", "||", "|&", ";;", "|", ";", "&", "\n")
_REDIRECT = re.compile(r"(?:\d*|&)>{1,2}(?:&\d|\|)?|\d*<")
_BLANKS = frozenset(" \t\r()")


def simple_commands(command: str) -> Iterator[tuple[list[str], bool]]:
    """Unquoted words of each simple command, and whether it reads a pipe.

    Here-documents, redirections and comments are left out; only the first MAX_CHARS count.
    """
    words: list[str] = []
    piped = False
    for token in _Tokens(HEREDOC.sub(r" \3\n", command[:MAX_CHARS])):
        if not token.is_operator:
            words.append(token.text)
            continue
        if words:
            yield _without_redirects(words), piped
        words, piped = [], token.text in {"|", "|&"}
    if words:
        yield _without_redirects(words), piped


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    is_operator: bool


class _Tokens:
    """Iterates over the words and operators of a line; quotes are taken off."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def __iter__(self) -> Iterator[_Token]:
        while self._at < len(self._text):
            char = self._text[self._at]
            if char in _BLANKS:
                self._at += 1
            elif char == "#":
                self._at = (self._text + "\n").index("\n", self._at)
            elif operator := self._operator(""):
                self._at += len(operator)
                yield _Token(operator, is_operator=True)
            else:
                yield _Token(self._word(), is_operator=False)

    def _operator(self, word: str) -> str:
        """The operator that begins here; `&` of `2>&1` and `&>file` belongs to a word."""
        found = next((o for o in _OPERATORS if self._text.startswith(o, self._at)), "")
        redirects = word.endswith(">") or self._text[self._at + 1 : self._at + 2] == ">"
        return "" if found == "&" and redirects else found

    def _word(self) -> str:
        word = ""
        while self._at < len(self._text):
            char = self._text[self._at]
            if char in _BLANKS or self._operator(word):
                break
            if char in "'\"":
                word += self._quoted(char)
            elif char == "\\":
                following = self._text[self._at + 1 : self._at + 2]
                word += "" if following == "\n" else following
                self._at += 2
            else:
                word += char
                self._at += 1
        return word

    def _quoted(self, quote: str) -> str:
        """The text up to the closing quote, or to the end of the line when there is none."""
        found = ""
        self._at += 1
        while self._at < len(self._text) and self._text[self._at] != quote:
            if quote == '"' and self._text[self._at] == "\\":
                self._at += 1
            found += self._text[self._at : self._at + 1]
            self._at += 1
        self._at += 1
        return found


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
