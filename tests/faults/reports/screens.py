"""H and M: what a person sees and decides."""

from __future__ import annotations

from tests.faults.reports.report import FieldReport

_DECIDING = "tests/tui/test_deciding.py"
_READING = "tests/tui/test_reading.py"
_LARGE = "tests/tui/test_large.py"

REPORTS: dict[str, FieldReport] = {
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
}
