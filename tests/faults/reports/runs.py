"""C: running a command."""

from __future__ import annotations

from tests.faults.reports.report import FieldReport

_RUN = "tests/cli/test_run.py"
_NEAR_RUN = "tests/cli/test_field_reports_run.py"
_PTY = "tests/unit/test_relay_pty.py"
_PIPE = "tests/unit/test_relay_pipe.py"

REPORTS: dict[str, FieldReport] = {
    "C1": FieldReport(
        "Without a terminal a run uses pipes and never waits for one.",
        (
            f"{_NEAR_RUN}::test_started_by_another_program_without_a_terminal_it_ends_at_once",
            f"{_PIPE}::test_the_command_sees_no_terminal_where_there_is_none",
        ),
    ),
    "C2": FieldReport(
        "What is piped in, and its end, reach the command.",
        (
            f"{_RUN}::test_stdin_and_its_end_reach_the_command",
            f"{_PIPE}::test_every_byte_passes_unchanged_in_and_out",
        ),
    ),
    "C3": FieldReport(
        "A signal to us ends the command's group and closes the trace as interrupted.",
        (
            f"{_RUN}::test_a_signal_to_us_ends_the_command_and_the_trace_says_so",
            f"{_PTY}::test_a_signal_to_us_is_passed_on",
            f"{_PIPE}::test_a_signal_reaches_the_whole_group_and_the_command_may_answer_it",
        ),
    ),
    "C5": FieldReport(
        "The window's size is there from the start and every resize is passed on.",
        (
            f"{_PTY}::test_the_command_is_on_a_terminal_of_the_users_size",
            f"{_PTY}::test_a_resize_is_seen_by_the_command",
        ),
    ),
    "C7": FieldReport(
        "On a terminal the command sees one, in a pipe it sees none.",
        (
            f"{_PTY}::test_the_command_is_on_a_terminal_of_the_users_size",
            f"{_PIPE}::test_the_command_sees_no_terminal_where_there_is_none",
        ),
    ),
    "C8": FieldReport(
        "Only a run touches the terminal, and leaves it as it was.",
        (
            f"{_NEAR_RUN}::test_only_a_run_touches_the_terminal",
            f"{_PTY}::test_the_users_terminal_is_left_as_it_was_found",
        ),
    ),
    "C9": FieldReport(
        "Bytes pass unchanged, and no character is cut in the record.",
        (
            f"{_RUN}::test_a_hundred_thousand_wide_characters_come_out_unchanged",
            f"{_PTY}::test_a_hundred_thousand_wide_characters_pass_unchanged",
        ),
    ),
    "C10": FieldReport(
        "What is recorded of a terminal is what was left on it, without frames.",
        (f"{_RUN}::test_a_spinner_on_a_real_terminal_is_one_line",),
    ),
    "C12": FieldReport(
        "Where Python knows no terminals all works, a run through pipes.",
        (
            f"{_NEAR_RUN}::test_commands_work_where_python_knows_no_terminals",
            f"{_NEAR_RUN}::test_a_run_there_uses_pipes_says_so_and_notes_it_in_the_trace",
        ),
    ),
    "C13": FieldReport(
        "A fall back to pipes is announced and stands in the trace.",
        (
            f"{_NEAR_RUN}::test_a_run_there_uses_pipes_says_so_and_notes_it_in_the_trace",
            f"{_PTY}::test_where_no_terminal_can_be_made_pipes_do_and_it_is_said",
        ),
    ),
    "C14": FieldReport(
        "Everything after `--` is passed word for word.",
        (
            f"{_RUN}::test_the_arguments_reach_the_command_word_for_word",
            f"{_PIPE}::test_arguments_that_are_no_utf_8_arrive_as_they_are",
        ),
    ),
    "C15": FieldReport(
        "The last output comes once and the exit code is always the command's.",
        (
            f"{_NEAR_RUN}::test_the_end_of_a_command_on_a_terminal_is_never_lost_or_told_twice",
            f"{_PTY}::test_all_output_comes_once_and_the_exit_code_is_the_childs",
        ),
    ),
    "C16": FieldReport(
        "Size, resizes and the end of input reach a command on a terminal.",
        (
            f"{_PTY}::test_the_end_of_input_is_typed_as_ever",
            f"{_PTY}::test_a_resize_is_seen_by_the_command",
        ),
    ),
}
