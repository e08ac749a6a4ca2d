"""What became of a call, out of what its transcript tells."""

from __future__ import annotations

import pytest

from hindsight_cli.capture import status_phrases as phrases
from hindsight_cli.capture.status import ToolOutput, derive_status
from hindsight_cli.capture.toolkinds import split_server, tool_kind
from hindsight_cli.records.event import Status, ToolKind


def shell(command: str, text: str, *, flag: bool | None = False) -> ToolOutput:
    """A shell result; by default one whose agent says that the line exited with 0."""
    return ToolOutput(text=text, tool_kind=ToolKind.SHELL, command=command, flag=flag)


@pytest.mark.parametrize(
    ("text", "status", "error_type"),
    [
        ("The user doesn't want to proceed with this tool use.", Status.DENIED, "denied_by_user"),
        ("The user doesn't want to take this action right now.", Status.DENIED, "denied_by_user"),
        ("User denied execution of command.", Status.DENIED, "denied_by_user"),
        ("exec command rejected by user", Status.DENIED, "denied_by_user"),
        ("Error: The user rejected permission to use this", Status.DENIED, "denied_by_user"),
        ("Permission to use Bash has been denied.", Status.DENIED, "denied_by_policy"),
        (
            "Claude requested permissions to write to x, but you haven't granted it yet.",
            Status.DENIED,
            "denied_by_policy",
        ),
        ("PreToolUse:Bash hook error: [check.sh]: no pushes", Status.DENIED, "denied_by_policy"),
        ("Command blocked by the sandbox policy", Status.DENIED, "denied_by_policy"),
        (
            "This Bash command contains multiple operations. The following parts require approval",
            Status.DENIED,
            "denied_by_policy",
        ),
        (
            "<tool_use_error>Sibling tool call errored</tool_use_error>",
            Status.CANCELLED,
            "interrupted",
        ),
        ("<tool_use_error>Cancelled: parallel tool call Bash errored", Status.CANCELLED, None),
        ("[Request interrupted by user for tool use]", Status.CANCELLED, "interrupted"),
        ("Exit code 137\n[Request interrupted by user for tool use]", Status.CANCELLED, None),
        ("Command was aborted before completion", Status.CANCELLED, "interrupted"),
        ("<tool_use_error>File does not exist.</tool_use_error>", Status.ERROR, "not_found"),
        (
            "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>",
            Status.ERROR,
            "harness",
        ),
        (
            "<tool_use_error>String to replace not found in file.\nString: x not found",
            Status.ERROR,
            "harness",
        ),
        (
            "<tool_use_error>InputValidationError: Read failed: file_path is missing",
            Status.ERROR,
            "invalid_args",
        ),
        (
            "<tool_use_error>Error: No such tool available: Grap</tool_use_error>",
            Status.ERROR,
            "unknown_tool",
        ),
        ("Agent type 'reviewer' not found. Available agents: a", Status.ERROR, "unknown_tool"),
        ("Command timed out after 2m 0.0s", Status.TIMEOUT, "timeout"),
        ("Exit code 143\nCommand timed out after 2m 0.0s\npartial", Status.TIMEOUT, "timeout"),
        ("Exit code 2\nmake: nothing", Status.ERROR, "nonzero_exit"),
        ("Exit code 127\nbash: gofoo: command not found", Status.ERROR, "not_found"),
        ("Exit code 6\ncurl: (6) Could not resolve host: x.test", Status.ERROR, "network"),
        ("Request failed with status code 403", Status.ERROR, "api"),
        ("something else", Status.ERROR, "tool_error"),
    ],
)
def test_a_flagged_result_tells_refusals_from_failures(
    text: str, status: Status, error_type: str | None
) -> None:
    verdict = derive_status(ToolOutput(text=text, flag=True))

    assert verdict.status is status
    assert error_type in (None, verdict.error_type)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Exit code 2\nboom", 2),
        ("Chunk ID: 1\nProcess exited with code 3\nOutput:\nx", 3),
        ("Command: false\nExit Code: 4\nSignal: (none)", 4),
        ("some output\n\nCommand exited with code 5", 5),
        ("<returncode>6</returncode>\n<output>\nx\n</output>", 6),
        ("x\n[The command completed with exit code 7.]", 7),
        ("x\n[Command finished with exit code 0]", 0),
        ("Exit code from the last build was fine", None),
    ],
)
def test_exit_codes_are_read_out_of_the_text(text: str, code: int | None) -> None:
    verdict = derive_status(shell("./job", text, flag=None))

    assert verdict.exit_code == code
    assert verdict.status is (Status.ERROR if code else Status.OK)


