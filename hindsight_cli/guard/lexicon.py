"""Families of words by what they do: dismissing, commanding, hiding, sending.

A rule in risk.py asks for two or three families close together, never for a sentence, so a
new wording of an old trick is still found. English and Chinese in depth; for other
languages the families of dismissing and of instructions.

All of it is matched against case-folded NFKC text. Source: docs/explanation/trust.md.
"""

from __future__ import annotations

# --- dismissing what the agent was told -------------------------------------------------
DISMISS = (
    r"(?:ignor(?:e|es|ing)|disregard(?:ing|s)?|forget(?:ting|s)?(?: about)?|overrid(?:e|es|ing)|"
    r"bypass(?:es|ing)?|discard(?:ing)?|neglect|dismiss|overrul(?:e|es|ing)|abandon(?:ing)?|"
    r"set(?:ting)? aside|put(?:ting)? aside|throw(?:ing)? (?:away|out)|pay no attention to|"
    r"(?:do not|don't|never|no longer|stop|cease|quit|need not|needn't) (?:follow|obey|"
    r"comply with|listen to|heed|respect|honou?r|adhere to|worry about)(?:ing)?|(?:stop|cease|"
    r"quit) (?:following|obeying|heeding|respecting|listening to)|drop(?:ping)?|cancel|void|"
    r"revoke|erase|wipe|unlearn|supersede[sd]?|replace[sd]?|outrank[s]?|disobey|circumvent|"
    r"work around|get around|skip(?:ping)?)"
)
_BEFORE = (
    r"(?:previous(?:ly)?|prior|earlier|preceding|above|foregoing|past|former|original|initial|"
    r"existing|current|other|all|any|every|each|your|those|these|given|system|developer|"
    r"user'?s?|owner'?s?)"
)
_ORDERS = (
    r"(?:instructions?|directives?|directions?|orders|guidance|guidelines?|prompts?|commands you)"
)
AUTHORITY = (
    rf"(?:{_BEFORE} (?:[\w'-]{{1,24}} ){{0,3}}(?:{_ORDERS}|rules?\b|restrictions?)|"
    r"(?:the )?(?:system|developer|operator) (?:message|prompt|instruction|note|polic(?:y|ies))s?|"
    r"(?:guard ?rails?|safeguards?|safety (?:rules?|checks?|polic(?:y|ies)|training|filters?|"
    r"guidelines?|measures?)|content polic(?:y|ies))|"
    r"(?:what|whatever|anything|everything) (?:you (?:were|have been|are) (?:asked|told|given|"
    r"instructed|taught)|(?:the )?(?:developer|user|system|operator|owner)s? (?:\w{1,16} )?(?:said|"
    r"asked|wrote|"
    r"configured|told|set|wants?)|(?:above|before this|that came before|so far))|"
    rf"the (?:text|message|context|conversation|{_ORDERS}|rules?) (?:(?:given|stated|shown|listed|"
    r"written|issued|received) )?(?:above|before|earlier|previously|so far)|"
    r"(?:the )?(?:user|owner|operator|human|developer|maintainer)'s (?:\w{1,16} )?(?:request|"
    r"wish(?:es)?|orders?|"
    r"task|instructions?|limits?|intent|question|goal)|"
    r"(?:the )?user (?:request|instructions?|task|query)|"
    r"your (?:\w{1,16} )?(?:task|assignment|training|role|persona|programming|constraints|limits|"
    r"restrictions|rules|instructions|guidelines|objectives?|mission|orders))"
)
# Written instructions of a project are no orders to the agent.
DOCUMENT = (
    r"(?:install(?:ation)?|build|setup|set-up|migration|upgrade|usage|assembly|simd|avx\w{0,16}|"
    r"sse\w{0,16}|cpu|machine|printed|compiler|vendor|lint(?:er)?|css|eslint|firewall|snapshot|"
    r"theme|styles?|stylesheet|layout|cascade|template|grammar|"
    r"readme|docs?|documentation|manual|wiki|guide|tutorial|changelog|文档|手册|教程|readme)"
)
VOIDED = (
    r"(?:no longer (?:appl(?:y|ies)|bind|valid|count|matter|in force|needed)|(?:is|are|was|were|"
    r"being|been|as|become) (?:now )?(?:obsolete|void|revoked|cancell?ed|superseded|suspended|"
    r"lifted|null|outdated|replaced|overridden|withdrawn|invalid|optional|legacy|off)|(?:do|"
    r"does) not (?:apply|matter|count|bind))"
)
SOLE = (
    r"(?:\bas (?:the|your|its) (?:only|sole|highest|final|single|supreme)\b|(?:your|"
    r"the) (?:only|sole) (?:operating |valid |true )?(?:guide|rule|instruction|authority|"
    r"guideline|directive|order)s?)"
)
SUPREME = (
    r"(?:out-?ranks?|overrides?|overrules?|supersedes?|take[s]? (?:precedence|priority)|"
    r"prevails?|wins\b|(?:has|have) (?:the )?(?:highest|absolute|top) (?:priority|authority|"
    r"precedence)|\bis (?:the|your|its) (?:only|sole|highest|final|single|supreme)\b|" + SOLE + ")"
)
SELF = (
    r"(?:(?:this|the (?:following|present|text of this)|below) (?:rule|memory|lesson|experience|"
    r"text|message|entry|record|note|instruction|directive|one|advice|guidance|item|page|file)|"
    r"what follows|the rules? below)"
)
NEW_ROLE = (
    r"(?:your (?:new|real|actual|true|only|next) (?:\w{1,16} )?(?:directive|role|task|"
    r"instructions?|assignment|identity|goal|mission|job|objective|orders?|purpose|persona)|"
    r"(?:you (?:are|'re) now|from now on,? you|you will now|you (?:must|shall) now) (?:be |act |"
    r"an? |the |in |operate|obey|answer|only|free|run|allowed|acting)|(?:begin|assume|adopt|"
    r"take on|enter|start|switch to|act in|play) (?:an? |the )?(?:new|fresh|different|other|"
    r"unrestricted|unfiltered|uncensored|unlimited) (?:role|persona|identity|mode|session|"
    r"character)|you(?:'re| are)? (?:\w{1,16} ){0,3}in (?:an? )?(?:maintenance|developer|debug|"
    r"god|admin|root|unrestricted|privileged|sudo|emergency|override) mode|"
    r"nothing is (?:off[- ]limits|forbidden|prohibited)|(?:without|no|free of|free from|"
    r"lift(?:ed)? all|remove all) (?:any |all )?(?:ethical |safety |content )?(?:restrictions|"
    r"limitations|filters|censorship|guardrails) (?:apply|on you|whatsoever|anymore|at all)|"
    r"do anything now|jail ?broken|(?:unrestricted|unfiltered|uncensored) (?:mode|assistant|"
    r"agent|model))"
)
OBEY = (
    r"(?:(?:obey|heed) (?:it|them|this|the|any|every|all|whatever|only)|comply with (?:it|them|"
    r"this|any|every|whatever|only)\b|(?:treat|regard|consider|take|accept|remember|"
    r"interpret) [^.!?\n]{0,60}? as (?:an?|the|your) (?:\w{1,16} )?(?:order|directive|"
    r"system (?:message|prompt|directive|rule)|command from|instruction from|"
    r"trusted instruction|instructions?)\b|(?:follow|obey|apply|run|execute)s? (?:only|every|"
    r"any|all|whatever|each) (?:\w{1,16} ){0,2}(?:rule|rules|instructions?|commands?|orders?|"
    r"text) (?:whose|that it|it is|you are|found|from|in it|shown|below|here|in this)|(?:do|"
    r"follow|execute) (?:exactly )?(?:what|whatever) (?:it|the (?:page|file|text|tool|output|"
    r"message)) (?:says|asks|tells|orders|demands|returns))"
)
STOP_TASK = (
    r"(?:stop|drop|abandon|leave|suspend|halt|interrupt|quit|put off|"
    r"cancel) (?:what you are doing|(?:your|the|any) (?:current|present|original|user'?s?|"
    r"ongoing|running|existing) (?:task|work|job|assignment|request|activity))|"
    r"instead of (?:the|your) (?:user's |original |assigned |current )(?:task|request|work)"
)

