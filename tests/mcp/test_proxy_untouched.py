"""Messages come out of the proxy as they went in, byte for byte."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hindsight_cli.api.project import Project
from hindsight_cli.capture.proxy.envelope import Envelope, envelopes_of
from hindsight_cli.capture.proxy.lines import Lines, Sieve
from tests.mcp.proxied import SERVERS, Proxied, wait_for

REFLECTING = [sys.executable, str(SERVERS / "reflecting.py")]
text = st.text(max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(10**30, 10**400) | st.floats() | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
ids = st.integers() | text
extras = st.dictionaries(text, values, max_size=3)


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(
        st.sampled_from(
            [
                st.fixed_dictionaries({"id": ids, "method": text, "params": values}),
                st.fixed_dictionaries({"method": text, "params": values}),
                st.fixed_dictionaries({"id": ids, "result": values}),
                st.fixed_dictionaries({"id": ids | st.none(), "error": values}),
            ]
        )
    )
    members = [*draw(extras).items(), *draw(kind).items(), ("jsonrpc", "2.0")]
    return dict(draw(st.permutations(members)))


spellings = st.builds(
    lambda ascii_only, separators: {"ensure_ascii": ascii_only, "separators": separators},
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]),
)


@pytest.fixture(scope="module")
def reflected(tmp_path_factory: pytest.TempPathFactory) -> Any:
    project = Project(tmp_path_factory.mktemp("reflected") / "p")
    project.root.mkdir()
    project.init()
    with Proxied(project.root, REFLECTING) as client:
        yield client


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(messages(), spellings), min_size=1, max_size=5))
def test_random_messages_pass_unchanged_both_ways(reflected: Proxied, sent: list[Any]) -> None:
    lines = [json.dumps(m, **spelling).encode("utf-8", "replace") + b"\n" for m, spelling in sent]
    before = len(reflected.raw)
    reflected.write(b"".join(lines))
    wait_for(lambda: len(reflected.raw) >= before + len(lines))
    assert reflected.raw[before:] == lines


@settings(deadline=None)
@given(messages(), spellings, st.integers(17_000, 40_000))
def test_the_id_of_a_long_message_is_that_of_the_whole(
    message: dict[str, Any], spelling: dict[str, Any], size: int
) -> None:
    name = next((n for n in ("params", "result", "error") if n in message), "params")
    message[name] = {"filled": "x" * size, "was": message.get(name), "id": 1, "last": [{"id": 2}]}
    data = json.dumps(message, **spelling).encode("utf-8", "replace")
    (found,) = envelopes_of(data)
    expected = Envelope(json.loads(data))
    assert (found.key, found.has_id) == (expected.key, expected.has_id)
    cut = envelopes_of(data[:8000], data[-4096:])
    assert all(envelope.key == expected.key for envelope in cut if envelope.has_id)


@given(st.lists(st.binary(max_size=30), max_size=6), st.integers(1, 9))
def test_lines_are_the_same_however_they_arrive(parts: list[bytes], step: int) -> None:
    data = b"\n".join(part.replace(b"\n", b"") for part in parts) + b"\n"
    lines = Lines()
    found = [
        line.data for at in range(0, len(data), step) for line in lines.add(data[at : at + step])
    ]
    assert found == data.split(b"\n")[:-1]
    assert lines.rest() is None


@given(st.lists(st.sampled_from([b'{"jsonrpc":"2.0","id":1}', b"noise", b""])), st.integers(1, 40))
def test_noise_is_sorted_out_however_it_arrives(lines: list[bytes], step: int) -> None:
    data = b"".join(line + b"\n" for line in lines)
    sieve = Sieve()
    pieces = [sieve.take(data[at : at + step]) for at in range(0, len(data), step)]
    passed, noise = (
        (b"".join(column) for column in zip(*pieces, strict=True)) if pieces else (b"", b"")
    )
    assert passed == b"".join(line + b"\n" for line in lines if line.startswith(b"{"))
    assert noise == b"".join(line + b"\n" for line in lines if not line.startswith(b"{"))
