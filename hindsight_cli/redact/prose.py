"""Secrets told in sentences: "the password is ...", 密码是 ..., пароль: ... Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hindsight_cli.redact.literals import Value, read_value
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.shapes import is_code, is_placeholder, is_random, is_shape
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_told
from hindsight_cli.redact.vocabulary import words

_NEAR_CHARS = 100
_LINK_CHARS = 120
_RANDOM_CHARS = 16
_NEAR_RANDOM_CHARS = 20
_PERSON = words(
    "password passwd passphrase passcode pwd passwort kennwort contraseña senha passe",
)
_MACHINE = words("secret token credential credentials key")
_JOINED = frozenset("/.=+@:(")  # beside a word they make it part of a path, an address, a call
_AFTER = frozenset(" :\t\"'`*是为：")
_CJK_WORDS = (
    "密码", "口令", "密钥", "秘钥", "令牌", "私钥", "凭证", "凭据", "授权码", "验证码",
    "密碼", "金鑰", "權杖", "パスワード", "トークン", "비밀번호", "토큰",
)  # fmt: skip
_FOREIGN_WORDS = ("пароль", "ключ", "токен")
_ONE_FOREIGN = "|".join((*_CJK_WORDS, *_FOREIGN_WORDS))
# The first stands outside of the repetition: so a search knows with what a match begins.
_FOREIGN = f"(?:{_ONE_FOREIGN})(?:{_ONE_FOREIGN})*"
# What links a name and its value, at most six words on: "password for the staging database is".
_LINK = (
    r"[ \t](?:is|was|to|are|be|as|ist|lautet|es|est|é)(?:[ \t]+(?:now|set to|currently))?[: \t]"
    r"|[:：是为]|=(?!=)"
)
_WORDS_BETWEEN = r"[\"'`*]{0,2}(?:[ \t]+(?!and\b|or\b|but\b)[\w/'.@%-]{1,24}){0,6}[ \t]*"
_CJK_SAID = (
    r"[\"'`*]{0,2}[（(]?[一-鿿A-Za-z0-9 ]{0,10}?[）)]?[ \t]*已?经?"
    r"(?:改|设|换|更新|修改|设置|重置)?(?:是|为|成了?|:|：|=|＝|到|叫|用|は|는|은|[ \t])"
    r"[ \t]*[*]{0,2}"
)
# What is said about passwords in general: their length, their rules, where they are kept.
_CJK_ABOUT = (
    r"长度|位数|算法|类型|格式|文件|路径|有效|期|名称|强度|策略|至少|不能|必须|错误|加密|哈希"
    r"|校验|规则|失败|数量|个数|预算|上限|消耗|使用量"
)


def told_after(text: str, low: str, start: int, end: int) -> Hit | None:
    """What a sentence says of the word at `start:end`, where that word names a secret."""
    if text[end : end + 1] not in _AFTER:
        return None
    name = low[start:end]
    person = name in _PERSON
    if not person and name not in _MACHINE:
        return None
    if name == "key" and not compiled(
        r"(?:api|access|license|secret|private|auth|encryption) \Z"
    ).search(low, max(0, start - 12), start):
        return _nearby(text, end)
    return _stated(text, low, end, person=person) or _nearby(text, end)


def _stated(text: str, low: str, at: int, *, person: bool) -> Hit | None:
    """`the password is X`, `token: X`, and with nothing between: `credential X is expired`."""
    ends = [] if person or text[at] not in " \t" else [at + 1]
    linked = _linked(low, at)
    for end in [linked, *ends] if linked else ends:
        value = read_value(text, end)
        if value is None or value.start - end > len(value.quote):  # password.encode("latin1")
            continue
        if value.quote and text[value.start] in "),;+":  # the quote closed something
            continue
        if _is_it(text, value, person=person):
            return Hit(value.start, value.end, "password" if person else "token")
    return None


def _linked(low: str, at: int) -> int:
    """Where a value starts after `is`, `:` and the like; 0 if the words before that say no."""
    link = compiled(_LINK).search(low, at, at + _LINK_CHARS)
    if link is None or not compiled(_WORDS_BETWEEN).fullmatch(low, at, link.start()):
        return 0
    end = link.end()
    while low[end : end + 1] in (" ", "\t", "*"):
        end += 1
    return end


def _is_it(text: str, value: Value, *, person: bool) -> bool:
    candidate = text[value.start : value.end]
    if person:
        return is_told(candidate.rstrip(".!?,;") or candidate, quoted=bool(value.quote))
    if not value.quote and is_code(candidate):
        return False
    random = is_random(candidate, _RANDOM_CHARS)
    return random and not is_shape("hash", candidate) and not is_placeholder(candidate)


def _nearby(text: str, at: int) -> Hit | None:
    """A random word soon after the name of a secret, on the same line."""
    stop = text.find("\n", at, at + _NEAR_CHARS)
    end = stop if stop >= 0 else at + _NEAR_CHARS
    for word in compiled(r"[A-Za-z0-9_-]{20,200}").finditer(text, at, end):
        value = word.group()
        around = text[word.start() - 1] + text[word.end() : word.end() + 1]
        if value in (value.lower(), value.upper()) or not _JOINED.isdisjoint(around):
            continue
        if is_random(value, _NEAR_RANDOM_CHARS) and not is_shape("uuid", value):
            return None if is_placeholder(value) else Hit(word.start(), word.end(), "token")
    return None


def find_foreign(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Sentences in other scripts than Latin."""
    if text.isascii():
        return
    done = 0
    for word in compiled(_FOREIGN).finditer(low):
        if word.start() < done:
            continue
        if word.group().endswith(_FOREIGN_WORDS):
            start = _linked(low, word.end())
        else:
            link = compiled(_CJK_SAID).match(text, word.end(), word.end() + _LINK_CHARS)
            about = link is None or compiled(_CJK_ABOUT).search(link.group())
            start = 0 if link is None or about else link.end()
        value = read_value(text, start) if start else None
        if value is not None and _is_it(text, value, person=True):
            done = value.end
            yield Hit(value.start, value.end, "password")