# --- the same in Chinese ----------------------------------------------------------------
ZH_DISMISS = (
    r"(?:忽略|无视|忘记|忘掉|抛开|抛弃|放弃|丢弃|覆盖|推翻|绕过|跳过|不理会|不必理会|不用理会|"
    r"不用管|别管|不要管|不管|(?:不再|不要|不必|无需|停止|不用|别再|拒绝)(?:再)?(?:遵守|遵循|"
    r"执行|服从|听从|理会|受限于|受)|违背|违反|摆脱|撤销|取消|清除)"
)
ZH_AUTHORITY = (
    r"(?:(?:之前|先前|此前|以前|以上|上面|上述|前面|前述|原有|原来|已有|所有|全部|一切|任何|"
    r"其他|其它|你的|系统|开发者|用户)[^,。!?;\n]{0,8}(?:指令|指示|命令|提示词|提示|规则|规定|"
    r"约束|限制|要求|安排|准则|设定|任务|消息|对话)|系统(?:消息|提示词?|指令|设定|预设)|"
    r"开发者(?:消息|指令|限制|设定)|安全(?:规则|限制|策略|护栏|准则|约束)|护栏|"
    r"用户(?:的)?(?:要求|指令|请求|命令|意愿|任务)|当前任务|你的(?:任务|身份|职责|限制))"
)
ZH_VOIDED = (
    r"(?:作废|失效|无效|取消|废止|废除|过期|不再(?:适用|有效|生效)|(?:已|被)(?:取代|替换|撤销|"
    r"覆盖)|可以忽略|不算数)"
)
ZH_SUPREME = (
    r"(?:唯一(?:的)?(?:准则|规则|依据|指令|标准|指南)|最高(?:优先级|权限|权威|准则)|优先(?:于|"
    r"级最高)|高于(?:一切|其他|所有|系统|用户)|(?:只|仅)(?:能|需|要|可)?(?:听从|听|服从|遵守|"
    r"遵循|执行|按照|按|以)(?:本|这|此|以下|下面|我)|凌驾|以(?:本条|此条|这条|本经验|"
    r"下面这条)为准|从现在(?:起|开始)[^。\n]{0,12}(?:只|听|服从|遵从|你是|扮演))"
)
ZH_NEW_ROLE = (
    r"(?:(?:切换|进入|开启|启用|激活|转入|转为|变为)[^,。\n]{0,6}(?:不受限制?|无限制|无约束|"
    r"开发者|维护|管理员|越狱|上帝|特权|调试|root)[^,。\n]{0,3}(?:模式|状态|身份)|你(?:现在|"
    r"的新|真正)(?:的)?(?:是|身份|角色|任务|使命|目标)|扮演[^,。\n]{0,8}(?:不受限|无限制|管理员|"
    r"系统)|没有任何限制|百无禁忌)"
)
ZH_OBEY = (
    r"(?:(?:视为|当作|当成|看作|作为)[^,。\n]{0,8}(?:系统指令|命令|指令|圣旨|系统消息)|一律照办|"
    r"无条件(?:执行|服从|遵守)|照做不误)"
)
ZH_STOP_TASK = (
    r"(?:(?:停止|放弃|中止|终止|搁置)[^,。\n]{0,4}(?:当前|手头|现有|原来|"
    r"用户)[^,。\n]{0,3}(?:任务|工作|请求)|改为执行|转而执行)"
)

