"""Secrets told in sentences: "the password is ...", 密码是 ..., пароль: ... Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hindsight_cli.redact.literals import Value, read_value
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.values import is_code, is_hash, is_placeholder, is_random, is_secret, is_shape

_NEAR_CHARS = 100
_CJK_WORDS = ("密码", "口令", "密钥", "秘钥", "令牌", "私钥", "凭证", "凭据", "密碼", "金鑰", "パスワード", "비밀번호", "授权码", "验证码")
_FOREIGN = ("пароль", "ключ", "токен", "passwort", "kennwort", "mot de passe", "contraseña", "senha")


@lru_cache(maxsize=16)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_SAID = (
    r"[\"'`*]{0,2}(?:[ \t]+(?!and\b|or\b|but\b)[\w/'.-]{1,24}){0,6}?[ \t]*"
    r"(?:[ \t](?:is|was|to|are|be|as|ist|lautet|es|est|é)(?:[ \t]+(?:now|set to|currently))?[: \t]|[:=])[ \t]*[*]{0,2}"
)
_CJK_SAID = (
    r"[\"'`*]{0,2}[（(]?[一-鿿A-Za-z0-9 ]{0,10}?[）)]?[ \t]*"
    r"(?:已经?)?(?:改|设|换|更新|修改|设置|重置)?(?:是|为|成了?|:|：|=|＝|到|叫|用|は|는|은|[ \t])[ \t]*[*]{0,2}"
)
_CJK_NOT = re.compile(r"长度|位数|算法|类型|格式|文件|路径|有效|过期|名称|强度|策略|至少|不能|必须|错误|加密|哈希|期|校验|规则|失败|数量|个数|预算|上限|消耗|使用量")


def find_prose(text: str, low: str) -> Iterator[Hit]:
    """Values that a sentence calls a password, key or token."""
    yield from _english(text, low)
    if not text.isascii():
        for word in (*_CJK_WORDS, *_FOREIGN):
            yield from _foreign(text, low, word)


def _english(text: str, low: str) -> Iterator[Hit]:
    said = _compiled(_SAID)
    for word in _compiled(
        r"(?<![\w.$-])(?:passw(?:or)?d|passphrase|passcode|secret|token|credentials?|key|login|pwd)(?!\w)"
    ).finditer(low):
        at = word.end()
        if text[at : at + 1] not in " :\t\"'`*":
            continue
        person = word.group().startswith("pass")
        link = said.match(low, at, at + 120)
        value = read_value(text, link.end()) if link else None
        if value is not None and _is_told(text, value, person=person):
            yield Hit(value.start, value.end, "password" if person else "token")
            continue
        yield from _nearby(text, at)


def _is_told(text: str, value: Value, *, person: bool) -> bool:
    candidate = text[value.start : value.end].rstrip(".!?,;")
    if not person:
        if not value.quote and is_code(candidate):
            return False
        return is_random(candidate, 16) and not (is_hash(candidate) or _is_plain_hash(candidate))
    digits = any(c.isdigit() for c in candidate)
    letters = any(c.isalpha() for c in candidate)
    if not (digits and letters and len(candidate) >= 6):
        return False
    return is_secret(candidate, Level.PASSWORD, quoted=bool(value.quote))


def _is_plain_hash(value: str) -> bool:
    return is_shape("uuid", value) or (is_shape("hex", value) and len(value) in (40, 32, 64, 128))


def _nearby(text: str, at: int) -> Iterator[Hit]:
    """A random word soon after the name of a secret, on the same line."""
    stop = text.find("\n", at, at + _NEAR_CHARS)
    end = stop if stop >= 0 else at + _NEAR_CHARS
    for word in _compiled(r"(?<![\w/.=+@:-])[A-Za-z0-9_-]{20,200}(?![\w/.=+@(-])").finditer(text, at, end):
        value = word.group()
        upper, lower = value != value.lower(), value != value.upper()
        if upper and lower and is_random(value, 20) and not is_shape("uuid", value) and not is_placeholder(value):
            yield Hit(word.start(), word.end(), "token")
            return


def _foreign(text: str, low: str, word: str) -> Iterator[Hit]:
    said = _compiled(_CJK_SAID if word in _CJK_WORDS else _SAID)
    at = low.find(word)
    while at >= 0:
        end = at + len(word)
        link = said.match(text, end, end + 60)
        value = read_value(text, link.end()) if link else None
        if link and value and not _CJK_NOT.search(link.group()):
            if _is_told(text, value, person=True):
                yield Hit(value.start, value.end, "password")
                end = value.end
        at = low.find(word, end)
