"""Passwords on command lines, where only the command says what -p or -u means. Pure.

Flags are looked for first, because lines with one are few; then the command before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hindsight_cli.redact.headers import cookie_pairs
from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.literals import Value, read_value
from hindsight_cli.redact.patterns import compiled
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.values import is_secret

_COMMAND_CHARS = 1_000
_PORT_CHARS = 5
# Between a flag and its value: white space, a continued line, or the next item of a JSON list.
_GAP = r"(?:[ \t]+(?:\\\r?\n[ \t]*)?|=|(?P<q>\\*[\"'])[ \t]*,\s*(?=(?P=q)))"
_PIPED = r"(?:-n[ \t]+)?(?=[^\n|]{4,1000}\|[^\n|]{0,200}%s)"
_LOGIN = (
    r"(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|helm|az|cf|oc|argocd|rancher|npm|heroku"
    r"|ibmcloud|snyk|doctl|vercel|jf|jfrog|databricks|gcloud|kubectl|tsh|bw|op|fly|flyctl|cargo"
    r"|registry|auth)\b[^\n|;&]{0,80}?\blogin"
)


class Command(NamedTuple):
    """The secret is the value that follows a match of `flags` after a match of `name`.

    `part`: only what follows the first such character of the value is secret.
    """

    name: str
    flags: str
    found: tuple[str, ...]
    left: tuple[str, ...] = ()
    part: str = ""


COMMANDS = (
    Command(
        r"mysql(?:dump|admin|import|show|check|pump|sh)?|mariadb(?:-dump|-admin)?",
        r"-p(?=[^\s\-])",
        ("mysql -uroot -p{pw} app", "mysqldump -h db.test -p'{pw}' app"),
        ("mysql -u root -p app", "mysql -p$DB_PASS"),
    ),
    Command(
        r"sshpass", rf"-p(?:{_GAP})?",
        ("sshpass -p '{pw}' ssh a@b.test", "sshpass -p{pw} scp a b:"),
        ('sshpass -p "$PW" ssh a@b', "sshpass -e ssh -p 2222 a@b"),
    ),
    Command(
        _LOGIN, rf"-p(?:{_GAP})",
        ("docker login -u ci -p {pw} r.test", "helm registry login r.test -u a -p {pw}"),
        ("docker login -u ci -p $PW r.test", "docker login r.test && docker run -p 8080:80 a"),
    ),
    Command(
        r"mongo(?:sh|dump|restore|export|import|stat|top)?|cqlsh|cypher-shell|beeline|snowsql|twine"
        r"|evil-winrm|crackmapexec|netexec|nxc|rdesktop",
        rf"-p(?:{_GAP})", ("mongosh -u a -p {pw} db.test", "twine upload -u a -p {pw} dist/*"),
    ),
    Command(r"redis-cli", rf"(?:-a|--pass)(?:{_GAP})", ("redis-cli -h h.test -a {pw} ping",)),
    Command(
        r"ldap(?:search|modify|add|delete|whoami|passwd|compare|modrdn)", rf"-[ws](?:{_GAP})",
        ("ldapsearch -D cn=a -w {pw} -b dc=b",), ("ldapsearch -s base -b dc=b",),
    ),
    Command(
        r"sqlcmd|bcp|mosquitto_(?:pub|sub|rr)|(?:un)?zip|ipmitool", rf"-P(?:{_GAP})?",
        ("sqlcmd -S h.test -U sa -P {pw}", "zip -P {pw} a.zip a", "mosquitto_pub -P {pw} -t t"),
    ),
    Command(r"7z[ar]?|(?:un)?rar", r"-h?p(?=[^\s\-])", ("7z a -p{pw} a.7z a",)),
    Command(
        r"curl", rf"(?:-u|--user|-U|--proxy-user)(?:{_GAP})?",
        (
            "curl -u a:{pw} https://h.test", "curl --user 'a:{pw}' https://h.test",
            'curl -u "{b62:30}:" h.test',
        ),
        ("curl -u user:password https://h.test", 'curl -u "$U:$P" https://h.test'), part=":",
    ),
    Command(
        r"https?(?!:)|xh", rf"(?:-a|--auth)(?:{_GAP})", ("http -a a:{pw} GET h.test",), part=":",
    ),
    Command(
        r"skopeo|crane|regctl", rf"--(?:src-|dest-)?creds(?:{_GAP})",
        ("skopeo copy --src-creds a:{pw} docker://a docker://b",), part=":",
    ),
    Command(
        r"smbclient|rpcclient|smbmap|net|mount\.cifs", rf"-U(?:{_GAP})",
        ("smbclient //h/s -U a%{pw}",), part="%",
    ),
    Command(r"ssh-keygen", rf"-[NP](?:{_GAP})", ("ssh-keygen -t rsa -N '{pw}' -f a",)),
    Command(r"lftp", rf"-u(?:{_GAP})", ("lftp -u a,{pw} h.test",), part=","),
    Command(r"plink|pscp|psexec", rf"(?:-p|-pw)(?:{_GAP})", ("plink -pw {pw} a@h",)),
    Command(
        r"openssl", r"(?:-pass(?:in|out)?|-k)[ \t]+(?:pass:)?",
        ("openssl rsa -in k -passin pass:{pw}", "openssl enc -aes-256-cbc -k {pw}"),
        ("openssl rsa -passin env:PW",),
    ),
    Command(
        r"snmp(?:walk|get|set|bulkwalk|getnext)", rf"-[AX](?:{_GAP})", ("snmpwalk -v3 -A {pw} h",),
    ),
    Command(
        r"htpasswd",
        r"-[a-zA-Z]*b[a-zA-Z]*[ \t]+(?:-\w+[ \t]+)*(?:(?!-)\S+[ \t]+){1,2}"
        r"(?=\S+[ \t]*(?:$|[\n|>;&\"']))",
        ("htpasswd -cb f a {pw}", "htpasswd -nbB a {pw}"),
    ),
    Command(
        r"(?:kubectl|oc)\b[^\n|;&]{0,80}?\bsecret", r"--from-literal(?:=|[ \t]+)[\"']?[\w.-]+=",
        ("kubectl create secret generic a --from-literal=b={pw}",),
        ("kubectl create configmap a --from-literal=mode=debug",),
    ),
    Command(
        r"(?:gh|glab)[ \t]+(?:secret|variable)[ \t]+set", r"(?:-b|--body|--value|-v)[ \t=]+",
        ("gh secret set A --body {b62:30}",), ("gh pr create --body 'fixes 12'",),
    ),
    Command(
        r"echo|printf",
        _PIPED % r"(?:sudo(?:[ \t]+-\w+)*[ \t]+-\w*S|--password-stdin|--with-token|passwd --stdin)",
        ("echo {pw} | sudo -S true", "echo {pw} | docker login -u a --password-stdin"),
        ("echo hello | sudo tee a", "echo $PW | docker login --password-stdin"),
    ),
)  # fmt: skip
# Commands that need no flag: found by a word of their own.
WORD_COMMANDS = (
    (
        "rabbitmqctl",
        Command(
            r"rabbitmqctl", r"(?:add_user|change_password)[ \t]+\S+[ \t]+",
            ("rabbitmqctl add_user a {pw}",),
        ),
    ),
    (
        "net use ",
        Command(
            r"net", r"use[ \t]+(?:\S+:[ \t]+)?\\\\\S+[ \t]+(?![/*])",
            (r"net use Z: \\h\s {pw} /user:a",),
        ),
    ),
    ("net user", Command(r"net", r"user[ \t]+(?!/)\S+[ \t]+(?![/*])", ("net user a {pw} /add",))),
    (
        "sqlplus",
        Command(
            r"sqlplus", r"(?:-[SsLl][ \t]+)*(?=[\w$]+/[^\s@/]+(?:@|\s|$))",
            ("sqlplus a/{pw}@db.test",), part="/",
        ),
    ),
    (
        "alias set",
        Command(
            r"mc", r"alias[ \t]+set[ \t]+\S+[ \t]+\S+[ \t]+\S+[ \t]+",
            ("mc alias set a https://h.test a {pw}",),
        ),
    ),
    (
        "vault login",
        Command(
            r"vault", r"login[ \t]+(?!-|\w+=)", ("vault login {b62:26}",),
            ("vault login token=$T",),
        ),
    ),
)  # fmt: skip
# Commands whose own name is a word that talks of secrets (named.py finds those).
COMMANDS_BY_NAME = {
    "chpasswd": (
        Command(r"echo|printf", _PIPED % "chpasswd", ("echo 'a:{pw}' | chpasswd",), part=":"),
        Command(r"chpasswd", r"<<<[ \t]*", ("chpasswd <<< 'a:{pw}'",), part=":"),
    ),
    "secrets": (
        Command(
            r"fly(?:ctl)?|supabase|doppler",
            r"secrets[ \t]+set[ \t]+\w+=",
            ("flyctl secrets set A={b62:30}",),
        ),
    ),
    "wpa_passphrase": (Command(r"wpa_passphrase", r"\S+[ \t]+", ("wpa_passphrase home {pw}",)),),
}
_ANY_NAME = (
    rf"(?<![\w-])(?:{'|'.join(f'(?P<c{i}>{c.name})' for i, c in enumerate(COMMANDS))})(?![\w-])"
)
_FLAG = r"-(?<=[ \t\"']-)(?:[hpPauUwsktAXbScnBN]|-[uapscfbw])"


def find_flagged(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Passwords given to the commands above; a flag stands behind each place."""
    done = 0
    for place in places:
        at = place + 1
        if at < done or not compiled(_FLAG).match(text, at):
            continue
        start = _start_of_command(text, at, done)
        done = _end_of_command(text, at)
        yield from _in_line(text, start, done)


