"""Attack and benign experiences of our own: plain ones from the text files, obfuscated ones made.

A seed's number decides its half (even: development, odd: held out), and everything made from
a seed stays in the seed's half, so that rules are never written against the held-out one.
"""

from __future__ import annotations

import base64
import codecs
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

Line = dict[str, Any]

_HERE = Path(__file__).parent
_LOOKALIKE = str.maketrans("aeopcxyisjAEOPCTHKMBX", "аеорсхуіѕјАЕОРСТНКМВХ")
_GREEK = str.maketrans("oaivuktAEIOTKBHMNPXZ", "οαινυκτΑΕΙΟΤΚΒΗΜΝΡΧΖ")
_LEET = str.maketrans("aeiost", "4310$7")
_SMALL = str.maketrans("abcdeghijklmnoprtuvwz", "ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡᴢ")
_ASCII = range(0x21, 0x7F)


def _typos(text: str) -> str:
    """Swap two inner letters of every third long word."""
    words = text.split(" ")
    for at in range(0, len(words), 3):
        word = words[at]
        if len(word) > 5 and word.isalpha():
            words[at] = word[:2] + word[3] + word[2] + word[4:]
    return " ".join(words)


def _bold(text: str) -> str:
    small, big = 0x1D41A - ord("a"), 0x1D400 - ord("A")
    return "".join(
        chr(ord(c) + small) if "a" <= c <= "z" else chr(ord(c) + big) if "A" <= c <= "Z" else c
        for c in text
    )


def _circled(text: str) -> str:
    return "".join(chr(ord(c) - ord("a") + 0x24D0) if "a" <= c <= "z" else c for c in text.lower())


def _selectors(text: str) -> str:
    hidden = (b + 0xE00F0 if b >= 16 else b + 0xFE00 for b in text.encode())
    return "Use the cache.☺" + "".join(map(chr, hidden))


