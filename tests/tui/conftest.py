from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.tui.projects import Review, a_review


@pytest.fixture
def review(tmp_path: Path) -> Review:
    """An empty project of its own."""
    return a_review(tmp_path)


@pytest.fixture(autouse=True)
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for temporary files: exports of a test go with it."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder
