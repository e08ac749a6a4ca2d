"""The words by which a value betrays that it is no secret."""

from __future__ import annotations


def words(*lines: str) -> frozenset[str]:
    """The words of the lines."""
    return frozenset(word for line in lines for word in line.split())


# Whole values that stand where a secret would.
PLACEHOLDERS = words(
    "a abc abcd abcde abcdef access admin administrator all allow always any anonymous",
    "anything apikey argon2 args array ask auth auto automatic bar basic baz bcrypt bearer",
    "blank bool boolean bot buffer byte bytes changeit changeme char chars clear cleartext",
    "client code config confirm correct credential credentials current custom data date db",
    "debug default demo deny dev digest disabled disallow dummy email empty enabled encrypted",
    "enter env environ environment error example expired external failed fake false field",
    "file foo foobar form forgot function generated get guest hash hashed header hello hex",
    "hidden id ident identifier incorrect info input int integer internal invalid ip is items",
    "jwt key keychain keyring keys kind label letmein list local localhost lock login long",
    "manual map masked match matches md5 me method minio minioadmin missing model module",
    "mongo mongodb mysql name needed negotiate never new nil no node none not nothing ntlm",
    "null number oauth oauth2 obj object off ok old omitted on one only optional options or",
    "order other owner page param params part pass passcode passphrase passwd password",
    "passwords path payload peer pin plain plaintext port postgres postgresql private process",
    "prod production prompt protected provided public pwd quux qux rabbitmq random read",
    "readonly redacted redis regex register remote removed request require required reset",
    "response result root sa salt sample scram-sha-256 screen secret secrets secure see",
    "select self sensitive server service session set sha1 sha256 sha512 show sign signature",
    "some something staging static status str string strong submit success super system tbd",
    "temp temporary test tester testing tests text this time to todo token tokens tmp true",
    "trust two type undefined uniform unknown unset update updated url used user user1 userid",
    "username utf-8 utf8 uuid valid value values var varchar variable vault view void weak",
    "wordpress world wrong yes you your yours xxx yyy zzz",
    # What a password is called elsewhere, as translations have it.
    "adgangskode clave contraseña hasło heslo jelszó kennwort lösenord palavra-passe parola",
    "parole passord passwort salasana senha wachtwoord şifre пароль",
    "密码 密碼 口令 パスワード 비밀번호",
)
# Parts of values that only placeholders, templates and patterns have.
PLACEHOLDER_PARTS = (
    "example", "changeme", "change_me", "change-me", "changeit", "placeholder", "redacted",
    "your_", "your-", "yourpass", "yourtoken", "yoursecret", "yourkey", "yourown", "your ",
    "xxxx", "****", "....", "…", "•••", "●●●", "insert_", "insert-", "replace_", "replace-",
    "replaceme", "dummy", "sample", "notasecret", "not-a-secret", "not_a_secret", "not-real",
    "goes-here", "goes_here", "-here", "_here", "todo", "fixme", "foobar", "enter_", "enter-",
    "secret_name", "some-secret", "some_secret", "deadbeef", "1234567890", "abcdefgh", "0123456",
    "${", "$(", "{{", "#{", "%{", "masked", "hidden", "a-za-z", "a-z0-9", "0-9a-", "\\d+", "\\w+",
    ".*",
)  # fmt: skip
# Words of sentences about secrets.
PROSE = words(
    "a also an and are as at await be been but by can cannot could does enter field for from",
    "given has have here if in instead invalid is it its least length match may minimum must",
    "needs new not failed of on or passed please required requires reset should than that the",
    "their this to too type until used using via was when where which will with without you",
    "your",
)
# Inside a value of letters only they say that it talks of a secret: badpass, userToken.
TALK = words("pass secret token key test fake dummy wrong bad invalid some user name value mock")
# The commonest pairs of letters of English: nine tenths of those in words, a quarter by chance.
BIGRAMS = words(
    "th he in er an re nd at on nt ha es st en ed to it ou ea hi is or ti as te et ng of al de",
    "se le sa si ar ve ra ld ur ro ri io ic ll be ma co me ne us ta la li el ce ch di ec ho il",
    "na no om ot pe pr rs rt sh so ss tr ts un ut wa we wi ac ad ai am ap av ay ba bl bo ca ck",
    "ct da do ee em ex fi fo fr ga ge go gr id ie if ig im ir iv ke ki ly mi mo mp nc ni ns ob",
    "oc ol oo op os ow pa ph pl po qu rd rk rm ry sc sp su tt tu ty ub ue ui ul um up vi wo xt",
    "ey ag ab ef gi ev cr sk pt au ug ud ua ks lo oa fe af",
)
FILE_ENDINGS = (
    ".pem", ".key", ".crt", ".cer", ".json", ".yaml", ".yml", ".txt", ".env", ".conf", ".cfg",
    ".ini", ".py", ".js", ".ts", ".tsx", ".go", ".rs", ".java", ".rb", ".sh", ".md", ".html",
    ".p12",
    ".pfx", ".jks", ".log", ".xml", ".toml", ".sql", ".csv", ".pub", ".gpg", ".asc", ".com", ".org",
    ".net", ".io", ".local", ".internal", ".test", ".php", ".c", ".h", ".cpp", ".swift", ".kt",
    ".war", ".jar", ".zip", ".gz", ".tgz", ".tar", ".whl", ".png", ".jpg", ".svg", ".css", ".lock",
    ".deb", ".rpm", ".exe", ".dll", ".so", ".bin", ".pdf", ".parquet", ".pkl", ".pt", ".onnx",
)  # fmt: skip
