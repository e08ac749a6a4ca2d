from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from hindsight_cli.errors import StorageError
from hindsight_cli.tui.export import write_export
from tests.tui.projects import Review, an_experience
from tests.tui.waiting import screen_text, until_read, until_text


@pytest.mark.asyncio
async def test_a_key_copies_the_whole_item_and_writes_it_to_a_file(
    review: Review, temp: Path
) -> None:
    session = review.record_session(output="noise\n" * 50 + "port is \x1b[31malready allocated")
    review.propose(an_experience(1, session_id=session))
    async with review.run(size=(200, 50)) as pilot:
        await until_read(pilot)
        await pilot.press("y")
        await until_text(pilot, "Also in")
        (path,) = temp.glob("*/*.txt")
        assert str(path)[:20] in screen_text(pilot)
        assert "until you delete it" in screen_text(pilot)
        copied = pilot.app.clipboard

    text = path.read_text(encoding="utf-8")
    assert copied == text
    assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0
    for expected in (
        "Publish another host port",
        "The first call failed with exit 125",
        "step 2  Bash",
        "port is <U+001B>[31malready allocated",
        "step 3  Bash",
    ):
        assert expected in text
    assert "left out" not in text


@pytest.mark.parametrize("chosen", ["../../up", "/etc/x", "a\x00b", "标识", "", "x" * 999])
def test_an_id_never_leads_out_of_the_export_s_folder(temp: Path, chosen: str) -> None:
    path = write_export("text", chosen)

    assert path.parent.parent == temp
    assert path.read_text(encoding="utf-8") == "text"


def test_a_folder_that_takes_no_file_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")

    with pytest.raises(StorageError):
        write_export("text", "ex-1")
