"""Wrapping, windows and dealing out: pure."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from hindsight_cli.tui.fitting import deal, fit
from hindsight_cli.tui.literals import literals_of, pattern_of
from hindsight_cli.tui.window import LINE_CHARS, Gap, Line, Mark, Row, narrow, open_window
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


def texts(rows: Sequence[Row]) -> list[str]:
    return [row.text for row in rows if isinstance(row, Line)]


def count(rows: Sequence[Row]) -> int:
    """Lines shown and left out."""
    return sum(row.lines if isinstance(row, Gap) else 1 for row in rows)


def test_a_window_keeps_the_beginning_the_end_and_what_is_sought() -> None:
    lines = [f"line {n}" for n in range(10_000)]
    lines[5_000] = "the port is taken"

    window = open_window("\n".join(lines), ["port is taken"], max_lines=20)

    assert len(window) <= 20
    assert texts(window)[0] == "line 0"
    assert texts(window)[-1] == "line 9999"
    assert "the port is taken" in texts(window)
    assert count(window) == 10_000


def test_a_window_can_be_narrowed_again_without_losing_count() -> None:
    window = open_window("\n".join(f"line {n}" for n in range(1_000)), [], max_lines=100)

    for budget in (1, 3, 5, 6, 10, 50):
        narrower = narrow(window, [], lambda _: 1, budget=budget)

        assert len(narrower) <= max(budget, 2)
        assert count(narrower) == 1_000


@pytest.mark.parametrize("budget", [2, 3, 5, 8, 30])
def test_a_window_always_holds_what_went_wrong(budget: int) -> None:
    lines = [f"-rw-r--r-- 1 me me {n} file_{n}.py" for n in range(400)]
    lines[123] = "\x1b[31mFAIL: test_add (test_calc.T)\x1b[0m"

    window = open_window(
        "\n".join(lines), ["file_7.py"], max_lines=300, telling=["FAIL: test_add (test_calc.T)"]
    )
    ((_, out),) = fit([((), window)], pattern_of(("file_7.py",)), 60, budget)

    assert any(
        isinstance(row, Line) and row.mark is Mark.TELLING and "FAIL: test_add" in row.text
        for row in out
    )


@pytest.mark.parametrize("text", ["", " \n ", "\n\n"])
def test_a_window_on_nothing_is_empty(text: str) -> None:
    assert open_window(text, [], max_lines=5) == ()


def test_a_long_line_is_cut_about_what_is_sought() -> None:
    line = "x" * 1_000_000 + " needle " + "y" * 1_000_000

    (shown,) = open_window(line, ["needle"], max_lines=5)

    assert isinstance(shown, Line)
    assert "needle" in shown.text
    assert len(shown.text) <= LINE_CHARS + 50


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
    noise = [f"noise {n}" for n in range(200)]
    output = lines_of(*noise, "ERROR 1064 at line 1", *("more",) * 200)
    pattern = pattern_of(("1064",))

    fitted = fit([(lines_of("mysql -e x"), output)] * 3, pattern, 40, rows)

    for given, out in fitted:
        assert texts(given) == ["mysql -e x"]
        assert any(text.startswith("ERROR 1064 at line 1") for text in texts(out))
    assert sum(len(given) + len(out) for given, out in fitted) <= rows


def test_long_lines_take_no_more_rows_than_they_are_dealt() -> None:
    words = "<U+001B>[2J " * 40 + "port 3306 is taken " + "中文输出 " * 40
    pattern = pattern_of(("3306",))
    steps = [(lines_of(words), lines_of(words, "more")), (lines_of("cmd"), lines_of("ok"))]
    for rows in (9, 12, 20, 40):
        for width in (20, 37, 60):
            fitted = fit(steps, pattern, width, rows)
            shown = [row for parts in fitted for part in parts for row in part]
            height = sum(1 if isinstance(r, Gap) else len(wrap(r.text, width)) for r in shown)
            assert height <= rows + 1
            assert any("3306" in text for text in texts(fitted[0][1]))


def test_every_word_of_the_advice_is_in_sight_where_there_is_room() -> None:
    noise = [f"noise {n}" for n in range(300)]
    noise[50], noise[150], noise[250] = "RUN port 3306", "see config/app.yml", "FAIL port 3306"
    pattern = pattern_of(("config/app.yml", "3306"))

    ((_, out),) = fit([((), lines_of(*noise))], pattern, 40, 6)

    assert {"FAIL port 3306", "see config/app.yml"} <= set(texts(out))


def test_what_is_left_out_is_counted_where_no_row_is_left_for_it() -> None:
    noise = [f"noise {n}" for n in range(300)]
    noise[150] = "ERROR: port 3306"

    ((given, out),) = fit([(lines_of(*noise), lines_of(*noise))], pattern_of(("3306",)), 40, 3)

    assert texts(given) == texts(out) == ["ERROR: port 3306 … +299"]


def test_a_message_is_shown_rather_than_the_file_it_begins_with() -> None:
    line = "src/a/very/long/path/to/some/module.go:42:3: embedded fields come first"

    ((_, out),) = fit([((), lines_of(line, *("noise",) * 50))], pattern_of((line,)), 36, 4)

    assert any("embedded fields" in text for text in texts(out))


def test_the_only_telling_line_gets_the_rows_there_are() -> None:
    line = "Bind for 0.0.0.0:6379 failed: port is already allocated"

    ((_, out),) = fit([((), lines_of("a", line, "b", "c"))], pattern_of((line,)), 34, 3)

    assert texts(out) == [line]


def test_what_fits_is_not_cut() -> None:
    line = "a line that is longer than the pane is wide"
    steps = [(lines_of("cmd"), lines_of(line)), (lines_of("cmd"), lines_of(line, "end"))]

    assert fit(steps, None, 20, 40) == steps


def lines_of(*words: str) -> list[Row]:
    return [Line(text) for text in words]


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
