"""What users of other tools ran into, and the tests that hold us to do better.

A: importing agents' transcripts and what is concluded from them. B: writing our own
records. C: running a command. D: MCP, as a proxy and as a server. E: hooks and work in the
background. N: language models. An item is `open` where a part of what we owe is not built; the
reason says which.
Checked by test_field_reports.py.
"""

from __future__ import annotations

from dataclasses import dataclass

ITEMS = (
    *("A1", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11", "A12", "A14", "A15"),
    *("A16", "A18", "A19", "A20", "A21", "A22", "A23", "A24", "A25", "A26", "A27"),
    *("B1", "B3", "B4"),
    *("C1", "C2", "C3", "C5", "C7", "C8", "C9", "C10", "C12", "C13", "C14", "C15", "C16"),
    *("D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D13", "D14", "D15"),
    *("D17", "D18", "D19", "D20", "D21", "D22", "D23", "D24", "D25"),
    *("E1", "E2", "E3", "E4", "E6", "E7", "E8", "E10", "E11", "E12", "E13"),
    *("E15", "E16", "E17"),
    *("H1", "H2", "H4", "H5", "H6", "H8"),
    *("M1", "M3", "M4", "M5", "M6", "M7"),
    *("N1", "N2", "N3", "N4", "N5", "N6"),
)
MOST_OPEN = 1  # may only shrink


@dataclass(frozen=True, slots=True)
class FieldReport:
    owed: str
    tests: tuple[str, ...]  # `path::name` from the root of the project
    open: str = ""  # what of it is not built, and why


_LLM = "tests/cli/test_reflect_llm.py"
_VOTES = "tests/cli/test_reflect_votes.py"
_HERE = "tests/cli/test_field_reports_capture.py"
_CLAUDE = "tests/unit/test_format_claude_code.py"
_CODEX = "tests/unit/test_format_codex.py"
_IMPORT = "tests/cli/test_import.py"
_ERRORS = "tests/cli/test_errors.py"
_FAULTS = "tests/cli/test_hook_faults.py"
_VOTES = "tests/cli/test_reflect_votes.py"
_RUN = "tests/cli/test_run.py"
_NEAR_RUN = "tests/cli/test_field_reports_run.py"
_PTY = "tests/unit/test_relay_pty.py"
_PIPE = "tests/unit/test_relay_pipe.py"
_RELAY = "tests/mcp/test_proxy_relay.py"
_RECORD = "tests/mcp/test_proxy_record.py"
_STDIO = "tests/mcp/test_stdio.py"
_MCP = "tests/mcp/test_client.py"
_HOOK = "tests/cli/test_hook.py"
_INSTALL = "tests/cli/test_install.py"
_NUMBERING = "tests/unit/test_numbering.py"

_DECIDING = "tests/tui/test_deciding.py"
_READING = "tests/tui/test_reading.py"
_LARGE = "tests/tui/test_large.py"

REPORTS: dict[str, FieldReport] = {
    "A1": FieldReport(
        "A reply spread over several lines is several events whose tokens count once.",
        (
            f"{_HERE}::test_a_reply_of_three_lines_is_three_events_and_one_count_of_tokens",
            f"{_CLAUDE}::test_tokens_of_a_reply_count_once_on_its_last_line",
            f"{_CODEX}::test_tokens_of_a_reply_are_counted_once_on_its_last_record",
        ),
    ),
    "A3": FieldReport(
        "A missing request or line id weakens the key of a reply and never disables it.",
        (
            f"{_HERE}::test_a_reply_of_three_lines_is_three_events_and_one_count_of_tokens",
            f"{_CLAUDE}::test_a_missing_field_does_not_disable_counting_once",
        ),
    ),
    "A4": FieldReport(
        "A line that comes again is counted as a duplicate; nothing else is lost.",
        (
            f"{_HERE}::test_a_line_that_comes_again_is_one_duplicate_and_costs_nothing_else",
            f"{_CLAUDE}::test_a_record_seen_twice_keeps_its_id_both_times",
        ),
    ),
    "A5": FieldReport(
        "File order is the order: a parent that was never written hides nothing.",
        (
            f"{_HERE}::test_a_parent_that_was_never_written_hides_nothing",
            f"{_HERE}::test_a_missing_parent_leaves_a_mark_and_is_told_of",
            f"{_HERE}::test_what_rightly_points_out_of_a_file_is_no_gap",
        ),
    ),
    "A6": FieldReport(
        "A source whose content was blanked takes nothing from us and is told of with a count.",
        (
            f"{_HERE}::test_a_source_whose_content_was_blanked_is_told_of_and_takes_nothing",
            f"{_HERE}::test_records_that_never_held_anything_are_not_called_lost",
            f"{_IMPORT}::test_a_source_that_lost_its_content_takes_nothing_from_us",
        ),
    ),
    "A7": FieldReport(
        "Subagents whose main file is gone are imported, the parent is called missing.",
        (f"{_HERE}::test_a_subagent_without_its_parent_is_imported_and_the_parent_called_missing",),
    ),
    "A8": FieldReport(
        "Summaries and compactions are boundaries, never steps that can be cited.",
        (
            f"{_HERE}::test_a_summary_at_the_end_is_a_boundary_and_no_step",
            f"{_HERE}::test_a_summary_cannot_be_cited",
            f"{_CLAUDE}::test_compactions_become_compaction_events_only",
            f"{_CODEX}::test_a_compaction_is_a_boundary_and_its_copy_of_the_history_is_not_read",
        ),
    ),
    "A9": FieldReport(
        "What an agent says of its work proves nothing; results do.",
        (
            "tests/unit/test_reflect_outcome.py"
            "::test_the_word_of_the_agent_makes_no_success_of_a_failure",
            "tests/unit/test_guard_grounding.py"
            "::test_a_claim_against_the_recorded_status_is_dropped",
        ),
    ),
    "A10": FieldReport(
        "A file in which nothing is understood is an error that counts its record types.",
        (
            f"{_ERRORS}"
            "::test_records_of_unknown_types_are_an_error_that_counts_them_not_a_short_session",
            f"{_IMPORT}::test_a_version_that_renamed_every_record_is_told_of",
            f"{_CODEX}::test_a_version_that_renamed_everything_is_recognised_and_told",
            f"{_HERE}::test_a_rollout_of_another_version_is_an_error_that_names_it",
        ),
    ),
    "A11": FieldReport(
        "An odd record or file costs at most itself, and the summary counts it.",
        (
            f"{_HERE}::test_one_odd_record_among_a_hundred_files_costs_at_most_itself",
            f"{_ERRORS}::test_one_unreadable_file_does_not_cost_the_others",
            f"{_IMPORT}::test_odd_lines_cost_at_most_themselves",
        ),
    ),
    "A12": FieldReport(
        "A bad line is skipped, counted and named by file, number and redacted beginning.",
        (
            f"{_HERE}::test_a_cut_line_in_the_middle_is_named_with_its_number_and_no_secret",
            f"{_ERRORS}::test_a_bad_line_costs_itself_and_is_reported_by_number",
            f"{_CODEX}::test_a_broken_line_costs_only_itself",
            f"{_HERE}::test_lines_that_could_not_be_read_are_shown_where_they_stood",
        ),
    ),
    "A14": FieldReport(
        "found = imported + duplicate + skipped + failed; --strict makes a flaw a failure.",
        (
            f"{_IMPORT}::test_counts_add_up_and_importing_again_adds_nothing",
            f"{_HERE}::test_strict_writes_nothing_of_a_file_with_one_bad_line",
            f"{_ERRORS}::test_strict_leaves_a_file_with_a_bad_line_out_whole",
        ),
    ),
    "A15": FieldReport(
        "Our own files of earlier and later versions are read, unknown fields kept.",
        (
            f"{_HERE}::test_traces_of_an_earlier_and_of_a_later_version_are_read_by_all",
            f"{_NUMBERING}::test_events_of_a_later_version_keep_what_this_one_does_not_know",
            f"{_NUMBERING}::test_an_event_of_an_earlier_version_without_later_fields_is_read",
        ),
    ),
    "A16": FieldReport(
        "The main file is the session and goes on growing; subagents hang beside it.",
        (
            f"{_HERE}::test_the_main_file_of_a_session_is_its_trace_and_goes_on_growing",
            f"{_IMPORT}::test_subagents_are_sessions_of_their_own",
        ),
    ),
    "A18": FieldReport(
        "Ids of sessions that collide lose no record, and it is said.",
        (
            f"{_HERE}::test_equal_session_ids_in_two_folders_lose_no_record",
            f"{_IMPORT}::test_two_files_of_one_session_are_told_of",
        ),
    ),
    "A19": FieldReport(
        "An import that was killed keeps what it wrote, goes on and doubles nothing.",
        (
            f"{_HERE}::test_an_import_that_was_killed_goes_on_and_doubles_nothing",
            f"{_IMPORT}::test_two_imports_at_once_leave_every_record_once",
            "tests/cli/test_discovery.py::test_what_was_read_before_a_kill_is_not_read_again",
        ),
        open="Files read before the kill are not read again; the one being read is, though not "
        "written again, which takes a quarter of the time: readers carry state from line to line "
        "and have no cursor to go on from.",
    ),
    "A20": FieldReport(
        "Memory is bound whatever the size of a file.",
        (
            f"{_HERE}::test_memory_is_bound_whatever_the_size_of_the_file",
            f"{_IMPORT}::test_large_records_are_held_a_few_at_a_time",
            f"{_CLAUDE}::test_a_line_beyond_the_cap_is_skipped_and_reading_goes_on",
        ),
    ),
    "A21": FieldReport(
        "What could not be read is named and taken as soon as it can be; nothing is shut out.",
        (
            f"{_HERE}::test_a_file_that_could_not_be_read_is_named_and_taken_as_soon_as_it_can_be",
            f"{_HERE}::test_a_file_without_permission_is_taken_once_it_has_it",
            "tests/cli/test_discovery.py::test_a_file_that_cannot_be_read_stops_no_other",
        ),
    ),
    "A22": FieldReport(
        "Binaries lie aside once by their hash, never in an event.",
        (
            f"{_HERE}::test_binaries_lie_aside_once_however_they_are_nested",
            f"{_IMPORT}::test_pictures_lie_aside_once_and_never_in_an_event",
        ),
    ),
    "A23": FieldReport(
        "The same holds for nested results and for both copies of one.",
        (f"{_HERE}::test_binaries_lie_aside_once_however_they_are_nested",),
    ),
    "A24": FieldReport(
        "What is stored is weighed and can be trimmed; a rule keeps its evidence.",
        (
            f"{_HERE}::test_what_is_stored_is_weighed_and_a_rule_outlives_its_trace",
            "tests/cli/test_prune.py::test_a_dry_run_says_what_the_real_one_then_deletes",
            "tests/cli/test_prune.py::test_what_an_approved_experience_rests_on_stays_unless_asked",
        ),
    ),
    "A25": FieldReport(
        "A session imported again and again as it grows takes the room of its last state.",
        (f"{_HERE}::test_importing_a_growing_session_again_and_again_takes_no_more_room",),
    ),
    "A26": FieldReport(
        "A live session reads as unfinished; later imports append and change no step.",
        (
            f"{_HERE}::test_five_more_lines_of_a_live_session_are_five_more_events",
            f"{_IMPORT}::test_a_growing_session_keeps_its_steps_and_gets_the_new_ones",
            "tests/cli/test_codex.py::test_a_resumed_session_is_unfinished_until_it_ends_again",
            "tests/cli/test_unfinished.py"
            "::test_what_is_concluded_from_a_trace_without_an_end_says_so",
        ),
    ),
    "A27": FieldReport(
        "Capture goes on without the index, which is made again later.",
        (
            f"{_HERE}::test_capture_does_not_need_the_index",
            f"{_ERRORS}::test_a_damaged_index_is_made_again_and_no_trace_is_lost",
        ),
    ),
    "B1": FieldReport(
        "Writers at once weld no two records; a bad line is passed over and told.",
        (
            f"{_HERE}::test_eight_writers_of_large_records_weld_no_two_together",
            "tests/cli/test_record.py::test_many_writers_leave_no_gap_no_double_and_no_loss",
            "tests/unit/test_appendlog.py"
            "::test_a_bad_line_is_reported_by_number_and_everything_round_it_read",
        ),
    ),
    "B3": FieldReport(
        "Events that could not be saved are counted in front of the person; the run goes on.",
        (
            f"{_HERE}::test_events_that_cannot_be_saved_are_counted_and_the_command_goes_on",
            "tests/cli/test_run.py::test_a_fault_of_ours_never_harms_the_run",
        ),
    ),
    "B4": FieldReport(
        "Every command passes over the same bad line and counts the same events.",
        (
            f"{_HERE}::test_every_reader_passes_over_the_same_bad_line",
            "tests/unit/test_traces_hostile.py::test_every_command_passes_over_bad_lines",
        ),
    ),
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
    "E1": FieldReport(
        "An agent gives up on a hook of ours after seconds, not minutes.",
        (
            "tests/unit/test_hook_payloads.py"
            "::test_every_event_that_hooks_are_registered_for_is_understood",
            f"{_INSTALL}::test_hooks_have_full_paths_the_agents_unit_of_time_and_no_shell",
        ),
    ),
    "E2": FieldReport(
        "Whatever is wrong with the store, the agent goes on: exit code 0, nothing printed.",
        (
            f"{_FAULTS}::test_a_broken_store_is_no_trouble_of_the_agent",
            f"{_FAULTS}::test_a_project_that_cannot_be_written_is_no_trouble",
            f"{_FAULTS}::test_a_disk_that_is_full_is_no_trouble",
            f"{_FAULTS}::test_what_went_wrong_is_in_the_log",
        ),
    ),
    "E3": FieldReport(
        "A hook has a deadline of its own; what it saw is stored all the same, later.",
        (
            f"{_FAULTS}::test_a_locked_index_costs_the_agent_the_deadline_and_no_event",
            f"{_FAULTS}::test_a_lock_that_another_holds_is_not_waited_for",
            f"{_FAULTS}::test_the_agent_does_not_wait_for_what_is_stored",
            f"{_FAULTS}::test_a_payload_that_never_ends_is_not_waited_for",
        ),
    ),
    "E4": FieldReport(
        "An exit code other than 0 comes with one line that says why.",
        (f"{_FAULTS}::test_a_command_that_is_none_fails_with_one_line_and_never_blocks",),
    ),
    "E6": FieldReport(
        "A hook is a full path without shell features; a profile that prints is found.",
        (
            f"{_INSTALL}::test_hooks_have_full_paths_the_agents_unit_of_time_and_no_shell",
            "tests/cli/test_init_doctor.py::test_a_profile_that_prints_is_found",
        ),
    ),
    "E7": FieldReport(
        "No hook ever exits with 2, which forbids the agent to go on.",
        (
            f"{_FAULTS}::test_a_command_that_is_none_fails_with_one_line_and_never_blocks",
            f"{_FAULTS}::test_a_payload_that_is_none_is_passed_over",
        ),
    ),
    "E8": FieldReport(
        "An agent that reflects for us is not observed, though it has our hooks.",
        (
            f"{_HOOK}::test_a_reflectors_own_agent_is_not_observed",
            "tests/cli/test_hook_finishing.py::test_what_a_reflecting_command_runs_leaves_no_trace",
        ),
    ),
    "E10": FieldReport(
        "A model is asked only when chosen, and no more than a day allows.",
        (f"{_VOTES}::test_no_more_is_asked_than_a_day_allows",),
    ),
    "E11": FieldReport(
        "Each look-up leaves how it went and how long it took; the last ones are in `status`.",
        (
            f"{_HOOK}::test_each_try_to_inject_is_told_in_the_log",
            f"{_HOOK}::test_the_status_shows_what_hooks_did_last_and_that_recording_is_paused",
            f"{_FAULTS}::test_nobody_who_reads_the_answer_leaves_no_receipt",
            f"{_FAULTS}::test_a_lock_that_another_holds_is_not_waited_for",
        ),
    ),
    "E12": FieldReport(
        "A model that cannot be had is not waited for again: words answer.",
        (f"{_NEAR_RUN}::test_without_a_model_all_is_stored_and_words_answer",),
    ),
    "E13": FieldReport(
        "Nothing has to run beforehand: the first hook after a boot answers.",
        (f"{_HOOK}::test_the_first_prompt_is_the_task_and_gets_its_experience_once",),
    ),
    "E15": FieldReport(
        "What is recorded or approved needs no model.",
        (f"{_NEAR_RUN}::test_without_a_model_all_is_stored_and_words_answer",),
    ),
    "E16": FieldReport(
        "A setting that is not allowed is named with what is; hooks go on; `a, b` is a list.",
        (
            "tests/cli/test_pausing.py::test_a_pattern_that_is_no_text_is_an_error_that_says_so",
            "tests/cli/test_pausing.py::test_a_pattern_may_be_a_whole_path",
            f"{_FAULTS}::test_a_broken_store_is_no_trouble_of_the_agent",
        ),
    ),
    "E17": FieldReport(
        "Another product of our name keeps its folder, variables, hooks and MCP server.",
        (
            f"{_INSTALL}::test_another_product_of_our_name_is_neither_read_nor_written",
            f"{_INSTALL}::test_a_server_of_another_product_under_our_name_is_left_alone",
            "tests/cli/test_init_doctor.py"
            "::test_another_product_of_our_name_first_on_the_path_is_found_and_not_started",
        ),
    ),
    "H1": FieldReport(
        "What waits for review is said after every command, and in the status with its age.",
        ("tests/cli/test_search.py::test_what_waits_for_review_is_said_on_stderr_only",),
    ),
    "H2": FieldReport(
        "Nothing is approved by Enter, by waiting or unseen; a rejection needs no reason.",
        (
            f"{_DECIDING}::test_neither_enter_nor_waiting_approves",
            f"{_DECIDING}::test_rejecting_takes_a_reason_or_none",
            f"{_READING}::test_the_claim_and_both_cited_steps_are_in_sight_together",
        ),
    ),
    "H4": FieldReport(
        "What acts on its own proposes or flags; it never decides over a person.",
        (
            "tests/unit/test_fold.py::test_an_automatic_decision_never_overrides_a_person",
            "tests/unit/test_fold.py"
            "::test_an_edit_replaces_the_words_and_a_later_proposal_does_not",
        ),
    ),
    "H5": FieldReport(
        "What is not approved is found nowhere.",
        ("tests/cli/test_loop.py::test_nothing_pending_or_rejected_is_retrievable_on_any_path",),
    ),
    "H6": FieldReport(
        "Reflecting again updates the proposal that waits.",
        ("tests/unit/test_fold.py::test_a_new_proposal_updates_a_pending_one",),
    ),
    "H8": FieldReport(
        "Add by hand, edit with the difference shown and kept, forget for good.",
        (
            "tests/cli/test_loop.py::test_an_own_experience_is_typed_in_one_command",
            "tests/cli/test_loop.py::test_what_is_forgotten_is_nowhere_and_does_not_come_back",
            f"{_DECIDING}::test_editing_approves_the_new_words_and_keeps_the_rest",
        ),
    ),
    "M1": FieldReport(
        "Recorded text is never markup, in any view, dialog, toast or title.",
        (
            "tests/tui/test_hostile_text.py"
            "::test_hostile_text_is_shown_literally_in_list_and_panes",
            "tests/tui/test_hostile_text.py"
            "::test_hostile_text_is_shown_literally_in_dialogs_and_toasts",
            f"{_LARGE}::test_hostile_words_are_shown_literally_in_a_trace",
        ),
    ),
    "M3": FieldReport(
        "Lists get short summaries; megabytes are read in a pane of their own, drawn by line.",
        (
            f"{_READING}::test_megabytes_of_output_never_reach_a_widget",
            f"{_LARGE}::test_a_step_of_megabytes_is_opened_and_left_at_once",
        ),
    ),
    "M4": FieldReport(
        "Of tens of thousands of rows only those in sight are drawn.",
        (
            f"{_LARGE}::test_of_fifty_thousand_steps_only_those_in_sight_are_drawn",
            f"{_LARGE}::test_thousands_wait_and_every_key_is_answered_at_once",
        ),
    ),
    "M5": FieldReport(
        "A decision is stored the moment it is made; the keyboard alone is enough.",
        (
            "tests/tui/test_killed.py::test_killed_after_two_decisions_both_are_kept",
            "tests/tui/test_tmux.py::test_a_sitting_from_the_first_key_to_the_ledger",
        ),
    ),
    "M6": FieldReport(
        "Columns go by cells; nothing is cut inside a character that belongs together.",
        (
            f"{_READING}::test_wide_characters_stay_inside_their_pane",
            "tests/tui/test_layout.py::test_lines_break_where_a_reader_expects_it",
        ),
    ),
    "M7": FieldReport(
        "A key copies the whole item and writes it to a file; help tells of shift.",
        ("tests/tui/test_export.py::test_a_key_copies_the_whole_item_and_writes_it_to_a_file",),
    ),
    "N1": FieldReport(
        "No socket is opened unless a model is set and asked; loading its library opens none.",
        (
            f"{_LLM}::test_nothing_leaves_for_any_other_address",
            f"{_LLM}::test_rules_and_help_load_no_model_library",
        ),
    ),
    "N2": FieldReport(
        "Heavy libraries are loaded only by the command that uses them.",
        (
            f"{_LLM}::test_rules_and_help_load_no_model_library",
            "tests/cli/test_startup.py::test_no_command_loads_a_heavy_library_it_does_not_need",
        ),
    ),
    "N3": FieldReport(
        "A hung model costs the deadline and no more; then rules reflect.",
        (f"{_VOTES}::test_one_deadline_is_over_everything",),
    ),
    "N4": FieldReport(
        "One deadline is over all votes and repeats; those that came count.",
        (
            f"{_VOTES}::test_a_slow_answer_does_not_cost_the_others",
            f"{_VOTES}::test_one_deadline_is_over_everything",
        ),
    ),
    "N5": FieldReport(
        "A model that refuses the temperature is asked without, once, and it is told.",
        (
            f"{_VOTES}::test_what_a_model_refuses_is_not_asked_for_again",
            f"{_VOTES}::test_a_model_known_to_take_no_temperature_is_asked_without_in_one_request",
        ),
    ),
    "N6": FieldReport(
        "An answer is read out of thoughts, fences, prose and tool calls, or lost with its reason.",
        (
            "tests/unit/test_reflect_parse.py::test_the_same_answer_is_read_out_of_every_wrapping",
            "tests/unit/test_reflect_parse.py::test_an_unusable_reply_says_why",
            f"{_VOTES}::test_an_answer_is_found_in_what_stands_around_it",
            f"{_VOTES}::test_an_unusable_answer_is_one_lost_vote",
        ),
    ),
}
