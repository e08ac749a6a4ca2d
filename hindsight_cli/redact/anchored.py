"""Formats without a prefix at the start of a word: a rare mark inside them is looked for. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.shapes import is_placeholder
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_secret


class Anchored(NamedTuple):
    """`pattern` is searched from `back` characters before the mark; group 1 is the secret."""

    kind: str
    pattern: str
    found: tuple[str, ...]
    left: tuple[str, ...] = ()
    back: int = 0
    chosen: bool = False  # by a person: judged like a password


_WINDOW = 320
_PAYPAL = "access_token$production${b36:16}${hex:32}"
_HASHED = r"\$(?:\w{1,10}|argon2\w+|pbkdf2[\w-]*)\$"
_HASH = (
    r"(\$(?:[1569]|2[abxy]?|y|gy|apr1|argon2[id]{1,2}|scrypt|pbkdf2[\w-]*)\$[\w./$,=+-]{20,250})"
)

ANCHORED = (
    Anchored(
        "telegram_token", r"(?<!\d)(\d{8,11}:A[\w-]{33,36})(?![\w-])", ("{dig:10}:AA{url:33}",),
        back=11,
    ),
    Anchored(
        "fcm_key", r"(AAAA[\w-]{7}:APA91b[\w-]{100,180})", ("AAAA{url:7}:APA91b{url:134}",),
        back=11,
    ),
    Anchored(
        "pgpass", r":5432:[\w*.-]{1,63}:[\w*.-]{1,63}:([^\s:\"'`]{4,128})",
        ("db.test:5432:app:app:{b62:14}",), ("host:5432:db:user:password",), chosen=True,
    ),
    Anchored(
        "jetbrains_token", r"(perm:[\w=+/-]{10,200}\.[\w=+/-]{4,200}\.[\w+/=-]{20,200})",
        ("perm:{b62:12}.{b62:8}.{b62:32}",), back=4,
    ),
    Anchored(
        "azure_secret", r"(?<![\w.~-])([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~-])",
        ("{b62:3}8Q~{b62:34}",), back=5,
    ),
    Anchored("openshift_token", r"(sha256~[\w-]{40,50})", ("sha256~{url:43}",), back=6),
    Anchored(
        "paypal_token",
        r"(access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32})", (_PAYPAL,), back=12,
    ),
    Anchored(
        "password_hash", _HASH,
        ("root:$6${b62:16}${b62:86}:19000:0", "a:$apr1${b62:8}${b62:22}", "$2b$12${b62:53}"),
        ("echo $1$2$3",),
    ),
    Anchored(
        "google_refresh_token", r"(?<!\w)(1//0[\w-]{30,120})", ("1//0{url:60}",), back=1,
    ),
    Anchored(
        "otp_secret", r"otpauth://\S{0,200}?[?&]secret=([A-Z2-7a-z]{12,128})",
        ("otpauth://totp/a:b?secret={up:4}QRSTUVWX{up:12}",), back=8,
    ),
    Anchored(
        "sql_password",
        r"(?i:identified (?:with \\*[\"'`]?\w+\\*[\"'`]? )?(?:by|as)(?: password)?)"
        r" \\*[\"']([^\"'`\\\n]{3,128})",
        (
            "CREATE USER a IDENTIFIED BY '{pw}'",
            "identified with mysql_native_password by '{pw}'",
        ),
        ("IDENTIFIED BY 'password'",), chosen=True,
    ),
    Anchored(
        "powershell_password",
        r"ConvertTo-SecureString (?:-String )?[\"']([^\"'\n]{4,128})",
        ("ConvertTo-SecureString '{pw}' -AsPlainText -Force",),
        ("ConvertTo-SecureString $env:PW -AsPlainText",), chosen=True,
    ),
)  # fmt: skip
# The marks above, grouped by what they begin with.
_SEARCHES = (
    (r":(?:A[\w-]{20}|5432:)|:(?<=perm:)", "telegram_token fcm_key pgpass jetbrains_token"),
    (r"~(?<=Q~|6~)", "azure_secret openshift_token"),
    (r"//(?:0|[th]otp/)", "google_refresh_token otp_secret"),
    (r"(?i:identified )", "sql_password"),
    (r"ConvertTo-SecureString", "powershell_password"),
)
# A sign's begin: where its mark stands. `conv` of ConvertTo is of another detector.
_MARK_BEHIND = {"p": len("perm"), "q": 1, "6": 1, "n": -len("co")}
_BY_KIND = {rule.kind: rule for rule in ANCHORED}


def find_anchored(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Hits of every format above whose mark has a sign."""
    marks = sorted(at + _MARK_BEHIND.get(low[at], 0) for at in places)
    for search, kinds in _SEARCHES:
        is_mark = compiled(search).match
        yield from _at_marks(text, kinds, (at for at in marks if is_mark(text, at)))


def find_hashes(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Hits of the formats between dollars."""
    if "$" in text:
        marks = (mark.start() for mark in compiled(_HASHED).finditer(text))
        yield from _at_marks(text, "paypal_token password_hash", marks)


def _at_marks(text: str, kinds: str, marks: Iterable[int]) -> Iterator[Hit]:
    done = 0
    for at in marks:
        if at < done:
            continue
        for kind in kinds.split():
            found = _match(text, _BY_KIND[kind], at)
            if found is not None:
                done = found.end(1)
                if _is_one(_BY_KIND[kind], found):
                    yield Hit(found.start(1), done, kind, sure=2)
                break


def _match(text: str, rule: Anchored, at: int) -> re.Match[str] | None:
    start = max(0, at - rule.back)
    found = compiled(rule.pattern).search(text, start, at + _WINDOW)
    return found if found and found.start() <= at + 1 else None


def _is_one(rule: Anchored, found: re.Match[str]) -> bool:
    value = found[1]
    if not rule.chosen:
        return not is_placeholder(value)
    prose = value.isalpha() and found.group()[0].islower()  # columns identified by "name"
    return not prose and is_secret(value, Level.PASSWORD, config=True)
