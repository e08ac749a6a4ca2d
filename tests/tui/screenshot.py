"""Pictures of the real review room on the sample traces.

    python -m tests.tui.screenshot OUT.svg [--size 120x36] [--press KEYS]
    python -m tests.tui.screenshot --all FOLDER    every picture of README and docs

Imports and reflects on `traces/` in a temporary project, as a person would.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from hindsight_cli.api.importing import import_paths
from hindsight_cli.api.project import Project
from hindsight_cli.api.reflecting import pick_traces, reflect
from hindsight_cli.tui.app import ReviewApp
from tests.tui.waiting import until_read

_FONTS = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"
PICTURES = {  # by the name of the file, the keys that lead there; none of them decides
    "review": "",
    "traces": "t",
    "trace": "enter",
    "experiences": "x",
    "edit": "e O n c e colon space ctrl+s",
    "help": "question_mark",
}
SAMPLES = Path(__file__).parents[2] / "traces"


def demo_project(root: Path, env: Mapping[str, str]) -> None:
    """A project with what the sample traces teach, waiting for review."""
    root.mkdir()
    project = Project(root, env=env)
    project.init()
    import_paths(project, sorted(SAMPLES.glob("*.jsonl")))
    reflect(project, pick_traces(project, [], all_traces=True))


async def picture(
    root: Path, env: Mapping[str, str], size: tuple[int, int], keys: list[str]
) -> str:
    app = ReviewApp(root, env=env)
    async with app.run_test(size=size, notifications=True) as pilot:
        await until_read(pilot)
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.3)
        return self_contained(app.export_screenshot(title="hindsight tui"))


def self_contained(svg: str) -> str:
    """Without the web font that Rich names: looking at a picture must load nothing."""
    without = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    without = without.replace("<text ", '<text xml:space="preserve" ')  # some drop blanks
    return without.replace("Fira Code, monospace", _FONTS)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Pictures of the review room.")
    parser.add_argument("out", type=Path, help="the picture, or with --all the folder")
    parser.add_argument("--all", action="store_true", help="every picture of README and docs")
    parser.add_argument("--size", default="120x36", help="columns x rows")
    parser.add_argument("--press", default="", help="keys to press first, with spaces between")
    given = parser.parse_args(arguments)
    width, height = map(int, given.size.split("x"))
    wanted = {given.out: given.press}
    if given.all:
        wanted = {given.out / f"{name}.svg": keys for name, keys in PICTURES.items()}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "shop")
        env = {"HINDSIGHT_CLI_DATA_DIR": str(Path(folder, "data"))}
        demo_project(root, env)
        for out, keys in wanted.items():
            svg = asyncio.run(picture(root, env, (width, height), keys.split()))
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
