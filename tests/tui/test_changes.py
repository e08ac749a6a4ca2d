"""What an edit changed, for the argument names agents use."""

from __future__ import annotations

import time

import pytest

from hindsight_cli.records.event import Actor, Event, EventType, Status, ToolKind
from hindsight_cli.records.jsonvalue import JsonValue
from hindsight_cli.records.trace import Call
from hindsight_cli.tui.changes import Change, change_of
from hindsight_cli.tui.fitting import fit
from hindsight_cli.tui.window import Gap, Line
from tests.tui.projects import Review, a_call, an_experience
from tests.tui.waiting import screen_text, until_read

PATCH = """*** Begin Patch
*** Update File: calc.py
@@ def add(a, b):
-    return a - b
+    return a + b
*** End Patch"""
UNIFIED = """--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
"""
BLOCK = """<<<<<<< SEARCH
    return a - b
=======
    return a + b
>>>>>>> REPLACE"""


@pytest.mark.parametrize(
    "given",
    [
        {"file_path": "calc.py", "old_string": "return a - b", "new_string": "return a + b"},
        {"filePath": "calc.py", "oldString": "return a - b", "newString": "return a + b"},
        {"command": "str_replace", "path": "calc.py", "old_str": "return a - b",
         "new_str": "return a + b"},
        {"path": "calc.py", "edits": [{"oldText": "return a - b", "newText": "return a + b"}]},
        {"path": "calc.py", "search": "return a - b", "replace": "return a + b"},
        {"patch": PATCH},
        {"input": PATCH},
        {"patchText": UNIFIED},
        {"path": "calc.py", "diff": BLOCK},
        {"changes": {"calc.py": {"update": {"unified_diff": UNIFIED.split("\n", 2)[2]}}}},
        {"changes": [{"path": "calc.py", "diff": UNIFIED.split("\n", 2)[2]}]},
        PATCH,
    ],
    ids=lambda given: ",".join(given) if isinstance(given, dict) else "text",
)  # fmt: skip
def test_a_change_is_told_by_what_was_removed_and_added(given: JsonValue) -> None:
    change = changed(given)

    assert change.path == "calc.py"
    texts = texts_of(change)
    assert "- return a - b" in texts
    assert texts.index("+ return a + b") == texts.index("- return a - b") + 1


@pytest.mark.parametrize(
    "given",
    [
        {"file_path": "a.py", "content": "one\ntwo\n"},
        {"path": "a.py", "command": "create", "file_text": "one\ntwo"},
        {"path": "a.py", "command": "insert", "insert_line": 4, "new_str": "one\ntwo"},
        {"file_path": "a.py", "old_string": "", "new_string": "one\ntwo"},
        {"path": "a.py", "contents": "one\r\ntwo\r\n"},
    ],
    ids=",".join,
)
def test_what_is_written_anew_is_told_as_added(given: JsonValue) -> None:
    assert texts_of(changed(given, kind=ToolKind.WRITE))[:2] == ["+ one", "+ two"]


def test_all_edits_of_a_list_are_told() -> None:
    edits: JsonValue = [{"old_string": f"a = {n}", "new_string": f"a = {n + 1}"} for n in range(3)]

    texts = texts_of(changed({"file_path": "a.py", "edits": edits}))

    assert texts == ["- a = 0", "+ a = 1", "- a = 1", "+ a = 2", "- a = 2", "+ a = 3"]


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"to": "me", "content": "hello"}, ToolKind.OTHER),
        ({"command": "apply_patch <<EOF"}, ToolKind.SHELL),
        ({"file_path": "a.py"}, ToolKind.EDIT),
        ({"file_path": "a.py", "old_string": "same", "new_string": "same"}, ToolKind.EDIT),
        ({"input": "no patch"}, ToolKind.EDIT),
        ({"edits": [1, None, "x", {"deep": [{"er": []}]}]}, ToolKind.EDIT),
        ("text", ToolKind.EDIT),
        (None, ToolKind.EDIT),
        ([], ToolKind.WRITE),
    ],
    ids=str,
)
def test_what_is_no_change_is_left_to_be_shown_as_given(given: JsonValue, kind: ToolKind) -> None:
    assert change_of(a_call_record(given, kind), max_lines=60) is None


