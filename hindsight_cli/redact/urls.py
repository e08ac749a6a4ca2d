"""Secrets in addresses: user:password@host, tokens as user names, webhooks. Pure.

Scheme, user and host stay, because they say what an experience is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.shapes import is_placeholder, is_random
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_secret

_USERINFO_CHARS = 600
_RANDOM_CHARS = 16
_HOST_CHARS, _HOOK_CHARS = 140, 300
_URL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/?=-"
_NO_PASSWORDS = frozenset(("x-oauth-basic", "x-access-token", "x", "oauth2"))
_USERINFO = (
    r"(?P<user>[^\s/:@\"'<>`\\]{0,200})(?::(?P<password>[^\s/\"'<>`\\]{1,300}?))?"
    r"@(?=[\w\[${-][^\s@\"']{0,253})(?![^\s/?#\"'<>`\\]{0,300}@)"
)
# user:password@tcp(host) and jdbc:oracle:thin:user/password@host
_SOURCE_NAMES = (
    r"[\w.-]+:([^\s:\"'`@]{1,200})@(?:tcp|unix)\(|jdbc:oracle:\w+:\w+/([^\s@\"'`]{1,100})@"
)
_LIKELY_HOOK = r"hook(?:s\.(?:slack|zapier)|s/\d|\.office|/[\w-]{20}|/send\?key=)"
_HOOKS = (
    r"(?:https?://)?(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w+/-]{20,120}"
    r"|(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{10,25}/[\w-]{40,100}"
    r"|[\w.-]{1,80}\.webhook\.office\.com/webhookb2/[\w@-]{36,110}/IncomingWebhook/[\w/-]{40,140}"
    r"|hooks\.zapier\.com/hooks/catch/\d+/\w{5,20}"
    r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]{20,60}"
    r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]{20,60})"
)


def find_urls(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Passwords and tokens in the user part of URLs."""
    floor = 0
    for at in places:
        if at < floor or text.find("@", at + 3, at + _USERINFO_CHARS) < 0:
            continue
        found = compiled(_USERINFO).match(text, at + 3, at + _USERINFO_CHARS)
        if found is None:
            continue
        web = low.endswith(("http", "https"), max(0, at - len("https")), at)
        hit = _from_userinfo(found, web=web)
        if hit is not None:
            floor = hit.end
            yield hit


def find_sources(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Passwords in data source names."""
    for name in compiled(_SOURCE_NAMES).finditer(text):
        group = name.lastindex or 1
        if is_secret(name[group], Level.PASSWORD, config=True):
            yield Hit(name.start(group), name.end(group), "url_password", sure=2)


def _from_userinfo(found: re.Match[str], *, web: bool) -> Hit | None:
    user, password = found["user"], found["password"]
    if password is None or password in _NO_PASSWORDS:  # https://<token>@github.com
        if web and is_random(user, _RANDOM_CHARS):
            return Hit(found.start("user"), found.end("user"), "url_token", sure=2)
        return None
    if password == user or not is_secret(password, Level.PASSWORD, config=True):
        return None
    return Hit(found.start("password"), found.end("password"), "url_password", sure=2)


def find_webhooks(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Addresses that let anybody who knows them post: the whole address is the secret."""
    done = 0
    for at in places:
        sign = compiled(_LIKELY_HOOK).match(low, at) if at >= done else None
        if sign is None:
            continue
        done = sign.end()
        before = text[max(0, done - _HOST_CHARS) : done]
        start = done - len(before) + len(before.rstrip(_URL))
        found = compiled(_HOOKS).match(text, start, done + _HOOK_CHARS)
        if found and not is_placeholder(found.group().rsplit("/", 1)[-1]):
            done = found.end()
            yield Hit(found.start(), found.end(), "webhook_url", sure=2)
