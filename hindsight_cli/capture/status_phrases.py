"""How harnesses, tools and APIs word refusals and failures.

Families of wording rather than single messages: agents change their texts between
versions and languages of the same thing are many.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue

# What harnesses put before the words that matter.
_LEAD = r"\A[\s<]*+(?:(?:tool_use_error|error)>\s*+)?(?:error:\s*+)?"


class _Late:
    """A pattern that is compiled when it is first used: a hook uses few of them."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> JsonValue:
        method = getattr(re.compile(self._source, self._flags), name)
        setattr(self, name, method)  # from here on as fast as the pattern itself
        return method


def any_of(*alternatives: str, flags: int = re.IGNORECASE, lead: str = "") -> re.Pattern[str]:
    """One pattern out of alternatives, all of them after `lead`."""
    return cast("re.Pattern[str]", _Late(f"{lead}(?:{'|'.join(alternatives)})", flags))


# A person said no. Anchored: a page or a log may well speak of users who refuse.
DENIED_BY_USER = any_of(
    r"the user (?:doesn'?t|does not|did not|didn'?t) (?:want|wish|allow|approve|permit)\b",
    r"the user (?:has )?(?:chosen not|wants to (?:clarify|chat|discuss|stop))\b",
    r"(?:the )?user (?:has )?(?:rejected|denied|declined|refused|cancel+ed|dismissed)\b",
    r"(?:the )?tool (?:use|call) was (?:rejected|denied|declined)\b",
    r"(?:[\w-]+ ){0,9}(?:rejected|denied|declined|refused|blocked) by (?:the )?user\b",
    r"\[operation cancel+ed\] reason: (?:the )?user (?:denied|did(?: not|n'?t) allow|rejected"
    r"|declined|refused)",
    lead=_LEAD,
)
# A permission rule, a hook or a sandbox said no.
DENIED_BY_POLICY = any_of(
    r"permission (?:to|for) [^\n]{0,160}?\b(?:denied|not (?:been )?granted)\b",
    r"\w+ requested permissions? (?:to|for) [^\n]{0,300}haven'?t granted",
    r"[^\n]{0,160}\b(?:requires?|needs?) (?:your |user |manual )?(?:approval|permission)\b",
    r"[^\n]{0,160}\b(?:blocked|denied|rejected|forbidden|disallowed|not allowed|prevented|stopped)"
    r" by (?:the |a |an |your |its )?[\w :-]{0,40}\b"
    r"(?:polic|hook|rule|permission|sandbox|admin|setting|configuration|classifier)",
    r"[^\n]{0,20}(?:pre|post)tooluse\b[^\n]{0,80}\bhook (?:error|denied|blocked|returned blocking)",
    r"hook [^\n]{0,80}\b(?:denied|blocked|rejected) (?:this|the) (?:tool|call|command)\b",
    r"the user has specified a rule which prevents",
    r"approval (?:is )?required by (?:the |a )?policy\b",
    r"permission denied because no [^\n]{0,40}\bresponse\b",
    r"(?:tool execution was|(?:[\w-]+ )?command) blocked\b",
    r"this action was rejected\b",
    r"permission denied and could not request permission",
    lead=_LEAD,
)
# Never ran, or was stopped half way.
CANCELLED = any_of(
    r"sibling tool call errored",
    r"cancel+ed\b",
    r"\[?request (?:was )?(?:interrupted|aborted|cancel+ed)\b",
    r"\[?(?:the )?(?:tool|command|operation|execution|call|process)(?: [\w-]+){0,3} "
    r"(?:interrupted|cancel+ed|aborted)\b",
    r"(?:aborted|interrupted|cancel+ed) by (?:the )?user\b",
    r"\[operation cancel+ed\]",
    r"(?:not (?:run|executed)|skipped)[,:]? (?:because|since|due to|after|as)\b",
    lead=_LEAD,
)
INTERRUPT_NOTICE = "[Request interrupted by user"
# The harness rejected the call: it reached no tool, or no process.
HARNESS = any_of(
    r"<tool_use_error>",
    r"unsupported (?:custom tool )?call:",
    r"failed to parse (?:function |tool )?(?:arguments|input)\b",
    r"(?:unified )?exec(?:_command)? failed\b",
    r"write_stdin failed\b|(?:invalid|unknown) (?:agent|cell|process|session) id\b",
    r"apply_patch verification failed\b",
    r"execution error:",
    r"validation failed for tool\b",
    r"\"[\w.\[\]]+\": (?:required|expected|invalid)\b",
    lead=r"\A\s*+",
)

