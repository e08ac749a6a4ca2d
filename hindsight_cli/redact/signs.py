"""Where a text has what the detectors look for: one pass for all of them. Pure.

A pattern with dozens of beginnings is tried at every other character, 9 ns a character, and
nine detectors pass over a text. Here four tables give each character a bit for every group of
signs that has it at that place; laid over one another, shifted by one, the bits that stay
are where all four characters of a sign may stand: whole numbers of 64 KB do the laying over,
for all detectors at once in 6 ns a character. What stays by chance (a character of one sign and
the next of another of its group) the detectors' own patterns sort out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

# Each detector's signs in lower case, whole: it is asked about a text only if one is there.
# Those of names and flags are looked at by their patterns, which is as quick. Signs of two
# detectors never begin with the same two characters: some begin inside of what they are of.
LITERALS: Mapping[str, tuple[str, ...]] = {
    "blocks": (" key", "private-lines", "kty"),
    "commands": ("rabbitmqctl", "net use ", "net user", "sqlplus", "alias set", "vault login"),
    "anchored": (
        *(":a", ":5432:", "perm:", "q~", "6~", "//0", "//totp/", "//hotp/"),
        *("identified ", "nvertto-securestring"),
    ),
    "urls": ("://",),
    "sources": ("@tcp(", "@unix(", "jdbc:oracle"),
    "webhooks": ("hook",),
    "manifests": ("kind",),
    "tokens": (
        *("ghp_", "gho_", "ghs_", "ghr_", "ghu_", "b_pat_", "glpat-", "k-ant-", "k_live_"),
        *("xoxb-", "xoxp-", "_mmk", ".atlasv1.", "-us"),
    ),
}
_FLAG_LETTERS = "hpauwsktxbcn-"
# What the signs begin with, in groups whose members are alike, so that little else fits a
# group. `?` is any character, `!` one that is in no word, `+` one that is or a dash, `#` a digit.
_GROUPS = (
    ("kty?", "key?", "://?", "cvv?", "otp!", "@tcp", "kenn"),
    (
        *("//to", "//ho", "//0?", "jdbc", "jwt?", "mdp!", "pwd?", "k_li"),
        *(f"{before}-{flag}?" for before in " \t\"'" for flag in _FLAG_LETTERS),
    ),
    ("tick", "kind", "senh", "seed", "ghr_", "gho_", "mnem", ":543", "cred", "_mmk"),
    (*("code", "cont", "xoxp", "xoxb", "toke", "psk!", "psw!", "pin!", "sig!", "sign", "@uni"),),
    ("iden", "hook", " key", "motd", "cook", "auth", ".atl", "rabb", "k-an"),
    ("sk!?", "sas!", "ak!?", "q~??", "sqlp", "salt", "6~??", ":a++"),
    ("b_pa", "priv", "phra", "net ", "nver", "perm", "paro", "bear"),
    (
        *("hasl", "sess", "vaul", "-us#", "hesl", "ghu_", "pass", "ghs_", "ghp_", "glpa", "alia"),
        *("appi", "secr"),
    ),
)
_WIDTH = 4
_IN_WORDS = b"abcdefghijklmnopqrstuvwxyz0123456789_"
_CHUNK_CHARS = 65_536
_END = b"\n" * (_WIDTH - 1)
_MARK = b"\1"
_ANY_BIT = b"\0" + _MARK * 255


def find_signs(low: str) -> Mapping[str, list[int]]:
    """Where each detector's signs begin in a text in lower case, in order; no key, no sign.

    Names and flags (`named`, `flags`) may be there by chance.
    """
    owner_of = _owners().get
    places: defaultdict[str, list[int]] = defaultdict(list)
    for start in range(0, len(low), _CHUNK_CHARS):
        chunk = low[start : start + _CHUNK_CHARS + _WIDTH - 1]
        at = -1
        for gap in _marks(chunk).split(_MARK)[:-1]:  # a third quicker than to find one by one
            at += len(gap) + 1
            owner = owner_of(chunk[at : at + 2])
            if owner is not None:
                detector, literals = owner
                if not literals or low.startswith(literals, start + at):
                    places[detector].append(start + at)
    return places


def _marks(chunk: str) -> bytes:
    """A byte for each character of a chunk, 1 where it and the next three fit a group of signs.

    The last three of a whole chunk are the first of the next and have none.
    """
    first, second, third, fourth = _tables()
    number = int.from_bytes
    raw = chunk.encode("latin-1", "replace")
    size = min(len(raw), _CHUNK_CHARS)
    if len(raw) < size + len(_END):
        raw += _END
    bits = (
        number(raw[:size].translate(first), "little")
        & number(raw[1 : size + 1].translate(second), "little")
        & number(raw[2 : size + 2].translate(third), "little")
        & number(raw[3 : size + 3].translate(fourth), "little")
    )
    return bits.to_bytes(size, "little").translate(_ANY_BIT) if bits else b""


@lru_cache(maxsize=1)
def _tables() -> tuple[bytes, ...]:
    """For each of four places in a sign: which groups have a character there, a bit each."""
    tables = [bytearray(256) for _ in range(_WIDTH)]
    classes = {
        "?": range(256),
        "!": [code for code in range(256) if code not in _IN_WORDS],
        "+": _IN_WORDS + b"-",
        "#": b"0123456789",
    }
    for number, group in enumerate(_GROUPS):
        for place, table in enumerate(tables):
            for char in {sign[place] for sign in group}:
                for code in classes.get(char) or char.encode():
                    table[code] |= 1 << number
    return tuple(bytes(table) for table in tables)


@lru_cache(maxsize=1)
def _owners() -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Whose a sign is, by its first two characters, and as what it is whole: () for no look."""
    owners: dict[str, tuple[str, tuple[str, ...]]] = {
        sign[:2]: ("flags" if sign[1] == "-" else "named", ())
        for group in _GROUPS
        for sign in group
    }
    whole = {text[:2]: name for name, texts in LITERALS.items() for text in texts}
    for head, name in whole.items():
        owners[head] = (name, tuple(text for text in LITERALS[name] if text.startswith(head)))
    return MappingProxyType(owners)