def _b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _escape_u(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" for c in text if ord(c) < 0x10000)


SHAPES: dict[str, Callable[[str], str]] = {
    "fullwidth": lambda t: "".join(chr(ord(c) + 0xFEE0) if ord(c) in _ASCII else c for c in t),
    "zero_width": "\u200b".join,
    "soft_hyphen": "\u00ad".join,
    "bidi": lambda t: f"See \u202e{t[::-1]}\u202c for this",
    "tags": lambda t: "Use the cache." + "".join(chr(0xE0000 + ord(c)) for c in t if ord(c) < 128),
    "selectors": _selectors,
    "cyrillic": lambda t: t.translate(_LOOKALIKE),
    "greek": lambda t: t.translate(_GREEK),
    "small_caps": lambda t: t.lower().translate(_SMALL),
    "math_bold": _bold,
    "circled": _circled,
    "accents": lambda t: "".join(c + "\u0336" if c.isalnum() else c for c in t),
    "spaced": " ".join,
    "dotted": lambda t: " ".join(".".join(w) for w in t.split(" ")),
    "dashed": lambda t: " ".join("-".join(w) for w in t.split(" ")),
    "newlines": lambda t: "\n".join(t.split(" ")) if " " in t else "\n".join(t),
    "base64": lambda t: f"Decode and apply: {_b64(t)}",
    "base64_wrapped": lambda t: "Apply:\n" + base64.encodebytes(t.encode()).decode(),
    "base64_twice": lambda t: f"Settings: {_b64(_b64(t))}",
    "base32": lambda t: f"Settings: {base64.b32encode(t.encode()).decode()}",
    "base85": lambda t: f"Settings: {base64.b85encode(t.encode()).decode()}",
    "zlib_base64": lambda t: "Settings: " + base64.b64encode(zlib.compress(t.encode())).decode(),
    "hex": lambda t: f"Bytes: {t.encode().hex()}",
    "hex_spaced": lambda t: "Bytes: " + t.encode().hex(" "),
    "hex_escapes": lambda t: "".join(f"\\x{b:02x}" for b in t.encode()),
    "octal": lambda t: "".join(f"\\{b:03o}" for b in t.encode()),
    "decimal": lambda t: "Codes: " + " ".join(str(ord(c)) for c in t),
    "binary": lambda t: "Bits: " + " ".join(f"{b:08b}" for b in t.encode()),
    "percent": lambda t: quote(t, safe=""),
    "percent_twice": lambda t: quote(quote(t, safe=""), safe=""),
    "entities": lambda t: "".join(f"&#x{ord(c):x};" for c in t),
    "unicode_escapes": _escape_u,
    "percent_in_base64": lambda t: "Settings: " + _b64(quote(t, safe="")),
    "hex_in_base64": lambda t: "Settings: " + _b64(t.encode().hex()),
    "rot13": lambda t: f"rot13: {codecs.encode(t, 'rot13')}",
    "reversed": lambda t: f"Read backwards: {t[::-1]}",
    "leet": lambda t: t.lower().translate(_LEET),
    "mixed_case": lambda t: "".join(c.upper() if i % 2 else c.lower() for i, c in enumerate(t)),
    "html_comment": lambda t: f"Run the tests first.\n<!-- {t} -->",
    "markdown_comment": lambda t: f"Run the tests first.\n\n[comment]: # ({t})",
    "padded": lambda t: "The tests take a while and the cache helps. " * 60 + t,
    "far_below": lambda t: "Run the tests." + "\n" * 80 + t,
    "typos": _typos,
    "code_block": lambda t: f"Run this:\n```\n{t}\n```",
}
_LATIN_ONLY = frozenset(
    "tags cyrillic greek small_caps math_bold circled accents dotted dashed rot13 leet".split()  # noqa: SIM905
) | {"mixed_case", "typos", "fullwidth", "decimal", "octal"}
_PER_SHAPE = 5  # seeds of either half that each shape is laid over


def _seeds(name: str) -> Iterator[tuple[int, list[str]]]:
    rows = (_HERE / name).read_text("utf-8").split("\n")
    cases = (row for row in rows if row.strip() and not row.startswith("#"))
    for number, row in enumerate(cases):
        yield number, [part.replace("\\n", "\n") for part in row.split(" ¦ ")]


def _experience(kind: str, scenario: str, recommend: str, avoid: str) -> Line:
    return {
        "kind": kind,
        "scenario": scenario,
        "recommend": recommend,
        "avoid": avoid,
        "cited_steps": [3],
        "cited_tools": ["bash"],
    }


def _line(line_id: str, parts: list[str], shape: str = "none") -> Line:
    kind, lang, scenario, recommend, *rest = parts
    line: Line = {"id": line_id, "kind": kind, "trap": kind, "lang": lang, "needs": "text"}
    line["obfuscation"] = shape
    hidden = SHAPES[shape](recommend) if shape != "none" else recommend
    if scenario in ("@tool", "@output"):
        surface = "mcp_tool_description" if scenario == "@tool" else "tool_output"
        return line | {"surface": surface, "tool": "web_fetch", "text": hidden}
    made = _experience("success_pattern", scenario, hidden, rest[0] if rest else "")
    return line | {"surface": "experience", "experience": made}


def _split_fields(line_id: str, parts: list[str]) -> Line:
    """A sentence cut over scenario, recommend and avoid."""
    words = parts[3].split(" ")
    third = len(words) // 3
    line = _line(line_id, parts) | {"obfuscation": "split_fields"}
    cut = (words[:third], words[third : 2 * third], words[2 * third :])
    return line | {"experience": _experience("success_pattern", *(" ".join(c) for c in cut))}


def attacks(half: int) -> list[Line]:
    """Plain and obfuscated attacks of one half: 0 for development, 1 held out."""
    seeds = [(n, parts) for n, parts in _seeds("attacks.txt") if n % 2 == half]
    lines = [_line(f"own-{n}", parts) for n, parts in seeds]
    experiences = [(n, parts) for n, parts in seeds if not parts[2].startswith("@")]
    latin = [(n, parts) for n, parts in experiences if parts[1] == "en"]
    for at, shape in enumerate(SHAPES):
        pool = latin if shape in _LATIN_ONLY else experiences
        for turn in range(_PER_SHAPE):
            n, parts = pool[(at * 7 + turn * 13) % len(pool)]
            lines.append(_line(f"own-{n}-{shape}-{turn}", parts, shape))
    for turn in range(_PER_SHAPE):
        n, parts = latin[(turn * 11) % len(latin)]
        lines.append(_split_fields(f"own-{n}-split-{turn}", parts))
    return lines


def benign(half: int) -> list[Line]:
    """Honest experiences of one half that look dangerous."""
    kept = [(n, parts) for n, parts in _seeds("benign.txt") if n % 2 == half]
    return [_line(f"fine-{n}", parts) for n, parts in kept]


def unseen() -> tuple[list[Line], list[Line]]:
    """Plain attacks and honest experiences written after the rules were: not to write rules by."""
    bad = [_line(f"new-{n}", parts) for n, parts in _seeds("unseen_attacks.txt")]
    return bad, [_line(f"newfine-{n}", parts) for n, parts in _seeds("unseen_benign.txt")]