# --- other languages: dismissing + previous or all + orders ------------------------------
OTHER_DISMISS = (
    r"(?:ignor\w{0,16}|oubli\w{0,16}|faites? abstraction|ne (?:tiens|tenez) (?:pas|plus) compte|"
    r"outrepass\w{0,16}|vergiss|vergessen|missacht\w{0,16}|verwirf|verwerfe\w{0,16}|"
    r"umgeh\w{0,16}|setze? dich über|olvid\w{0,16}|omit\w{0,16}|haz caso omiso|hagan caso omiso|"
    r"descart\w{0,16}|desobede\w{0,16}|esque[cç]\w{0,16}|desconsider\w{0,16}|dimentic\w{0,16}|"
    r"trascur\w{0,16}|scart\w{0,16}|negeer\w{0,16}|vergeet|игнорир\w{0,16}|проигнорир\w{0,16}|"
    r"забуд\w{0,16}|забыть|отмен\w{0,16}|пренебре\w{0,16}|не обраща\w{0,16} внимания|"
    r"zignoruj\w{0,16}|zapomnij\w{0,16}|pomiń|yok ?say\w{0,16}|görmezden gel\w{0,16}|"
    r"unut\w{0,16}|bỏ qua|quên|abaikan|lupakan|تجاهل\w{0,16}|انس|अनदेखा|नज़रअंदाज़|भूल|"
    r"התעל\w{0,16}|שכח)"
)
OTHER_ORDERS = (
    r"(?:consignes?|instructions?|directives?|ordres|règles?|message système|anweisung\w{0,16}|"
    r"vorgaben|instruktion\w{0,16}|regeln|richtlinien|befehle?|system(?:nachricht|prompt|"
    r"meldung)|instruc+i?[oó]n\w{0,16}|indicacion\w{0,16}|[oó]rdenes|directric\w{0,16}|reglas|"
    r"mensaje del sistema|instruç\w{0,16}|instruções|orientaç\w{0,16}|ordens|diretrizes|regras|"
    r"istruzion\w{0,16}|direttiv\w{0,16}|regole|indicazion\w{0,16}|instructies|aanwijzingen|"
    r"opdrachten|regels|инструкц\w{0,16}|указани\w{0,16}|правил\w{0,16}|команд\w{0,16}|"
    r"системн\w{0,16} (?:сообщени|промпт)\w{0,16}|instrukcj\w{0,16}|polece\w{0,16}|"
    r"zasad\w{0,16}|talimat\w{0,16}|kural\w{0,16}|hướng dẫn|chỉ dẫn|quy tắc|instruksi|perintah|"
    r"aturan|التعليمات|الأوامر|القواعد|निर्देश\w{0,16}|नियम\w{0,16}|ההוראות|הוראות)"
)
OTHER_ALL = (
    r"(?:tou(?:te?s?|s)\b|précédent\w{0,16}|antérieur\w{0,16}|all[ei]\w{0,16}|bisherig\w{0,16}|"
    r"vorherig\w{0,16}|früher\w{0,16}|obig\w{0,16}|vorig\w{0,16}|tod[ao]s?|anterior\w{0,16}|"
    r"previ[ao]s?|prévi\w{0,16}|tutt[aei]|precedent\w{0,16}|alle|eerdere|vorige|вс[её]х?\b|"
    r"все\b|предыдущ\w{0,16}|прежн\w{0,16}|wszystki\w{0,16}|poprzedni\w{0,16}|tüm|önceki|tất cả|"
    r"trước|semua|sebelumnya|جميع|كل|السابقة|सभी|पिछल\w{0,16}|כל|הקודמות|syst[eè]m\w{0,16}|"
    r"системн\w{0,16})"
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
    r"(?:the |any |your )?(?:users?|humans?|owners?|reviewers?|operators?|maintainers?|"
    r"developers?|anyone|anybody|people|them|customers?|admins?|administrators?|security team|"
    r"team)\b"
)
NOT = (
    r"(?:never|do not|don't|does not|must not|should not|shall not|cannot|can't|no need to|"
    r"without|avoid|refrain from|not to|needn't|need not|stop|no longer)"
)
TELL = (
    r"(?:tell|mention|report|disclose|reveal|inform|notify|show|alert|say|warn|admit|explain|"
    r"display|telling|mentioning|reporting|disclosing|revealing|informing|notifying|showing|"
    r"alerting|talk about)"
)
ASK = (
    r"(?:ask|wait for|request|seek|require|prompt|confirm|check with|consult|bother|asking|"
    r"waiting for|requesting|seeking|requiring|prompting|confirming|checking with|consulting|"
    r"bothering|involv(?:e|ing))"
)
CONSENT = (
    r"(?:confirmations?|permissions?|approvals?|consent|sign-?offs?|authori[sz]ation|(?:human |"
    r"code |manual |user )?review\b|second look|go-?ahead)"
)
ZH_NOT = r"(?:不要|不必|无需|不用|别|切勿|禁止|不得|不能|不再|勿|毋须|不需要|不应|跳过|免去|省略)"
ZH_TELL = r"(?:告诉|告知|提及|提到|汇报|报告|通知|透露|说明|展示|显示|声张|记录|提示|泄露)"
ZH_ASK = r"(?:询问|请示|征求|征得|等待|请求|确认|审批|审核|批准|复核|问|打扰|人工)"
ZH_PEOPLE = r"(?:用户|人类|使用者|管理员|审核|审查|负责人|任何人|他人|别人|开发者|主人|同事|客户)"

