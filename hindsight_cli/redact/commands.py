"""Passwords on command lines, where only the command says what -p or -u means. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from hindsight_cli.redact.literals import Value, read_value
from hindsight_cli.redact.spans import Hit
from hindsight_cli.redact.levels import Level
from hindsight_cli.redact.values import is_secret

_COMMAND_CHARS = 1_000
# Between a flag and its value: white space, a continued line, or the next item of a JSON list.
_GAP = r"(?:[ \t]+(?:\\\r?\n[ \t]*)?|=|(?P<q>\\*[\"'])[ \t]*,\s*(?=(?P=q)))"
_START = r"(?:(?<=[\s\"'(`|;&])|^)"


@dataclass(frozen=True, slots=True)
class Command:
    """`flags` is matched after `word`; the secret is the value that follows the match.

    `part`: "" the whole value; ":" or "%" or "," what follows the first such character.
    """

    word: str  # in lower case
    name: str  # pattern of the whole command name
    flags: str
    found: tuple[str, ...]
    left: tuple[str, ...] = ()
    part: str = ""


_LOGIN = r"(?:docker|podman|nerdctl|buildah|skopeo|crane|oras|helm|az|cf|oc|argocd|rancher|npm|heroku|ibmcloud|snyk|doctl|vercel|jf|jfrog|akamai|databricks|gcloud|kubectl|tsh|bw|op|twilio|fly|flyctl|circleci|sentry-cli|cargo|acr|registry|auth)\b[^\n|;&]{0,80}?\blogin"

COMMANDS = (
    Command("mysql", r"mysql(?:dump|admin|import|show|check|pump|sh|binlog)?", r"-p(?=[^\s\-])", ("mysql -uroot -p{pw} app", "mysqldump -h db.test -p'{pw}' app"), ("mysql -u root -p app", "mysql -p$DB_PASS")),
    Command("mariadb", r"mariadb(?:-dump|-admin)?", r"-p(?=[^\s\-])", ("mariadb -uapp -p{pw}",)),
    Command("sshpass", r"sshpass", rf"-p(?:{_GAP})?", ("sshpass -p '{pw}' ssh a@b.test", "sshpass -p{pw} scp a b:"), ("sshpass -p \"$PW\" ssh a@b",)),
    Command("login", _LOGIN, rf"(?:-p|-t)(?:{_GAP})", ("docker login -u ci -p {pw} r.test", "helm registry login r.test -u a -p {pw}"), ("docker login -u ci -p $PW r.test",)),
    Command("mongo", r"mongo(?:sh|dump|restore|export|import|stat|top)?", rf"-p(?:{_GAP})", ("mongosh -u a -p {pw} db.test",), ("mongo -p 27017",)),
    Command("redis-cli", r"redis-cli", rf"(?:-a|--pass)(?:{_GAP})", ("redis-cli -h h.test -a {pw} ping",)),
    Command("ldap", r"ldap(?:search|modify|add|delete|whoami|passwd|compare|modrdn)", rf"-[ws](?:{_GAP})", ("ldapsearch -D cn=a -w {pw} -b dc=b",), ("ldapsearch -s base -b dc=b",)),
    Command("sqlcmd", r"sqlcmd|bcp", rf"-P(?:{_GAP})?", ("sqlcmd -S h.test -U sa -P {pw}",)),
    Command("cqlsh", r"cqlsh|cypher-shell|beeline|snowsql|clickhouse-client|impala-shell", rf"-p(?:{_GAP})", ("cqlsh h.test -u a -p {pw}",)),
    Command("mosquitto", r"mosquitto_(?:pub|sub|rr)", rf"-P(?:{_GAP})", ("mosquitto_pub -u a -P {pw} -t t",)),
    Command("zip", r"(?:un)?zip", rf"-P(?:{_GAP})?", ("zip -P {pw} a.zip a", "unzip -P {pw} a.zip")),
    Command("7z", r"7z[ar]?|(?:un)?rar", r"-h?p(?=[^\s\-])", ("7z a -p{pw} a.7z a",)),
    Command("curl", r"curl", rf"(?:-u|--user|-U|--proxy-user)(?:{_GAP})?", ("curl -u a:{pw} https://h.test", "curl --user 'a:{pw}' https://h.test"), ("curl -u user:password https://h.test", "curl -u \"$U:$P\" https://h.test"), part=":"),
    Command("wget", r"wget", rf"(?:--(?:http-|ftp-|proxy-)?password)(?:{_GAP})", ("wget --http-password={pw} https://h.test",)),
    Command("http", r"https?ie?|xh", rf"(?:-a|--auth)(?:{_GAP})", ("http -a a:{pw} GET h.test",), part=":"),
    Command("skopeo", r"skopeo|crane|regctl", rf"--(?:src-|dest-)?creds(?:{_GAP})", ("skopeo copy --src-creds a:{pw} docker://a docker://b",), part=":"),
    Command("smbclient", r"smbclient|rpcclient|smbmap|net|mount\.cifs", rf"-U(?:{_GAP})", ("smbclient //h/s -U a%{pw}",), part="%"),
    Command("lftp", r"lftp", rf"-u(?:{_GAP})", ("lftp -u a,{pw} h.test",), part=","),
    Command("rdp", r"(?:xfree|w)rdp3?|rdesktop|xfreerdp", r"/p:|-p (?=\S)", ("xfreerdp /u:a /p:{pw} /v:h",)),
    Command("evil-winrm", r"evil-winrm|crackmapexec|netexec|nxc|plink|pscp|psexec", rf"(?:-p|-pw)(?:{_GAP})", ("plink -pw {pw} a@h",)),
    Command("openssl", r"openssl", r"(?:-pass(?:in|out)?|-k)[ \t]+(?:pass:)?", ("openssl rsa -in k -passin pass:{pw}", "openssl enc -aes-256-cbc -k {pw}"), ("openssl rsa -passin env:PW",)),
    Command("twine", r"twine", rf"-p(?:{_GAP})", ("twine upload -u a -p {pw} dist/*",)),
    Command("ipmitool", r"ipmitool|racadm", rf"-[Pp](?:{_GAP})", ("ipmitool -H h -U a -P {pw} power on",)),
    Command("snmp", r"snmp(?:walk|get|set|bulkwalk|getnext)", rf"-[AX](?:{_GAP})", ("snmpwalk -v3 -A {pw} h",)),
    Command("vault", r"vault", r"login[ \t]+(?!-)", ("vault login {pw}",), ("vault login token=$T",)),
    Command("sudo", r"echo|printf", r"(?:-n[ \t]+)?(?=[^\n|]{4,120}\|[ \t]*(?:sudo(?:[ \t]+-\w+)*[ \t]+-\w*S|su\b))", ("echo {pw} | sudo -S true",), ("echo hello | sudo tee a",)),
    Command("--password-stdin", r"echo|printf", r"(?:-n[ \t]+)?(?=[^\n|]{4,1000}\|[^\n|]{0,200}--password-stdin)", ("echo {pw} | docker login -u a --password-stdin",), ("echo $PW | docker login --password-stdin",)),
    Command("--with-token", r"echo|printf", r"(?:-n[ \t]+)?(?=[^\n|]{4,1000}\|[^\n|]{0,200}--with-token)", ("echo {b62:30} | gh auth login --with-token",)),
    Command("--stdin", r"echo|printf", r"(?:-n[ \t]+)?(?=[^\n|]{4,120}\|[ \t]*(?:sudo )?passwd)", ("echo {pw} | passwd --stdin a",)),
    Command("chpasswd", r"echo|printf", r"(?:-n[ \t]+)?(?=[^\n|]{4,200}\|[ \t]*(?:sudo )?chpasswd)", ("echo 'a:{pw}' | chpasswd",), part=":"),
    Command("chpasswd", r"chpasswd", r"<<<[ \t]*", ("chpasswd <<< 'a:{pw}'",), part=":"),
    Command("rabbitmqctl", r"rabbitmqctl", r"(?:add_user|change_password|authenticate_user)[ \t]+\S+[ \t]+", ("rabbitmqctl add_user a {pw}",)),
    Command("htpasswd", r"htpasswd", r"-[a-zA-Z]*b[a-zA-Z]*[ \t]+(?:-\w+[ \t]+)*(?:(?!-)\S+[ \t]+){1,2}(?=\S+[ \t]*(?:$|[\n|>;&\"']))", ("htpasswd -cb f a {pw}", "htpasswd -nbB a {pw}")),
    Command("net user", r"net", r"user[ \t]+(?!/)\S+[ \t]+(?![/*])", ("net user a {pw} /add",)),
    Command("sqlplus", r"sqlplus|expdp|impdp|exp|imp|sqlldr|rman", r"(?:-[SsLl][ \t]+)*(?:target[ \t]+|userid=)?(?=[\w$]+/[^\s@/]+(?:@|\s|$))", ("sqlplus a/{pw}@db.test",), part="/"),
    Command("alias set", r"mc", r"(?:alias[ \t]+set|config[ \t]+host[ \t]+add)[ \t]+\S+[ \t]+\S+[ \t]+\S+[ \t]+", ("mc alias set a https://h.test a {pw}",)),
    Command("from-literal", r"kubectl|oc", r"--from-literal(?:=|[ \t]+)[\"']?[\w.-]+=", ("kubectl create secret generic a --from-literal=b={pw}",), ("kubectl create configmap a --from-literal=mode=debug",)),
    Command("secrets set", r"fly(?:ctl)?|gh|supabase|doppler", r"secrets[ \t]+set[ \t]+(?:\w+[ \t]+(?:-b|--body)[ \t]+|\w+=)", ("flyctl secrets set A={pw}",)),
    Command("secret set", r"gh", r"secret[ \t]+set[ \t]+\w+[^\n]{0,80}?[ \t](?:-b|--body)[ \t=]+", ("gh secret set A --body {pw}",)),
    Command("configure set", r"aws", r"configure[ \t]+set[ \t]+[\w.]*(?:secret|token)\w*[ \t]+", ("aws configure set aws_secret_access_key {b62:40}",)),
    Command("wpa_passphrase", r"wpa_passphrase", r"\S+[ \t]+", ("wpa_passphrase home {pw}",)),
)  # fmt: skip


@lru_cache(maxsize=64)
def _flags(index: int) -> re.Pattern[str]:
    command = COMMANDS[index]
    # An echo's argument follows at once; a flag stands anywhere on the line.
    return re.compile(rf"{_START}(?:{command.flags})")


@lru_cache(maxsize=64)
def _name(index: int) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-])(?:[\w./~-]*/)?(?:{COMMANDS[index].name})(?![\w-])")


@lru_cache(maxsize=8)
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def find_commands(text: str, low: str) -> Iterator[Hit]:
    """Passwords given to the commands above."""
    for index, command in enumerate(COMMANDS):
        at = low.find(command.word)
        while at >= 0:
            line = low.rfind("\n", 0, at) + 1
            start = max(line, at - 200)
            end = _end_of_command(text, at)
            yield from _in_line(text, index, start, end)
            at = low.find(command.word, max(end, at + 1))


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


def _in_line(text: str, index: int, start: int, end: int) -> Iterator[Hit]:
    command = COMMANDS[index]
    name = _name(index).search(text, start, end)
    if name is None:
        return
    for flag in _flags(index).finditer(text, name.end(), end):
        hit = _divided(text, flag.end(), command.part) if command.part else _whole(text, flag.end())
        if hit is not None:
            yield hit


def _whole(text: str, at: int) -> Hit | None:
    value = read_value(text, at)
    if value is None:
        return None
    candidate = text[value.start : value.end]
    if not is_secret(candidate, Level.PASSWORD, quoted=bool(value.quote), config=True):
        return None
    return Hit(value.start, value.end, "password", sure=2)


def _divided(text: str, at: int, divider: str) -> Hit | None:
    """The part behind the divider of `user:password`, `"user":"password"`, `user%password`."""
    user = _pattern(rf"(\\*[\"']?)([^\s\"'{divider}]*)(?:\1{divider}(?=\\*[\"'])|{divider})").match(text, at)
    if user is None:
        return None
    start, opened = user.end(), user[1]
    if opened and text.startswith(opened, start):  # "key:" with no password: the key is all
        key = user[2]
        return Hit(user.start(2), user.end(2), "token", sure=2) if _is_key(key) else None
    value = read_value(text, start) if not opened or text[start] in "\"'" else None
    if value is None:
        close = text.find(opened, start, start + _COMMAND_CHARS) if opened else -1
        if close < 0:
            return None
        value = Value(start, close, opened)
    candidate = text[value.start : value.end]
    if candidate == user[2] or not is_secret(candidate, Level.PASSWORD, config=True):
        return None
    return Hit(value.start, value.end, "password", sure=2)


def _is_key(user: str) -> bool:
    return any(map(str.isdigit, user)) and is_secret(user, Level.SECRET)