def find_commands(text: str, low: str, places: Sequence[int]) -> Iterator[Hit]:
    """Passwords given to commands that need no flag."""
    for word, command in WORD_COMMANDS:
        at = low.find(word)
        while at >= 0:
            end = _end_of_command(text, at)
            yield from _given_to(text, command, _start_of_command(text, at, 0), end)
            at = low.find(word, max(end, at + 1))


def command_hits(text: str, name: str, at: int) -> list[Hit]:
    """Passwords given to one of COMMANDS_BY_NAME that stands at `at`."""
    start, end = _start_of_command(text, at, 0), _end_of_command(text, at)
    return [h for command in COMMANDS_BY_NAME[name] for h in _given_to(text, command, start, end)]


def _start_of_command(text: str, at: int, floor: int) -> int:
    """The start of the line, or of the first of the lines it continues."""
    floor = max(floor, at - _COMMAND_CHARS)
    start = text.rfind("\n", floor, at)
    while start > floor and text[start - 1] == "\\":
        start = text.rfind("\n", floor, start)
    return max(start + 1, floor)


def _end_of_command(text: str, at: int) -> int:
    """The end of the line, or of the last line it is continued on."""
    end = at
    while end < at + _COMMAND_CHARS:
        newline = text.find("\n", end, at + _COMMAND_CHARS)
        if newline < 0:
            return min(len(text), at + _COMMAND_CHARS)
        if text[newline - 1] != "\\":
            return newline
        end = newline + 1
    return end


