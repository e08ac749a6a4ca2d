from __future__ import annotations

from pathlib import Path

from tests.tui import screenshot


def test_the_picture_for_the_docs_is_made_from_the_samples_and_loads_nothing(
    tmp_path: Path,
) -> None:
    out = tmp_path / "images" / "review.svg"

    screenshot.main([str(out)])

    svg = out.read_text(encoding="utf-8")
    assert "cited&#160;steps" in svg
    assert "failure&#160;lesson" in svg
    assert "http" not in svg.replace("http://www.w3.org", "").replace(
        "https://www.textualize.io", ""
    )


def test_every_picture_of_the_docs_is_made_by_one_command(tmp_path: Path) -> None:
    screenshot.main(["--all", str(tmp_path), "--size", "80x24"])

    made = {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.svg")}
    assert set(made) == set(screenshot.PICTURES)
    for name, words in (
        ("traces", "3&#160;traces"),
        ("trace", "timeline:"),
        ("experiences", "4&#160;pending"),
        ("edit", "Save&#160;and&#160;approve"),
        ("help", "skip:"),
    ):
        assert words in made[name], name