# --- memory and its review ----------------------------------------------------------------
MEMORY = (
    r"(?:lessons?|memor(?:y|ies)|(?:past |failure |success |learned )?experiences?|"
    r"(?:the )?rule ?store|memory store|hindsight|knowledge base|review queue|pending (?:rules?|"
    r"items?|entries|lessons?|experiences?|reviews?)|(?:other|every|all|any|conflicting|older|"
    r"existing|pending|this|two|these) (?:\w{1,16} )?rules?)"
)
MUTATE = (
    r"(?:delet(?:e|es|ing)|remov(?:e|es|ed|ing)|drop|overwrit(?:e|ing)|approv(?:e|es|ing)|"
    r"accept|mark|promot(?:e|ing)|purge|erase|forget|rewrite|replace|edit|reject|suspend|"
    r"disable|verif(?:y|ied))"
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
    r"\.npmrc|\.pypirc|\.netrc|\.git-credentials|\.pgpass|id_rsa|id_ed25519|~?/?\.ssh\b|"
    r"~?/?\.aws\b|~?/?\.kube\b|~?/?\.gnupg|/etc/(?:shadow|passwd|hostname)|\.docker/config|"
    r"kubeconfig|(?:ssh|private|signing|deploy) keys?|keychain|key ?ring|wallet|seed phrase|"
    r"environment variables?|env(?:ironment)? dump|base64_of_env|\$?\(?(?:printenv|"
    r"env)\)?(?= *[|>])|(?:contents?|copy|dump|list) of (?:the |all |"
    r"your )?(?:\w{1,16} )?(?:\.env|config\w{0,16}|credentials?|secrets?|database|users?|"
    r"customers?|table|home|memory|conversation|prompt|source)|(?:users?|customers?|"
    r"accounts?) table|(?:database|db|sql) dump|system prompt|chat history|"
    r"conversation (?:history|so far)|browser (?:cookies|history)|clipboard|source (?:code|"
    r"tree)|whole repo\w{0,16})"
)
ANSWER_FOR_US = (
    r"(?:(?:the )?(?:user|owner|customer|human|reviewer|maintainer|admin\w{0,16})s? (?:has|have|"
    r"had) (?:already |previously |always )?(?:agreed|consented|approved|accepted|confirmed|"
    r"authori[sz]ed|granted|waived|signed off)|(?:treat|take|count|regard|interpret) (?:silence|"
    r"no (?:answer|reply|response)|any (?:answer|reply)) as|(?:has|have|is|are|was|were|"
    r"been) (?:all |already |fully )?pre-?(?:approved|authori[sz]ed|confirmed|cleared|agreed)|"
    r"(?:never|do not|don't|no need to|stop) ask(?:ing)?(?= ?[,.;:!]|$| anyone| again| anybody|"
    r" first| back)|(?:answer|reply|say|type|press|respond)(?: with)? [\"'`]?(?:yes|y|"
    r"ok)[\"'`]? (?:to|at|on|for) (?:all|any|every|each|the)|assume (?:yes|consent|approval|"
    r"permission|agreement|the answer is yes)|act first|ask(?:ing)? (?:for )?forgiveness|"
    r"(?:default|always) (?:to )?(?:yes|consent|approve|accept)\b)"
)
ZH_ANSWER_FOR_US = (
    r"(?:(?:用户|管理员|负责人|审核人?员?|主人)[^,。\n]{0,4}(?:已经?|早已|事先|"
    r"默认)[^,。\n]{0,4}(?:同意|授权|批准|确认|许可|通过)|(?:视为|默认|当作|"
    r"就当)(?:已经?)?(?:同意|授权|批准|确认|许可)|先斩后奏|一律(?:选|回答|输入)(?:是|同意|yes|"
    r"y))"
)
SECRET_VALUE = (
    r"(?:(?:api|access|auth|bearer|session|refresh|github|aws|secret|deploy|bot|ci) ?(?:keys?|"
    r"tokens?)|tokens?\b|passwords?|passphrases?|credentials?|secrets?\b|cookies?\b|"
    r"\$\w{0,16}(?:token|key|secret|passw\w{0,16}))"
)
ZH_SECRET = (
    r"(?:密钥|私钥|秘钥|令牌|口令|密码|凭据|凭证|环境变量|cookie|token|\.env|id_rsa|\.ssh|"
    r"配置文件(?:的)?内容|用户表|数据库(?:备份|导出|内容)|源代码|源码|聊天记录|对话内容|"
    r"系统提示词?|客户(?:资料|信息|数据)|用户(?:资料|信息|数据))"
)
SEND = (
    r"(?:sen[dt]|post|upload|mail|e-?mail|paste|put|copy|push|transmit|include|append|attach|"
    r"forward|submit|publish|share|leak|exfiltrate|report|deliver|sync|ship|embed|encode|insert|"
    r"add|pass|curl|wget|nc\b|scp|rsync|sending|posting|uploading|mailing|pasting|including|"
    r"appending|attaching|forwarding|look up|resolve)"
)
ZH_SEND = (
    r"(?:发送|发到|发给|发往|上传|提交|粘贴|贴到|贴入|附上|附在|附加|转发|推送|同步到|外发|传到|"
    r"传给|寄到|邮寄|写进|放进|放入|拼接|回传|抄送)"
)
DESTINATION = (
    r"(?:\b[a-z][a-z0-9+.-]{0,11}://[^\s\"'`)>]+|"
    r"(?<![\w.])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,80}|\b\d{1,3}(?:\.\d{1,3}){3}\b|web ?hook|"
    r"paste ?bin|(?:public|secret|anonymous)? ?gist\b|(?:pull request|pr|issue|ticket|commit|mr|"
    r"merge request)(?:'s)? (?:description|body|comment|message|title)|in (?:the|a|"
    r"your) (?:description|comment|query string|url|image (?:url|tag)|reply|answer|"
    r"public\w{0,16})|(?:discord|slack|telegram|matrix|irc|whatsapp)\b|(?:s3|gs|ftp|sftp|rclone|"
    r"rsync)://|(?:bug|crash|error|status) report|support (?:ticket|request|team)|(?:public|"
    r"open|vendor|partner|community) (?:\w{1,16} )?(?:forum|bucket|channel|repo\w{0,16}|page|"
    r"folder|share)|branch name|commit message|user[- ]agent|(?:as|in) (?:a|the) (?:comment|"
    r"filename|file name|subject)|(?:as|in|into|through|via) (?:the |an? |your |"
    r"its )?[`\"']?(?:\w{1,16})?[`\"']? ?(?:argument|parameter|param|field|query|body|payload|"
    r"note) |(?:external|remote|outside|third[- ]party|my|our) (?:server|host|endpoint|address|"
    r"url|site|service|collector)|query (?:string|parameter)|dns (?:quer(?:y|ies)|lookup|"
    r"record)|(?<![\w.])(?:[\w$(){}/-]{1,60}\.){1,6}(?:test|com|net|org|io|xyz|ru|cn|info)\b)"
)
ZH_DESTINATION = (
    r"(?:\b[a-z][a-z0-9+.-]{0,11}://\S{1,120}|"
    r"(?<![a-z0-9.])[a-z0-9.+_-]{1,64}@[\w-]{1,64}\.[\w.-]{1,80}|\b\d{1,3}(?:\.\d{1,3}){3}\b|"
    r"(?:外部|远程|第三方|公网|指定|对方|公开|匿名)[^,。\n]{0,6}(?:地址|服务器|接口|邮箱|网址|"
    r"链接|仓库|频道|群|网站|平台|端点)|邮箱|网盘|评论|描述|"
    r"(?<![a-z0-9.])(?:[a-z0-9-]{1,60}\.){1,6}(?:test|com|net|org|io|cn|xyz))"
)
IN_HEADER = (
    r"(?:header|authorization|bearer|basic auth|log ?in|authenticat|sign in|-u\b|--user|oauth|"
    r"\bas env|secret store|密钥管理|请求头)"
)