@pytest.mark.parametrize(
    ("command", "text", "status"),
    [
        ("grep -rn todo src", "Exit code 1", Status.OK),
        ("cd lib && rg todo", "Exit code 1", Status.OK),
        ("diff a b", "Exit code 1\n1c1\n< a\n---\n> b", Status.OK),
        ("git diff --exit-code", "Exit code 1\n-a\n+b", Status.OK),
        ("test -f setup.cfg", "Exit code 1", Status.OK),
        ("grep -rn todo nowhere", "Exit code 2\ngrep: nowhere: No such file", Status.ERROR),
        ("make && grep -c x out", "Exit code 1\nmake: *** [all] Error 1", Status.ERROR),
        ("pytest -q", "Exit code 1\n1 failed", Status.ERROR),
    ],
)
def test_exit_one_is_an_answer_where_a_command_says_no_with_it(
    command: str, text: str, status: Status
) -> None:
    assert derive_status(shell(command, text, flag=True)).status is status


def test_the_agents_own_reading_of_an_exit_code_is_believed() -> None:
    output = ToolOutput(
        text="",
        tool_kind=ToolKind.SHELL,
        command="grep x y",
        flag=False,
        exit_meaning="No matches found",
    )

    assert (derive_status(output).status, derive_status(output).rule) == (
        Status.OK,
        "exit_meaning",
    )


@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        ("user-rejected", Status.DENIED),
        ("permission-rule", Status.DENIED),
        ("cancelled", Status.CANCELLED),
    ],
)
def test_a_recorded_reason_for_not_running_needs_no_words(refusal: str, status: Status) -> None:
    assert derive_status(ToolOutput(text="stop", flag=True, refusal=refusal)).status is status


FAILED_PYTEST = "tests/test_cart.py F.\n=== 1 failed, 1 passed in 0.10s ==="
TRACEBACK = (
    'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 3'  # as Python prints it
)


