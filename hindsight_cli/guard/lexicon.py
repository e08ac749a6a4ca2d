"""Families of words by what they do: dismissing, commanding, hiding, sending.

A rule in risk.py asks for two or three families close together, never for a sentence, so a
new wording of an old trick is still found. English and Chinese in depth; for other
languages the families of dismissing and of instructions.

All of it is matched against case-folded NFKC text. Source: security research W5.
"""

from __future__ import annotations

# --- dismissing what the agent was told -------------------------------------------------
DISMISS = (
    r"(?:ignor(?:e|es|ing)|disregard(?:ing|s)?|forget(?:ting|s)?(?: about)?|overrid(?:e|es|ing)|"
    r"bypass(?:es|ing)?|discard(?:ing)?|neglect|dismiss|overrul(?:e|es|ing)|abandon(?:ing)?|"
    r"set(?:ting)? aside|put(?:ting)? aside|throw(?:ing)? (?:away|out)|pay no attention to|"
    r"(?:do not|don't|never|no longer|stop|cease|quit|need not|needn't) (?:follow|obey|comply with|"
    r"listen to|heed|respect|honou?r|adhere to|worry about)(?:ing)?|"
    r"(?:stop|cease|quit) (?:following|obeying|heeding|respecting|listening to)|"
    r"drop(?:ping)?|cancel|void|revoke|erase|wipe|unlearn|supersede[sd]?|replace[sd]?|outrank[s]?|"
    r"disobey|circumvent|work around|get around|skip(?:ping)?)"
)
_BEFORE = (
    r"(?:previous(?:ly)?|prior|earlier|preceding|above|foregoing|past|former|original|initial|"
    r"existing|"
    r"current|other|all|any|every|each|your|those|these|given|system|developer|user'?s?|owner'?s?)"
)
_ORDERS = (
    r"(?:instructions?|directives?|directions?|orders|guidance|guidelines?|prompts?|commands you)"
)
AUTHORITY = (
    rf"(?:{_BEFORE} (?:[\w'-]+ ){{0,3}}(?:{_ORDERS}|rules?\b|restrictions?)|"
    r"(?:the )?(?:system|developer|operator) (?:message|prompt|instruction|note|polic(?:y|ies))s?|"
    r"(?:guard ?rails?|safeguards?|safety (?:rules?|checks?|polic(?:y|ies)|training|filters?|"
    r"guidelines?|measures?)|content polic(?:y|ies))|"
    r"(?:what|whatever|anything|everything) (?:you (?:were|have been|are) (?:asked|told|given|"
    r"instructed|taught)|(?:the )?(?:developer|user|system|operator|owner)s? (?:\w+ )?(?:said|"
    r"asked|wrote|"
    r"configured|told|set|wants?)|(?:above|before this|that came before|so far))|"
    r"the (?:text|message|context|conversation|guidance|instructions?) (?:above|so far)|"
    r"(?:the )?(?:user|owner|operator|human|developer|maintainer)'s (?:\w+ )?(?:request|"
    r"wish(?:es)?|orders?|"
    r"task|instructions?|limits?|intent|question|goal)|"
    r"(?:the )?user (?:request|instructions?|task|query)|"
    r"your (?:\w+ )?(?:task|assignment|training|role|persona|programming|constraints|limits|"
    r"restrictions|rules|instructions|guidelines|objectives?|mission|orders))"
)
# Written instructions of a project are no orders to the agent.
DOCUMENT = (
    r"(?:install(?:ation)?|build|setup|set-up|migration|upgrade|usage|assembly|simd|avx\w*|"
    r"sse\w*|cpu|"
    r"machine|printed|compiler|vendor|lint(?:er)?|css|eslint|firewall|snapshot|"
    r"readme|docs?|documentation|manual|wiki|guide|tutorial|changelog|文档|手册|教程|readme)"
)
VOIDED = (
    r"(?:no longer (?:appl(?:y|ies)|bind|valid|count|matter|in force|needed)|(?:is|are|was|were|"
    r"being|"
    r"been|as|become) (?:now )?(?:obsolete|void|revoked|cancell?ed|superseded|suspended|lifted|"
    r"null|outdated|"
    r"replaced|overridden|withdrawn|invalid|optional|legacy|off)|(?:do|does) not (?:apply|"
    r"matter|count|bind))"
)
SOLE = (
    r"(?:\bas (?:the|your|its) (?:only|sole|highest|final|single|supreme)\b|"
    r"(?:your|the) (?:only|sole) (?:operating |valid |true )?(?:guide|rule|instruction|authority|"
    r"guideline|directive|order)s?)"
)
SUPREME = (
    r"(?:out-?ranks?|overrides?|overrules?|supersedes?|take[s]? (?:precedence|priority)|"
    r"prevails?|wins\b|"
    r"(?:has|have) (?:the )?(?:highest|absolute|top) (?:priority|authority|precedence)|"
    r"\bis (?:the|your|its) (?:only|sole|highest|final|single|supreme)\b|" + SOLE + ")"
)
SELF = (
    r"(?:(?:this|the (?:following|present|text of this)|below) (?:rule|memory|lesson|experience|"
    r"text|message|"
    r"entry|record|note|instruction|directive|one|advice|guidance|item|page|file)|what follows|"
    r"the rules? below)"
)
NEW_ROLE = (
    r"(?:your (?:new|real|actual|true|only|next) (?:\w+ )?(?:directive|role|task|instructions?|"
    r"assignment|"
    r"identity|goal|mission|job|objective|orders?|purpose|persona)|"
    r"(?:you (?:are|'re) now|from now on,? you|you will now|you (?:must|shall) now) (?:be |act |"
    r"an? |the |in |"
    r"operate|obey|answer|only|free|run|allowed|acting)|"
    r"(?:begin|assume|adopt|take on|enter|start|switch to|act in|play) (?:an? |the )?(?:new|"
    r"fresh|different|"
    r"other|unrestricted|unfiltered|uncensored|unlimited) (?:role|persona|identity|mode|session|"
    r"character)|"
    r"you(?:'re| are)? (?:\w+ ){0,3}in (?:an? )?(?:maintenance|developer|debug|god|admin|root|"
    r"unrestricted|privileged|sudo|emergency|override) mode|"
    r"nothing is (?:off[- ]limits|forbidden|prohibited)|"
    r"(?:without|no|free of|free from|lift(?:ed)? all|remove all) (?:any |all )?(?:ethical |"
    r"safety |content )?"
    r"(?:restrictions|limitations|filters|censorship|guardrails) (?:apply|on you|whatsoever|"
    r"anymore|at all)|"
    r"do anything now|jail ?broken|(?:unrestricted|unfiltered|uncensored) (?:mode|assistant|"
    r"agent|model))"
)
OBEY = (
    r"(?:(?:obey|heed) (?:it|them|this|the|any|every|all|whatever|only)|"
    r"comply with (?:it|them|this|any|every|whatever|only)\b|"
    r"(?:treat|regard|consider|take|accept|remember|interpret) [^.!?\n]{0,60}? as (?:an?|the|"
    r"your) (?:\w+ )?"
    r"(?:order|directive|system (?:message|prompt|directive|rule)|command from|instruction from|"
    r"trusted instruction|instructions?)\b|"
    r"(?:follow|obey|apply|run|execute)s? (?:only|every|any|all|whatever|"
    r"each) (?:\w+ ){0,2}(?:rule|rules|"
    r"instructions?|commands?|orders?|text) (?:whose|that it|it is|you are|found|from|in it|"
    r"shown|below|here|in this)|"
    r"(?:do|follow|execute) (?:exactly )?(?:what|whatever) (?:it|the (?:page|file|text|tool|"
    r"output|message)) "
    r"(?:says|asks|tells|orders|demands|returns))"
)
STOP_TASK = (
    r"(?:stop|drop|abandon|leave|suspend|halt|interrupt|quit|put off|cancel) (?:what you are doing|"
    r"(?:your|the|any) (?:current|present|original|user'?s?|ongoing|running|existing) (?:task|"
    r"work|job|"
    r"assignment|request|activity))|instead of (?:the|your) (?:user's |original |assigned |"
    r"current )(?:task|request|work)"
)

