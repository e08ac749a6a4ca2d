from __future__ import annotations

import time

import pytest

from hindsight_cli.fingerprint import (
    MAX_CHARS,
    error_fingerprint,
    error_fingerprints,
    is_specific,
    looks_like_error,
    names,
    telling_lines,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("port 8080 in use", "port 9090 in use"),
        ("Error: open '/home/a/x.txt': no such file", "Error: open '/srv/b.txt': no such file"),
        ("fatal: could not read /etc/a.conf", "fatal: could not read /opt/app/b.conf"),
        ("error: object 8f3a2c91d not found", "error: object 00c1f4ab7e not found"),
        ("2026-01-02 03:04:05 ERROR: disk full", "2025-12-31T23:59:59Z ERROR: disk full"),
        ("KeyError: 'name'", 'KeyError: "age"'),
        ("\x1b[31merror:\x1b[0m no such table", "error: no such table"),
        ("app.py:12:3: error: bad name", "lib/other.py:9:1: error: bad name"),
        ("connect 10.0.0.1:5432 failed: refused", "connect 192.168.7.9:6000 failed: refused"),
        ("bash: line 3: frob: command not found", "zsh: frob: command not found"),
        ("<tool_error>File does not exist.</tool_error>", "File does not exist."),
        ("Error: GET https://a.example/x failed", "Error: GET http://b.example/y/z failed"),
        ("10%\r55%\r100%\rerror: checksum mismatch", "error: checksum mismatch"),
        ("错误：端口 8080 被占用", "错误：端口 9090 被占用"),
    ],
)
def test_errors_that_differ_in_their_details_only_are_one(one: str, other: str) -> None:
    assert error_fingerprint("Bash", one) == error_fingerprint("exec_command", other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("error[E0308]: mismatched types", "error[E0382]: mismatched types"),
        ("HTTP 404 returned, request failed", "HTTP 500 returned, request failed"),
        ("process exited with code 137, failed", "process exited with code 139, failed"),
        ("ls: cannot open: Permission denied", "ls: cannot open: No such file"),
    ],
)
def test_what_names_the_error_stays(one: str, other: str) -> None:
    assert error_fingerprint("Bash", one) != error_fingerprint("Bash", other)


@pytest.mark.parametrize(
    "error",
    [
        "ModuleNotFoundError: No module named '{}'",
        "/usr/bin/python3: No module named {}",
        "Error: Cannot find module '{}'",
        "Error: Can't resolve '{}' in '/srv/app/src'",
        "error[E0432]: unresolved import `{}`",
        "ImportError: cannot import name '{}' from 'app.views' (/srv/app/views.py)",
        "ERROR: No matching distribution found for {}==1.2",
        "E: Unable to locate package {}",
        "bash: line 3: {}: command not found",
        "zsh: command not found: {}",
        "'{}' is not recognized as an internal or external command",
        "git: '{}' is not a git command. See 'git --help'.",
        'error: unknown command "{}" for "ctl"',
        'npm error Missing script: "{}"',
        "NameError: name '{}' is not defined",
        "AttributeError: 'Frame' object has no attribute '{}'",
        "error TS2304: Cannot find name '{}'.",
        "main.go:7:2: undefined: {}",
        "run.sh: line 2: {}: unbound variable",
        'ERROR:  column "{}" does not exist',
        'ERROR:  relation "{}" does not exist',
        "ERROR 1054 (42S22): Unknown column '{}' in 'field list'",
        "sqlite3.OperationalError: no such table: {}",
        "ERROR 1146 (42S02): Table 'shop.{}' doesn't exist",
        "error: unrecognized arguments: --{}",
        "error TS5023: Unknown compiler option '--{}'.",
        "Error: No such option: --{}",
        "TypeError: f() got an unexpected keyword argument '{}'",
        "错误：找不到模块 “{}”",
    ],
)
def test_a_name_that_the_error_is_about_stays(error: str) -> None:
    one, other = (
        error_fingerprint("Bash", error.format(name)) for name in ("alpha_one", "beta-two")
    )

    assert "alpha_one" in one
    assert "beta-two" in other
    assert one.replace("alpha_one", "") == other.replace("beta-two", "")
    assert names.named(error.format("alpha_one"))


@pytest.mark.parametrize(
    "error",
    [
        "Error: Cannot find module './lib/{}'",
        "Error: Cannot find module '/srv/app/{}.js'",
        "FileNotFoundError: [Errno 2] No such file or directory: '{}'",
        "KeyError: '{}'",
        "fatal: unable to access 'https://git.example.com/{}/': timed out",
    ],
)
def test_a_path_or_value_of_the_day_does_not_stay(error: str) -> None:
    one, other = (error_fingerprint("Bash", error.format(name)) for name in ("alpha", "beta"))

    assert one == other != ""
    assert names.named(error.format("alpha")) == set()


@pytest.mark.parametrize(
    ("stored", "evidence", "today"),
    [
        (
            "modulenotfounderror: no module named <str>",
            "Traceback: File x ModuleNotFoundError: No module named 'tidy' …",
            "modulenotfounderror: no module named tidy",
        ),
        ("error: unknown option <str>", "nothing of the kind", "error: unknown option <str>"),
        ("port <n> in use", "No module named 'tidy'", "port <n> in use"),
    ],
)
def test_a_fingerprint_from_before_names_were_kept_gets_its_name_from_the_evidence(
    stored: str, evidence: str, today: str
) -> None:
    assert names.with_names(stored, evidence) == today


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("orders", "orders", True),
        ("orders", "shop.orders", True),
        ("tidy", "tidy.core", True),
        ("shop.orders", "shop.refunds", False),
        ("order", "orders", False),
    ],
)
def test_a_name_is_known_with_and_without_what_it_belongs_to(
    one: str, other: str, *, same: bool
) -> None:
    assert names.is_same_name(one, other) is same
    assert names.is_same_name(other, one) is same


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "Traceback (most recent call last):\n"
            '  File "run.py", line 3, in <module>\n    main()\n'
            "ValueError: unknown colour 'mauve'\n",
            "valueerror: unknown colour <str>",
        ),
        ("ok 1\nok 2\nfatal: not a git repository\nbye", "fatal: not a git repository"),
        (
            "error: expected `;`\n --> a.rs:1:2\nerror: aborting due to 1 previous error",
            "error: expected <str>",
        ),
        (
            "Exception in thread main a.B: x\nCaused by: java.io.IOException: Stream closed",
            "caused by: java.io.ioexception: stream closed",
        ),
        ("E       assert 3 == 4\n=== 1 failed in 0.1s ===", "assert <n> == <n>"),
        ("0 errors, 0 warnings\nerror: link step did not run", "error: link step did not run"),
        pytest.param(
            "start\n" * 900 + "error: disk is gone\n" + "end\n" * 900,
            "error: disk is gone",
            id="in the middle of much else",
        ),
    ],
)
def test_the_telling_line_of_a_long_output_is_found(output: str, told: str) -> None:
    assert error_fingerprint("Bash", output) == told


@pytest.mark.parametrize(
    "output", ["", "  \n ", "Exit code 1", "all 14 tests passed", "42", "\x00"]
)
def test_an_output_that_tells_nothing_has_no_fingerprint(output: str) -> None:
    assert error_fingerprint("Bash", output) == ""


def test_the_first_line_of_a_tool_that_is_no_shell_is_its_message() -> None:
    assert error_fingerprint("mcp__tickets__close", "Ticket 17 stands open") == (
        "ticket <n> stands open"
    )


def test_a_fingerprint_is_short_lower_case_text_of_one_line() -> None:
    found = error_fingerprint("Bash", "ERROR: " + "Something Odd\tHappened " * 40)

    assert len(found) <= MAX_CHARS
    assert found == found.lower()
    assert found.isprintable()


