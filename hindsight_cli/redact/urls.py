"""Secrets in addresses: user:password@host, tokens as user names, webhooks. Pure.

Scheme, user and host stay, because they say what an experience is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_placeholder, is_random, is_secret

_HOST = r"[\w\[\].:{}$-]"


@lru_cache(maxsize=16)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find_urls(text: str, low: str) -> Iterator[Hit]:
    """Passwords and tokens in the user part of URLs and data source names."""
    userinfo = _compiled(
        r"(?P<user>[^\s/:@\"'<>`\\]{0,120})(?::(?P<password>[^\s/\"'<>`\\]{1,300}?))?"
        rf"@(?=[\w\[${{-][^\s@\"']{{0,253}})(?![^\s/?#\"'<>`\\]{{0,300}}@)"
    )
    at = text.find("://")
    while at >= 0:
        found = userinfo.match(text, at + 3, at + 600)
        hit = _from_userinfo(found, web=low.endswith("http", 0, at) or low.endswith("https", 0, at)) if found else None
        if hit is not None:
            yield hit
        at = text.find("://", hit.end if hit else at + 3)
    if "@tcp(" in low or "@unix(" in low:
        for dsn in _compiled(r"[\w.-]+:([^\s:\"'`]{1,200})@(?:tcp|unix)\(").finditer(text):
            if not is_placeholder(dsn[1]):
                yield Hit(dsn.start(1), dsn.end(1), "url_password", sure=2)
    if "jdbc:oracle" in low:
        for dsn in _compiled(r"jdbc:oracle:\w+:\w+/([^\s@\"'`]{1,100})@").finditer(text):
            if not is_placeholder(dsn[1]):
                yield Hit(dsn.start(1), dsn.end(1), "url_password", sure=2)


def _from_userinfo(found: re.Match[str], *, web: bool) -> Hit | None:
    user, password = found["user"], found["password"]
    if password is None:
        if web and is_random(user, 16):  # https://<token>@github.com
            return Hit(found.start("user"), found.end("user"), "url_token", sure=2)
        return None
    if password in ("x-oauth-basic", "x-access-token", "x", "oauth2") and is_random(user, 16):
        return Hit(found.start("user"), found.end("user"), "url_token", sure=2)
    if password == user or not is_secret(password, Level.PASSWORD, config=True):
        return None
    return Hit(found.start("password"), found.end("password"), "url_password", sure=2)


def find_webhooks(text: str, low: str) -> Iterator[Hit]:
    """Addresses that let anybody who knows them post: the whole address is the secret."""
    if "hook" not in low and "maker.ifttt" not in low:
        return
    hook = _compiled(
        r"(?:https?://)?(?:hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w+/-]{20,120}"
        r"|(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{10,25}/[\w-]{40,100}"
        r"|[\w.-]+\.webhook\.office\.com/webhookb2/[\w@-]{36,110}/IncomingWebhook/[\w/-]{40,140}"
        r"|hooks\.zapier\.com/hooks/catch/\d+/\w{5,20}"
        r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]{20,60}"
        r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]{20,60}"
        r"|maker\.ifttt\.com/trigger/\w+/(?:json/)?with/key/[\w-]{20,60})"
    )
    for found in hook.finditer(text):
        if not is_placeholder(found.group().rsplit("/", 1)[-1]):
            yield Hit(found.start(), found.end(), "webhook_url", sure=2)
