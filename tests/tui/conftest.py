from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.projects import Review, a_review


@pytest.fixture
def review(tmp_path: Path) -> Review:
    """An empty project of its own."""
    return a_review(tmp_path)