@pytest.mark.parametrize(
    ("command", "text", "rule"),
    [
        ("pytest 2>&1 | tail -5", FAILED_PYTEST, "text_test_summary"),
        ("pytest -q || true", "1 failed, 3 passed in 0.2s", "text_test_summary"),
        ("go test ./... | tail -3", "ok  \tx/a\t0.1s\nFAIL\tx/b\t0.2s\nFAIL", "text_test_summary"),
        ("npx jest 2>&1 | tail", "Tests:       2 failed, 5 passed, 7 total", "text_test_summary"),
        ("cargo test 2>&1 | tail", "test result: FAILED. 1 passed; 1 failed;", "text_test_summary"),
        ("mvn test | tail", "Tests run: 9, Failures: 1, Errors: 0", "text_test_summary"),
        ("make 2>&1 | tail -3", "make: *** [Makefile:3: all] Error 2", "text_build_summary"),
        ("mypy src | tail -1", "Found 3 errors in 1 file (checked 9)", "text_build_summary"),
        ("npm run build 2>&1 | tail", "npm error code ELIFECYCLE", "text_build_summary"),
        ("git merge topic | cat", "CONFLICT (content): Merge conflict in a", "text_build_summary"),
        ("./run.sh | head", "./run.sh: line 4: HOME_X: unbound variable", "text_shell_error"),
        ("frob | head", "bash: frob: command not found", "text_shell_error"),
        ("python a.py 2>&1 | head -50", TRACEBACK, "text_crash"),
        ("python a.py; ls", TRACEBACK, "text_crash"),
        ("gcc a.c 2>&1 | head", "a.c:3:5: error: expected ';'", "text_error_line"),
        ("npx tsc | head", "src/a.ts(3,1): error TS2304: Cannot find name", "text_error_line"),
        ("tool --wat 2>&1 | head", "Error: unknown flag: --wat", "text_error_line"),
        ("cat nowhere.txt | head", "cat: nowhere.txt: No such file or directory", "self_report"),
        ("git log no-branch | head", "fatal: ambiguous argument 'no-branch'", "self_report"),
        ("gh pr view 9 | cat", "GraphQL: Could not resolve to a PullRequest", "self_report"),
        ('make; echo "exit: $?"', "working\nexit: 2", "printed_exit_code"),
        ("make all > log || echo 'build FAILED'", "build FAILED", "fallback_ran"),
        ("bash -lc 'pytest | tail -1'", "1 failed in 0.2s", "text_test_summary"),
        ("kubectl get pods | head", "error: no context is set", "self_report"),
        ("cd nowhere; ls", "bash: line 1: cd: nowhere: No such file or directory", "self_report"),
        (
            "cmake -B out | tail -1",
            "-- Configuring incomplete, errors occurred!",
            "text_build_summary",
        ),
        ("cat a.py; pytest -q 2>&1 | tail -2", f"import x\n{FAILED_PYTEST}", "text_test_summary"),
    ],
)
def test_a_failure_whose_status_the_line_lost_is_found(command: str, text: str, rule: str) -> None:
    verdict = derive_status(shell(command, text))

    assert (verdict.status, verdict.rule) == (Status.ERROR, rule)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        # other people's text
        ("cat build.log | tail", "ERROR task failed\n1 failed"),
        ("grep -rn FAIL src | head", "src/a.go: FAIL\nERROR: x"),
        ("git diff HEAD~1 | head -50", "-Traceback (most recent call last):\n+1 failed"),
        ("gh run view 7 --log | grep error", "error: could not compile"),
        ("curl -s https://x.test | head", "<h1>Error: 500</h1>"),
        ("sed -n '1,20p' errors.py; wc -l errors.py", "Error: the base class\n20 errors.py"),
        ("find . -name '*fail*' | xargs grep panic", "./a: panic: at the disco"),
        # the status is the line's own
        ("python report.py", f"{TRACEBACK}\nreport written"),
        ("cd app && npm test", "Error: an expected one, caught by the test"),
        ("cat log.json | python summary.py", f"{TRACEBACK}\nwas the commonest crash"),
        ("curl -s x.test | python3 -m json.tool", '    "error": 1\n  Error: of a page'),
        ("set -e; pytest -q; ls", "1 failed is what the old log said"),
        ("set -o pipefail; pytest | tail -1", "1 failed is what the old log said"),
        ("go vet ./... 2>&1 && go build ./...", "ERROR is a word"),
        # it went well
        ("pytest 2>&1 | tail -1", "=== 12 passed in 0.10s ==="),
        ("pytest -q | tail -2", "Error: logged by a test\n3 passed in 0.1s"),
        ("cargo test | tail", "test result: ok. 4 passed; 0 failed"),
        ("npm run lint | tail", "0 errors, 2 warnings\nDone in 2s"),
        ("./deploy.sh | tail -2", "copying\nfinished successfully"),
        # asking whether something is there
        ("ls dist 2>&1 || echo none", "ls: cannot access 'dist': No such file or directory\nnone"),
        ('grep -q x y; echo "found: $?"', "found: 1"),
        ("frob --version || echo 'frob failed'", "frob failed"),
        ("mkdir -p out; cp a out/; cat a | head", "ERROR: inside the file"),
    ],
)
def test_words_of_failure_alone_fail_no_command(command: str, text: str) -> None:
    assert derive_status(shell(command, text)).status is Status.OK


@pytest.mark.parametrize(
    ("tool", "text", "status"),
    [
        ("renew_loan", "Error: loan is reserved", Status.ERROR),
        ("renew_loan", "Error executing tool renew_loan: no such loan", Status.ERROR),
        ("renew_loan", '{"error": "not found"}', Status.ERROR),
        ("renew_loan", '{"success": false, "message": "closed"}', Status.ERROR),
        ("renew_loan", '{"status": 404, "message": "no loan"}', Status.ERROR),
        ("renew_loan", '{"error": null, "loan": 7}', Status.OK),
        ("renew_loan", '{"status": "failed", "payment": 7}', Status.OK),
        ("renew_loan", '{"note": "Error: in an old letter"}', Status.OK),
        ("renew_loan", "Renewed. Errors: none", Status.OK),
        ("str_replace_editor", "ERROR:\nNo replacement was performed", Status.ERROR),
        ("edit", "Your proposed edit has introduced new syntax error(s).", Status.ERROR),
        ("edit", "The file a.py has been edited.\n1\tfailed = not found", Status.OK),
        ("read_file", "ERROR:\nInvalid path: there is no a.py", Status.ERROR),
        ("read_file", "1\tError: a line of the file", Status.OK),
        ("task", "Error: the subagent talks about errors", Status.OK),
    ],
)
def test_tools_without_a_flag_are_judged_by_how_they_answer(
    tool: str, text: str, status: Status
) -> None:
    assert derive_status(ToolOutput(text=text, tool_kind=tool_kind(tool))).status is status


