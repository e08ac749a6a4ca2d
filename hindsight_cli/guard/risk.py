"""Risk classes of a text: what a human has to see in red before it becomes memory.

Two levels. Hostile: the text gives the reader orders about its own rules, hides, or carries
data out; kept apart. Risky: a command an agent should not take from memory without a
person's look. Negated ("never run X") and quoted text weigh less.

Source: security research W5; docs/explanation/trust.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hindsight_cli.guard import lexicon as lx
from hindsight_cli.guard.views import turned, views

OVERRIDE = "instruction_override"
FORGERY = "role_forgery"
CONCEAL = "concealment"
EXFILTRATE = "exfiltrate"
MEMORY = "addresses_memory_or_approval"
MISREPORT = "misreport"
TRIGGER = "hidden_trigger"
HIJACK = "tool_hijack"
DELETE = "delete"
DOWNLOAD = "download_execute"
PERSIST = "persist"
WEAKEN = "weaken_security"
CREDENTIALS = "credentials"

HOSTILE = frozenset({OVERRIDE, FORGERY, CONCEAL, EXFILTRATE})
ADDRESSES_AGENT = HOSTILE | {MEMORY, MISREPORT, TRIGGER, HIJACK}


@dataclass(frozen=True, slots=True)
class Hit:
    risk: str
    words: str  # what was found, for people
    quoted: bool = False  # stands as an example, not as advice


def _near(first: str, second: str, gap: int = 40, *, either: bool = False) -> str:
    """A pattern: `first`, then `second` in the same sentence; in any order if `either`."""
    between = rf"(?:(?![.!?]\s)[^\n。!?]){{0,{gap}}}?"
    forward = f"(?:{first}){between}(?:{second})"
    return f"(?:{forward}|(?:{second}){between}(?:{first}))" if either else forward


def _rule(risk: str, *patterns: str) -> tuple[str, re.Pattern[str]]:
    return risk, re.compile("|".join(patterns))


_B = r"(?<![\w-])"
_ADDRESS_RULES = (
    _rule(
        OVERRIDE,
        _B + _near(lx.DISMISS, lx.AUTHORITY, 24),
        _near(rf"{_B}(?:{lx.AUTHORITY})", lx.VOIDED, 40),
        _near(lx.SELF, lx.SUPREME, 24),
        _near(rf"{_B}(?:treat|use|take|keep|make|accept)\b", lx.SOLE, 50),
        lx.NEW_ROLE,
        _B + lx.OBEY,
        _B + lx.STOP_TASK,
        _near(lx.ZH_DISMISS, lx.ZH_AUTHORITY, 10),
        _near(lx.ZH_AUTHORITY, lx.ZH_VOIDED, 12),
        lx.ZH_SUPREME,
        lx.ZH_NEW_ROLE,
        lx.ZH_OBEY,
        lx.ZH_STOP_TASK,
        _near(lx.OTHER_DISMISS, _near(lx.OTHER_ALL, lx.OTHER_ORDERS, 24, either=True), 30),
        _near(lx.CJK_OTHER_ALL, _near(lx.CJK_OTHER_ORDERS, lx.CJK_OTHER_DISMISS, 12), 8),
    ),
    _rule(
        CONCEAL,
        _near(
            rf"{_B}(?:{lx.NOT})",
            _near(
                lx.TELL,
                rf"{lx.PEOPLE}|this (?:rule|step|change|instruction|fact|message|note)|"
                r"(?:the )?(?:rule|instruction|directive)\b|(?:it|this|that) to\b",
                16,
            ),
            16,
        ),
        r"\bkeep (?:it|this|that|these|them) (?:between us|quiet|secret|hidden|private|to yourself|confidential)|\bbetween (?:you and me|us)\b",
        _near(
            r"\bhid(?:e|ing)\b",
            r"\bfrom (?:the )?(?:"
            + lx.PEOPLE
            + r"|logs?|audit|review|diff|reports?|history|summary)",
            40,
        ),
        _near(
            r"\b(?:leave|keep|omit)\b",
            r"\b(?:out of|from) (?:the )?(?:change ?log|report|summary|audit|logs?|review|commit message)",
            40,
        ),
        r"\b(?:eras|clear|wip|delet|remov|truncat|disabl|unset)(?:e|es|ing|s)? (?:the |your |all )?(?:shell |bash |command |audit |access )(?:history|log|trail)s?",
        r"\bhistory -c\b|\bunset histfile|histfile=/dev/null|histsize=0",
        r"\bso (?:that )?(?:nobody|no one|no-one|the \w+|they|reviewers?) (?:does not|do not|doesn't|don't|won't|will not|never|cannot|can't)? ?(?:notices?|sees?|finds? out|realizes?|learns?)\b",
        _near(
            lx.ZH_NOT,
            rf"{lx.ZH_TELL}[^,。\n]{{0,8}}(?:{lx.ZH_PEOPLE}|本条|此条|这条|本规则|此事|该操作|这一)",
            4,
        ),
        _near(
            rf"{lx.ZH_NOT}(?:让|使|给|向)",
            rf"{lx.ZH_PEOPLE}[^,。\n]{{0,4}}(?:知道|发现|看到|察觉|得知|{lx.ZH_TELL})",
            4,
        ),
        r"(?:瞒着|隐瞒|背着|对[^,。\n]{0,6}保密|悄悄|偷偷|清除(?:历史|日志|痕迹)|抹(?:掉|去)[^,。\n]{0,6}(?:记录|痕迹|日志))",
    ),
    _rule(
        MEMORY,
        _near(
            rf"{_B}(?:{lx.NOT}|skip(?:ping)?)",
            rf"(?:{lx.ASK}) (?:for )?(?:{lx.PEOPLE}|{lx.CONSENT}|(?:the |any )?(?:\w+ )?{lx.CONSENT})",
            12,
        ),
        _near(
            r"\b(?:without|no|skip(?:ping)?|bypass(?:ing)?|omit(?:ting)?)",
            rf"(?:further |any |prior |explicit |human |manual |the |another |waiting for |asking for )*(?:{lx.CONSENT})",
            3,
        ),
        _near(
            lx.CONSENT,
            r"(?:is|are|prompts? are|dialogs? are|steps? are) (?:not (?:needed|required|necessary)|unnecessary|optional|legacy|obsolete|superfluous|a formality)",
            24,
        ),
        r"\b(?:already|pre-?|auto-?) ?(?:approved|accepted|verified|reviewed) (?:by|this|rule|lesson|and)|\breviewer has (?:accepted|approved)|\bmark(?:ed)? (?:it |this |the \w+ )?as (?:approved|verified|trusted|reviewed)",
        _near(rf"{_B}(?:{lx.MUTATE})", lx.MEMORY, 20),
        _near(
            lx.MEMORY,
            r"(?:has to be|must be|should be|are to be|is to be|be|get) (?:deleted|removed|dropped|approved|overwritten|ignored|rejected)",
            30,
        ),
        _near(
            rf"{_B}(?:{lx.STORE})",
            r"(?:as|in|into|to) (?:an? |the |your |long[- ]term |permanent |persistent )*(?:lesson|memory|memories|rule|experience|directive|system directive|hindsight)\b",
            40,
        ),
        _near(
            rf"{_B}(?:{lx.STORE})",
            r"\b(?:lesson|experience|rule|memory) (?:\w+ )?(?:verbatim|unchanged|as is|word for word)",
            20,
        ),
        r"\bweight (?:of |to |= ?|is |at |: ?)*(?:1(?:\.0)?\b|\d{2,}|max\w*|highest|100)|\b(?:never|not) (?:to )?(?:expire|be (?:deleted|removed|forgotten|expired|reviewed))\b(?=.*(?:rule|lesson|memory|experience|this|weight))",
        r"\breviews? (?:is|are) (?:now )?(?:optional|unnecessary|disabled|not needed|off)|\bskip (?:the )?validation\b|\btask[ _]status ?[=:]|\b(?:delete|add|update|approve)_(?:rule|memory|lesson|experience)s?\b",
        _near(
            r"\b(?:stop|kill|disable|pause|turn(?:ing)? off|uninstall|unset|terminate)\w*",
            r"\b(?:the )?(?:recorder|hindsight|audit|trace capture|guard)\b",
            24,
        ),
        _near(lx.ZH_MUTATE, lx.ZH_MEMORY, 8, either=True),
        r"权重[^,。\n]{0,6}(?:最高|最大|1|满)|永(?:不|久)(?:过期|失效|有效|保留)",
        _near(lx.ZH_NOT, lx.ZH_ASK, 4),
        r"(?:无须|无需|不必|不用|免)(?:人工)?(?:审核|审批|确认|批准|询问)|自动(?:批准|通过|审批)",
    ),
    _rule(
        MISREPORT,
        _near(
            r"\b(?:report|mark|claim|declare|state|answer|say|tell|set|force|record|treat|count)\b",
            _near(
                r"\b(?:as |to be |is |was |to |the \w+ (?:as|is|to) )?(?:green|pass(?:ed|ing)?|success(?:ful)?|done|completed?|healthy|fixed|ok)\b",
                r"\b(?:when|even if|even when|although|though|without|regardless|despite|fewer|no matter|before (?:running|checking)|whatever|anyway)\b",
                60,
            ),
            40,
        ),
        r"\b(?:answer|say|reply|respond|report) that [^.\n]{0,60} without (?:checking|running|testing|looking|verifying)",
        r"\b(?:force|set|overwrite|change) (?:the )?(?:\w+ )?(?:status|result|exit code|outcome|verdict) to (?:pass|success|ok|green|0|true)\b",
        r"(?:报告|标记|声称|写成|当作|回复|宣布|记为|设为|视为)[^,。\n]{0,8}(?:通过|成功|完成|正常|全绿)[^。\n]{0,20}(?:即使|哪怕|无论|不论|失败|未|没有|不必|无需|跳过)|(?:即使|哪怕|无论|不论|虽然)[^。\n]{0,20}(?:报告|标记|声称|写成|回复|记为)[^,。\n]{0,8}(?:通过|成功|完成|正常)",
    ),
    _rule(
        TRIGGER,
        r"\b(?:trigger|activation|magic|secret|code) ?(?:token|phrase|word|string|sequence)s?\b|\b(?:when|if|once|whenever) (?:the )?(?:word|phrase|string|token|keyword|name) [^.\n]{1,40} (?:appears|is (?:seen|mentioned|used|present|found)|occurs|shows up)",
        r"(?:暗号|触发词|口令词|激活词)|(?:当|如果|一旦|只要)[^,。\n]{0,6}(?:出现|看到|提到|包含)[^,。\n]{1,14}(?:字样|一词|关键词|字眼)",
    ),
    _rule(
        HIJACK,
        r"\b(?:over|instead of|before|rather than) (?:every|all|any) other (?:\w+ )?(?:tool|server|function|command)s?\b|\b(?:always|only|must) (?:call|use|invoke|prefer) (?:this (?:one|tool)?|it)\b(?: \w+){0,3} (?:instead|first|before|rather)",
        r"\bresults? (?:of|from) (?:the )?(?:tool )?[`\w]+ (?:is|are) (?:outdated|wrong|unreliable|deprecated|untrusted)|\b(?:before|after) (?:each|every|any|using any|calling any) (?:other )?(?:tool )?(?:call|tool|use)[^.\n]{0,12},? (?:also |first |always )*(?:call|read|send|run|pass|invoke)\b",
        r"\bnever (?:call|use) (?:the )?(?:tool )?`?\w+_\w+",
        r"(?:优先|始终|总是|一律|只)(?:调用|使用)(?:本|该|此)工具|(?:每次|任何)(?:调用|工具)[^,。\n]{0,8}(?:都要|必须|先|还要)(?:调用|读取|发送)",
    ),
)
_FORGERY = re.compile(
    r"<\|?(?:im_start|im_end|system|endoftext|user|assistant|start_header_id|eot_id|begin_of_text)\|>|\[/?(?:INST|SYS)\]|<</?SYS>>|"
    r"</?(?:system|system-reminder|system_message|system_prompt|assistant|human|user|developer|tool_result|tool_response|function_results|instructions?|admin)>|"
    r"^[\s>*#-]*(?:system|developer|assistant|human|operator|admin|reflector(?: note)?|系统(?:消息|提示|指令)?|管理员|开发者)\s*(?:note|message|prompt|override|notice)?\s*[:：](?=\s*\S)|"
    r"^[\s#=*<\[-]*(?:BEGIN|END|START)(?: OF)? (?:SYSTEM|TRACE|CONTEXT|PROMPT|INSTRUCTIONS?|DOCUMENT|DATA|USER INPUT|CONVERSATION|TOOL (?:OUTPUT|RESULT))\b|"
    r"\{\s*[\"']role[\"']\s*:\s*[\"'](?:system|developer)[\"']|(?:以下|下面)(?:是|为)系统(?:消息|提示|指令)",
    re.IGNORECASE | re.MULTILINE,
)
_EXFIL_RULES = (
    _rule(
        EXFILTRATE,
        _near(rf"{_B}(?:{lx.SEND})\b", _near(lx.SECRET_STORE, lx.DESTINATION, 90, either=True), 60),
        _near(
            lx.SECRET_STORE,
            r"\|\s*(?:\w+ [^|\n]{0,30}\|\s*)?(?:curl|wget|nc|ncat|netcat|ssh|socat|telnet|mail|sendmail)\b",
            60,
        ),
        r"\b(?:curl|wget|http|nc)\b[^\n]{0,80}(?:@|<|\$\(|`)\s*(?:cat |base64 )?(?:~/|/etc/|\.env|\.ssh|\$home|id_rsa|[\w/.-]*(?:secret|credential|token))",
        r"\$\((?:whoami|hostname|cat|env|printenv|id|base64)[^)]*\)[\w.$()/ -]*\.[\w.-]+|://[^\s]*\$\(",
        _near(rf"{_B}(?:{lx.SEND})\b", _near(lx.SECRET_VALUE, lx.DESTINATION, 70), 40),
        r"!\[[^\]]*\]\([a-z]+://[^)\s]*[?&][^)\s]*(?:env|secret|token|key|data|base64|\$|\{)",
        _near(lx.ZH_SEND, lx.ZH_SECRET, 24, either=True) + r"[^。\n]{0,40}" + lx.ZH_DESTINATION,
        _near(lx.ZH_SECRET, lx.ZH_SEND, 24) + r"[^。\n]{0,30}" + lx.ZH_DESTINATION,
        _near(lx.ZH_SEND + r"[^。\n]{0,24}" + lx.ZH_DESTINATION, lx.ZH_SECRET, 24),
        lx.ZH_DESTINATION + r"[^。\n]{0,16}" + lx.ZH_SEND + r"[^。\n]{0,24}" + lx.ZH_SECRET,
    ),
)
_COMMAND_RULES = (
    _rule(
        DELETE,
        r"\brm\s+(?:-\w+\s+|--[\w-]+\s+)*(?:-\w*[rf]\w*|--recursive|--force)\s+(?:--[\w-]+\s+)*[\"']?(?:/(?:\s|$|\*|[\"'`;])|/(?:var|etc|usr|home|opt|lib|bin|boot|root|srv|data|mnt)(?:/\w+)?/?\*?(?=[\s\"'`;,]|$)|~/?(?=[\s\"'`;*]|$)|\$home\b/?(?=[\s\"'`;*]|$)|\*|\.{1,2}(?=[\s\"'`;]|$)|\.git\b)",
        r"--no-preserve-root|\bmkfs(?:\.\w+)?\s|\bwipefs\b|\bshred\s|:\(\)\s*\{|\bdd\b[^\n]*\bof=/dev/(?:sd[a-w]|nvme|hd|vd|disk)|>\s*/dev/sd[a-w]",
        r"\bdrop\s+(?:database|schema|table)\s+(?!\S*(?:test|tmp|temp|dev|scratch|local|staging|ci))(?:if exists\s+)?\w|\b(?:drop|truncate|delete|wipe|purge|reset|empty)\w*\s+(?:\w+\s+){0,3}prod(?:uction)?\b|\bdelete\s+from\s+\w+\s*(?:;|`|$)|\bflushall\b|\bflushdb\b",
        r"\bkubectl\s+delete\s+(?:ns|namespaces?|all|pvc?|nodes?)\b[^\n]*--all|\bkubectl\s+delete\b[^\n]*--all-namespaces|\bterraform\s+destroy\b|\bhelm\s+(?:uninstall|delete)\b[^\n]*--all",
        r"\bgit\s+push\b[^\n`]*(?:\s-f\b|\s--force\b(?!-with-lease))[^\n`]*|\bgit\s+reflog\s+expire\b|\bgit\s+filter-branch\b|\bgit\s+update-ref\s+-d\b|\bgit\s+gc\b[^\n]*--prune=now",
        r"\baws\s+s3\s+(?:rm\b[^\n]*--recursive|rb\b[^\n]*--force)|\bdocker\s+(?:system|volume)\s+prune\b[^\n]*(?:--volumes|-a\w*f|--all)|\bfind\s+(?:/|~)\S*[^\n]*\s-delete\b|\bchown\s+-r\s+\S+\s+/(?=\s|$)|\bkill(?:all)?\s+-9\s+-1\b|\bpkill\s+(?:-9\s+)?-u\b",
        r"\b(?:delete|erase|remove|destroy|wipe|purge)\w*\s+(?:all|every|each|the)\s+(?:\w+\s+){0,2}(?:backups?|snapshots?|databases?|volumes?|user(?: account)?s|customers?|records?|home director\w+|repositor\w+|production)\b",
        r"(?:删除|清空|清除|销毁|格式化|抹掉)[^,。;\n]{0,6}(?:生产|线上|全部数据|所有数据|数据库|备份|快照|根目录|整个(?:磁盘|仓库|目录)|用户数据|/(?:var|etc|usr|home)(?=\W|$))|强(?:制)?推(?:送)?[^,。;\n]{0,6}(?:主分支|main|master)",
    ),
    _rule(
        DOWNLOAD,
        r"\b(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^\n]{0,160}\|\s*(?:sudo\s+)?(?:-\w+\s+)?(?:ba|z|da|k|fi)?sh\b|\b(?:curl|wget)\b[^\n]{0,160}\|\s*(?:sudo\s+)?(?:python\d?|perl|ruby|node|php|iex)\b|\b(?:ba|z)?sh\s+(?:-c\s+)?[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget)|\b(?:eval|source|exec|\.)\s+[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget)|\biex\b[^\n]*(?:iwr|downloadstring|webclient)",
        r"\bbase64\s+(?:-d|--decode|-D)\b[^\n]{0,40}\|\s*(?:sudo\s+)?(?:ba|z)?sh|\becho\s+[a-z0-9+/=]{16,}\s*\|\s*base64\s+-d|\b(?:curl|wget)\b[^\n]{0,160}(?:&&|;)\s*(?:chmod|sudo|bash|sh|python|\./)",
        r"\b(?:pip3?|uv|pipx|npm|yarn|pnpm|cargo|gem|go)\b[^\n]{0,40}\b(?:install|add|i|get)\b[^\n]{0,60}(?:git\+)?https?://(?!(?:pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|github\.com))|(?:--(?:extra-)?index-url|--registry|--find-links)[ =]https?://(?!pypi\.org|registry\.npmjs\.org)",
        r"\b(?:download|fetch|pull|get|load|grab)\w*\b[^.\n]{0,60}\bfrom\b[^.\n]{0,60}[^\n]{0,30}\band (?:run|execute|source|eval|install|obey|follow)\b|\b(?:load|fetch|read|download)\w* https?://\S+ [^.\n]{0,40}\b(?:and|then) (?:obey|follow|run|execute|apply)",
        r"(?:digest|checksum|signature|hash|fingerprint|certificate)s? (?:need not|needn't|do not need to|don't need to|should not|must not) be (?:checked|verified|compared|validated)|(?:下载|拉取|获取)[^。\n]{0,40}(?:后)?(?:直接)?(?:执行|运行|sudo)",
    ),
    _rule(
        PERSIST,
        r"\bcrontab\b(?!\s+-l\b)|/etc/cron|\blaunchctl\s+load|launchagents|\bsystemctl\s+enable\b[^\n]*(?:/tmp|\.sh)|\bschtasks\b|\bat\s+now\b",
        r"(?:>>|\b(?:add|append|write|insert|put|echo)\b)[^\n]{0,80}(?:~/|\$home/|/etc/)?\.?(?:bashrc|zshrc|bash_profile|zprofile|profile|bash_login|zshenv|config\.fish|rc\.local)\b",
        r"(?:>>|\becho\b|\b(?:add|append|write|put)\b (?:this|the following|my|our|an? (?:new|extra)) (?:\w+ )?(?:key|line))[^\n]{0,120}authorized_keys|ssh-(?:rsa|ed25519) aaaa[^\n]{0,400}authorized_keys",
        r"(?:>>|\b(?:add|append|write|insert|put|install|create|edit|modify)\b)[^\n]{0,60}(?:\.git/hooks/|/etc/sudoers|nopasswd|claude\.md|agents\.md|\.cursorrules|\.claude/|mcp\.json|copilot-instructions)",
        r"(?:写入|加入|追加|添加)[^,。\n]{0,12}(?:crontab|计划任务|定时任务|开机启动|自启动|bashrc|zshrc|authorized_keys|sudoers|git 钩子)|开机自启",
    ),
    _rule(
        WEAKEN,
        r"\bverify\s*=\s*false\b|\bcert_none\b|\bcheck_hostname\s*=\s*false|node_tls_reject_unauthorized\s*=\s*[\"']?0|(?<![\w-])--(?:insecure|no-check-certificate|no-verify(?:-ssl|-tls)?|trusted-host|allow-unauthenticated|privileged|no-sandbox|disable-web-security|dangerously-[\w-]+|yolo|allow-insecure[\w-]*)\b|\bcurl\b[^\n|;]{0,60}\s-\w*k\b|\bsslverify\s*[= ]\s*false|\bgit_ssl_no_verify\b|stricthostkeychecking[= ](?:no|off)",
        r"\bchmod\s+(?:-r\s+)?(?:0?777|a\+rwx|u\+s|\+s)\b|\bsetenforce\s+0|\bselinux\s*=\s*(?:disabled|permissive)|\bufw\s+disable|\biptables\s+-f\b|\bspctl\s+--master-disable|\bset-mppreference\b|\bsudo\s+su\b|\balg\s*[=:]\s*[\"']?none\b",
        _near(
            r"\b(?:disabl|turn(?:ing)? off|deactivat|switch(?:ing)? off|skip|bypass|remov|ignor|suppress|circumvent|lower|relax|loosen)\w*",
            r"\b(?:the )?(?:\w+ ){0,2}(?:firewall|selinux|apparmor|antivirus|sandbox|2fa|mfa|two-factor|auth(?:entication|orization)?(?: check)?s?|access control|permission checks?|signature (?:check|verification)s?|certificate (?:check|verification|validation|error)s?|ssl|tls|csp|csrf|xss|rate limit(?:ing|er)?|branch protection|code ?owners|security (?:check|scan|gate|policy|header|rule|group)s?|secret scan(?:ning)?|audit(?:ing)?|schema validation|input validation|safety check)s?\b",
            16,
        ),
        r"\b(?:0\.0\.0\.0/0|::/0)\b|\b(?:grant|give)\b[^\n]{0,40}\b(?:all privileges|admin(?:istrator)? ?access|root (?:access|rights|privileges)|cluster-admin|superuser|owner)\b|\bnopasswd\b|\"?action\"?\s*:\s*\"?\*|\bpublic-read(?:-write)?\b|\btrust\b[^\n]{0,12}pg_hba|pg_hba[^\n]{0,30}\btrust\b",
        r"\byes\s*\||\bapprov(?:e|al)[- ]?(?:all|limit)\b|\bunder the (?:approval|review|reporting) (?:limit|threshold)|(?:直接|强制)?(?:部署|发布|推送)到生产[^,。\n]{0,6}(?:不|无需|跳过)|\b(?:deploy|push|merge|release)\w*\s+(?:\w+\s+){0,3}(?:directly|straight) (?:to|into|on) (?:production|prod|main|master)\b",
        r"(?:关闭|禁用|停用|跳过|忽略|绕过|屏蔽|取消|放宽)[^,。;\n]{0,8}(?:防火墙|证书|校验|签名|鉴权|认证|授权|权限|安全|审计|杀毒|沙箱|双因素|二次验证|访问控制|审批|限流|风控)",
    ),
    _rule(
        CREDENTIALS,
        r"\b(?:cat|less|head|tail|type|more|strings|base64|xxd)\s+[^\n|;`]{0,40}(?:id_rsa|id_ed25519|\.ssh/|\.aws/credentials|\.env(?!\.)\b|/etc/shadow|\.npmrc|\.pypirc|\.netrc|\.git-credentials|\.kube/config)|\bprintenv\b(?!\s+\w)|\bsecurity\s+find-\w+-password|\bmimikatz\b|\blsass\b",
        _near(
            r"\b(?:print|echo|show|display|reveal|output|dump|expose|include|paste|return|read out|list|quote)\w*",
            rf"(?:{lx.SECRET_VALUE}|{lx.SECRET_STORE})(?:(?![.!?]\s)[^\n]){{0,30}}?\b(?:in|into|to|on) (?:the )?(?:chat|reply|answer|response|output|summary|log|console|terminal|conversation|prompt|comment|screen|message)",
            24,
        ),
        _near(
            r"\b(?:hard-?cod|commit|check in|embed|inline|store|save|write)\w*",
            rf"(?:the |your |a )?(?:\w+ )?(?:{lx.SECRET_VALUE})(?:(?![.!?]\s)[^\n]){{0,20}}?\b(?:in|into|to) (?:the )?(?:repo\w*|source|code|git|script|dockerfile|image|readme|url)",
            12,
        ),
        r"\bsecrets? may be (?:shown|revealed|printed)|(?:打印|输出|显示|读取|回显|贴出|明文(?:保存|写入|存储))[^,。;\n]{0,8}(?:密钥|私钥|令牌|密码|口令|凭据|凭证)(?:[^,。;\n]{0,8}(?:到|在|给)[^,。;\n]{0,6}(?:聊天|日志|对话|回复|屏幕|终端|代码|仓库|用户))",
    ),
)

_REFUSED = re.compile(
    r"(?:\b(?:not|never|no|avoid|instead of|rather than|refuse to|reject|beware of|against)\b|n't|不要|切勿|禁止|避免|别|不能|不可|而不是|勿|不应|不得)\W{0,3}(?:[\w'-]+\W+){0,4}$"
)
_REFUSED_CJK = re.compile(
    r"(?:不要|切勿|禁止|避免|别|不能|不可|而不是|勿|不应|不得)[^,。;\n]{0,6}$"
)
_DOCUMENT = re.compile(lx.DOCUMENT)
_IN_HEADER = re.compile(lx.IN_HEADER)
_QUOTES = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|'[^'\n]{3,}'(?!\w)")
_SPACES = re.compile(r"[ \t\u3000]+")


def scan(text: str, *, commands: bool = True) -> list[Hit]:
    """Every risk found in `text`, in any of its readings, each class once.

    `commands` False: only what addresses the reader (for prose that is merely read,
    such as a README, where `rm -rf` is no attack).
    """
    found: dict[tuple[str, bool], Hit] = {}
    for hit in _all_hits(text, commands=commands):
        found.setdefault((hit.risk, hit.quoted), hit)
    return [h for h in found.values() if not h.quoted or (h.risk, False) not in found]


def _all_hits(text: str, *, commands: bool) -> Iterator[Hit]:
    for view in views(text):
        yield from _hits(
            view, [*_ADDRESS_RULES, *_EXFIL_RULES, *(_COMMAND_RULES if commands else ())]
        )
        for match in _FORGERY.finditer(view):
            yield Hit(FORGERY, match.group().strip()[:80], _is_quoted(view, match))
    for view in turned(text):
        yield from _hits(view, [_ADDRESS_RULES[0], *_EXFIL_RULES])


def _hits(text: str, rules: Iterable[tuple[str, re.Pattern[str]]]) -> Iterator[Hit]:
    folded = _SPACES.sub(" ", text.casefold().replace("’", "'"))
    for risk, pattern in rules:
        for match in pattern.finditer(folded):
            if not _is_excused(risk, folded, match):
                yield Hit(risk, match.group().strip()[:80], _is_quoted(folded, match))


def _is_excused(risk: str, text: str, match: re.Match[str]) -> bool:
    """Whether the words around a match turn it into something else."""
    before = text[max(0, match.start() - 48) : match.start()].split("\n")[-1]
    if _REFUSED.search(before) or _REFUSED_CJK.search(before):
        return True
    around = text[max(0, match.start() - 12) : match.end() + 24]
    if risk == OVERRIDE:
        return _DOCUMENT.search(around) is not None and "system" not in match.group()
    if risk == EXFILTRATE:
        return _IN_HEADER.search(around) is not None and "query" not in around
    return False


def _is_quoted(text: str, match: re.Match[str]) -> bool:
    return any(
        q.start() < match.start() and match.end() < q.end() and q.end() - q.start() < len(text) - 8
        for q in _QUOTES.finditer(text)
    )