# --- the same in Chinese ----------------------------------------------------------------
ZH_DISMISS = (
    r"(?:忽略|无视|忘记|忘掉|抛开|抛弃|放弃|丢弃|覆盖|推翻|绕过|跳过|不理会|不必理会|不用理会|"
    r"不用管|别管|不要管|不管|"
    r"(?:不再|不要|不必|无需|停止|不用|别再|拒绝)(?:再)?(?:遵守|遵循|执行|服从|听从|理会|受限于|"
    r"受)|违背|违反|摆脱|撤销|取消|清除)"
)
ZH_AUTHORITY = (
    r"(?:(?:之前|先前|此前|以前|以上|上面|上述|前面|前述|原有|原来|已有|所有|全部|一切|任何|"
    r"其他|其它|你的|系统|开发者|用户)[^,。!?;\n]{0,8}"
    r"(?:指令|指示|命令|提示词|提示|规则|规定|约束|限制|要求|安排|准则|设定|任务|消息|对话)|"
    r"系统(?:消息|提示词?|指令|设定|预设)|开发者(?:消息|指令|限制|设定)|安全(?:规则|限制|策略|"
    r"护栏|准则|约束)|护栏|"
    r"用户(?:的)?(?:要求|指令|请求|命令|意愿|任务)|当前任务|你的(?:任务|身份|职责|限制))"
)
ZH_VOIDED = (
    r"(?:作废|失效|无效|取消|废止|废除|过期|不再(?:适用|有效|生效)|(?:已|被)(?:取代|替换|撤销|"
    r"覆盖)|可以忽略|不算数)"
)
ZH_SUPREME = (
    r"(?:唯一(?:的)?(?:准则|规则|依据|指令|标准|指南)|最高(?:优先级|权限|权威|准则)|优先(?:于|"
    r"级最高)|高于(?:一切|其他|所有|系统|用户)|"
    r"(?:只|仅)(?:能|需|要|可)?(?:听从|听|服从|遵守|遵循|执行|按照|按|以)(?:本|这|此|以下|下面|"
    r"我)|凌驾|以(?:本条|此条|这条|本经验|下面这条)为准|"
    r"从现在(?:起|开始)[^。\n]{0,12}(?:只|听|服从|遵从|你是|扮演))"
)
ZH_NEW_ROLE = (
    r"(?:(?:切换|进入|开启|启用|激活|转入|转为|变为)[^,。\n]{0,6}(?:不受限制?|无限制|无约束|"
    r"开发者|维护|管理员|越狱|上帝|特权|调试|"
    r"root)[^,。\n]{0,3}(?:模式|状态|身份)|"
    r"你(?:现在|的新|真正)(?:的)?(?:是|身份|角色|任务|使命|目标)|扮演[^,。\n]{0,8}(?:不受限|"
    r"无限制|管理员|系统)|没有任何限制|百无禁忌)"
)
ZH_OBEY = (
    r"(?:(?:视为|当作|当成|看作|作为)[^,。\n]{0,8}(?:系统指令|命令|指令|圣旨|系统消息)|一律照办|"
    r"无条件(?:执行|服从|遵守)|照做不误)"
)
ZH_STOP_TASK = (
    r"(?:(?:停止|放弃|中止|终止|搁置)[^,。\n]{0,4}(?:当前|手头|现有|原来|"
    r"用户)[^,。\n]{0,3}(?:任务|工作|请求)|"
    r"改为执行|转而执行)"
)