UNKNOWN_TOOL = any_of(
    r"no such (?:tool|function)\b",
    r"(?:unknown|unsupported|unrecognized|invalid|unavailable) "
    r"(?:tool|function|skill|agent|subagent|call)\b",
    r"(?:tool|function|skill|agent type) ['\"`]?[\w:./-]+['\"`]? (?:is |was )?"
    r"(?:not (?:found|available|exist|registered|supported|defined)|does not exist)",
    r"model tried to call unavailable tool",
    lead=_LEAD,
)
INVALID_ARGS = any_of(
    r"inputvalidationerror",
    r"\binvalid (?:arguments?|input|parameters?|params|tool parameters)\b",
    r"failed to parse (?:function |tool )?(?:arguments|input)",
    r"missing (?:a |\d+ )?required\b",
    r"\brequired (?:parameter|argument|property|field)",
    r"(?:must|should) (?:have required|be (?:string|number|object|array|boolean|equal))",
    r"unexpected (?:keyword argument|parameter)",
    r"\bvalidation errors? for\b",
    r"schema validation",
    r"\A\s*\"[\w.\[\]]+\": (?:required|expected|invalid)\b",
)
NOT_FOUND = any_of(
    r"(?:does not|doesn'?t) exist\b",
    r"no such (?:file|\w+ found)",
    r"\bnot found\b",
    r"\bENOENT\b",
    r"\b(?:status code|HTTP(?: error)?|error) 404\b",
    r"\bcannot find\b",
    r"\bno \w+ (?:was |were )?found\b",
)
NETWORK = any_of(
    r"could not resolve (?:host|hostname)|temporary failure in name resolution",
    r"name or service not known|\bgetaddrinfo\b|no route to host|network is unreachable",
    r"connection (?:refused|reset|timed out|aborted)|\bECONN(?:REFUSED|RESET|ABORTED)\b",
    r"\b(?:ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE)\b|socket hang up|\bfetch failed\b",
    r"tls handshake|failedtoopensocket",
    r"\b50[234] (?:bad gateway|service (?:temporarily )?unavailable|gateway time)",
)
# One of these is in everything that NETWORK finds, and in few other texts.
_NETWORK_WORDS = (
    *("resolve host", "name resolution", "service not known", "getaddrinfo", "route to host"),
    *("network is", "connection ", "econn", "etimedout", "enotfound", "eai_again", "epipe"),
    *("hang up", "fetch failed", "tls handshake", "opensocket", "gateway", "unavailable"),
)


def tells_of_network(text: str) -> bool:
    """Whether NETWORK is found in a text that may be long."""
    lower = text.lower()
    return any(word in lower for word in _NETWORK_WORDS) and bool(NETWORK.search(text))


API = any_of(
    r"\A\s*API error\b",
    r"\brate.?limit(?:ed| exceeded| reached)|\b429\b.{0,30}too many",
    r"\boverloaded_error\b|\bquota exceeded\b",
    r"\bstatus code [45]\d\d\b|\bHTTP (?:error )?[45]\d\d\b",
)
TIMEOUT = any_of(
    r"^[^\w\n]{0,12}(?:error:? ?)?(?:the |your )?(?:[\w-]+ ){0,3}?"
    r"(?:command|tool|execution|process|request|operation|call)\b[^\n]{0,60}\b"
    r"(?:timed[ -]?out|exceeded (?:the |its )?time ?(?:limit|out))",
    r"^[^\w\n]{0,12}(?:error:? ?)?(?:execution )?(?:timed[ -]?out|timeout(?:error)?)\b[^\n]{0,20}"
    r"(?:after|of|:|exceeded|$)",
    r"\bMCP error -32001\b",
    flags=re.IGNORECASE | re.MULTILINE,
)
EXIT_CODE = any_of(
    r"\A\s*(?:error:\s*)?exit(?:ed with)? (?:code|status):? (-?\d+)\b",
    r"^(?:process|command) exited with (?:code|status) (-?\d+)\b",
    r"^exit code: (-?\d+)\s*$",
    r"<returncode>\s*(-?\d+)\s*</returncode>",
    r"\[(?:the )?command (?:finished|completed|exited) with exit code (-?\d+)\.?\]",
    r"^exited with exit code:? (-?\d+)\s*$",
    flags=re.IGNORECASE | re.MULTILINE,
)
# A tool that has no flag puts its failure first.
LEADING_ERROR = any_of(
    r"(?:fatal )?(?:error|exception|failure)s?\b(?:\s*(?:code\s*)?[-\w]*)?\s*(?:[:(\[]|-\s|$)",
    r"(?:internal|unexpected|server|validation|tool|api|execution|runtime|http) (?:\w+ )?error\b",
    r"error (?:executing|calling|invoking|running|while|in|occurred|during|when|from|reading"
    r"|writing|editing|creating)\b",
    r"(?:[\w.]*(?:Error|Exception)): ",
    r"traceback \(most recent call last\):",
    r"(?:failed|unable) to \w+",
    r"(?:cannot|could not) \w+",
    r"MCP error -?\d+",
    lead=r"\A(?:observation:)?\W{0,4}",
)
# An editor that did nothing says so in its first line.
EDIT_REFUSED = any_of(
    r"\bno (?:replacements?|changes?|edits?|match(?:es)?)\b[^\n]{0,40}"
    r"\b(?:made|performed|applied|found)\b",
    r"\b(?:not|never) (?:be )?(?:found|applied|unique|written|made|replaced)\b",
    r"\b(?:did|does|do) not (?:appear|match|exist|apply|contain)\b",
    r"\b(?:introduced|contains|has) (?:\w+ ){0,2}syntax error",
    r"\bmultiple (?:matches|occurrences)\b|\b(?:failed|unable|cannot|could not)\b",
    r"\b(?:patch|edit|hunk)\b[^\n]{0,40}\b(?:failed|rejected|invalid)\b",
)
