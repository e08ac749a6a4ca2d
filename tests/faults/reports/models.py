"""N: language models."""

from __future__ import annotations

from tests.faults.reports.report import FieldReport

_LLM = "tests/cli/test_reflect_llm.py"
_VOTES = "tests/cli/test_reflect_votes.py"

REPORTS: dict[str, FieldReport] = {
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
