"""Arguments read as options and operands, by what is known of a program's options."""

from __future__ import annotations

from collections.abc import Sequence

# How many values an option takes. OPTIONAL and MANY take none that begins with a dash.
NONE, ONE, OPTIONAL, MANY = range(4)


class Grammar:
    """The options of a program: names separated by spaces, names of the same one by `|`.

    The last name is the one an option is known by afterwards: `-p|--print` is `--print`.
    """

    __slots__ = ("arity", "name_of")

    def __init__(
        self, *, none: str = "", one: str = "", optional: str = "", many: str = ""
    ) -> None:
        self.arity: dict[str, int] = {}
        self.name_of: dict[str, str] = {}
        for arity, names in ((NONE, none), (ONE, one), (OPTIONAL, optional), (MANY, many)):
            for option in names.split():
                *others, name = option.split("|")
                self.arity[name] = arity
                self.name_of.update(dict.fromkeys([*others, name], name))


class CommandLine:
    """Arguments, read.

    `words` are all that are neither options nor certainly values of one; `operands` those
    of them that are certainly no values either: none directly after an unknown option is.
    """

    __slots__ = ("operands", "options", "words")

    def __init__(self) -> None:
        self.options: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.operands: list[str] = []

    def has(self, *names: str) -> bool:
        return any(option in names for option, _ in self.options)

    def value(self, *names: str) -> str | None:
        """The value of the last of these options that has one."""
        values = [v for option, v in self.options if option in names and v is not None]
        return values[-1] if values else None


def names_in(text: str) -> frozenset[str]:
    """Names written with spaces between them."""
    return frozenset(text.split())


def read_command_line(arguments: Sequence[str], grammar: Grammar) -> CommandLine:
    """Read arguments; never fails, an unknown option makes what follows it uncertain."""
    return _Reader(arguments, grammar).read()


class _Reader:
    def __init__(self, arguments: Sequence[str], grammar: Grammar) -> None:
        self._rest = list(arguments)
        self._grammar = grammar
        self._line = CommandLine()
        self._certain = True

    def read(self) -> CommandLine:
        while self._rest:
            argument = self._rest.pop(0)
            if argument == "--":
                self._certain = True
                while self._rest:
                    self._word(self._rest.pop(0))
            elif not _is_option(argument):
                self._word(argument)
            else:
                self._certain = True
                self._option(argument)
        return self._line

    def _word(self, word: str) -> None:
        self._line.words.append(word)
        if self._certain:
            self._line.operands.append(word)

    def _option(self, argument: str) -> None:
        if argument in self._grammar.name_of:
            self._take(self._grammar.name_of[argument])
        elif argument.startswith("--"):
            name, equals, value = argument.partition("=")
            self._line.options.append(
                (self._grammar.name_of.get(name, name), value if equals else None)
            )
            self._certain = bool(equals)
        else:
            self._cluster(argument)

    def _cluster(self, argument: str) -> None:
        """Short options in one argument: `-pc`, `-mVALUE`, `-m=VALUE`."""
        name = self._grammar.name_of.get(argument[:2])
        if name is None:
            self._line.options.append((argument, None))
            self._certain = False
        elif self._grammar.arity[name] == NONE:
            self._line.options.append((name, None))
            if len(argument) > len("-x"):
                self._cluster(f"-{argument[2:]}")
        elif len(argument) > len("-x"):
            self._line.options.append((name, argument[2:].removeprefix("=")))
        else:
            self._take(name)

    def _take(self, name: str) -> None:
        """An option that stands alone, with the values that follow it."""
        arity = self._grammar.arity[name]
        value = None
        if self._rest and (
            arity == ONE or (arity in (OPTIONAL, MANY) and not _is_option(self._rest[0]))
        ):
            value = self._rest.pop(0)
        self._line.options.append((name, value))
        while arity == MANY and self._rest and not _is_option(self._rest[0]):
            self._line.options.append((name, self._rest.pop(0)))


def _is_option(argument: str) -> bool:
    return argument.startswith("-") and argument != "-"