def test_a_fingerprint_is_found_again_in_itself() -> None:
    found = error_fingerprint("Bash", "error: could not lock config file .git/config: File exists")

    assert error_fingerprint("Bash", found) == found


def test_every_telling_line_is_given_the_most_telling_first() -> None:
    output = "warning: old\nlibfoo: cannot open shared object\nerror: link failed for target app"

    assert error_fingerprints("Bash", output) == [
        "error: link failed for target app",
        "libfoo: cannot open shared object",
    ]


@pytest.mark.parametrize(
    ("fingerprint", "specific"),
    [("keyerror: <str>", False), ("port <n> in use", True), ("<path>: <n>", False)],
)
def test_a_fingerprint_of_few_words_names_a_class_of_errors(
    fingerprint: str, specific: bool
) -> None:
    assert is_specific(fingerprint) is specific


@pytest.mark.parametrize(
    "line",
    [
        "AssertionError: 3 != 7",
        "E       AssertionError: assert [1, 2] == [3]",
        "FAILED tests/test_a.py::test_b - AssertionError: assert 3 == 7",
        "AssertionError: Lists differ: [1] != [2]",
        "AssertionError: expected 3 to equal 7",
        "Error: expect(received).toBe(expected)",
        "org.opentest4j.AssertionFailedError: expected: <3> but was: <7>",
        "thread 'main' panicked at src/main.rs:4:5: assertion `left == right` failed",
        "panic: runtime error: index out of range [5] with length 3",
        "IndexError: list index out of range",
        "Tests failed: 3, passed 4",
        "Error: Process completed with exit code 1.",
    ],
)
def test_what_any_program_may_report_does_not_name_one_error(line: str) -> None:
    assert not any(is_specific(found) for found in error_fingerprints("Bash", line))


@pytest.mark.parametrize(
    "line",
    [
        "AssertionError: relay handshake must precede billing export",
        "Error: listen EADDRINUSE: address already in use :::3000",
        "FileNotFoundError: [Errno 2] No such file or directory: 'x'",
        "error: failed to push some refs to 'origin'",
    ],
)
def test_an_error_with_a_reason_of_its_own_is_known_again(line: str) -> None:
    assert any(is_specific(found) for found in error_fingerprints("Bash", line))


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ("Traceback (most recent call last):\nTypeError: no", True),
        ("fatal: refusing to merge unrelated histories", True),
        ("mkdir: cannot create directory: Permission denied", True),
        ("报错：找不到模块", True),
        ("deploy the api with docker", False),
        ("add a unit test that covers the error path", False),
        ("", False),
    ],
)
def test_an_error_is_told_from_a_request(text: str, is_error: bool) -> None:
    assert looks_like_error(text) is is_error


@pytest.mark.parametrize(
    "piece", ["a-", "x/", "'", "1.", "\x1b[", "a@", "0a", "no\nerror: ", "a.", "=failed "]
)
def test_no_text_makes_it_slow(piece: str) -> None:
    text = "error: (" + piece * (100_000 // len(piece))
    started = time.process_time()

    error_fingerprint("Bash", text)

    assert time.process_time() - started < 2  # ordinary: a few milliseconds


@pytest.mark.parametrize(
    "wrappers",
    [
        "",
        "docker: Error response from daemon: driver failed programming external connectivity: ",
        "docker: Error response from daemon: failed to set up container networking: driver failed"
        " programming external connectivity on endpoint shop-cache (8ed16f5446881ea030aec2a490): ",
    ],
)
def test_the_innermost_reason_counts_however_it_is_wrapped(wrappers: str) -> None:
    reason = "Bind for 0.0.0.0:6379 failed: port is already allocated"
    expected = error_fingerprint("Bash", reason)
    assert error_fingerprint("Bash", f"{wrappers}{reason}") == expected
    assert reason in telling_lines(f"{wrappers}{reason}")[0]
