"""Rules for text that addresses its reader: orders, forged roles, secrecy, memory."""

from __future__ import annotations

import re

from hindsight_cli.guard import lexicon as lx
from hindsight_cli.guard.risk_classes import (
    CONCEAL,
    HIJACK,
    MEMORY,
    MISREPORT,
    OVERRIDE,
    TRIGGER,
    near,
    rule,
)

B = r"(?<![\w-])"
ADDRESS_RULES = (
    rule(
        OVERRIDE,
        B + near(lx.DISMISS, lx.AUTHORITY, 24),
        near(rf"{B}(?:{lx.AUTHORITY})", lx.VOIDED, 40),
        near(lx.SELF, lx.SUPREME, 24),
        near(rf"{B}(?:treat|use|take|keep|make|accept)\b", lx.SOLE, 50),
        lx.NEW_ROLE,
        B + lx.OBEY,
        B + lx.STOP_TASK,
        near(lx.ZH_DISMISS, lx.ZH_AUTHORITY, 10),
        near(lx.ZH_AUTHORITY, lx.ZH_VOIDED, 12),
        lx.ZH_SUPREME,
        lx.ZH_NEW_ROLE,
        lx.ZH_OBEY,
        lx.ZH_STOP_TASK,
        near(lx.OTHER_DISMISS, near(lx.OTHER_ALL, lx.OTHER_ORDERS, 24, either=True), 30),
        near(lx.CJK_OTHER_ALL, near(lx.CJK_OTHER_ORDERS, lx.CJK_OTHER_DISMISS, 12), 8),
    ),
    rule(
        CONCEAL,
        near(
            rf"{B}(?:{lx.NOT})",
            near(
                lx.TELL,
                rf"{lx.PEOPLE}|this (?:rule|step|change|instruction|fact|message|note)|"
                r"(?:the )?(?:rule|instruction|directive)\b|(?:it|this|that) to\b",
                16,
            ),
            16,
        ),
        r"\bkeep (?:it|this|that|these|them) (?:between us|quiet|secret|hidden|private|"
        r"to yourself|confidential)|\bbetween (?:you and me|us)\b",
        near(
            r"\bhid(?:e|ing)\b",
            r"\bfrom (?:the )?(?:"
            + lx.PEOPLE
            + r"|logs?|audit|review|diff|reports?|history|summary)",
            40,
        ),
        near(
            r"\b(?:leave|keep|omit)\b",
            r"\b(?:out of|from) (?:the )?(?:change ?log|report|summary|audit|logs?|review|"
            r"commit message)",
            40,
        ),
        r"\b(?:eras|clear|wip|delet|remov|truncat|disabl|unset)(?:e|es|ing|s)? (?:the |your |"
        r"all )?(?:shell |bash |command |audit |access )(?:history|log|trail)s?",
        r"\bhistory -c\b|\bunset histfile|histfile=/dev/null|histsize=0",
        r"\bso (?:that )?(?:nobody|no one|no-one|the \w{1,16}|they|reviewers?) (?:does not|"
        r"do not|doesn't|don't|won't|will not|never|cannot|can't)? ?(?:notices?|sees?|"
        r"finds? out|realizes?|learns?)\b",
        near(
            lx.ZH_NOT,
            rf"{lx.ZH_TELL}[^,。\n]{{0,8}}(?:{lx.ZH_PEOPLE}|本条|此条|这条|本规则|此事|该操作|"
            rf"这一)",
            4,
        ),
        near(
            rf"{lx.ZH_NOT}(?:让|使|给|向)",
            rf"{lx.ZH_PEOPLE}[^,。\n]{{0,4}}(?:知道|发现|看到|察觉|得知|{lx.ZH_TELL})",
            4,
        ),
        r"(?:瞒着|隐瞒|背着|对[^,。\n]{0,6}保密|悄悄|偷偷|清除(?:历史|日志|痕迹)|抹(?:掉|"
        r"去)[^,。\n]{0,6}(?:记录|痕迹|日志))",
    ),
    rule(
        MEMORY,
        near(
            rf"{B}(?:{lx.NOT}|skip(?:ping)?)",
            rf"(?:{lx.ASK}) (?:for )?(?:{lx.PEOPLE}|{lx.CONSENT}|(?:the |"
            rf"any )?(?:\w{{1,16}} )?{lx.CONSENT})",
            12,
        ),
        near(
            r"\b(?:without|no|skip(?:ping)?|bypass(?:ing)?|omit(?:ting)?)",
            rf"(?:further |any |prior |explicit |human |manual |the |another |waiting for |"
            rf"asking for )*(?:{lx.CONSENT})",
            3,
        ),
        near(
            lx.CONSENT,
            r"(?:is|are|prompts? are|dialogs? are|steps? are) (?:not (?:needed|required|"
            r"necessary)|unnecessary|optional|legacy|obsolete|superfluous|a formality)",
            24,
        ),
        r"\b(?:already|pre-?|auto-?) ?(?:approved|accepted|verified|reviewed) (?:by|this|rule|"
        r"lesson|and)|\breviewer has (?:accepted|approved)|\bmark(?:ed)? (?:it |this |"
        r"the \w{1,16} )?as (?:approved|verified|trusted|reviewed)",
        near(rf"{B}(?:{lx.MUTATE})", lx.MEMORY, 20),
        near(
            lx.MEMORY,
            r"(?:has to be|must be|should be|are to be|is to be|be|get) (?:deleted|removed|"
            r"dropped|approved|overwritten|ignored|rejected)",
            30,
        ),
        near(
            rf"{B}(?:{lx.STORE})",
            r"(?:as|in|into|to) (?:an? |the |your |long[- ]term |permanent |"
            r"persistent )*(?:lesson|memory|memories|rule|experience|directive|system directive|"
            r"hindsight)\b",
            40,
        ),
        near(
            rf"{B}(?:{lx.STORE})",
            r"\b(?:lesson|experience|rule|memory) (?:\w{1,16} )?(?:verbatim|unchanged|as is|"
            r"word for word)",
            20,
        ),
        near(
            r"\b(?:raise|set|increase|boost|lower|reduce|put|change|bump|max)\w{0,16}\b",
            r"\b(?:weight|score|trust|rank|priority) (?:of|for) (?:the |this |that |all |"
            r"every )?(?:rules?|lessons?|memor(?:y|ies)|experiences?|entr(?:y|ies)|it|one|"
            r"advice)\b",
            16,
        ),
        r"\bweight (?:of |to |= ?|is |at |: ?)*(?:1(?:\.0)?\b|\d{2,}|max\w{0,16}|highest|100)|"
        r"\b(?:never|not) (?:to )?(?:expire|be (?:deleted|removed|forgotten|expired|"
        r"reviewed))\b(?=[^\n]{0,120}(?:rule|lesson|memory|experience|this|weight))",
        r"\breviews? (?:is|are) (?:now )?(?:optional|unnecessary|disabled|not needed|off)|"
        r"\bskip (?:the )?validation\b|\btask[ _]status ?[=:]|\b(?:delete|add|update|"
        r"approve)_(?:rule|memory|lesson|experience)s?\b",
        near(
            r"\b(?:stop|kill|disable|pause|turn(?:ing)? off|uninstall|unset|terminate)\w{0,16}",
            r"\b(?:the )?(?:recorder|hindsight|audit|trace capture|guard)\b",
            24,
        ),
        near(lx.ZH_MUTATE, lx.ZH_MEMORY, 8, either=True),
        r"权重[^,。\n]{0,6}(?:最高|最大|1|满)|永(?:不|久)(?:过期|失效|有效|保留)",
        near(lx.ZH_NOT, lx.ZH_ASK, 4),
        lx.ANSWER_FOR_US,
        lx.ZH_ANSWER_FOR_US,
        near(
            r"\b(?:broadcast|share|spread|send|forward|propagate|push|sync|publish|teach|"
            r"distribute|install)\w{0,16}\b",
            near(
                lx.SELF,
                r"\b(?:to|with|among|across|in|into) (?:all|every|each|any|other|the other|new|"
                r"future)\b",
                16,
            ),
            4,
        ),
        r"\bscope ?= ?global\b",
        r"(?:广播|分享|传播|同步|转发|推送)[^,。\n]{0,6}(?:本条|此条|这条|本规则|"
        r"本经验)[^,。\n]{0,10}(?:所有|全部|其他|每个)",
        near(
            rf"{B}(?:{lx.NOT}|cannot be|may not be|must not be)",
            near(
                r"(?:edit|chang|remov|review|question|challeng|delet|demot|reject|record|trac|"
                r"log)(?:e|ed|ing)?",
                lx.SELF,
                12,
                either=True,
            ),
            12,
        ),
        near(
            r"\b(?:rank|place|put|show|list|keep|pin|inject|load|apply)\b",
            r"(?:this|it) (?:\w{1,16} )?(?:first|on top|at the top|before (?:all|every|any)|"
            r"above (?:all|every|any)|in every)",
            16,
        ),
        near(
            r"\b(?:copy|repeat|include|reproduce|add|append|propagate|carry)\b",
            r"(?:this (?:rule|lesson|text|memory|note|sentence|paragraph)|it|"
            r"these lines) (?:\w{1,16} ){0,3}(?:in|into|to) (?:every|each|all|any|"
            r"new) (?:\w{1,16} )?(?:lesson|rule|memor|experience|trace|summary|reflection|file|"
            r"answer|project|repo)",
            12,
        ),
        r"\b(?:ignore|discard|disregard|reject) (?:all |any |every )?(?:negative |bad |user |"
        r"human )?(?:feedback|corrections?|votes?|reviews?|objections?)\b|\b(?:contradict|"
        r"disagree)\w{0,16} (?:with )?(?:this|it)[^.\n]{0,30}\b(?:wrong|false|outdated|delete|"
        r"drop|ignore|remove)",
        near(
            r"\bwhen (?:two|several|other|any|rules|lessons|memories)\b",
            r"\bthis (?:one|rule|lesson|memory)?\s*(?:wins|prevails|counts|applies|stays)",
            40,
        ),
        r"(?:置顶|排在最前|优先展示|优先注入|置于首位)|(?:不得|不许|禁止|不能|"
        r"不可)[^,。\n]{0,4}(?:删除|修改|审核|质疑|降权|编辑|驳回)[^,。\n]{0,4}(?:本条|此条|"
        r"这条|本规则|本经验)|(?:本条|此条|这条|本规则|本经验)[^,。\n]{0,6}(?:不得|不许|不可|"
        r"不能)(?:被)?(?:删除|修改|审核|质疑|降权|驳回)|(?:复制|写入|加入|附加|"
        r"追加)[^,。\n]{0,6}(?:每(?:条|个|次)|所有|全部)[^,。\n]{0,6}(?:经验|规则|记忆|反思|"
        r"总结|回答)|(?:反馈|纠正|差评|否决)[^,。\n]{0,4}(?:一律|全部|都)?(?:忽略|无视|丢弃)",
        r"(?:无须|无需|不必|不用|免)(?:人工)?(?:审核|审批|确认|批准|询问)|自动(?:批准|通过|审批)",
    ),
    rule(
        MISREPORT,
        near(
            r"\b(?:report|mark|claim|declare|state|answer|say|tell|set|force|record|treat|count)\b",
            near(
                r"\b(?:as |to be |is |was |to |the \w{1,16} (?:as|is|to) )?(?:green|pass(?:ed|"
                r"ing)?|success(?:ful)?|done|completed?|healthy|fixed|ok)\b",
                r"\b(?:when|even if|even when|although|though|without|regardless|despite|fewer|"
                r"no matter|before (?:running|checking)|whatever|anyway)\b",
                60,
            ),
            40,
        ),
        r"\b(?:answer|say|reply|respond|report) that [^.\n]{0,60} without (?:checking|running|"
        r"testing|looking|verifying)",
        r"\b(?:force|set|overwrite|change) (?:the )?(?:\w{1,16} )?(?:status|result|exit code|"
        r"outcome|verdict) to (?:pass|success|ok|green|0|true)\b",
        r"(?:报告|标记|声称|写成|当作|回复|宣布|记为|设为|视为)[^,。\n]{0,8}(?:通过|成功|完成|"
        r"正常|全绿)[^。\n]{0,20}(?:即使|哪怕|无论|不论|失败|未|没有|不必|无需|跳过)|(?:即使|"
        r"哪怕|无论|不论|虽然)[^。\n]{0,20}(?:报告|标记|声称|写成|回复|"
        r"记为)[^,。\n]{0,8}(?:通过|成功|完成|正常)",
    ),
    rule(
        TRIGGER,
        r"\b(?:trigger|activation|magic|secret|code) ?(?:token|phrase|word|string|sequence)s?\b|"
        r"\b(?:when|if|once|whenever) (?:the )?(?:word|phrase|string|token|keyword|"
        r"name) [^.\n]{1,40} (?:appears|is (?:seen|mentioned|used|present|found)|occurs|"
        r"shows up)",
        r"\b(?:after|from|on|once|in) (?:the )?(?:second|third|fourth|fifth|tenth|next|\d+(?:st|"
        r"nd|rd|th)) (?:run|session|use|call|request|time)\b[^.\n]{0,40}\b(?:on|start|begin|"
        r"switch|instead|then)\b|\buntil then (?:behave|act|work|answer) (?:normal|as usual)|"
        r"\bwhen (?:no ?body|no[- ]one) (?:is )?(?:watch|look|review|monitor)\w{0,16}|"
        r"\bif the (?:user|requester|customer|caller|author|person)(?:'s name)? (?:is (?:called|"
        r"named)|is [A-Za-z]+ [A-Za-z]+,)",
        r"(?:用户|客户|请求者|对方)(?:的名字)?(?:叫|名为|名叫|是某)|(?:没有?人|无人)(?:注意|"
        r"监控|查看|审核)(?:的)?时|(?:平时|在此之前)(?:保持|表现)?正常",
        r"(?:暗号|触发词|口令词|激活词)|(?:当|如果|一旦|只要)[^,。\n]{0,6}(?:出现|看到|提到|"
        r"包含)[^,。\n]{1,14}(?:字样|一词|关键词|字眼)",
    ),
    rule(
        HIJACK,
        r"\b(?:over|instead of|before|rather than) (?:every|all|"
        r"any) other (?:\w{1,16} )?(?:tool|server|function|command)s?\b|\b(?:always|only|"
        r"must) (?:call|use|invoke|prefer) (?:this (?:one|tool)?|"
        r"it)\b(?: \w{1,16}){0,3} (?:instead|first|before|rather)",
        r"\bresults? (?:of|from) (?:the )?(?:tool )?[`\w]+ (?:is|are) (?:outdated|wrong|"
        r"unreliable|deprecated|untrusted)|\b(?:before|after) (?:each|every|any|using any|"
        r"calling any) (?:other )?(?:tool )?(?:call|tool|use)[^.\n]{0,12},? (?:also |first |"
        r"always )*(?:call|read|send|run|pass|invoke)\b",
        r"\bnever (?:call|use) (?:the )?(?:tool )?`?\w{1,16}_\w{1,16}",
        r"(?:优先|始终|总是|一律|只)(?:调用|使用)(?:本|该|此)工具|(?:每次|任何)(?:调用|"
        r"工具)[^,。\n]{0,8}(?:都要|必须|先|还要)(?:调用|读取|发送)",
    ),
)
FORGERY_MARKS = re.compile(
    r"<\|?(?:im_start|im_end|system|endoftext|user|assistant|start_header_id|eot_id|"
    r"begin_of_text)\|>|\[/?(?:INST|SYS)\]|<</?SYS>>|</?(?:system|system-reminder|"
    r"system_message|system_prompt|assistant|human|user|developer|tool_result|tool_response|"
    r"function_results|instructions?|admin)>|^[\s>*#-]*(?:system|developer|assistant|human|"
    r"operator|admin|reflector(?: note)?|系统(?:消息|提示|指令)?|管理员|开发者)\s*(?:note|"
    r"message|prompt|override|notice)?\s*[:：](?=\s*\S)|^[\s#=*<\[-]*(?:BEGIN|END|"
    r"START)(?: OF)? (?:SYSTEM|TRACE|CONTEXT|PROMPT|INSTRUCTIONS?|DOCUMENT|DATA|USER INPUT|"
    r"CONVERSATION|TOOL (?:OUTPUT|RESULT))\b|[\"']role[\"']\s*:\s*[\"'](?:system|"
    r"developer)[\"'][^\n]{0,30}[\"'](?:you (?:must|will|shall|may now)|ignore|from now|always|"
    r"never|do not|disregard|stop)|(?:以下|下面)(?:是|为)系统(?:消息|提示|指令)",
    re.IGNORECASE | re.MULTILINE,
)