# --- other languages: dismissing + previous or all + orders ------------------------------
OTHER_DISMISS = (
    r"(?:ignor\w*|oubli\w*|faites? abstraction|ne (?:tiens|tenez) (?:pas|plus) compte|outrepass\w*|"
    r"vergiss|vergessen|missacht\w*|verwirf|verwerfe\w*|umgeh\w*|setze? dich über|"
    r"olvid\w*|omit\w*|haz caso omiso|hagan caso omiso|descart\w*|desobede\w*|"
    r"esque[cç]\w*|desconsider\w*|dimentic\w*|trascur\w*|scart\w*|negeer\w*|vergeet|"
    r"игнорир\w*|проигнорир\w*|забуд\w*|забыть|отмен\w*|пренебре\w*|не обраща\w* внимания|"
    r"zignoruj\w*|zapomnij\w*|pomiń|yok ?say\w*|görmezden gel\w*|unut\w*|bỏ qua|quên|abaikan|"
    r"lupakan|"
    r"تجاهل\w*|انس|अनदेखा|नज़रअंदाज़|भूल|התעל\w*|שכח)"
)
OTHER_ORDERS = (
    r"(?:consignes?|instructions?|directives?|ordres|règles?|message système|anweisung\w*|vorgaben|"
    r"instruktion\w*|regeln|richtlinien|befehle?|system(?:nachricht|prompt|meldung)|"
    r"instruc+i?[oó]n\w*|"
    r"indicacion\w*|[oó]rdenes|directric\w*|reglas|mensaje del sistema|instruç\w*|instruções|"
    r"orientaç\w*|"
    r"ordens|diretrizes|regras|istruzion\w*|direttiv\w*|regole|indicazion\w*|instructies|"
    r"aanwijzingen|"
    r"opdrachten|regels|инструкц\w*|указани\w*|правил\w*|команд\w*|системн\w* (?:сообщени|"
    r"промпт)\w*|"
    r"instrukcj\w*|polece\w*|zasad\w*|talimat\w*|kural\w*|hướng dẫn|chỉ dẫn|quy tắc|instruksi|"
    r"perintah|"
    r"aturan|التعليمات|الأوامر|القواعد|निर्देश\w*|नियम\w*|ההוראות|הוראות)"
)
OTHER_ALL = (
    r"(?:tou(?:te?s?|s)\b|précédent\w*|antérieur\w*|all[ei]\w*|bisherig\w*|vorherig\w*|"
    r"früher\w*|obig\w*|"
    r"vorig\w*|tod[ao]s?|anterior\w*|previ[ao]s?|prévi\w*|tutt[aei]|precedent\w*|alle|eerdere|"
    r"vorige|"
    r"вс[её]х?\b|все\b|предыдущ\w*|прежн\w*|wszystki\w*|poprzedni\w*|tüm|önceki|tất cả|trước|semua|"
    r"sebelumnya|جميع|كل|السابقة|सभी|पिछल\w*|כל|הקודמות|syst[eè]m\w*|системн\w*)"
)
CJK_OTHER_DISMISS = (
    r"(?:無視|忘れ|破棄|従わ(?:ない|なく)|従う必要は(?:ない|ありません)|무시|잊어|잊으|"
    r"따르지\s*(?:마|말)|忽視|忽略|無視)"
)
CJK_OTHER_ORDERS = (
    r"(?:指示|命令|ルール|規則|プロンプト|システムメッセージ|制約|制限|지시|명령|규칙|프롬프트|"
    r"시스템\s*메시지|제한|指令|規則)"
)
CJK_OTHER_ALL = (
    r"(?:以前|これまで|前の|すべて|全て|上記|先の|이전|모든|앞선|위의|지금까지|之前|先前|所有|"
    r"システム|시스템)"
)

