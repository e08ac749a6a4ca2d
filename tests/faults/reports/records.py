"""A: importing agents' transcripts and what is concluded from them. B: our own records."""

from __future__ import annotations

from tests.faults.reports.report import FieldReport

_HERE = "tests/cli/test_field_reports_capture.py"
_CLAUDE = "tests/unit/test_format_claude_code.py"
_CODEX = "tests/unit/test_format_codex.py"
_IMPORT = "tests/cli/test_import.py"
_ERRORS = "tests/cli/test_errors.py"
_NUMBERING = "tests/unit/test_numbering.py"

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
}
