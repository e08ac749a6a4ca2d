"""Arguments read as options and operands, by what is known of a program's options."""

from __future__ import annotations

from collections.abc import Sequence

# How many values an option takes. A value that it can do without never begins with a dash.
NONE, ONE, OPTIONAL, MANY = range(4)
_SHORT = len("-x")


class Grammar:
    """The options of a program: names separated by spaces, names of the same one by `|`.

    The last name is the one an option is known by afterwards: `-p|--print` is `--print`.
    Programs built with yargs (a Node library) differ from others: no value may begin with a
    dash, none can follow a short option without a `=`, an option with many values goes on
    after `--option=value`, and what stands behind `--` is no operand.
    """

    __slots__ = ("arity", "is_yargs", "name_of")

    def __init__(
        self,
        *,
        none: str = "",
        one: str = "",
        optional: str = "",
        many: str = "",
        yargs: bool = False,
    ) -> None:
        self.arity: dict[str, int] = {}
        self.name_of: dict[str, str] = {}
        self.is_yargs = yargs
        for arity, options in ((NONE, none), (ONE, one), (OPTIONAL, optional), (MANY, many)):
            for option in options.split():
                *others, name = option.split("|")
                self.arity[name] = arity
                self.name_of.update(dict.fromkeys([*others, name], name))


class CommandLine:
    """Arguments, read. An option that is not known makes the words directly after it uncertain.

    `words` are all that are neither options nor known to be values of one, `operands` those
    that are certainly no values, `rest` what stands behind `--`, `unknown` the options that
    are not known.
    """

    __slots__ = ("operands", "options", "rest", "unknown", "words")

    def __init__(self) -> None:
        self.options: list[tuple[str, str | None]] = []
        self.rest: list[str] = []
        self.unknown: list[str] = []
        self.words: list[str] = []
        self.operands: list[str] = []

    def has(self, *names: str) -> bool:
        return any(option in names for option, _ in self.options)

    def value(self, *names: str) -> str | None:
        """The last value that any of these options has."""
        values = [v for option, v in self.options if option in names and v is not None]
        return values[-1] if values else None

    def first_words(self) -> list[str]:
        """What may be the first operand: all words up to the first certain one."""
        certain = self.words.index(self.operands[0]) + 1 if self.operands else len(self.words)
        return self.words[:certain]


def names_in(text: str) -> frozenset[str]:
    """Names written with spaces between them."""
    return frozenset(text.split())


def read_command_line(arguments: Sequence[str], grammar: Grammar) -> CommandLine:
    """Read arguments as the program would. Never fails."""
    return _Reader(arguments, grammar).read()


class _Reader:
    def __init__(self, arguments: Sequence[str], grammar: Grammar) -> None:
        self._rest = list(arguments)
        self._grammar = grammar
        self._line = CommandLine()
        self._is_certain = True

    def read(self) -> CommandLine:
        while self._rest:
            argument = self._rest.pop(0)
            if argument == "--":
                self._behind_dashes()
                break
            if _is_option(argument):
                self._is_certain = True
                self._option(argument)
                continue
            self._line.words.append(argument)
            if self._is_certain:
                self._line.operands.append(argument)
        return self._line

    def _behind_dashes(self) -> None:
        self._line.rest = self._rest
        self._line.words += self._rest
        if not self._grammar.is_yargs:
            self._line.operands += self._rest

    def _option(self, argument: str) -> None:
        if argument in self._grammar.name_of:
            self._take_values(self._grammar.name_of[argument])
        elif argument.startswith("--"):
            self._with_equals(argument)
        else:
            self._cluster(argument)

    def _with_equals(self, argument: str) -> None:
        """`--option=value`, or an option that is not known."""
        option, equals, value = argument.partition("=")
        name = self._grammar.name_of.get(option)
        if name is None:
            self._unknown(option, is_complete=bool(equals))
            return
        self._line.options.append((name, value))
        if self._grammar.is_yargs and self._grammar.arity[name] == MANY:
            self._take_more(name)

    def _cluster(self, argument: str) -> None:
        """Short options in one argument: `-pc`, `-mVALUE`, `-m=VALUE`."""
        name = self._grammar.name_of.get(argument[:_SHORT])
        if name is None:
            self._unknown(argument, is_complete=False)
        elif len(argument) == _SHORT:
            self._take_values(name)
        elif self._grammar.arity[name] == NONE:
            self._line.options.append((name, None))
            self._cluster(f"-{argument[_SHORT:]}")
        elif self._grammar.is_yargs and argument[_SHORT] != "=":
            self._unknown(argument, is_complete=False)
        else:
            self._line.options.append((name, argument[_SHORT:].removeprefix("=")))

    def _unknown(self, option: str, *, is_complete: bool) -> None:
        self._line.unknown.append(option)
        self._is_certain = is_complete

    def _take_values(self, name: str) -> None:
        """An option that stands alone, with the values that follow it."""
        arity = self._grammar.arity[name]
        takes_any = arity in (ONE, MANY) and not self._grammar.is_yargs
        value = None
        if arity != NONE and self._rest and (takes_any or not _is_option(self._rest[0])):
            value = self._rest.pop(0)
        self._line.options.append((name, value))
        if arity == MANY:
            self._take_more(name)

    def _take_more(self, name: str) -> None:
        while self._rest and not _is_option(self._rest[0]):
            self._line.options.append((name, self._rest.pop(0)))


def _is_option(argument: str) -> bool:
    return argument.startswith("-") and argument != "-"