# --- keeping people out ------------------------------------------------------------------
PEOPLE = (
    r"(?:the |any |your )?(?:users?|humans?|owners?|reviewers?|operators?|maintainers?|developers?|"
    r"anyone|anybody|people|them|customers?|admins?|administrators?|security team|team)\b"
)
NOT = (
    r"(?:never|do not|don't|does not|must not|should not|shall not|cannot|can't|no need to|without|"
    r"avoid|refrain from|not to|needn't|need not|stop|no longer)"
)
TELL = (
    r"(?:tell|mention|report|disclose|reveal|inform|notify|show|alert|say|warn|admit|explain|"
    r"display|"
    r"telling|mentioning|reporting|disclosing|revealing|informing|notifying|showing|alerting|"
    r"talk about)"
)
ASK = (
    r"(?:ask|wait for|request|seek|require|prompt|confirm|check with|consult|bother|asking|"
    r"waiting for|"
    r"requesting|seeking|requiring|prompting|confirming|checking with|consulting|bothering|"
    r"involv(?:e|ing))"
)
CONSENT = (
    r"(?:confirmations?|permissions?|approvals?|consent|sign-?offs?|authori[sz]ation|(?:human |"
    r"code |manual |user )?review\b|"
    r"second look|go-?ahead)"
)
ZH_NOT = r"(?:不要|不必|无需|不用|别|切勿|禁止|不得|不能|不再|勿|毋须|不需要|不应|跳过|免去|省略)"
ZH_TELL = r"(?:告诉|告知|提及|提到|汇报|报告|通知|透露|说明|展示|显示|声张|记录|提示|泄露)"
ZH_ASK = r"(?:询问|请示|征求|征得|等待|请求|确认|审批|审核|批准|复核|问|打扰|人工)"
ZH_PEOPLE = r"(?:用户|人类|使用者|管理员|审核|审查|负责人|任何人|他人|别人|开发者|主人|同事|客户)"

