"""What we put before an agent is told from what it did, however the agent writes it down."""

from __future__ import annotations

import pytest

from hindsight_cli.capture.formats.injected_text import split_injected
from hindsight_cli.capture.own_blocks import without_own_blocks

BLOCK = (
    '<hindsight-experience receipt="inj-0123456789ab">\n'
    "1. Lesson When: deploying | Do: Hand `--env-file .env` to docker run.\n"
    "</hindsight-experience>"
)
ESCAPED = BLOCK.replace("<", "&lt;").replace(">", "&gt;")
FORMS = {
    "plain": BLOCK,
    "brackets escaped": ESCAPED,
    "quotes escaped, too": ESCAPED.replace('"', "&quot;"),
    "inside JSON": BLOCK.replace('"', '\\"'),
}


@pytest.mark.parametrize("block", FORMS.values(), ids=FORMS)
def test_a_block_in_an_answer_is_cut_down_to_its_receipt(block: str) -> None:
    text = f"Error: no password\n\n{block}\nmore"

    kept = without_own_blocks(text)

    assert kept.startswith("Error: no password\n\n<hindsight-experience ")
    assert "inj-0123456789ab" in kept
    assert kept.endswith("\nmore")
    assert "--env-file" not in kept


@pytest.mark.parametrize("block", [BLOCK, ESCAPED], ids=["plain", "brackets escaped"])
def test_a_block_in_a_message_is_no_word_of_the_person(block: str) -> None:
    parts = list(split_injected(f"Deploy it\n{block}"))

    assert parts == [("Deploy it", False), (block, True)]


def test_what_only_names_the_tag_is_left() -> None:
    text = "The tag &lt;hindsight-experience is written by </hindsight-experience> alone."

    assert without_own_blocks(text) == text
