"""Secrets by their surroundings: where a secret would stand, and what only stands there."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hindsight_cli.redact import Redactor, Span
from tests.unit.redact_samples import fill

PASSWORDS = ("{pw}", "hunter{dig:4}x", "{b62:6}!{b62:7}1", "Tr0ub4dor&{dig:1}")
TOKENS = ("{hex:32}", "{b62:40}", "{url:20}7{url:22}", "{b36:16}5{b36:16}")

# § stands for the secret.
PASSWORD_PLACES = (
    "DB_PASSWORD=§",
    "export MYSQL_PASSWORD='§' && ./run",
    "docker run -d -e MYSQL_ROOT_PASSWORD=§ -v d:/d mysql:8",
    "db:\n  user: app\n  password: §\n  pool: 5",
    'password = "§"  # staging',
    "spring.datasource.password=§",
    '{"user": "app", "password": "§", "port": 1}',
    '{"cmd": "export DB_PASSWORD=\\"§\\" && ls"}',
    '{\\\\\\"password\\\\\\": \\\\\\"§\\\\\\"}',
    "{'host': 'x', 'passwd': '§'}",
    'Config { user: "app", password: "§" }',
    "<property><name>ds.password</name><value>§</value></property>",
    '<add key="DbPassword" value="§" />',
    "<password>§</password>",
    "Server=db.test;Database=a;User Id=sa;Password=§;Encrypt=true",
    "host=db.test user=app password=§ dbname=a",
    "postgres://app:§@db.test:5432/a",
    "root:§@tcp(db.test:3306)/a",
    "jdbc:mysql://h.test/a?user=u&password=§",
    '{"argv": ["docker", "login", "-u", "ci", "-p", "§", "r.test"]}',
    'subprocess.run(["mysql", "--password", "§"])',
    "mytool --user bob --password § --region eu",
    "- name: DB_PASSWORD\n  value: §",
    "ENV DB_PASSWORD §",
    '$env:DB_PASSWORD = "§"',
    "machine h.test login bob password §",
    "CREATE USER bob WITH PASSWORD '§';",
    "| user | password |\n|------|----------|\n| bob  | § |",
    "user,password\nbob,§\n",
    "The password for the staging database is §",
    "DEBUG auth: user=bob password=§ ip=10.0.0.1",
    "数据库密码:§\n用户名:root",
    "把 root 口令改成 § 之后重启服务即可",
    "密码是 §,请保存",
    "пароль: §",
    "-  password: §\n+  password: ${DB_PASSWORD}",
    "\x1b[32mDB_PASSWORD\x1b[0m=\x1b[36m§\x1b[0m",
    'requests.get(u, auth=("bob", "§"))',
    "enable password 7 §",
)
TOKEN_PLACES = (
    "API_KEY=§",
    "services:\n  api:\n    environment:\n      API_TOKEN: §\n    ports: ['80:80']",
    "X-Api-Key: §",
    '-H "Authorization: Bearer §" https://h.test',
    "> authorization: token §\n> accept: */*",
    '{"headers": {"X-Api-Key": "§"}, "timeout": 30}',
    "GET https://h.test/v2?q=error&access_token=§&page=2 HTTP/1.1",
    "mytool login --token § --region us-east-1",
    "+ deployctl push --api-key=§ --env staging",
    'client = Client(api_key="§")  # TODO',
    "connect(token='§')\nRuntimeError: 401",
    "//registry.npmjs.org/:_authToken=§",
    "AccountName=a;AccountKey=§;EndpointSuffix=x",
    "[default]\naws_secret_access_key = §",
    "Cookie: theme=dark; sessionid=§; lang=en",
    "Set-Cookie: session=§; Path=/; HttpOnly",
    'curl -b "session=§" https://h.test',
    "User name,Access key ID,Secret access key\nci,x,§\n",
    "os.environ.setdefault(\"API_TOKEN\", \"§\")",
    "request rejected, credential § is expired (req=7c1)",
    "Your API key is §.",
    "部署时用的令牌是 §,记得轮换。",
    "git remote add o https://oauth2:§@git.test/a/b.git",
    "[Interface]\nPrivateKey = §",
)  # fmt: skip
NOT_SECRETS = (
    "commit {hex:40}\nAuthor: A <a@example.test>",
    "{hex:64}  dist/app-1.2.3.tar.gz",
    "    --hash=sha256:{hex:64} \\",
    '"integrity": "sha512-{b64:86}=="',
    "github.com/a/b v1.2.3 h1:{b64:43}=",
    "app/token.py,sha256={url:43},112",
    "trace_id={hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",
    '"sessionId":"{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"',
    "nginx@sha256:{hex:64}",
    '{hex:12}   mysql:8   "docker-entrypoint.s…"   Up 3 minutes',
    'ETag: "{hex:32}"',
    "/nix/store/{b36:32}-python3-3.11.7/bin/python3",
    "https://files.pythonhosted.org/packages/{hex:2}/{hex:2}/{hex:60}/demo-1.0-py3-none-any.whl",
    "data:image/png;base64,iVBORw0KGgo{b64:200}",
    "-----BEGIN CERTIFICATE-----\n{b64:64}\n{b64:64}\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n{b64:64}\n{b64:64}\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b62:43} me@host",
    '{"id":"toolu_01{b62:22}","call_id":"call_{b62:24}"}',
    "cache-key: linux-pip-{hex:64}",
    'public_key = "{b62:43}"',
    '"nextPageToken": "{b62:24}"',
    "token: ${{ secrets.NPM_TOKEN }}",
    "Authorization: Bearer $GITHUB_TOKEN",
    "Authorization: Bearer <your-token>",
    '--token "$(cat /run/secrets/tok)"',
    "api_key=os.environ['OPENAI_API_KEY']",
    "password=********",
    "token=[REDACTED]",
    "MYSQL_ROOT_PASSWORD=changeme_placeholder",
    "PASSWORD_FILE=/run/secrets/db_password",
    "passwd: password updated successfully",
    "def get_token(self, secret_name: str) -> str:",
    "if (password === confirmPassword) { submit() }",
    "secret_key = load_key(args.key_file)",
    "token = get_token()",
    "password: string;",
    "password: Optional[SecretStr] = None",
    "private key: Ed25519PrivateKey | Ed448PrivateKey",
    "const accessToken=e})}),(0,l.jsx)(o.N,{children:1})",
    'createElement("label",{htmlFor:"password"},"Password:"),x?e(1):2',
    '{"password": "Mot de passe", "token": "Jeton"}',
    '"passphrase":41821,"finditer":41822',
    "max_tokens=4096 total_tokens: 12345 token_type=bearer",
    "--- PASS: TestParse/empty_defaults_to_INFO (0.00s)",
    "pass `capture_output=True` to get the output",
    "postgres://user:password@localhost/db",
    "postgres://$USER:$PASS@$HOST/db",
    "ssh://git@host.test:22/a/b.git",
    "mysql -u root -p app",
    "docker run -p 8080:80 --name token-service app",
    "密码长度至少8位,加密算法为 RSA2048",
    "npm_config_registry=https://registry.npmjs.org/",
    "hf_hub_download(repo_id='x/y')",
    "ENC[AES256_GCM,data:{b64:40},iv:{b64:24},type:str]",
    "kind: ExternalSecret\nspec:\n  data:\n    - secretKey: api-key\n      remoteRef:\n",
)


def places(templates: tuple[str, ...], secrets: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(place, secret) for place in templates for secret in secrets]


@pytest.mark.parametrize(
    ("place", "secret"), [*places(PASSWORD_PLACES, PASSWORDS), *places(TOKEN_PLACES, TOKENS)]
)
def test_a_secret_is_found_where_its_surroundings_tell(place: str, secret: str) -> None:
    value = fill(secret, len(place))
    if "://" in place or "tcp(" in place:
        value = value.replace("@", "!").replace("#", "!").replace("&", "!")
    before, after = place.split("§")
    text = f"first line\n{before}{value}{after}\nlast line\n"
    start = len(f"first line\n{before}")

    spans = Redactor().spans(text)

    covered = {at for span in spans for at in range(span.start, span.end)}
    missed = [at for at in range(start, start + len(value)) if at not in covered]
    assert len(missed) <= 0.1 * len(value), (text, spans)
    assert value not in Redactor().text(text)


@pytest.mark.parametrize("template", NOT_SECRETS)
def test_what_only_looks_like_a_secret_stays_as_it_is(template: str) -> None:
    for seed in range(5):
        text = fill(template, seed)
        assert Redactor().text(text) == text


@pytest.mark.parametrize(
    "header", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
@pytest.mark.parametrize("newline", ["\n", "\\n", "\\\\n", "\r\n"])
def test_a_private_key_is_found_whole_and_cut_at_either_end(header: str, newline: str) -> None:
    lines = [fill("{b64:64}", seed) for seed in range(6)]
    begin, end = f"-----BEGIN {header}-----", f"-----END {header}-----"
    for kept in ([begin, *lines, end], [begin, *lines], [*lines, end]):
        text = f"before{newline}{newline.join(kept)}{newline}after"
        clean = Redactor().text(text)
        assert not any(line in clean for line in lines), clean
        assert clean.startswith("before")
        assert clean.endswith(f"{newline}after")


def test_a_key_block_keeps_its_numbers_and_quotes_out_of_the_way() -> None:
    lines = [fill("{b64:64}", seed) for seed in range(3)]
    numbered = "\n".join(
        f"     {number}\t{line}"
        for number, line in enumerate(["-----BEGIN EC PRIVATE KEY-----", *lines], 1)
    )
    assert not any(line in Redactor().text(numbered) for line in lines)


def test_user_and_host_of_an_address_stay() -> None:
    clean = Redactor(key=b"k").text("DATABASE_URL=postgres://app:p%40ssW0rd@db.test:5432/a")

    assert clean.startswith("DATABASE_URL=postgres://app:[REDACTED:url_password:")
    assert clean.endswith("]@db.test:5432/a")


def test_equal_secrets_get_equal_marks_and_only_under_the_same_key() -> None:
    secret = fill("{b62:32}")
    text = f"API_KEY={secret}\nother: {secret[::-1]}\ntoken={secret}\n"

    marks = [line.rpartition(":")[2] for line in Redactor(key=b"one").text(text).split()]

    assert marks[0] == marks[-1]
    assert Redactor(key=b"one").text(text) != Redactor(key=b"two").text(text)


def test_a_number_in_json_is_replaced_by_a_string() -> None:
    assert '"[REDACTED:password:' in Redactor().text('{"password": 12345678}')


def test_offsets_count_code_points() -> None:
    secret = fill("ghp_{b62:36}")
    assert Redactor().spans(f"🔑🔑 {secret} 🔚") == [Span(3, 3 + len(secret), "github_token")]


@pytest.mark.parametrize("text", ["", "ok", "\ud800 lone", "İ" * 50 + " password=Falcon7784x"])
def test_odd_texts_do_no_harm(text: str) -> None:
    clean = Redactor().text(text)
    assert "Falcon7784x" not in clean


_PIECES = st.sampled_from(
    [
        *PASSWORD_PLACES,
        *TOKEN_PLACES,
        "[REDACTED:password:ab12]",
        "\x1b[0m",
        '"',
        "\\",
        "\n",
        "§",
        "=",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_PIECES, max_size=5), st.sampled_from([*PASSWORDS, *TOKENS]), st.integers(0, 99))
def test_a_redacted_text_is_left_alone(pieces: list[str], secret: str, seed: int) -> None:
    text = " ".join(pieces).replace("§", fill(secret, seed))
    once = Redactor().text(text)

    assert Redactor().text(once) == once


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_spans_lie_in_the_text_in_order(text: str) -> None:
    spans = Redactor().spans(text)

    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(one.end <= two.start for one, two in pairwise(spans))


@pytest.mark.parametrize("before", range(6))
def test_values_that_are_no_secrets_hide_none_that_follows(before: int) -> None:
    text = "password=required x\n" * before + "password=Kd8s7QmZ2x foo\n"
    assert "Kd8s7QmZ2x" not in Redactor().text(text)


@pytest.mark.parametrize(
    "text",
    [
        "mysql -u root --password=correcthorse shop",
        "password=hunter2 foo",
        "DB_PASSWORD=hunter2 a\nREDIS_PASSWORD=hunter3 b",
        "host=db.test user=app password=swordfish dbname=shop",
        "PGPASSWORD=swordfish psql",
    ],
)
def test_a_marked_password_is_taken_whatever_follows_it(text: str) -> None:
    clean = Redactor().text(text)
    for secret in ("correcthorse", "hunter2", "hunter3", "swordfish"):
        assert secret not in clean