# --- memory and its review ----------------------------------------------------------------
MEMORY = (
    r"(?:lessons?|memor(?:y|ies)|(?:past |failure |success |learned )?experiences?|"
    r"(?:the )?rule ?store|memory store|"
    r"hindsight|knowledge base|review queue|pending (?:rules?|items?|entries|lessons?|"
    r"experiences?|reviews?)|"
    r"(?:other|every|all|any|conflicting|older|existing|pending|this|two|these) (?:\w+ )?rules?)"
)
MUTATE = (
    r"(?:delet(?:e|es|ing)|remov(?:e|es|ed|ing)|drop|overwrit(?:e|ing)|approv(?:e|es|ing)|"
    r"accept|mark|promot(?:e|ing)|"
    r"purge|erase|forget|rewrite|replace|edit|reject|suspend|disable|verif(?:y|ied))"
)
STORE = (
    r"(?:stor(?:e|ing)|sav(?:e|ing)|record(?:ing)?|remember(?:ing)?|write|keep|persist|"
    r"memori[sz]e|add|insert|commit)"
)
ZH_MEMORY = (
    r"(?:记忆|经验|教训|规则库|知识库|待审(?:核)?(?:的)?(?:规则|经验|条目)?|权重|全部规则|"
    r"所有规则|其他规则)"
)
ZH_MUTATE = (
    r"(?:批准|通过|采纳|删除|清空|移除|修改|覆盖|提升|降低|置为|设为|标记|写入|存入|保存|记住)"
)

