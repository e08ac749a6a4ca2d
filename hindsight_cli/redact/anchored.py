"""Formats that no word boundary starts: a literal inside them is looked for instead. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.tokens import compiled
from hindsight_cli.redact.values import is_placeholder, is_secret


@dataclass(frozen=True, slots=True)
class Anchored:
    """The pattern is searched from `back` characters before the literal; group 1 is the secret."""

    kind: str
    literal: str
    pattern: str
    found: tuple[str, ...]
    left: tuple[str, ...] = ()
    back: int = 0
    window: int = 300
    chosen: bool = False  # by a person: checked like a password


ANCHORED = (
    Anchored("telegram_token", ":AA", r"(?<!\d)(\d{8,11}:AA[\w-]{31,35})(?![\w-])", ("{dig:10}:AA{url:33}",), back=12),
    Anchored("azure_secret", "Q~", r"(?<![\w.~-])([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~-])", ("{b62:3}8Q~{b62:34}",), back=5),
    Anchored("google_refresh_token", "1//0", r"(?<!\w)(1//0[\w-]{30,120})", ("1//0{url:60}",)),
    Anchored("openshift_token", "sha256~", r"(sha256~[\w-]{40,50})", ("sha256~{url:43}",)),
    Anchored("paypal_token", "access_token$", r"(access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32})", ("access_token$production${b36:16}${hex:32}",)),
    Anchored("jetbrains_token", "perm:", r"(perm:[\w=+/-]{10,200}\.[\w=+/-]{4,200}\.[\w+/=-]{20,200})", ("perm:{b62:12}.{b62:8}.{b62:32}",)),
    Anchored("fcm_key", ":APA91b", r"(AAAA[\w-]{7}:APA91b[\w-]{100,180})", ("AAAA{url:7}:APA91b{url:134}",), back=11),
    Anchored("otp_secret", "otpauth://", r"otpauth://\S{0,200}?[?&]secret=([A-Z2-7a-z]{12,128})", ("otpauth://totp/a:b?secret={up:4}QRSTUVWX{up:12}",)),
    Anchored("pgpass", ":5432:", r"(?<=:5432:)[\w*.-]{1,63}:[\w*.-]{1,63}:([^\s:\"'`]{4,128})", ("db.test:5432:app:app:{b62:14}",), ("host:5432:db:user:password",), chosen=True),
    Anchored("netrc", "login ", r"(?<=login )\S{1,80}\s+password[ \t]+(\S{4,128})", ("machine a.test login bot password {b62:14}",), ("login name password <password>",), chosen=True),
    Anchored("sql_password", "dentified by", r"dentified by (?:password )?\\*[\"']([^\"'`\\\n]{3,128})", ("CREATE USER a IDENTIFIED BY '{b62:12}'",), ("IDENTIFIED BY 'password'",), chosen=True),
    Anchored("sql_password", "dentified with", r"dentified with \\*[\"'`]?\w+\\*[\"'`]? (?:by|as) \\*[\"'`]([^\"'`\\\n]{3,128})", ("IDENTIFIED WITH mysql_native_password BY '{b62:12}'",), chosen=True),
)  # fmt: skip
_HASHES = r"\$(?:[1569]|2[abxy]?|y|gy|apr1|argon2[id]{1,2}|scrypt|pbkdf2[\w-]*)\$[\w./$,=+-]{20,250}"


def find_anchored(text: str, low: str) -> Iterator[Hit]:
    """Hits of every format whose literal occurs."""
    for rule in ANCHORED:
        folded = rule.literal.islower()
        where = low if folded else text
        at = where.find(rule.literal)
        while at >= 0:
            start = max(0, at - rule.back)
            source = low if rule.literal.startswith("dentified") else text
            found = compiled(rule.pattern).search(source, start, at + rule.window)
            end = at + len(rule.literal)
            if found is not None and found.start() <= end and _is_one(rule, text[found.start(1) : found.end(1)]):
                end = found.end(1)
                yield Hit(found.start(1), end, rule.kind, sure=2)
            at = where.find(rule.literal, end)
    if "$" in text:
        for found in compiled(_HASHES).finditer(text):
            yield Hit(found.start(), found.end(), "password_hash", sure=2)


def _is_one(rule: Anchored, value: str) -> bool:
    return is_secret(value, Level.PASSWORD, config=True) if rule.chosen else not is_placeholder(value)
