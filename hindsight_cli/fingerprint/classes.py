"""Errors that any program may give: a check found another value, a test failed, an index ran out.

Two of them have their class in common and nothing else: whose fault it is stands elsewhere.
Pure; imported only where there is an error to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_CLASS = re.compile(
    r"assert|\bexpect|comparisonfailure|panicked|\bexit(?:ed)?\b|\bstatus \d"
    r"|\b(?:tests?|specs?|suites?|examples?|checks?)\b.*\b(?:failed|failures?|passed)"
    r"|(?:failed|passed|failures?|errors?)\b.*<n>|<n>\W+(?:failed|passed|failures?|errors?)\b"
    r"|^(?:\w*\.)?(?:indexerror|syntaxerror|rangeerror|zerodivisionerror|nullpointerexception)\b"
    r"|index out of (?:range|bounds)"
)
_CLASS_WORDS = frozenset(
    " ".join(
        (
            "assert assertion assertions assertionerror assertionfailederror comparisonfailure",
            "expect expected expectation actual actually received got want wanted but was were is",
            "are be been to of at in on for the it this that not and or with equal equals equality",
            "tobe toequal tostrictequal left right value values result results differ differs",
            "different lists list dicts dict tuples tuple sets set sequences strings string",
            "greater less than more found contain contains match matches call calls called",
            "true false none null nil undefined strictly deeply loosely identical same",
            "test tests testing spec specs suite suites example examples check checks unittest",
            "fail failed fails failing failure failures passed passing skipped total times",
            "error errors err exception panic panicked thread main runtime org junit",
            "opentest jest pytest lang java index out range bounds length indexerror rangeerror",
            "syntaxerror invalid syntax zerodivisionerror division by zero nullpointerexception",
            "exit exited code status process command completed rerun pass run",
        )
    ).split()
)


def own_words(line: str, words: Sequence[str]) -> list[str]:
    """Those of `words` that say more than of which class the error in `line` (lower case) is."""
    return [w for w in words if w not in _CLASS_WORDS] if _CLASS.search(line) else list(words)


def is_class_word(word: str, line: str) -> bool:
    """Whether `word` only names the class of the error in `line`."""
    return word.lower() in _CLASS_WORDS and _CLASS.search(line.lower()) is not None
