"""The grammar of names: does what is called `DB_PASSWORD_PROD` or `x-api-key` hold a secret?

A name is split into words; the last one that says something says what the value is, so
`password_file`, `token_url` and `key_id` hold no secret although they talk about one. Pure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.vocabulary import words


class Meaning(NamedTuple):
    """What a name promises of its value."""

    level: Level
    kind: str


NOTHING = Meaning(Level.NONE, "")
IN_QUERY = "signature"  # the kind of what is a secret in the query of a URL only

_PASSWORDS = words(
    "password passwd pwd passphrase passcode pass pw pswd psw passwords pword userpwd",
    "passwort kennwort contrasena contraseña senha parola heslo haslo motdepasse mdp пароль",
    "psk",
)
_SECRETS = words("secret mnemonic seedphrase")
_PHRASES = words("seed recovery mnemonic secret backup wallet")
_TOKENS = words("token jwt bearer apikey pat apitoken authtoken accesstoken")
_WEAK = words(
    "ak sk seed key keys secrets auth authorization cred creds credential credentials",
    "credenti cookie sas salt pepper webhook sessionid jsessionid phpsessid ticket ключ токен",
)
_IN_QUERIES = words("signature sig sas appid code hmac")
_PINS = words("pin otp cvv cvc totp")
_PASSWORD_TAILS = ("password", "passwd", "passphrase", "passwort", "pwd")
_SECRET_TAILS = ("secret", "secretkey", "privatekey", "signingkey", "encryptionkey", "masterkey")
_TOKEN_TAILS = ("token", "apikey", "accesskey", "authkey", "appkey", "accountkey")
_NOT_PASS = words(
    "bypass compass surpass encompass trespass underpass overpass impasse",
)

_NOT_TO_PASS = words(
    "should to can must will could would may not all any tests first second one two single",
    "multi forward backward render shader build compile optimization",
)

# What a key must be for, to be a secret without looking like one.
_KEY_USES = words(
    "api access secret private encryption encrypt signing sign master auth account shared",
    "storage subscription license licence app application service consumer admin root deploy",
    "webhook hmac aes cipher ingest integration fernet jwt wrapping kek dek rest server",
    "client write root activation session cookie jws jwe crypt preshared shared pre",
)
_OPEN_KEYS = words(
    "s public pub primary foreign partition sort sorting cache dict map row column hash index s",
    "idempotency object group lookup state config setting registry bucket hot natural schema",
    "sequence composite unique parent child item locale i18n translation message trans query",
    "field form widget react event arrow escape enter tab shift ctrl short function soft any",
    "known range shard routing dedupe dedup value default press down up left right next prev",
    "same property header meta metadata data sub super join node edge tree first last host",
    "issuer restore registry surrogate business candidate issue project jira ticket",
)
# Words that name a secret anywhere in a name, unless the last one names something about it.
_TELLING = words("secret password passwd token credential credentials apikey")
_ABOUT = words(
    "id ids name names hash arn url uri path file digest fingerprint checksum etag version",
    "sha ref cursor type count limit length size ttl expiry algorithm endpoint issuer",
    "audience",
)
# Words at the end that do not change what the value is: DB_PASSWORD_PROD, API_KEY_2.
_NEUTRAL = words(
    "prod production dev development staging stage test testing live sandbox local value",
    "string str text plain plaintext raw old new current default main backup primary",
    "secondary b64 base64 hex enc us eu cn ro rw readonly base v",
)
# Words before a token or password that make it something else.
_NOT_TOKENS = words(
    "next page continuation eos bos pad unk sep cls mask special stop start end first last",
    "prev previous cancel cancellation per input output prompt completion sync lexer parser",
    "syntax csrf xsrf nonce design color css max min num total avg count used remaining",
    "cached new reasoning thinking image audio text budget context public publishable anon",
    "device_type",
)
_ACTIONS = words(
    "is has no use need needs require requires required show hide forgot reset change update",
    "get check validate verify invalid missing wrong enable disable with without allow",
    "supports generate create parse test print bad expired on handle fetch load read find",
)
_WORD = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+"


def words_of(name: str) -> list[str]:
    """`dbPassword_2` -> ["db", "password", "2"]"""
    return [word.lower() for word in compiled(_WORD).findall(name)]


@lru_cache(maxsize=4096)
def meaning_of(name: str) -> Meaning:
    """What a variable, field, flag or header called `name` would hold."""
    parts, tail = words_of(name), ""
    while len(parts) > 1 and (parts[-1].isdigit() or parts[-1] in _NEUTRAL):
        tail = parts.pop()
    if not parts or (parts[-1] == "pass" and tail.isalpha() and name != name.upper()):
        return NOTHING  # passValue, passString: a verb
    meaning = _last_word(parts)
    if "public" in parts and meaning.level < Level.PASSWORD:
        return NOTHING
    if meaning.level > Level.WEAK and len(parts) > 1 and parts[0] in _ACTIONS:
        return Meaning(Level.WEAK, meaning.kind)
    return meaning


def _last_word(parts: list[str]) -> Meaning:
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last == "id":
        meaning = _identifier(parts)
    elif last in ("key", "keys"):
        meaning = _key(parts[:-1], plural=last == "keys")
    elif last.endswith("pass"):
        verb = last in _NOT_PASS or before in _NOT_TO_PASS
        meaning = NOTHING if verb else Meaning(Level.PASSWORD, "password")
    elif last in _PASSWORDS or last.endswith(_PASSWORD_TAILS):
        meaning = Meaning(Level.PASSWORD, "password")
    elif (
        last in _SECRETS
        or (last == "phrase" and before in _PHRASES)
        or last.endswith(_SECRET_TAILS)
    ):
        meaning = Meaning(Level.SECRET, "secret")
    elif last in _TOKENS or last.endswith(_TOKEN_TAILS):
        kind = "api_key" if last.endswith("key") else "token"
        meaning = NOTHING if before in _NOT_TOKENS else Meaning(Level.TOKEN, kind)
    elif last in _PINS:
        meaning = Meaning(Level.PIN, "pin")
    elif last in _IN_QUERIES:
        meaning = Meaning(Level.WEAK, IN_QUERY)
    else:
        telling = last in _WEAK or (last not in _ABOUT and not _TELLING.isdisjoint(parts))
        meaning = Meaning(Level.WEAK, "credential") if telling else NOTHING
    return meaning


def _key(uses: list[str], *, plural: bool) -> Meaning:
    before = next((use for use in reversed(uses) if not use.isdigit()), "")
    if before in _OPEN_KEYS or plural:
        return NOTHING
    if "secret" in uses or before in ("private", "encryption", "signing", "master"):
        return Meaning(Level.SECRET, "secret_key")
    return Meaning(Level.TOKEN if before in _KEY_USES else Level.WEAK, "api_key")


def _identifier(parts: list[str]) -> Meaning:
    """Access key ids travel with their secret; other ids are names."""
    if parts[-3:-1] == ["access", "key"] or parts[-2:-1] in (["secret"], ["accesskey"]):
        return Meaning(Level.WEAK, "access_key_id")
    return NOTHING