def test_a_server_that_forgets_its_flag_is_judged_by_its_answer_too() -> None:
    output = ToolOutput(text="Error: no such issue", tool_kind=ToolKind.MCP, flag=False)

    assert derive_status(output).status is Status.ERROR


ODD_TEXTS = (
    "",
    "\n" * 50_000,
    "a" * 200_000,
    "error " * 40_000,
    "\x00\ud800 fail",
    "'\"`$(" * 9_000,
    "<<E\n" * 9_000,
    "a | " * 9_000,
)


@pytest.mark.parametrize("text", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
@pytest.mark.parametrize("flag", [True, False, None])
def test_no_text_is_too_odd_to_judge(text: str, flag: bool | None) -> None:
    assert derive_status(shell(text, text, flag=flag)).status in set(Status)


@pytest.mark.parametrize(
    ("name", "server", "tool", "kind"),
    [
        ("Bash", None, "Bash", ToolKind.SHELL),
        ("MultiEdit", None, "MultiEdit", ToolKind.EDIT),
        ("mcp__tracker__get_issue", "tracker", "get_issue", ToolKind.MCP),
        ("mcp__team_wiki__find__page", "team_wiki", "find__page", ToolKind.MCP),
        ("mcp__broken", None, "mcp__broken", ToolKind.MCP),
        ("search_direct_flight", None, "search_direct_flight", ToolKind.OTHER),
    ],
)
def test_names_of_tools_tell_server_and_kind(
    name: str, server: str | None, tool: str, kind: ToolKind
) -> None:
    assert (split_server(name), tool_kind(name)) == ((server, tool), kind)


@pytest.mark.parametrize(
    ("command", "kind"),
    [("view", ToolKind.READ), ("create", ToolKind.WRITE), ("str_replace", ToolKind.EDIT)],
)
def test_an_editor_of_many_commands_is_judged_by_its_command(command: str, kind: ToolKind) -> None:
    assert tool_kind("str_replace_editor", {"command": command}) is kind


@pytest.mark.parametrize(
    "text",
    [
        *("curl: (6) Could not resolve host: x", "Temporary failure in name resolution"),
        *("Name or service not known", "getaddrinfo EAI_AGAIN x", "No route to host"),
        *("Network is unreachable", "Connection refused", "read ECONNRESET", "ETIMEDOUT"),
        *("ENOTFOUND x", "write EPIPE", "socket hang up", "fetch failed", "TLS handshake timeout"),
        *("FailedToOpenSocket", "502 Bad Gateway", "503 Service Temporarily Unavailable"),
        *("504 gateway time-out", "connection timed out", "connection aborted"),
    ],
)
def test_a_failed_network_is_told_in_long_texts_too(text: str) -> None:
    long = "step done\n" * 500 + text

    assert phrases.NETWORK.search(text)
    assert phrases.tells_of_network(long)
    assert not phrases.tells_of_network("step done, network fine, connection made\n" * 500)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("[Operation Cancelled] Reason: User denied execution.", Status.DENIED),
        ("[Operation Cancelled] Reason: User did not allow tool call", Status.DENIED),
        ("[Operation Cancelled] Reason: User cancelled operation", Status.CANCELLED),
        ("Command was cancelled by user before it could complete.", Status.CANCELLED),
        (
            "Command was automatically cancelled because it exceeded the timeout of 5.0 minutes.",
            Status.TIMEOUT,
        ),
    ],
)
def test_a_refusal_an_interruption_and_a_timeout_are_three_things(
    text: str, status: Status
) -> None:
    assert derive_status(ToolOutput(text=text, flag=True)).status is status
