"""Secrets told in sentences: "the password is ...", 密码是 ..., пароль: ... Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hindsight_cli.redact.literals import Value, read_value
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_code, is_hash, is_placeholder, is_random, is_shape, is_told

_NEAR_CHARS = 100
_CJK_WORDS = (
    "密码", "口令", "密钥", "秘钥", "令牌", "私钥", "凭证", "凭据", "授权码", "验证码", "密碼", "金鑰",
    "權杖", "パスワード", "トークン", "비밀번호", "토큰",
)  # fmt: skip
_FOREIGN_WORDS = (
    "пароль", "ключ", "токен", "passwort", "kennwort", "mot de passe", "contraseña", "senha",
)  # fmt: skip
_WORDS = (
    r"(?<![\w.$-])(?:passw(?:or)?d|passphrase|passcode|pwd|secret|token|credentials?"
    r"|(?:api|access|license|secret|private|auth|encryption) key|key|login)(?!\w)"
)
# Up to six words between the name and its value: "password for the staging database is".
_SAID = (
    r"[\"'`*]{0,2}(?:[ \t]+(?!and\b|or\b|but\b)[\w/'.-]{1,24}){0,6}?[ \t]*"
    r"(?:[ \t](?:is|was|to|are|be|as|ist|lautet|es|est|é)(?:[ \t]+(?:now|set to|currently))?[: \t]"
    r"|[:=：是为])[ \t]*[*]{0,2}"
)
_CJK_SAID = (
    r"[\"'`*]{0,2}[（(]?[一-鿿A-Za-z0-9 ]{0,10}?[）)]?[ \t]*已?经?"
    r"(?:改|设|换|更新|修改|设置|重置)?(?:是|为|成了?|:|：|=|＝|到|叫|用|は|는|은|[ \t])[ \t]*[*]{0,2}"
)
# What is said about passwords in general: their length, their rules, where they are kept.
_CJK_ABOUT = (
    r"长度|位数|算法|类型|格式|文件|路径|有效|期|名称|强度|策略|至少|不能|必须|错误|加密|哈希"
    r"|校验|规则|失败|数量|个数|预算|上限|消耗|使用量"
)


@lru_cache(maxsize=16)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find_prose(text: str, low: str) -> Iterator[Hit]:
    """Values that a sentence calls a password, key or token."""
    yield from _english(text, low)
    if not text.isascii():
        for word in _CJK_WORDS:
            yield from _foreign(text, low, word, _CJK_SAID)
        for word in _FOREIGN_WORDS:
            yield from _foreign(text, low, word, _SAID)
    else:
        for word in ("passwort", "kennwort", "mot de passe", "senha"):
            yield from _foreign(text, low, word, _SAID)


def _english(text: str, low: str) -> Iterator[Hit]:
    for word in _compiled(_WORDS).finditer(low):
        at = word.end()
        name = word.group()
        if text[at : at + 1] not in tuple(" :\t\"'`*是为："):
            continue
        person = name.startswith("p")
        hit = None if name in ("key", "login") else _stated(text, low, at, person=person)
        if hit is not None:
            yield hit
        else:
            yield from _nearby(text, at)


def _stated(text: str, low: str, at: int, *, person: bool) -> Hit | None:
    """`the password is X`, `token: X`, and with nothing between: `credential X is expired`."""
    link = _compiled(_SAID).match(low, at, at + 120)
    ends = [link.end()] if link else []
    if not person and text[at] in " \t":
        ends.append(at + 1)
    for end in ends:
        value = read_value(text, end)
        if value is None or value.start - end > len(value.quote):  # password.encode("latin1")
            continue
        if _is_it(text, value, person=person):
            return Hit(value.start, value.end, "password" if person else "token")
    return None


def _is_it(text: str, value: Value, *, person: bool) -> bool:
    candidate = text[value.start : value.end]
    if person:
        return is_told(candidate.rstrip(".!?,;") or candidate, quoted=bool(value.quote))
    if not value.quote and is_code(candidate):
        return False
    return is_random(candidate, 16) and not is_hash(candidate) and not is_placeholder(candidate)


def _nearby(text: str, at: int) -> Iterator[Hit]:
    """A random word soon after the name of a secret, on the same line."""
    stop = text.find("\n", at, at + _NEAR_CHARS)
    end = stop if stop >= 0 else at + _NEAR_CHARS
    near = _compiled(r"(?<![\w/.=+@:-])[A-Za-z0-9_-]{20,200}(?![\w/.=+@(-])")
    for word in near.finditer(text, at, end):
        value = word.group()
        mixed = value != value.lower() and value != value.upper()
        if mixed and is_random(value, 20) and not is_shape("uuid", value):
            if not is_placeholder(value):
                yield Hit(word.start(), word.end(), "token")
            return


def _foreign(text: str, low: str, word: str, said: str) -> Iterator[Hit]:
    at = low.find(word)
    while at >= 0:
        end = at + len(word)
        link = _compiled(said).match(text, end, end + 60)
        value = read_value(text, link.end()) if link else None
        if link and value and not _compiled(_CJK_ABOUT).search(link.group()):
            if _is_it(text, value, person=True):
                yield Hit(value.start, value.end, "password")
                end = value.end
        at = low.find(word, end)
