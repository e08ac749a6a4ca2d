"""Is this text a secret, or does it only stand where one would stand?

Every rule finds candidates by their surroundings and asks here about the candidate itself:
`<your-token>`, `${TOKEN}`, `********`, `get_token()`, `/run/secrets/x` and `string` are no
secrets however secret the name beside them is. Pure; patterns are compiled on first use.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.names import meaning_of

_TEMPLATE_LIMIT = 120  # placeholders are short; longer values are not searched for their words
_SPOKEN = 0.6  # share of a piece's pairs of letters that must be common ones
_WORDY = 0.55  # share of a value made of pronounceable pieces from which it reads as words
_DESCRIPTION_WORDS = 5

WORDS = frozenset(
    """
    a abc abcd abcde abcdef access admin administrator all allow always any anonymous anything apikey
    argon2 args array ask auth auto automatic bar basic baz bcrypt bearer blank bool boolean bot
    buffer byte bytes changeit changeme char chars clear cleartext client code config confirm
    correct credential credentials current custom data date db debug default demo deny dev digest
    disabled disallow dummy email empty enabled encrypted enter env environ environment error
    example expired external failed fake false field file foo foobar form forgot function generated
    get guest hash hashed header hello hex hidden id ident identifier incorrect info input int
    integer internal invalid ip is items jwt key keychain keyring keys kind label letmein list local
    localhost lock login long manual map masked match matches md5 me method minio minioadmin missing
    model module mongo mongodb mysql name needed negotiate never new nil no node none not nothing
    ntlm null number oauth oauth2 obj object off ok old omitted on one only optional options or
    order other owner page param params part pass passcode passphrase passwd password passwords path
    payload peer pin plain plaintext port postgres postgresql private process prod production prompt
    promptsecret protected provided public pwd quux qux rabbitmq random read readonly redacted redis
    regex register remote removed request require required reset response result root sa salt sample
    scram-sha-256 screen secret secrets secure see select self sensitive server service session set
    sha1 sha256 sha512 show sign signature some something staging static status str string strong
    submit success super system tbd temp temporary test tester testing tests text this time to todo
    token tokens tmp true trust two type undefined uniform unknown unset update updated url used user
    user1 userid username utf-8 utf8 uuid valid value values var varchar variable vault view void
    weak wordpress world wrong yes you your yours xxx yyy zzz
    contraseña kennwort parola passwort senha пароль 密码 口令
    """.split()
)
_PARTS = (
    "example", "changeme", "change_me", "change-me", "changeit", "placeholder", "redacted",
    "your_", "your-", "yourpass", "yourtoken", "yoursecret", "yourkey", "yourown", "your ",
    "xxxx", "****", "....", "…", "•••", "●●●", "insert_", "insert-", "replace_", "replace-",
    "replaceme", "dummy", "sample", "notasecret", "not-a-secret", "not_a_secret", "not-real",
    "goes-here", "goes_here", "-here", "_here", "todo", "fixme", "foobar", "enter_", "enter-",
    "secret_name", "some-secret", "some_secret", "deadbeef", "1234567890", "abcdefgh", "0123456",
    "${", "$(", "{{", "#{", "%{", "[redacted", "masked", "hidden", "a-za-z", "a-z0-9",
    "0-9a-", "\\d+", "\\w+", ".*",
)  # fmt: skip
# The commonest pairs of letters of English: nine tenths of those in words, a quarter by chance.
_BIGRAMS = frozenset(
    "th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de se le"
    " sa si ar ve ra ld ur ro ri io ic ll be ma co me ne us ta la li el ce ch di ec ho il na no om ot"
    " pe pr rs rt sh so ss tr ts un ut wa we wi ac ad ai am ap av ay ba bl bo ca ck ct da do ee em"
    " ex fi fo fr ga ge go gr id ie if ig im ir iv ke ki ly mi mo mp nc ni ns ob oc ol oo op os ow"
    " pa ph pl po qu rd rk rm ry sc sp su tt tu ty ub ue ui ul um up vi wo xt ey ag ab ef gi ev cr"
    " sk pt au ug ud ua ks lo oa so".split()
)
_PROSE = frozenset(
    "a an and are as at be been but by can cannot could does enter field for from given has have"
    " here if in invalid is it its least length match may minimum must new not of on or please"
    " required reset should than that the their this to too type until used using was when where"
    " which will with without you your requires needs via instead also await".split()
)
# Inside a value of letters only they say that it talks of a secret: badpass, userToken.
_META = "pass secret token key test fake dummy wrong bad invalid some user name value mock".split()
_SUFFIXES = (
    ".pem", ".key", ".crt", ".cer", ".json", ".yaml", ".yml", ".txt", ".env", ".conf", ".cfg",
    ".ini", ".py", ".js", ".ts", ".tsx", ".go", ".rs", ".java", ".rb", ".sh", ".md", ".html", ".p12",
    ".pfx", ".jks", ".log", ".xml", ".toml", ".sql", ".csv", ".pub", ".gpg", ".asc", ".com", ".org",
    ".net", ".io", ".local", ".internal", ".test", ".php", ".c", ".h", ".cpp", ".swift", ".kt",
)  # fmt: skip


_SHAPES = {
    "template": r"\$[A-Za-z_]\w*(?:[^\w!@#$%^&*].*)?|\$\d|\$?\{[\w.:\[\]'\"()| -]*\}?|%\w+%"
    r"|%[-+\d.]*[a-zA-Z]|%\(\w+\)\w?|<.*|\[[A-Za-z _.-]+\]?|@[A-Z_]+@|__[A-Z_]+__|:[a-z_]+"
    r"|ENC\[.*|op://.*|vault:.*|arn:aws:.*|(?:env|file|secret|secrets|var|vars|ref)[:.].*"
    r"|process\.env.*|os\.environ.*|!(?:[A-Z][a-z]+|vault|secret|env\w*|include)|\\?",
    "filled": r"\{[A-Za-z_][\w.]*(?:\([^{}]*\)|\[[^{}]*\])?\}|%\(\w+\)s|(?<![\w%])%[sd]\b|<[A-Za-z][\w -]*>",
    "call": r"[&*!]*[A-Za-z_$][\w$.:\->?]*[(\[].*|[(\[{].*",
    "dotted": r"[&*!@]*[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+[!?;,)]*",
    "identifier": r"[&*!@]*[A-Za-z_$](?:[A-Za-z_$]*\d?|\w*_\w*(?:/[\w().,-]+)*)[?;,)\]}]*",
    "number": r"[-+]?[\d.,_]+(?:e[-+]?\d+)?(?:ms|s|m|h|d|px|em|rem|%|[kKmMgG]i?[bB]?)?",
    "version": r"[vV]?\d+(?:\.\d+)+(?:[-+._]?\w+)*|\d{4}-\d\d-\d\d.*|\d+(?::\d+)+|(?:\d{1,3}\.){3}.*"
    r"|[A-Za-z][\w.]*(?:-[A-Za-z]\w*)*[-_]v?\d+\.\d+[\w.-]*",
    "email": r"[\w.+-]+@[\w-]+(?:\.[A-Za-z]{2,})+",
    "uuid": r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
    "hex": r"(?:0x)?[0-9a-fA-F]+",
    "windows": r"[A-Za-z]:[\\/].*",
    "url": r"[a-z][a-z0-9+.-]{1,15}://.*",
    "token": r"[\w+/.~:|%-]+={0,2}",
    "pair": r"[a-z_]{2,}[a-z0-9_]*=.+",
    "piece": r"[A-Z]?[a-z]{2,}|[A-Z]{4,}",
    "typename": r"[A-Z][A-Za-z0-9]*(?:Keys?|Token|Types?|Error|Config|Provider|Secret|Credentials?)",
    "digit": r"[A-Za-z]\d+(?=[A-Za-z])",
    "capital": r"[a-z][A-Z]",
    "turn": r"(?<=[a-z])[A-Z]|(?<=[A-Z][A-Z])[a-z]",
    "numbered": r".*[A-Za-z]\d{3,}\W?",
    "spoken": r"[\w./: -]+",
    "segment": r"[^\W_]+",
    "hash": r"(?:sha\d+|md5|h1|blake2\w*)[-:=].*",
}


@lru_cache(maxsize=64)
def _shape(name: str) -> re.Pattern[str]:
    return re.compile(_SHAPES[name])


def is_shape(name: str, value: str) -> bool:
    """Whether the whole value has the shape called `name`."""
    return _shape(name).fullmatch(value) is not None


def is_placeholder(value: str) -> bool:
    """Whether `value` stands for a secret instead of being one."""
    low = value.lower()
    bare = low.strip("\"'`<>[](){}*_-.:;,!?= ")
    if not bare or bare in WORDS or bare in _PROSE or "[redacted" in low:
        return True
    if len(set(bare)) < 3 or is_shape("template", value):
        return True
    if len(value) <= _TEMPLATE_LIMIT and any(part in low for part in _PARTS):
        return True
    return _shape("filled").search(value) is not None


def is_sequence(value: str) -> bool:
    """Whether the value counts up or repeats: 123456789, abcdefgh, aaaa."""
    steps = sum(0 <= ord(b) - ord(a) <= 1 for a, b in zip(value, value[1:], strict=False))
    return steps > 0.6 * (len(value) - 1)


def is_path(value: str) -> bool:
    """Whether the value names a file, folder or address rather than holding a secret."""
    if value.startswith(("./", "../", "~/", ".\\", "~")) or is_shape("windows", value):
        return True
    if value.lower().endswith(_SUFFIXES):
        return not is_random(value, 20) or "/" in value
    if value.startswith("/"):
        return not ("." not in value and len(value) >= 20 and is_random(value, 20))
    return is_shape("url", value)


def is_code(value: str, *, config: bool = False) -> bool:
    """Whether an unquoted value is an expression: a call, a variable, an attribute.

    In a place that holds only values a bare word is a word, not a variable.
    """
    if is_shape("call", value):
        return True
    if is_shape("identifier", value):
        return not (config or is_random(value, 16) or is_scrambled(value))
    if not is_shape("dotted", value) or (config and any(char.isdigit() for char in value)):
        return False
    return not any(is_random(part, 16) for part in value.split("."))


def is_scrambled(value: str) -> bool:
    """Whether capitals stand where no word has them: aUyvgqkMSmel."""
    turns = len(_shape("turn").findall(value))
    return len(value) >= 10 and turns >= 4 and not is_wordy(value)


def is_wordy(value: str) -> bool:
    """Whether most of the value is made of pronounceable pieces, like my-test-token-1."""
    if len(_shape("digit").findall(value)) >= 2 + len(value) // 16:
        return False
    pieces = sum(len(p) for p in _shape("piece").findall(value) if _is_word(p, strict=True))
    if pieces >= _WORDY * len(value):
        return True
    if not is_shape("spoken", value):
        return False
    segments = _shape("segment").findall(value)
    return len(segments) > 1 and sum(len(s) for s in segments if _is_word(s)) >= _WORDY * len(value)


def _is_word(piece: str, *, strict: bool = False) -> bool:
    """Whether a piece can be spoken; a number at its end is allowed, and if not strict any short one."""
    bare = piece.rstrip("0123456789")
    if not bare.isalpha() or len(piece) - len(bare) > 4:
        return False
    if not (bare.islower() or bare.isupper() or bare.istitle()):
        return False
    low = bare.lower()
    common = sum(low[i : i + 2] in _BIGRAMS for i in range(len(low) - 1))
    if len(low) <= 3:
        return not strict or (len(low) == 3 and common == 2)
    return common >= _SPOKEN * (len(low) - 1)


def is_random(value: str, min_chars: int) -> bool:
    """Whether the value looks machine-made: long, mixed and not made of words."""
    if len(value) < min_chars or not is_shape("token", value):
        return False
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    if not letters:
        return False
    if not digits:
        capitals = len(_shape("capital").findall(value))
        if len(value) < 20 or capitals < 4 or not (value.isalpha() or is_scrambled(value)):
            return False
    distinct = len(set(value))
    needed = 7 if is_shape("hex", value) else min(10, 5 + len(value) // 5)
    return distinct >= needed and not is_wordy(value) and not is_sequence(value)


def is_hash(value: str) -> bool:
    """Whether the value announces itself as a digest: sha512-..., h1:..."""
    return is_shape("hash", value)


def _is_password(value: str, *, quoted: bool, config: bool) -> bool:
    if " " in value:
        words = value.lower().split()
        return quoted and len(words) < _DESCRIPTION_WORDS and not _PROSE.intersection(words)
    if value.isdigit():
        return len(value) >= 4
    if "/" in value and not quoted and is_wordy(value):  # PASS: TestParse/empty_input
        return False
    if not value.isascii():
        return config and quoted and value.isalnum()
    if value.replace("_", "").replace("-", "").isalpha():
        told = any(word in value.lower() for word in _META)
        return is_scrambled(value) or (
            (quoted or config) and len(value) >= 5 and value.isalpha() and not told
        )
    if "." in value and is_shape("version", value):
        return False
    return not is_shape("email", value) and len(value) >= 4


def _is_name(value: str) -> bool:
    """Whether the value is itself the name of a secret: get("API_KEY"), api_key_2."""
    if is_shape("typename", value.rpartition(".")[2]):
        return True
    return value.replace("_", "a").replace("-", "a").isalnum() and meaning_of(value).level > 0


def _is_secret(value: str, level: Level) -> bool:
    if len(value) < 8 or " " in value or not value.isascii():
        return False
    if is_shape("number", value) or is_shape("version", value) or is_shape("email", value):
        return False
    if is_sequence(value) or is_hash(value) or _is_name(value):
        return False
    digits = any(char.isdigit() for char in value)
    letters = any(char.isalpha() for char in value)
    if not (digits and letters):
        return letters and is_random(value, 20)
    if level is Level.SECRET and not any(char in "-_./: " for char in value):
        return True
    return not is_wordy(value)


def is_secret(value: str, level: Level, *, quoted: bool = True, config: bool = False) -> bool:
    """Whether a value found where a secret of `level` would stand is one.

    `quoted`: the value is a literal, so identifiers in it are not code. `config`: it stands
    alone in a place that holds only values (an environment variable, a JSON field, a flag).
    """
    if len(value) < 4 or is_placeholder(value):
        return False
    chosen = level is Level.PASSWORD and (config or is_shape("numbered", value))
    if is_path(value) or (not quoted and is_code(value, config=chosen)):
        return False
    if level is Level.PASSWORD:
        return _is_password(value, quoted=quoted, config=config)
    if level in (Level.SECRET, Level.TOKEN):
        return _is_secret(value, level)
    if is_shape("uuid", value) or is_hash(value) or _is_name(value):
        return False
    return is_random(value, 16)


def is_told(value: str, *, quoted: bool) -> bool:
    """Whether a word that a sentence calls a password is one: mixed, not a word of the sentence."""
    if len(value) < 6 or " " in value or is_shape("pair", value):
        return False
    letters = any(char.isalpha() for char in value)
    digits = any(char.isdigit() for char in value)
    symbols = any(char in "!@#$%^&*+=?~" for char in value[1:-1])
    if not (letters and (digits or symbols or is_scrambled(value)) or (digits and value.isdigit())):
        return False
    return is_secret(value, Level.PASSWORD, quoted=quoted, config=digits)
