"""E: hooks and work in the background."""

from __future__ import annotations

from tests.faults.reports.report import FieldReport

_VOTES = "tests/cli/test_reflect_votes.py"
_FAULTS = "tests/cli/test_hook_faults.py"
_NEAR_RUN = "tests/cli/test_field_reports_run.py"
_HOOK = "tests/cli/test_hook.py"
_INSTALL = "tests/cli/test_install.py"

REPORTS: dict[str, FieldReport] = {
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
}
