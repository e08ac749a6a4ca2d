"""Entries of ours go into any configuration and out again without a trace."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hindsight_cli.integrations.json_edit import Document, Made
from hindsight_cli.integrations.json_text import JsonSyntaxError, parse, value_of
from hindsight_cli.integrations.registration import (
    HookStyle,
    found_in,
    hook_command,
    own_program,
    own_server,
    put_hooks,
    put_plugin,
    put_server,
    remove_hooks,
    remove_plugin,
    remove_server,
)
from hindsight_cli.integrations.toml_edit import (
    TomlSyntaxError,
    read_table,
    with_table,
    without_table,
)

few = settings(max_examples=40, deadline=None)
PROGRAM = ("/opt/tools/bin/hindsight",)
STYLE = HookStyle(agent="claude-code", timeouts={"SessionStart": 5, "Stop": 5, "Other": 5})
SERVER = ("mcpServers", "hindsight")
PLUGIN = "file:///home/u/opencode/hindsight.js"

# JSON as people write it: any white space, comments, trailing commas.
space = st.text(" \t", max_size=3)
line_end = st.sampled_from(["\n", "\r\n"])


@st.composite
def gaps(draw: st.DrawFn, newline: str) -> str:
    """White space and comments, as they may stand between any two tokens."""
    parts = draw(
        st.lists(
            st.sampled_from(
                ["", " ", "  ", "\t", newline, newline + "  ", f"// c, }}{newline}", "/* ] */"]
            ),
            max_size=3,
        )
    )
    return "".join(parts)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-99, 99),
    st.text(max_size=6),
    st.floats(allow_nan=False, allow_infinity=False),
)
names = st.sampled_from(["hooks", "mcpServers", "SessionStart", "Stop", "plugin", "a", "b", "é/~"])
user_hooks = st.fixed_dictionaries(
    {"hooks": st.lists(st.fixed_dictionaries({"command": st.text(max_size=5)}), max_size=2)}
)
settings_of_all_kinds = st.dictionaries(
    names,
    st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=3)
        ),
        max_leaves=8,
    ),
    max_size=4,
)
known_forms = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(
            st.sampled_from(["SessionStart", "Stop", "Mine"]), st.lists(user_hooks, max_size=2)
        ),
        "mcpServers": st.dictionaries(st.sampled_from(["x", "y"]), scalars, max_size=2),
        "plugin": st.lists(st.text(max_size=5), max_size=2),
        "z": st.integers(),
    },
)


@st.composite
def written(draw: st.DrawFn) -> str:
    """A text of settings in which our entries have room."""
    newline = draw(line_end)
    others = draw(settings_of_all_kinds)
    for own in ("hooks", "mcpServers", "plugin"):
        others.pop(own, None)
    data = {**others, **draw(known_forms)}
    if draw(st.booleans()):  # as a program writes it
        indent = draw(st.sampled_from([None, 2, 4, "\t"]))
        text = json.dumps(data, indent=indent, ensure_ascii=draw(st.booleans()))
        return text.replace("\n", newline) + draw(st.sampled_from(["", newline, newline * 2]))
    gap = gaps(newline)

    def show(value: Any) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value)
        shown = []
        for part in value.items() if isinstance(value, dict) else value:
            key = f"{json.dumps(part[0])}{draw(gap)}:{draw(gap)}" if isinstance(value, dict) else ""
            shown.append(key + show(part[1] if isinstance(value, dict) else part))
        body = "".join(
            draw(gap) + item + draw(gap) + ("," if n + 1 < len(shown) else "")
            for n, item in enumerate(shown)
        )
        has_comma = draw(st.booleans())
        if shown and has_comma:
            body += "," + draw(gap)
        left, right = "{}" if isinstance(value, dict) else "[]"
        return left + (body or draw(gap)) + right

    return draw(gap) + show(data) + draw(gap)


def install(text: str, made: Made, program: tuple[str, ...] = PROGRAM) -> str:
    document = Document(text, made)
    put_hooks(document, STYLE, program)
    put_plugin(document, PLUGIN)
    put_server(document, SERVER, program)
    return document.text


def remove(text: str, made: Made) -> str:
    document = Document(text, made)
    remove_server(document, SERVER)
    remove_plugin(document)
    remove_hooks(document)
    return document.text


def read(text: str) -> Any:
    node = parse(text)
    return None if node is None else value_of(text, node)


def without_ours(data: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """What is left of installed settings without what belongs to us."""
    data = json.loads(json.dumps(data))
    for event, groups in list(data["hooks"].items()):
        data["hooks"][event] = [
            g
            for g in groups
            if not (g["hooks"] and own_program(str(g["hooks"][0].get("command"))) is not None)
        ]
        if not data["hooks"][event] and event not in before.get("hooks", {}):
            del data["hooks"][event]
    data["mcpServers"].pop("hindsight")
    data["plugin"].remove(PLUGIN)
    return {k: v for k, v in data.items() if v or k in before}


@few
@given(written())
def test_what_was_put_in_goes_out_again_without_a_trace(text: str) -> None:
    made = Made()
    installed = install(text, made)

    assert remove(installed, made) == text


@few
@given(written())
def test_all_else_means_the_same_while_ours_is_in(text: str) -> None:
    installed = read(install(text, Made()))

    assert without_ours(installed, read(text)) == read(text)


@few
@given(written())
def test_all_of_ours_is_in_once_and_installing_again_changes_nothing(text: str) -> None:
    made = Made()
    installed = install(text, made)

    found = found_in(Document(installed, made), SERVER)
    assert sorted(event for event, _ in found.hooks) == sorted(STYLE.timeouts)
    assert len(found.hooks) == len(STYLE.timeouts)
    assert found.server == (*PROGRAM, "mcp", "serve")
    assert found.plugins == (PLUGIN,)
    assert install(installed, made) == installed


@few
@given(written())
def test_every_line_that_was_there_is_still_there(text: str) -> None:
    """Comments too: nothing is written anew from values."""
    installed = install(text, Made())
    at = 0
    for character in text:
        at = installed.index(character, at) + 1


@few
@given(written(), st.sampled_from(["/usr/bin/hindsight", "/a b/hindsight", "/new/hindsight"]))
def test_an_upgrade_replaces_ours_alone_and_still_goes_without_a_trace(
    text: str, program: str
) -> None:
    made = Made()
    upgraded = install(install(text, made), made, (program,))

    assert install(text, Made(), (program,)) == upgraded
    assert remove(upgraded, made) == text


@few
@given(written(), st.sampled_from(["first", "last"]), st.sampled_from([None, 2]))
def test_what_a_person_added_meanwhile_stays(text: str, place: str, indent: int | None) -> None:
    """Another program may write the file anew in its own form, too."""
    made = Made()
    data = read(install(text, made))
    own = {"added": [1]}
    data = {**own, **data} if place == "first" else {**data, **own}
    data["hooks"].setdefault("Mine", []).append({"hooks": [{"command": "mine"}]})
    data["mcpServers"]["mine"] = {"command": "mine"}
    again = json.dumps(data, indent=indent)

    left = read(remove(again, made))

    before = read(text)
    assert left["added"] == [1]
    assert left["hooks"].pop("Mine")[-1] == {"hooks": [{"command": "mine"}]}
    assert left["mcpServers"].pop("mine") == {"command": "mine"}
    del left["added"]
    before.get("hooks", {}).pop("Mine", None)
    assert {k: v for k, v in left.items() if v or k in before} == before


@few
@given(written())
def test_without_a_record_ours_goes_and_all_else_stays(text: str) -> None:
    installed = install(text, Made())

    left = read(remove(installed, Made(is_known=False)))

    assert _bare(left) == _bare(read(text))


def _bare(value: Any) -> Any:
    """Without what is empty, or gets empty by that."""
    if not isinstance(value, dict):
        return value
    inner = {k: _bare(v) for k, v in value.items()}
    return {k: v for k, v in inner.items() if v not in ({}, [])}


@pytest.mark.parametrize("blank", ["", "\n", "  \r\n"])
def test_a_blank_file_is_blank_again(blank: str) -> None:
    made = Made()
    installed = install(blank, made)
    assert json.loads(installed)["mcpServers"]["hindsight"]["args"] == ["mcp", "serve"]
    assert remove(installed, made) == blank


def test_a_comment_stays_behind_what_it_is_about() -> None:
    text = '{\n  "a": 1, // one\n  "b": 2 // two\n  // end\n}\n'
    made = Made()
    document = Document(text, made)
    document.put(("c",), 3)
    assert document.text == '{\n  "a": 1, // one\n  "b": 2, // two\n  "c": 3\n  // end\n}\n'
    document.remove(("c",))
    assert document.text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"a":1,// c\n"mcpServers":{OURS}}', '{"a":1// c\n}'),
        ('{"a":1,// c\n"mcpServers":{OURS},// d\n}', '{"a":1,// c\n// d\n}'),
        ('{// c\n"mcpServers":{OURS},"a":1}', '{// c\n"a":1}'),
        ('{// c\n"mcpServers":{OURS}}', "{// c\n}"),
        ('{"a":1,/* c */\n"mcpServers":{OURS}}', '{"a":1/* c */}'),
        ('{"mcpServers":{// c\n OURS}}', '{"mcpServers":{// c\n}}'),
    ],
)
def test_a_comment_before_what_goes_does_not_swallow_what_follows(text: str, left: str) -> None:
    ours = '"hindsight":{"command":"/x/hindsight","args":["mcp","serve"]}'
    document = Document(text.replace("OURS", ours), Made(is_known=False))
    remove_server(document, SERVER)
    assert document.text == left


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('{"a": 1', 1, '"," or "}" is missing'),
        ('{\n  "a": 1\n  "b": 2\n}', 3, '\'"\' where "," or "}" is due'),
        ("{\n'a': 1}", 2, "where a key in quotes"),
        ('{\n\n"a": tru}', 3, "'tru}' is no value"),
        ('{"a": "x\ny"}', 1, "a text in quotes that is not ended"),
        ('{"a": 01}', 1, "is no value"),
        ('{} {"b": 1}', 1, "after the end of the value"),
        ("{ /* open", 1, "a comment that is not ended"),
        ('{"a":', 1, "it ends where a value is due"),
        ("[" * 100_000, 1, "nested too deeply"),
        ("<<<<<<< HEAD\n{}", 1, "is no value"),
    ],
)
def test_a_broken_text_is_refused_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(JsonSyntaxError) as caught:
        parse(text)
    assert caught.value.line == line
    assert problem in caught.value.problem


@few
@given(settings_of_all_kinds, st.sampled_from([None, 1]), st.booleans())
def test_what_is_read_as_json_is_read_the_same(
    data: Any, indent: int | None, escaped: bool
) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=escaped)
    assert read(text) == json.loads(text)


@few
@given(st.text('{}[]",:\\/*1e-. \n', max_size=12))
def test_a_text_that_is_no_json_for_the_library_is_none_here(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        if "," in text or "/" in text:  # a comment, or a comma too many
            return
        if not text.strip():
            return  # nothing set
        with pytest.raises(JsonSyntaxError):
            parse(text)
    else:
        assert read(text) == json.loads(text)


@pytest.mark.parametrize(
    "path",
    ["/usr/bin/hindsight", "/My Tools/hindsight", "/a$b/`c`/hindsight", "/q'uo\"te/hindsight"],
)
def test_a_hook_of_ours_is_told_by_its_command(path: str) -> None:
    command = hook_command((path,), "codex", "Stop")
    assert own_program(command) == [path]
    module = hook_command(("/usr/bin/python3", "-m", "hindsight_cli"), "codex", "Stop")
    assert own_program(module) == ["/usr/bin/python3", "-m", "hindsight_cli"]


@pytest.mark.parametrize(
    "command",
    [
        "hindsight recall",
        "/usr/bin/other hook codex Stop",
        "echo hindsight hook codex Stop",
        "hindsight hook",
        "it's",
        "",
    ],
)
def test_hooks_of_others_are_not_taken_for_ours(command: str) -> None:
    assert own_program(command) is None


def test_servers_of_ours_keep_what_a_person_added() -> None:
    argv = ["hindsight", "mcp", "serve", "--project", "/x"]
    entry = {"command": argv[0], "args": argv[1:], "env": {"A": "1"}}
    document = Document(json.dumps({"mcpServers": {"hindsight": entry}}), Made())
    assert put_server(document, SERVER, PROGRAM)
    assert document.value(SERVER) == {**entry, "command": PROGRAM[0]}
    assert own_server(argv) == ["hindsight"]


def test_a_server_of_another_program_under_our_name_is_left_alone() -> None:
    text = '{"mcpServers": {"hindsight": {"command": "hindsight-mcp", "args": ["--bank", "x"]}}}'
    document = Document(text, Made())
    assert not put_server(document, SERVER, PROGRAM)
    remove_server(document, SERVER)
    assert document.text == text
    assert found_in(document, SERVER).foreign_server == "hindsight-mcp --bank x"


def test_hooks_of_ours_that_are_no_longer_wanted_or_double_go() -> None:
    document = Document("{}", Made())
    put_hooks(document, HookStyle(agent="codex", timeouts={"Old": 5, "Stop": 5}), PROGRAM)
    document.append(("hooks", "Stop"), document.value(("hooks", "Stop", 0)))
    document.append(("hooks", "Stop"), {"hooks": [{"command": "mine"}]})
    put_hooks(document, HookStyle(agent="codex", timeouts={"Stop": 3}), PROGRAM)
    commands = [g["hooks"][0]["command"] for g in document.value(("hooks", "Stop"))]
    assert commands == ['"/opt/tools/bin/hindsight" hook codex Stop', "mine"]
    assert list(document.value(("hooks",))) == ["Stop"]


# TOML

TABLE = ("mcp_servers", "hindsight")
WANTED = {"command": "/opt/hindsight", "args": ["mcp", "serve"], "env_vars": ["A"]}
toml_scalars = st.sampled_from(
    ["1", '"x"', "'[x]'", "true", '"""\n[mcp_servers.hindsight]\n"""', "[1, # c ]\n 2,\n]", "1.5"]
)
statements = st.lists(
    st.one_of(
        st.sampled_from(["", "# c [x]", "  # indented ", "\t"]),
        st.builds(lambda v: f"KEY = {v} # ok", toml_scalars),
        st.just("[TABLE]"),
        st.just("[mcp_servers.TABLE]"),
        st.just('  [ "TABLE" . x ] # sub'),
        st.just("[[list.TABLE]]"),
    ),
    max_size=8,
)


@st.composite
def toml(draw: st.DrawFn) -> str:
    rows = draw(statements)
    numbered = [r.replace("KEY", f"k{n}").replace("TABLE", f"t{n}") for n, r in enumerate(rows)]
    text = "\n".join(numbered) + draw(st.sampled_from(["", "\n", "\n\n", "\n  "]))
    return text.replace("\n", draw(line_end))


@few
@given(toml())
def test_a_table_goes_in_and_out_of_toml_without_a_trace(text: str) -> None:
    before = tomllib.loads(text)
    after = with_table(text, TABLE, WANTED)

    assert after.startswith(text)
    data = tomllib.loads(after)
    assert data["mcp_servers"].pop("hindsight") == WANTED
    assert {k: v for k, v in data.items() if v or k in before} == before
    assert with_table(after, TABLE, WANTED) == after
    assert without_table(after, TABLE, after[len(text) :]) == text


@few
@given(toml(), st.sampled_from(["[later]\na = 1\n", "# mine\n[later]\n", ""]))
def test_what_a_person_added_to_toml_meanwhile_stays(text: str, more: str) -> None:
    assume(text.endswith(("\n", "\r\n")) or not text)
    after = with_table(text, TABLE, WANTED)
    added = after[len(text) :]

    assert without_table(after + more, TABLE, added) == text + more
    assert without_table(after + more, TABLE).split() == (text + more).split()


def test_an_upgrade_of_toml_keeps_what_a_person_added() -> None:
    text = (
        "# top\n[mcp_servers.hindsight] # ours\ncommand = '/old/hindsight' # c\n"
        "startup_timeout_sec = 20\nargs = [\n  'mcp',\n  'serve',\n]\n\n"
        "[mcp_servers.hindsight.env]\nA = '1'\n\n# theirs\n[other]\nb = 1\n"
    )
    after = with_table(text, TABLE, WANTED)
    data = tomllib.loads(after)
    assert data["mcp_servers"]["hindsight"] == {
        **WANTED,
        "startup_timeout_sec": 20,
        "env": {"A": "1"},
    }
    assert after.endswith("\n\n# theirs\n[other]\nb = 1\n")
    assert without_table(after, TABLE) == "# top\n\n# theirs\n[other]\nb = 1\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = \n", 1),
        ("a = 1\n[x\n", 2),
        ("a = 1\n\na = 2\n", 3),
        ("mcp_servers = 1\n", 1),
        ("\nmcp_servers = {}\n", 2),
        ('[mcp_servers]\nhindsight = {command = "old"}\n', 1),
    ],
)
def test_toml_that_is_broken_or_of_another_form_is_refused_with_its_line(
    text: str, line: int
) -> None:
    with pytest.raises(TomlSyntaxError) as caught:
        with_table(text, TABLE, WANTED)
    assert caught.value.line == line


def test_a_table_in_any_form_is_read() -> None:
    assert read_table("mcp_servers.hindsight.command = 'x'\n", TABLE) == {"command": "x"}
    assert read_table("", TABLE) is None