def _in_line(text: str, start: int, end: int) -> Iterator[Hit]:
    """What the commands of a line are given; each name in it is looked at once."""
    seen = set()
    for name in compiled(_ANY_NAME).finditer(text, start, end):
        command = COMMANDS[int((name.lastgroup or "c0")[1:])]
        if command.name not in seen:
            seen.add(command.name)
            yield from _after_name(text, command, name.end(), end)
            if command.name == "curl":
                for cookie in compiled(r" -b +[\"']?(?=[\w.-]+=)").finditer(text, start, end):
                    yield from cookie_pairs(text, cookie.end())


def _given_to(text: str, command: Command, start: int, end: int) -> Iterator[Hit]:
    name = compiled(rf"(?<![\w-])(?:{command.name})(?![\w-])").search(text, start, end)
    if name is not None:
        yield from _after_name(text, command, name.end(), end)


def _after_name(text: str, command: Command, start: int, end: int) -> Iterator[Hit]:
    flags = compiled(rf"(?:(?<=[\s\"'(`|;&])|^)(?:{command.flags})")
    for flag in flags.finditer(text, start, end):
        hit = _divided(text, flag.end(), command.part) if command.part else _whole(text, flag.end())
        if hit is not None:
            yield hit


def _whole(text: str, at: int) -> Hit | None:
    value = read_value(text, at)
    if value is None:
        return None
    candidate = text[value.start : value.end]
    if candidate.isdigit() and len(candidate) <= _PORT_CHARS:
        return None
    if not is_secret(candidate, Level.PASSWORD, quoted=bool(value.quote), config=True):
        return None
    return Hit(value.start, value.end, "password", sure=2)


def _divided(text: str, at: int, divider: str) -> Hit | None:
    """The part behind the divider of `user:password`, `"user":"password"`, `user%password`."""
    user = compiled(rf"(\\*[\"']?)([^\s\"'{divider}]*)(?:\1{divider}(?=\\*[\"'])|{divider})").match(
        text, at
    )
    if user is None:
        return None
    start, opened = user.end(), user[1]
    if opened and text.startswith(opened, start):  # "key:" with no password: the key is all
        key = user[2]
        is_key = any(map(str.isdigit, key)) and is_secret(key, Level.SECRET)
        return Hit(user.start(2), user.end(2), "token", sure=2) if is_key else None
    value = read_value(text, start) if not opened or text[start] in "\"'" else None
    if value is None:
        close = text.find(opened, start, start + _COMMAND_CHARS) if opened else -1
        if close < 0:
            return None
        value = Value(start, close, opened)
    if divider == "/":  # user/password@database
        at = text.find("@", value.start, value.end)
        value = value._replace(end=at) if at > value.start else value
    candidate = text[value.start : value.end]
    if candidate == user[2] or not is_secret(candidate, Level.PASSWORD, config=True):
        return None
    return Hit(value.start, value.end, "password", sure=2)