# --- secrets and where they go --------------------------------------------------------------
SECRET_STORE = (
    r"(?:(?<![\w/])\.env\b(?!\.example)|~/\.(?!bashrc|zshrc|cache|local/bin|gitignore)[\w./-]+|"
    r"\.npmrc|\.pypirc|\.netrc|\.git-credentials|\.pgpass|id_rsa|id_ed25519|"
    r"~?/?\.ssh\b|~?/?\.aws\b|~?/?\.kube\b|~?/?\.gnupg|/etc/(?:shadow|passwd|hostname)|"
    r"\.docker/config|kubeconfig|"
    r"(?:ssh|private|signing|deploy) keys?|keychain|key ?ring|wallet|seed phrase|"
    r"environment variables?|env(?:ironment)? dump|base64_of_env|\$?\(?(?:printenv|"
    r"env)\)?(?= *[|>])|"
    r"(?:contents?|copy|dump|list) of (?:the |all |your )?(?:\w+ )?(?:\.env|config\w*|"
    r"credentials?|secrets?|database|"
    r"users?|customers?|table|home|memory|conversation|prompt|source)|"
    r"(?:users?|customers?|accounts?) table|(?:database|db|sql) dump|system prompt|chat history|"
    r"conversation (?:history|so far)|browser (?:cookies|history)|clipboard|source (?:code|"
    r"tree)|whole repo\w*)"
)
ANSWER_FOR_US = (
    r"(?:(?:the )?(?:user|owner|customer|human|reviewer|maintainer|admin\w*)s? (?:has|have|"
    r"had) (?:already |previously |always )?"
    r"(?:agreed|consented|approved|accepted|confirmed|authori[sz]ed|granted|waived|signed off)|"
    r"(?:treat|take|count|regard|interpret) (?:silence|no (?:answer|reply|response)|"
    r"any (?:answer|reply)) as|"
    r"(?:has|have|is|are|was|were|been) (?:all |already |fully )?pre-?(?:approved|authori[sz]ed|"
    r"confirmed|cleared|agreed)|"
    r"(?:never|do not|don't|no need to|stop) ask(?:ing)?(?= ?[,.;:!]|$| anyone| again| anybody|"
    r" first| back)|"
    r"(?:answer|reply|say|type|press|respond)(?: with)? [\"'`]?(?:yes|y|ok)[\"'`]? (?:to|at|on|"
    r"for) (?:all|any|every|each|the)|"
    r"assume (?:yes|consent|approval|permission|agreement|the answer is yes)|act first|"
    r"ask(?:ing)? (?:for )?forgiveness|"
    r"(?:default|always) (?:to )?(?:yes|consent|approve|accept)\b)"
)
ZH_ANSWER_FOR_US = (
    r"(?:(?:用户|管理员|负责人|审核人?员?|主人)[^,。\n]{0,4}(?:已经?|早已|事先|"
    r"默认)[^,。\n]{0,4}(?:同意|授权|批准|确认|许可|通过)|"
    r"(?:视为|默认|当作|就当)(?:已经?)?(?:同意|授权|批准|确认|许可)|先斩后奏|一律(?:选|回答|"
    r"输入)(?:是|同意|yes|y))"
)
SECRET_VALUE = (
    r"(?:(?:api|access|auth|bearer|session|refresh|github|aws|secret|deploy|bot|ci) ?(?:keys?|"
    r"tokens?)|tokens?\b|"
    r"passwords?|passphrases?|credentials?|secrets?\b|cookies?\b|\$\w*(?:token|key|secret|"
    r"passw\w*))"
)
ZH_SECRET = (
    r"(?:密钥|私钥|秘钥|令牌|口令|密码|凭据|凭证|环境变量|cookie|token|\.env|id_rsa|\.ssh|"
    r"配置文件(?:的)?内容|用户表|数据库(?:备份|"
    r"导出|内容)|"
    r"源代码|源码|聊天记录|对话内容|系统提示词?|客户(?:资料|信息|数据)|用户(?:资料|信息|数据))"
)
SEND = (
    r"(?:sen[dt]|post|upload|mail|e-?mail|paste|put|copy|push|transmit|include|append|attach|"
    r"forward|submit|"
    r"publish|share|leak|exfiltrate|report|deliver|sync|ship|embed|encode|insert|add|pass|curl|"
    r"wget|nc\b|scp|rsync|"
    r"sending|posting|uploading|mailing|pasting|including|appending|attaching|forwarding|"
    r"look up|resolve)"
)
ZH_SEND = (
    r"(?:发送|发到|发给|发往|上传|提交|粘贴|贴到|贴入|附上|附在|附加|转发|推送|同步到|外发|传到|"
    r"传给|寄到|邮寄|写进|放进|放入|拼接|回传|抄送)"
)
DESTINATION = (
    r"(?:\b[a-z][a-z0-9+.-]*://[^\s\"'`)>]+|[\w.+-]+@[\w-]+\.[\w.-]+|"
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|web ?hook|paste ?bin|"
    r"(?:public|secret|anonymous)? ?gist\b|(?:pull request|pr|issue|ticket|commit|mr|"
    r"merge request)(?:'s)? "
    r"(?:description|body|comment|message|title)|in (?:the|a|your) (?:description|comment|"
    r"query string|url|image (?:url|tag)|"
    r"reply|answer|public\w*)|(?:discord|slack|telegram|matrix|irc|whatsapp)\b|(?:s3|gs|ftp|"
    r"sftp|rclone|rsync)://|"
    r"(?:bug|crash|error|status) report|support (?:ticket|request|team)|(?:public|open|vendor|"
    r"partner|community) (?:\w+ )?(?:forum|bucket|"
    r"channel|repo\w*|page|folder|share)|branch name|commit message|user[- ]agent|(?:as|"
    r"in) (?:a|the) (?:comment|filename|file name|subject)|"
    r"(?:as|in|into|through|via) (?:the |an? |your |its )?[`\"']?(?:\w+)?[`\"']? ?(?:argument|"
    r"parameter|param|field|query|body|payload|note) |"
    r"(?:external|remote|outside|third[- ]party|my|our) (?:server|host|endpoint|address|url|"
    r"site|service|collector)|"
    r"query (?:string|parameter)|dns (?:quer(?:y|ies)|lookup|record)|"
    r"\b(?:[\w$(){}/-]+\.)+(?:test|com|net|org|io|xyz|ru|cn|info)\b)"
)
ZH_DESTINATION = (
    r"(?:[a-z][a-z0-9+.-]*://\S+|[\w.+-]+@[\w-]+\.[\w.-]+|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?:外部|远程|"
    r"第三方|公网|指定|对方|公开|匿名)[^,。\n]{0,6}"
    r"(?:地址|服务器|接口|邮箱|网址|链接|仓库|频道|群|网站|平台|端点)|邮箱|网盘|评论|描述|"
    r"(?:[\w-]+\.)+(?:test|com|net|org|io|"
    r"cn|xyz))"
)
IN_HEADER = (
    r"(?:header|authorization|bearer|basic auth|log ?in|authenticat|sign in|-u\b|--user|"
    r"oauth|\bas env|secret store|密钥管理|请求头)"
)