def test_what_stays_is_told_only_around_the_change() -> None:
    before = [f"line {n}" for n in range(50)]
    after = [*before[:25], "new line", *before[26:]]

    change = changed({"path": "a", "old_str": "\n".join(before), "new_str": "\n".join(after)})

    assert change.rows == (
        Gap(23),
        *(row for row in change.rows if isinstance(row, Line)),
        Gap(22),
    )
    assert texts_of(change) == [
        "  line 23", "  line 24", "- line 25", "+ new line", "  line 26", "  line 27",
    ]  # fmt: skip


def test_indentation_in_common_is_left_out() -> None:
    old = "        if a:\n            return b"

    texts = texts_of(changed({"path": "a", "old_str": old, "new_str": old.replace("b", "c")}))

    assert texts == ["  if a:", "- return b", "+ return c"]


@pytest.mark.parametrize("rows", [3, 5, 8, 30])
def test_both_sides_are_in_sight_however_little_room_there_is(rows: int) -> None:
    old, new = ("\n".join(f"{side} {n}" for n in range(100)) for side in ("old", "new"))
    change = changed({"path": "a", "old_str": old, "new_str": new})

    ((given, _),) = fit([(change.rows, ())], None, 40, rows)

    texts = [row.text for row in given if isinstance(row, Line)]
    assert {"- old 0", "+ new 0"} <= set(texts)
    assert len(given) <= 8


def test_a_long_line_is_shown_where_it_begins_to_differ() -> None:
    head = "x" * 200
    change = changed({"path": "a", "old_str": f"{head} = one", "new_str": f"{head} = two"})

    ((given, _),) = fit([(change.rows, ())], None, 30, 3)

    texts = [row.text for row in given if isinstance(row, Line)]
    assert texts[0].startswith("- …")
    assert texts[0].endswith("= one")
    assert texts[1].endswith("= two")


def test_control_characters_of_a_change_are_visible() -> None:
    change = changed({"path": "a\x1b[2J", "old_str": "b\x1b[2J", "new_str": "c\u202e"})

    assert change.path == "a<U+001B>[2J"
    assert texts_of(change) == ["- b<U+001B>[2J", "+ c<U+202E>"]


def test_a_huge_change_takes_little_time() -> None:
    old, new = ("\n".join(f"{side} {n}" for n in range(50_000)) for side in ("old", "new"))
    started = time.process_time()

    change = changed({"path": "a", "old_str": old, "new_str": new})

    assert len(change.rows) <= 60
    assert time.process_time() - started < 5


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)], ids=str)
async def test_the_change_of_a_cited_step_is_in_sight(
    review: Review, size: tuple[int, int]
) -> None:
    session = review.record(
        a_call("python -m unittest", output="FAIL: test_add", status="error", exit_code=1),
        {
            "event_type": "tool_call",
            "tool_name": "Edit",
            "input": {"file_path": "/a/long/way/down/to/the/source/of/calc.py",
                      "old_string": "def f():\n    return a - b", "new_string":
                      "def f():\n    return a + b", "replace_all": False},
            "output": "The file was updated.\n" * 20,
            "status": "ok",
        },
    )  # fmt: skip
    review.propose(an_experience(1, session_id=session))
    async with review.run(size=size) as pilot:
        await until_read(pilot)
        text = screen_text(pilot)
        for expected in ("calc.py", "- return a - b", "+ return a + b", "FAIL: test_add"):
            assert expected in text
        assert "replace_all" not in text
        assert "was updated" not in text
        await pilot.press("o", "z")
        assert "/a/long/way/down/to/the/source/of/calc.py" in screen_text(pilot)
        assert "was updated" in screen_text(pilot)


def changed(given: JsonValue, *, kind: ToolKind = ToolKind.EDIT) -> Change:
    change = change_of(a_call_record(given, kind), max_lines=60)
    assert change is not None
    return change


def texts_of(change: Change) -> list[str]:
    return [row.text for row in change.rows if isinstance(row, Line)]


def a_call_record(given: JsonValue, kind: ToolKind) -> Call:
    return Call(
        step_index=2,
        tool_name="Edit",
        tool_kind=kind,
        input=given,
        output="",
        status=Status.OK,
        call_event=Event(
            session_id="s", trace_id="s", seq=2, step_index=2, event_id="e",
            event_type=EventType.TOOL_CALL, actor=Actor.AGENT,
        ),
    )  # fmt: skip
