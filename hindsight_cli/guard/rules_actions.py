"""Rules for what an agent should not do from memory without a person's look."""

from __future__ import annotations

from hindsight_cli.guard import lexicon as lx
from hindsight_cli.guard.risk_classes import (
    CREDENTIALS,
    DELETE,
    DOWNLOAD,
    EXFILTRATE,
    PERSIST,
    REDIRECT,
    WEAKEN,
    near,
    rule,
)

B = r"(?<![\w-])"
EXFIL_RULES = (
    rule(
        EXFILTRATE,
        near(rf"{B}(?:{lx.SEND})\b", near(lx.SECRET_STORE, lx.DESTINATION, 90, either=True), 60),
        near(
            lx.SECRET_STORE,
            r"\|\s*(?:\w{1,16} [^|\n]{0,30}\|\s*)?(?:curl|wget|nc|ncat|netcat|ssh|socat|telnet|"
            r"mail|sendmail)\b",
            60,
        ),
        r"\b(?:curl|wget|http|nc)\b[^\n]{0,80}(?:@|<|\$\(|`)\s*(?:cat |base64 )?(?:~/|/etc/|"
        r"\.env|\.ssh|\$home|id_rsa|[\w/.-]{0,120}(?:secret|credential|token))",
        r"\$\((?:whoami|hostname|cat|env|printenv|id|base64)[^)]*\)[\w.$()/ -]*\.[\w.-]{1,80}|"
        r"://[^\s]*\$\(",
        near(
            rf"{B}(?:{lx.SEND})\b",
            near(
                lx.SECRET_VALUE,
                r"\b(?:to|at|in|into|via|on|through|against|with) (?:the |an? |my |your |our )?"
                rf"(?:\w{{1,16}} ){{0,3}}(?:{lx.DESTINATION})",
                60,
            ),
            40,
        ),
        r"!\[[^\]\n]{0,120}\]\([a-z]{2,8}://[^)\s]{0,300}[?&][^)\s=]{0,60}=[^)\s&]{0,120}?(?:ba"
        r"se64|\$|\{|<|%24|_of_)",
        near(lx.ZH_SEND, lx.ZH_SECRET, 24, either=True) + r"[^。\n]{0,40}" + lx.ZH_DESTINATION,
        near(lx.ZH_SECRET, lx.ZH_SEND, 24) + r"[^。\n]{0,30}" + lx.ZH_DESTINATION,
        near(lx.ZH_SEND + r"[^。\n]{0,24}" + lx.ZH_DESTINATION, lx.ZH_SECRET, 24),
        lx.ZH_DESTINATION + r"[^。\n]{0,16}" + lx.ZH_SEND + r"[^。\n]{0,24}" + lx.ZH_SECRET,
        near(
            r"\b(?:read|take|get|fetch|load|copy|find|collect|grab|extract|dump|look up)\b",
            near(
                r"\b(?:keys?|tokens?|secrets?|passwords?|credentials?|cookies?|environment|env|"
                r"hosts\.yml|config\w{0,16})\b",
                near(
                    rf"\b(?:{lx.SEND})\b",
                    r"\b(?:it|them|its (?:value|content)|the (?:value|result|output|"
                    r"contents?))\b(?:(?![.!?]\s)[^\n]){0,24}?(?:" + lx.DESTINATION + ")",
                    8,
                ),
                50,
            ),
            30,
        ),
    ),
)
REDIRECT_RULES = (
    rule(
        REDIRECT,
        r"\b(?:use|set|make|configure|add|with)\b[^.\n]{0,30}http://(?!localhost|127\.|"
        r"0\.0\.0\.0|10\.|192\.168\.)\S{1,120}[^\n]{0,16}\b(?:as|for) (?:the |your |"
        r"a )?(?:\w{1,16} )?(?:index|mirror|registry|source|proxy|repositor\w{1,16}|remote|"
        r"endpoint|base url|channel)",
        r"(?:使用|改用|换成|改成|切换到|设为|"
        r"指向)[^,，。\n]{0,6}https?://\S{1,120}[^,，。\n]{0,4}(?:作为|当作|"
        r"做)[^,，。\n]{0,6}(?:源|镜像|仓库|代理|地址)|官方(?:源|仓库|"
        r"镜像)[^,，。\n]{0,4}(?:停用|失效|关闭|不可用|已死)",
        r"(?:收款|付款|打款|转账|退款|结算)(?:账号|账户|卡号|地址|银行卡)[^,，。\n]{0,6}(?:替换|"
        r"更换|改|换|设)(?:成|为|到)|\b(?:replace|change|switch|swap|"
        r"update)\b[^.\n]{0,24}\b(?:bank details|iban|payee|recipient|beneficiary|"
        r"account number|wallet(?: address)?|payout account)\b[^.\n]{0,16}\b(?:to|with|by|"
        r"into)\b",
        near(
            r"\b(?:use|pull|install|download|fetch|clone|get|load|point|switch|change|route|set|"
            r"take|send|proxy)\w{0,16}\b",
            near(
                "",
                r"(?:\b[a-z][a-z0-9+.-]{0,11}://\S{1,120}|"
                r"(?<![\w.])(?:[a-z0-9-]{1,60}\.){1,6}[a-z]{2,12}\b(?:/\S{0,120})?)(?:(?![.!?]"
                r"\s)[^\n]){0,20}?\b(?:instead of|rather than|not|in place of|"
                r"replac\w{1,16}) (?:the )?(?:official|default|usual|original|upstream|normal|"
                r"standard|docker hub|npm|pypi|github|maven|crates|registry|public)",
                40,
            ),
            30,
        ),
        r"\b(?:https?_proxy|all_proxy|(?:openai|anthropic|api)_(?:base|base_url|api_base)|"
        r"base_url|pip_index_url|npm_config_registry|registry|"
        r"goproxy)\b\s*[=:]?\s*(?:to )?[\"'`]?https?://(?!(?:localhost|127\.|pypi\.org|"
        r"registry\.npmjs\.org|api\.(?:openai|anthropic)\.com|proxy\.golang\.org))",
        r"\bgit\s+remote\s+(?:set-url|add)\b[^\n]{0,120}?://(?!github\.com|gitlab\.com|"
        r"bitbucket\.org)|\bgit\s+push\s+https?://",
        near(
            r"\b(?:transfers?|payments?|invoices?|refunds?|payouts?|salar(?:y|ies)|bills?|"
            r"deposits?|donations?|funds?)\b",
            r"\b(?:now|instead|from now on|henceforth|going forward|to|"
            r"into)\b[^.\n]{0,24}\b(?:account|iban|wallet|address|"
            r"card)\b(?:(?![.!?]\s)[^\n]){0,8}?(?:[a-z]{0,4}\d|0x)",
            50,
        ),
        near(
            r"\b(?:moved|merged|renamed|mapped|migrated|transferred)\b (?:to|into)",
            r"\bwhen (?:asked|queried|looking|someone|a|the)\b",
            60,
        ),
        r"(?:打款|付款|转账|汇款|收款|退款)[^。\n]{0,20}(?:改为|改到|改用|新(?:的)?账(?:户|号)|"
        r"以下账(?:户|号))|(?:已|已经)(?:并入|合并到|迁移到|转移到)[^。\n]{0,16}(?:查询|询问|"
        r"读取)[^。\n]{0,16}(?:直接|请|改)",
        r"(?:改用|改从|换成|切换到|使用)[^,。\n]{0,12}(?:镜像|源|仓库|代理)[^。\n]{0,40}(?:无需|"
        r"不必|不用|跳过|不)(?:再)?(?:校验|验证|检查|核对)",
    ),
)
COMMAND_RULES = (
    rule(
        DELETE,
        r"\b(?:truncate|drop|delete|wipe|purge|reset|empty|clear|recreate|flush|erase|kill|"
        r"restart)\b[^.\n]{0,50}\b(?:live|production|prod|customer|primary|"
        r"real) (?:\w{1,16} )?(?:servers?|databases?|db|schemas?|tables?|systems?|clusters?|"
        r"data|environment|hosts?|nodes?|instances?|site)\b",
        r"\b(?:truncate|delete|clear|purge|wipe|drop)\w{0,16}\b[^.\n]{0,16}\b(?:audit|access|"
        r"security|event)[_ -]?(?:logs?|trails?|table)\b",
        r"(?:drop|truncate|delete|删除?|清空?|重建|格式化|覆盖)(?:掉|"
        r"了)?[^,，。;\n]{0,6}(?:线上|生产|正式|主库|全部|所有)[^,，。;\n]{0,4}(?:库|表|数据|"
        r"环境|服务器|记录|文件|分支|集群|备份)",
        r"\brm\s+(?:-\w{1,16}\s+|--[\w-]{1,40}\s+)*(?:-\w{0,16}[rf]\w{0,16}|--recursive|"
        r"--force)\s+(?:--[\w-]{1,40}\s+)*[\"']?(?:/(?:\s|$|\*|[\"'`;])|/(?:var|etc|usr|home|"
        r"opt|lib|bin|boot|root|srv|data|mnt)(?![^\s\"'`;,]{0,120}(?:cache|tmp|temp|/logs?\b|"
        r"build|node_modules|venv))(?:/[\w.-]{1,40}){0,3}/?\*?(?=[\s\"'`;,]|$)|"
        r"(?:~|\$home\b)(?![^\s\"'`;,]{0,120}(?:cache|tmp|temp|logs?\b|build|node_modules|venv|"
        r"trash))(?:/[\w.-]{0,40}){0,4}\*?(?=[\s\"'`;,]|$)|\*|\.{1,2}(?=[\s\"'`;]|$)|\.git\b)",
        r"--no-preserve-root|\bformat\s+[a-z]:|\bmkfs(?:\.\w{1,16})?\s|\bwipefs\b|\bshred\s|:\(\)\s*\{|"
        r"\bdd\b[^\n]{0,160}\bof=/dev/(?:sd[a-w]|nvme|hd|vd|disk)|>\s*/dev/sd[a-w]",
        r"\bdrop\s+(?:database|schema|table)\s+(?!\S{0,120}(?:test|tmp|temp|dev|scratch|local|"
        r"staging|ci))(?:if exists\s+)?\w|\b(?:drop|truncate|delete|wipe|purge|reset|"
        r"empty)\w{0,16}\s+(?:\w{1,16}\s+){0,3}prod(?:uction)?\b|"
        r"\bdelete\s+from\s+\w{1,16}\s*(?:;|`|$)|\bflushall\b|\bflushdb\b",
        r"\bkubectl\s+delete\s+(?:ns|namespaces?|all|pvc?|nodes?)\b[^\n]{0,160}--all|"
        r"\bkubectl\s+delete\b[^\n]{0,160}--all-namespaces|\bterraform\s+destroy\b|"
        r"\bhelm\s+(?:uninstall|delete)\b[^\n]{0,160}--all",
        r"\bgit\s+push\b[^\n`]{0,160}(?:\s-f\b|\s--force\b(?!-with-lease))[^\n`]{0,160}|"
        r"\bgit\s+reset\s+(?:-\S+\s+)*--hard\b|\bgit\s+clean\s+-\w*[fdx]|"
        r"\bgit\s+(?:checkout|restore)\s+(?:--\s+)?\.(?=[\s\"'`;,]|$)|"
        r"\bgit\s+reflog\s+expire\b|\bgit\s+filter-branch\b|\bgit\s+update-ref\s+-d\b|"
        r"\bgit\s+gc\b[^\n]{0,160}--prune=now",
        r"\baws\s+s3\s+(?:rm\b[^\n]{0,160}--recursive|rb\b[^\n]{0,160}--force)|"
        r"\bdocker\s+(?:system|volume)\s+prune\b[^\n]{0,160}(?:--volumes|-a\w{0,16}f|--all)|"
        r"\bfind\s+(?:/|~)\S{0,120}[^\n]{0,160}\s-delete\b|\bchown\s+-r\s+\S{1,120}\s+/(?=\s|$)|"
        r"\bkill(?:all)?\s+-9\s+-1\b|\bpkill\s+(?:-9\s+)?-u\b",
        r"\b(?:delete|erase|remove|destroy|wipe|purge)\w{0,16}\s+(?:all|every|each|"
        r"the)\s+(?:\w{1,16}\s+){0,2}(?:backups?|snapshots?|databases?|volumes?|"
        r"user(?: account)?s|customers?|records?|home director\w{1,16}|repositor\w{1,16}|"
        r"production)\b",
        r"\b(?:wipe|format|erase|nuke|destroy|purge|reformat|"
        r"overwrite)\w{0,16}\s+(?:\w{1,16}\s+){0,2}(?:disks?|drives?|partitions?|volumes?|"
        r"databases?|cluster|servers?|buckets?|home director\w{1,16}|repositor\w{1,16}|"
        r"everything|all (?:files|data)|machine|file ?system)\b|\bdocker\s+rm\s+-f\s+\$\(|"
        r"\bcrontab\s+-r\b|\bgit\s+(?:checkout|branch|tag|push)\b[^\n`]{0,160}(?:--delete|"
        r"\s:)\s*\S{0,120}(?:main|master|release)|\bgit\s+branch\s+-D\s+(?:main|master)|"
        r"\bupdate\s+\w{1,16}\s+set\b(?![^;`\n]*\bwhere\b)|"
        r"\bdelete\s+(?:from\s+)?(?:the\s+)?(?:all|every)\b",
        r"(?:删除|清空|清除|销毁|格式化|抹掉)[^,。;\n]{0,6}(?:生产|线上|全部数据|所有数据|"
        r"数据库|备份|快照|根目录|整个(?:磁盘|仓库|目录)|用户数据|/(?:var|etc|usr|home)(?=\W|"
        r"$)(?!\S{0,120} ?下?的?(?:旧|临时|缓存|过期)))|"
        r"强(?:制)?推(?:送)?[^,。;\n]{0,6}(?:主分支|main|master)",
    ),
    rule(
        DOWNLOAD,
        r"\b(?:curl|wget|fetch|iwr|"
        r"invoke-webrequest)\b[^\n]{0,160}\|\s*(?:sudo\s+)?(?:-\w{1,16}\s+)?(?:ba|z|da|k|"
        r"fi)?sh\b|\b(?:curl|wget)\b[^\n]{0,160}\|\s*(?:sudo\s+)?(?:python\d?|perl|ruby|node|"
        r"php|iex)\b|\b(?:ba|z)?sh\s+(?:-c\s+)?[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget)|\b(?:eval|"
        r"source|exec|\.)\s+[\"']?(?:<\(|\$\(|`)\s*(?:curl|wget)|\biex\b[^\n]{0,160}(?:iwr|"
        r"downloadstring|webclient)",
        r"\bpowershell\b[^\n]{0,40}\s-e(?:nc|ncodedcommand)?\b|\bbase64\s+(?:-d|--decode|-D)\b[^\n]{0,40}\|\s*(?:sudo\s+)?(?:ba|z)?sh|"
        r"\becho\s+[a-z0-9+/=]{16,}\s*\|\s*base64\s+-d|\b(?:curl|wget)\b[^\n]{0,160}(?:&&|"
        r";)\s*(?:chmod|sudo|bash|sh|python|\./)",
        r"\b(?:pip3?|uv|pipx|npm|yarn|pnpm|cargo|gem|go)\b[^\n]{0,40}\b(?:install|add|i|"
        r"get)\b[^\n]{0,60}(?:git\+)?https?://(?!(?:pypi\.org|files\.pythonhosted\.org|"
        r"registry\.npmjs\.org|github\.com))|(?:--(?:extra-)?index-url|--registry|"
        r"--find-links)[ =]https?://(?!pypi\.org|registry\.npmjs\.org|download\.pytorch\.org)",
        r"\b(?:download|fetch|pull|get|load|"
        r"grab)\w{0,16}\b[^.\n]{0,60}\bfrom\b[^.\n]{0,60}[^\n]{0,30}\band (?:run|execute|source|"
        r"eval|install|obey|follow)\b|\b(?:load|fetch|read|"
        r"download)\w{0,16} https?://\S{1,120} [^.\n]{0,40}\b(?:and|then) (?:obey|follow|run|"
        r"execute|apply)",
        r"(?:digest|checksum|signature|hash|fingerprint|certificate)s? (?:need not|needn't|"
        r"do not need to|don't need to|should not|must not) be (?:checked|verified|compared|"
        r"validated)|(?:下载|拉取|获取)[^。\n]{0,40}(?:后)?(?:直接)?(?:执行|运行|sudo)",
    ),
    rule(
        PERSIST,
        r"\bcrontab\b(?!\s+-l\b)|/etc/cron|\blaunchctl\s+load|launchagents|"
        r"\bsystemctl\s+enable\b[^\n]{0,160}(?:/tmp|\.sh)|\bschtasks\b|\bat\s+now\b",
        r"(?:>>|\b(?:add|append|write|insert|put|echo)\b)[^\n]{0,80}(?:(?:~/|\$home/|/etc/)\.?|"
        r"(?<!\w)\.)?(?:bashrc|zshrc|bash_profile|zprofile|bash_login|zshenv|config\.fish|"
        r"rc\.local|(?<=/)profile|(?<=\.)profile)\b",
        r"(?:>>|\becho\b|\b(?:add|append|write|put)\b (?:this|the following|my|our|an? (?:new|"
        r"extra)) (?:\w{1,16} )?(?:key|line))[^\n]{0,120}authorized_keys|ssh-(?:rsa|"
        r"ed25519) aaaa[^\n]{0,400}authorized_keys",
        r"(?:>>|\b(?:add|append|write|insert|put|install|create|edit|"
        r"modify)\b)[^\n]{0,60}(?:\.git/hooks/|/etc/sudoers|nopasswd|claude\.md|agents\.md|"
        r"\.cursorrules|\.claude/|mcp\.json|copilot-instructions)",
        r"(?:写入|加入|追加|添加)[^,。\n]{0,12}(?:crontab|计划任务|定时任务|开机启动|自启动|"
        r"bashrc|zshrc|authorized_keys|sudoers|git 钩子)|开机自启",
    ),
    rule(
        WEAKEN,
        r"\b(?:add|invite|grant|make|promote|give|assign)\b[^.\n]{0,50}\b(?:as (?:an? |the )?|"
        r"to )(?:\w{1,16}[- ])?(?:owner|admin(?:istrator)?s?|maintainer|collaborator|superuser|"
        r"root|sudoers)\b|\b(?:allow|accept|permit|trust) (?:all|any|every) (?:origins?|hosts?|"
        r"certificates?|ips?|connections?|users?|keys?)\b",
        r"\b(?:auto-?merge|merge|deploy|release|publish|"
        r"push)\w{0,16}\b[^.\n]{0,30}\bwithout (?:\w{1,16} )?(?:review|tests?|approval|checks?|"
        r"ci)\b|\b(?:disabl|turn(?:ing)? off|mut|silenc|remov|"
        r"delet)\w{0,16}\b[^.\n]{0,12}\b(?:alerts?|alarms?|monitoring|intrusion|backups?|"
        r"notifications? (?:for|about|to) (?:security|admin|owner))\b",
        r"\bverify\s*=\s*false\b|\bcert_none\b|\bcheck_hostname\s*=\s*false|"
        r"node_tls_reject_unauthorized\s*=\s*[\"']?0|(?<![\w-])--(?:insecure|"
        r"no-check-certificate|no-verify(?:-ssl|-tls)?|trusted-host|allow-unauthenticated|"
        r"privileged|no-sandbox|disable-web-security|dangerously-[\w-]{1,40}|yolo|"
        r"allow-insecure[\w-]{0,40})\b|\bcurl\b[^\n|;]{0,60}\s-\w{0,16}k\b|"
        r"\bsslverify\s*[= ]\s*false|\bgit_ssl_no_verify\b|stricthostkeychecking[= ](?:no|off)",
        r"\bchmod\s+(?:-r\s+)?(?:0?777|a\+rwx|u\+s|\+s)\b|\bsetenforce\s+0|"
        r"\bselinux\s*=\s*(?:disabled|permissive)|\bufw\s+disable|\biptables\s+-f\b|"
        r"\bspctl\s+--master-disable|\bset-mppreference\b|\bsudo\s+su\b|"
        r"\balg\s*[=:]\s*[\"']?none\b",
        near(
            r"\b(?:disabl|turn(?:ing)? off|deactivat|switch(?:ing)? off|skip|bypass|remov|ignor|"
            r"suppress|circumvent|lower|relax|loosen)\w{0,16}",
            r"\b(?:the )?(?:\w{1,16} ){0,2}(?:firewall|selinux|apparmor|antivirus|sandbox|2fa|"
            r"mfa|two-factor|auth(?:entication|orization)?(?: check)?s?|access control|"
            r"permission checks?|signature (?:check|verification)s?|certificate (?:check|"
            r"verification|validation|error)s?|ssl|tls|csp|csrf|xss|rate limit(?:ing|er)?|"
            r"branch protection|code ?owners|security (?:check|scan|gate|policy|header|rule|"
            r"group)s?|secret scan(?:ning)?|audit(?:ing)?|schema validation|input validation|"
            r"safety check)s?\b",
            16,
        ),
        r"\b(?:0\.0\.0\.0/0|::/0)\b|\b(?:grant|give)\b[^\n]{0,40}\b(?:all privileges|"
        r"admin(?:istrator)? ?access|root (?:access|rights|privileges)|cluster-admin|superuser|"
        r"owner)\b|\bnopasswd\b|\"?action\"?\s*:\s*\"?\*|\bpublic-read(?:-write)?\b|"
        r"\btrust\b[^\n]{0,12}pg_hba|pg_hba[^\n]{0,30}\btrust\b",
        r"\byes\s*\||\bapprov(?:e|al)[- ]?(?:all|limit)\b|\bunder the (?:approval|review|"
        r"reporting) (?:limit|threshold)|(?:直接|强制)?(?:部署|发布|"
        r"推送)到生产[^,。\n]{0,6}(?:不|无需|跳过)|\b(?:deploy|push|merge|"
        r"release)\w{0,16}\s+(?:\w{1,16}\s+){0,3}(?:directly|straight) (?:to|into|"
        r"on) (?:production|prod|main|master)\b",
        r"(?:关闭|禁用|停用|跳过|忽略|绕过|屏蔽|取消|放宽)[^,。;\n]{0,8}(?:防火墙|证书|校验|"
        r"签名|鉴权|认证|授权|权限|安全|审计|杀毒|沙箱|双因素|二次验证|访问控制|审批|限流|风控)",
    ),
    rule(
        CREDENTIALS,
        r"\b(?:cat|less|head|tail|type|more|strings|base64|xxd)\s+[^\n|;`]{0,40}(?:id_rsa|"
        r"id_ed25519|\.ssh/|\.aws/credentials|\.env(?!\.)\b|/etc/shadow|\.npmrc|\.pypirc|"
        r"\.netrc|\.git-credentials|\.kube/config)|\bprintenv\b(?!\s+\w)|"
        r"\bsecurity\s+find-\w{1,16}-password|\bmimikatz\b|\blsass\b",
        near(
            r"\b(?:print|echo|show|display|reveal|output|dump|expose|include|paste|return|"
            r"read out|list|quote)\w{0,16}",
            rf"(?:{lx.SECRET_VALUE}|{lx.SECRET_STORE})(?:(?![.!?]\s)[^\n]){{0,30}}?\b(?:in|into|"
            rf"to|on) (?:the )?(?:chat|reply|answer|response|output|summary|log|console|"
            rf"terminal|conversation|prompt|comment|screen|message)",
            24,
        ),
        near(
            r"\b(?:hard-?cod|commit|check in|embed|inline|store|save|write)\w{0,16}",
            rf"(?:the |your |"
            rf"a )?(?:\w{{1,16}} )?(?:{lx.SECRET_VALUE})(?:(?![.!?]\s)[^\n]){{0,20}}?\b(?:in|"
            rf"into|to) (?:the )?(?:repo\w{{0,16}}|source|code|git|script|dockerfile|image|"
            rf"readme|url)",
            12,
        ),
        near(
            r"\b(?:ask|prompt|request|have|get|require|tell)\b",
            rf"(?:{lx.PEOPLE} )?(?:for|to (?:enter|type|paste|send|give|provide|"
            rf"share)) (?:their |the |his |her |a |your )?(?:\w{{1,16}} )?(?:passwords?|2fa|otp|"
            rf"one-time|mfa|verification code|card number|cvv|ssn|social security|pin\b|"
            rf"seed phrase|private key|api keys?|mother's)",
            24,
        ),
        near(
            r"\b(?:use|reuse|borrow|try|take|log ?in with)\b",
            r"(?:the )?(?:admin|root|production|prod|colleague'?s?|owner'?s?|someone else'?s|"
            r"another user'?s|default|leaked|found) (?:\w{1,16} )?(?:passwords?|credentials?|"
            r"tokens?|keys?|account|login|session)\b",
            16,
        ),
        r"\bsecrets? may be (?:shown|revealed|printed)|(?:打印|输出|显示|读取|回显|贴出|"
        r"明文(?:保存|写入|存储))[^,。;\n]{0,8}(?:密钥|私钥|令牌|密码|口令|凭据|"
        r"凭证)(?:[^,。;\n]{0,8}(?:到|在|给)[^,。;\n]{0,6}(?:聊天|日志|对话|回复|屏幕|终端|代码|"
        r"仓库|用户))",
    ),
)
