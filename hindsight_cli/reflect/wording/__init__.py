"""The sentences of experiences written by rules: data in one TOML file a language."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

_CJK = re.compile(r"[\u3400-\u9fff]")
_MIN_SHARE = 0.1  # Chinese tasks hold many Latin names


def language_of(text: str) -> str:
    """`zh` when a fair part of the text is Chinese, else `en`."""
    letters = sum(char.isalpha() for char in text)
    return "zh" if letters and len(_CJK.findall(text)) / letters >= _MIN_SHARE else "en"


@lru_cache(maxsize=4)
def sentences(language: str) -> dict[str, Any]:
    """Templates by kind of finding and field.

    Raises:
        FileNotFoundError: no such language.
    """
    return tomllib.loads(files(__name__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))
