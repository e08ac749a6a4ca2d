"""D: MCP, as a proxy and as a server."""

from __future__ import annotations

from tests.faults.reports.report import FieldReport

_RELAY = "tests/mcp/test_proxy_relay.py"
_RECORD = "tests/mcp/test_proxy_record.py"
_STDIO = "tests/mcp/test_stdio.py"
_MCP = "tests/mcp/test_client.py"
_HOOK = "tests/cli/test_hook.py"
_INSTALL = "tests/cli/test_install.py"

REPORTS: dict[str, FieldReport] = {
    "D1": FieldReport(
        "Only messages reach the client; noise goes to stderr with the server's name.",
        (
            f"{_RELAY}::test_noise_on_the_channel_reaches_stderr_and_not_the_client",
            f"{_RECORD}::test_each_line_of_noise_is_one_note",
        ),
    ),
    "D2": FieldReport(
        "Every line on standard output is a message, whatever a library prints.",
        (
            f"{_RELAY}::test_noise_on_the_channel_reaches_stderr_and_not_the_client",
            "tests/mcp/test_tools.py::test_debugging_shows_the_traceback_on_stderr_only",
        ),
    ),
    "D3": FieldReport(
        "A message may be of any length, in both directions.",
        (
            f"{_RELAY}::test_a_line_of_any_length_passes_and_what_comes_after_it_too",
            f"{_STDIO}::test_a_message_of_several_megabytes_passes",
        ),
    ),
    "D4": FieldReport(
        "A huge message costs at most its own record, and no other call.",
        (
            f"{_RELAY}::test_a_line_of_80_mb_holds_up_no_other_call",
            f"{_RECORD}::test_a_huge_answer_costs_only_its_own_record",
        ),
    ),
    "D5": FieldReport(
        "`_meta` and progress pass in order and are noted.",
        (
            f"{_RELAY}::test_progress_with_the_clients_token_comes_before_the_result",
            f"{_RECORD}::test_progress_questions_and_unknown_messages_are_noted",
        ),
    ),
    "D6": FieldReport(
        "Notifications that nobody knows are passed on untouched.",
        (f"{_RELAY}::test_notifications_nobody_knows_pass_untouched",),
    ),
    "D7": FieldReport(
        "A cancellation reaches the server at once; the call is no failure of the tool.",
        (
            f"{_RELAY}::test_a_cancellation_and_a_ping_pass_a_call_that_is_open",
            f"{_RECORD}::test_a_cancelled_call_is_no_failure_of_the_tool",
        ),
    ),
    "D8": FieldReport(
        "Messages are relayed at once, with the ids they had.",
        (
            f"{_RELAY}::test_a_cancellation_and_a_ping_pass_a_call_that_is_open",
            f"{_RECORD}::test_one_and_the_text_one_are_two_ids",
        ),
    ),
    "D9": FieldReport(
        "A server may ask its client in the middle of a call.",
        (
            f"{_RELAY}::test_a_question_of_the_server_in_the_middle_of_a_call_gets_its_answer",
            f"{_RECORD}::test_progress_questions_and_unknown_messages_are_noted",
        ),
    ),
    "D10": FieldReport(
        "Messages come out as they went in, fields that nobody knows included.",
        (
            "tests/mcp/test_proxy_untouched.py::test_random_messages_pass_unchanged_both_ways",
            "tests/mcp/test_proxy_client.py::test_a_client_sees_the_same_with_and_without_the_proxy",
        ),
    ),
    "D13": FieldReport(
        "Who waits for a server that died is told, with its exit code and last words.",
        (
            f"{_RELAY}::test_every_open_call_is_told_when_the_server_dies",
            f"{_RECORD}::test_a_server_that_died_is_told_of_with_the_calls_it_left",
        ),
    ),
    "D14": FieldReport(
        "A server that cannot start is an error within five seconds that names the command.",
        (f"{_RELAY}::test_a_server_that_cannot_start_answers_the_first_request",),
    ),
    "D15": FieldReport(
        "The end of the input, a signal and our own death end all that was started.",
        (
            f"{_RELAY}::test_the_end_of_the_input_ends_all_that_was_started",
            f"{_RELAY}::test_a_signal_ends_all_that_was_started",
            f"{_RELAY}::test_the_death_of_who_started_it_ends_all",
            f"{_RELAY}::test_a_server_without_a_relay_does_not_go_on_outside_a_project",
        ),
    ),
    "D17": FieldReport(
        "A stream that was closed is not asked again and again.",
        (f"{_RELAY}::test_a_client_that_reads_no_more_costs_no_time",),
    ),
    "D18": FieldReport(
        "The server gets the whole environment.",
        (f"{_RELAY}::test_the_whole_environment_reaches_the_server_and_env_adds_to_it",),
    ),
    "D19": FieldReport(
        "A variable that is added takes none away.",
        (f"{_RELAY}::test_the_whole_environment_reaches_the_server_and_env_adds_to_it",),
    ),
    "D20": FieldReport(
        "A command that is not found is named, with the PATH that was searched.",
        (
            f"{_RELAY}::test_a_server_that_cannot_start_answers_the_first_request",
            f"{_INSTALL}::test_hooks_have_full_paths_the_agents_unit_of_time_and_no_shell",
        ),
    ),
    "D21": FieldReport(
        "Standard input and output are UTF-8 whatever the locale.",
        (
            f"{_RELAY}::test_text_is_utf_8_whatever_the_locale",
            f"{_STDIO}::test_a_chinese_task_finds_its_rule_whatever_the_locale",
            f"{_STDIO}::test_a_bad_line_gets_one_error_and_the_next_request_is_served",
        ),
    ),
    "D22": FieldReport(
        "A broken message costs one error, and the next request is served.",
        (
            f"{_STDIO}::test_a_bad_line_gets_one_error_and_the_next_request_is_served",
            f"{_RELAY}::test_what_is_no_message_is_for_the_server_to_refuse",
        ),
    ),
    "D23": FieldReport(
        "Few tools, each saying when to call it.",
        (f"{_MCP}::test_the_tools_say_when_to_call_them_and_cost_few_tokens",),
    ),
    "D24": FieldReport(
        "Rules reach an agent by instructions, hooks and errors, not by a tool alone.",
        (
            f"{_MCP}::test_an_agent_asks_before_a_task_and_at_an_error",
            f"{_HOOK}::test_the_first_prompt_is_the_task_and_gets_its_experience_once",
            f"{_HOOK}::test_a_failed_call_gets_the_experience_for_its_error_once",
        ),
    ),
    "D25": FieldReport(
        "A recorder that is slow or fails delays nothing; what is kept is bounded.",
        (
            f"{_RELAY}::test_a_recorder_that_stands_still_does_not_delay_the_traffic",
            f"{_RELAY}::test_a_fault_of_ours_costs_the_record_and_never_the_relay",
            f"{_RECORD}::test_what_a_server_babbles_without_end_is_counted_and_not_kept",
        ),
    ),
}
