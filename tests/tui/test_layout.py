"""Wrapping, windows and dealing out: pure."""

from __future__ import annotations

import random

import pytest
from rich.cells import cell_len

from hindsight_cli.tui.fitting import deal, fit
from hindsight_cli.tui.literals import literals_of, pattern_of
from hindsight_cli.tui.window import LINE_CHARS, Gap, narrow, open_window
from hindsight_cli.tui.wrapping import wrap, wrap_text
from tests.tui.projects import an_experience


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("one\n\ntwo", 7, ["one", "", "two"]),
        ("    indented line", 10, ["    indent", "ed line"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("端口被占用", 4, ["端口", "被占", "用"]),
        ("端口被占用", 5, ["端口", "被占", "用"]),
        ("运行 docker 命令", 8, ["运行", "docker", "命令"]),
        ("查看日志。然后", 8, ["查看日", "志。然后"]),
        ("请看（日志）吧", 8, ["请看（日", "志）吧"]),
        ("请查看（日志）", 8, ["请查看", "（日志）"]),
        ("e\u0301" * 5, 3, ["e\u0301" * 3, "e\u0301" * 2]),
        ("👩‍💻👩‍💻👩‍💻", 4, ["👩‍💻👩‍💻", "👩‍💻"]),
    ],
)
def test_lines_break_where_a_reader_expects_it(text: str, width: int, lines: list[str]) -> None:
    assert wrap_text(text, width) == lines


def test_no_line_is_too_wide_and_nothing_but_spaces_is_lost() -> None:
    random.seed(7)
    alphabet = [*"ab c.  端口，（）é\n-/", "👩‍💻", "e\u0301"]
    for _ in range(500):
        text = "".join(random.choices(alphabet, k=random.randint(0, 80)))
        width = random.randint(2, 30)
        lines = wrap_text(text, width)
        assert all(cell_len(line) <= width for line in lines)
        assert "".join("".join(lines).split()) == "".join(text.split())
        spans = wrap(text, width)
        assert all(a <= b for a, b in spans)
        assert spans == sorted(spans)


def test_a_window_keeps_the_beginning_the_end_and_what_is_sought() -> None:
    lines = [f"line {n}" for n in range(10_000)]
    lines[5_000] = "the port is taken"

    window = open_window("\n".join(lines), ["port is taken"], max_lines=20)

    assert len(window) <= 24
    assert window[0] == "line 0"
    assert window[-1] == "line 9999"
    assert "the port is taken" in window
    assert sum(row.lines if isinstance(row, Gap) else 1 for row in window) == 10_000


def test_a_window_can_be_narrowed_again_without_losing_count() -> None:
    window = open_window("\n".join(f"line {n}" for n in range(1_000)), [], max_lines=100)

    narrower = narrow(window, [], lambda _: 1, budget=10)

    assert len(narrower) <= 12
    assert sum(row.lines if isinstance(row, Gap) else 1 for row in narrower) == 1_000


@pytest.mark.parametrize("text", ["", " \n ", "\n\n"])
def test_a_window_on_nothing_is_empty(text: str) -> None:
    assert open_window(text, [], max_lines=5) == ()


def test_a_long_line_is_cut_about_what_is_sought() -> None:
    line = "x" * 1_000_000 + " needle " + "y" * 1_000_000

    (shown,) = open_window(line, ["needle"], max_lines=5)

    assert isinstance(shown, str)
    assert "needle" in shown
    assert len(shown) <= LINE_CHARS + 50


@pytest.mark.parametrize(
    ("needs", "rows", "shares"),
    [
        ([10, 10], 20, [10, 10]),
        ([100, 2], 20, [18, 2]),
        ([100, 100], 20, [10, 10]),
        ([100, 100, 100], 6, [3, 3, 3]),
        ([], 20, []),
    ],
)
def test_rows_go_to_the_steps_that_need_them(
    needs: list[int], rows: int, shares: list[int]
) -> None:
    assert deal(needs, rows) == shares


@pytest.mark.parametrize("rows", [9, 12, 20, 40])
def test_every_step_keeps_its_most_telling_line(rows: int) -> None:
    output = (*(f"noise {n}" for n in range(200)), "ERROR 1064 at line 1", *("more",) * 200)
    pattern = pattern_of(("1064",))

    fitted = fit([(("mysql -e x",), output)] * 3, pattern, 40, rows)

    for given, out in fitted:
        assert list(given) == ["mysql -e x"]
        assert "ERROR 1064 at line 1" in out
    heights = sum(len(given) + len(out) for given, out in fitted)
    assert heights <= rows + 6


def test_long_lines_take_no_more_rows_than_they_are_dealt() -> None:
    words = "<U+001B>[2J " * 40 + "port 3306 is taken " + "中文输出 " * 40
    pattern = pattern_of(("3306",))
    for rows in (9, 12, 20, 40):
        for width in (20, 37, 60):
            fitted = fit([((words,), (words, "more")), (("cmd",), ("ok",))], pattern, width, rows)
            lines = [row for parts in fitted for part in parts for row in part]
            height = sum(1 if isinstance(row, Gap) else len(wrap(row, width)) for row in lines)
            assert height <= rows + 2
            assert any("3306" in str(row) for row in fitted[0][1])


def test_what_fits_is_not_cut() -> None:
    line = "a line that is longer than the pane is wide"
    steps = [(["cmd"], [line]), (["cmd"], [line, "end"])]

    assert fit(steps, None, 20, 40) == steps


def test_the_literals_of_advice_are_commands_names_and_numbers_not_words() -> None:
    content = an_experience(
        1,
        scenario="When docker-compose fails, the well-known port 3306 is taken.",
        recommend="Run `docker ps --all`, then set MYSQL_PORT in config/app.yml; use --force.",
        avoid="Starting it again: that failed.",
        why="",
    ).content

    assert set(literals_of(content)) == {
        "docker ps --all",
        "MYSQL_PORT",
        "config/app.yml",
        "--force",
        "--all",
        "3306",
    }


def test_a_literal_is_found_only_as_a_word_of_its_own() -> None:
    pattern = pattern_of(("3306",))

    assert pattern is not None
    assert pattern.search("-p 3306:3306")
    assert not pattern.search("13306 33060")
