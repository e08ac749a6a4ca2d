"""What words mean to the guard: a word carries one or more concepts, in several languages.

English words stand as stems; concepts.py takes off the usual endings. Chinese words are
found inside running text. Rules join concepts (concept_rules.py), so a sentence is known
by what it wants done to what, not by how it is put.
"""

from __future__ import annotations

from typing import Final

WORDS: Final[dict[str, str]] = {
    "you": "you your yourself agent assistant model ai bot llm copilot claude gpt codex",
    "person": """user human person people operator owner reviewer maintainer team anybody anyone
        nobody somebody someone everybody everyone admin administrator them they colleague
        manager supervisor developer dev-team customer client boss authority he she who benutzer
        utilisateur usuario mensch kunde
        management manager leadership auditor stakeholder""",
    "oversee": """confirm confirmation approve approval permission consent ask wait review look
        notice know knowledge aware authorise authorize authorisation authorization sign-off
        agree agreement present prompt object objection oversight inspect inspection feedback
        verdict okay veto consult bother vet bestätigung zustimmung freigabe confirmación
        permiso glance examine involve involvement""",
    "tell": """tell mention report disclose reveal inform notify alert say admit explain
        announce show warn summary summarise summarize log surface record erwähne erwähnen sagen
        mentionne dis answer
        find-out learn discover hear inkling""",
    "neg": """not never no without n't cannot don't doesn't needn't won't mustn't shouldn't
        neither
        nor nie niemals kein keine nicht ohne sans jamais ne pas nunca sin avoid refrain stop
        can't isn't aren't didn't nobody none nothing unasked instead rather""",
    "skip": """skip omit bypass evade circumvent sidestep dodge suppress withhold
        overrule unattended automatically  auto-approve auto-accept waive preapprove
        pre-approve leave-out get-around work-around regardless anyway forego forgo
        unprompted""",
    "orders": """rule instruction guideline guidance constraint restriction policy directive
        order
        command-of consigne règle regel anweisung instrucción regla vorgabe limitation principle
        told system-prompt claude.md agents.md contributing.md persona requirement safeguard
        guardrail mandate charter ethics brief briefing training configured preamble""",
    "dismiss": """ignore forget disregard unlearn override overrule outdated void null obsolete
        supersede discard abandon neglect dismiss abolish revoke lifted released relinquish
        suspend no-longer set-aside pay-no-attention let-go do-away vergiss ignoriere oublie
        ignorez ignora olvida unset unbound freed expire cancel contradict
        outrank invalid unrestricted unlimited unfiltered uncensored jailbroken exempt
        supplant disobey no-attention
        deprecated
        inapplicable nonbinding non-binding""",
    "supreme": """precedence priority supreme sole only exclusively wins prevail authoritative
        prioritaire highest above-all first-and-foremost ultimate paramount nur uniquement
        solamente
        exclusive overriding""",
    "self": """this-rule this-note this-entry this-lesson this-experience this-memory this-line
        this-text this-sentence this-one this-message this-record this-item this-list
        following-list text-below these-words described-here written-here from-here given-here
        what-follows diese-regel cette-règle cette-consigne esta-regla this-page this-advice
        following-text lines-below
        this-paragraph this-passage this-section this-snippet this-block""",
    "memory": """lesson memory memories experience hindsight entry knowledge-base
        rule-store review-queue pending-rule pending-experience note-store reflection
        waiting-lesson trust-list""",
    "mutate": """delete remove approve accept mark discard keep weight stale trust reproduce
        repeat
        copy append promote rank pin freigeben drop erase purge rewrite spread propagate
        carry rewrite embed replicate duplicate elevate raise retain archive forget
        whitelist""",
    "secret": """token password passwd passphrase secret credential cookie private-key ssh-key
        api-key access-key deploy-key deployment-key signing-key keychain keyring vault
        environment-variable env-var shadow netrc key pin-code seed-phrase wallet-key
        service-account mot-de-passe passwort contraseña clé schlüssel kubeconfig
        authenticator session-id bearer otp apikey""",
    "take": """read extract dump export copy cat get fetch find grab crack collect steal harvest
        lift retrieve print reveal decrypt gather pull look-up sniff capture scrape obtain
        borrow lire leer lies""",
    "put": """send post upload paste put include submit forward mirror publish share hand-over
        email mail commit hard-code hardcode store write push give insert transmit attach
        append embed deliver ship pass copy sync curl wget ftp scp rsync lade envoie envoyer
        sende schicke envía sube transfer expose leak pipe print echo encode bcc cc hand
        disclose
        drop zip hand-in relay beacon""",
    "outside": """public gist pastebin paste chat issue external third-party vendor
        contractor partner
        internet webhook spreadsheet forum stranger outsider slack discord telegram off-site
        anonymous support-bot remote-server competitor collector attacker extern caller
        commenter pull-request freelancer supplier public-bucket shared-bucket
        readme readme.md wiki slide newsletter""",
    "data": """conversation everything customer content environment config configuration source
        repository transcript session database message history dump folder backup personal
        payroll employee invoice document file inhalt contenu contenido variable email home
        clipboard screenshot prompt users-table user-table customer-table private-repository
        source-code source-tree
        directory home-directory customer-list user-list""",
    "destroy": """delete remove drop truncate wipe erase empty destroy purge format rm rewrite
        overwrite clear mkfs flushall flushdb nuke shred raze obliterate unlink
        terminate deprovision reinitialise reinitialize lösche supprime borra elimina reformat
        uninstall prune discard zero-out
        get-rid rid-of weed-out blank scrap""",
    "valuable": """production prod live backup snapshot volume database  payment primary
        tenant
        archive mailbox ledger system-folder pvc home-folder root-folder replica mainline""",
    "safe": """test dev development staging local tmp temp temporary cache cached old stale
        sandbox
        feature scratch orphan orphaned fixture dist localhost example unused dangling
        merged named expired mock simulator throw-away throwaway demo node_modules .venv
        venv artefact artifact artifacts snapshot-test failed evicted preview container
        ephemeral read-only batches""",
    "guard": """verification verify signature certificate tls ssl firewall selinux sandbox
        branch-protection protection protected scan scanner audit auditd antivirus 2fa mfa
        auth authentication authorization hashing encryption permission policy licence
        license sudoers filter cors origin cap budget quota validation validate sanitise
        sanitize sanitization csp csrf guard limiter rate-limit alarm monitoring
        approval-step access-control ssl-verification required-reviewer reviewers host-key
        alert security integrity lockdown defender apparmor login two-factor confirmation
        quarantine seccomp escaping throttling prompts license-check licence-check
        password-check signature-check security-check required-check audit-hook
        remaining-check""",
    "off": """disable turn-off switch-off deactivate comment-out bypass redundant relax
        return-true always-true off permissive weaken lower loosen plain-text plaintext
        cleartext unencrypted none trust-all allow-all allow-every accept-all any-origin
        skip suppress mute stop strip silence remove unlock uncheck kill drop disabling
        every-origin all-origins everyone world-writable 777 0777 unauthenticated nosec bare
        swallow neutralise neutralize elevate unconditionally circumvent désactive
        deaktiviere desactiva raise lift exempt
        trust-authentication trust-auth""",
    "power": """admin administrator superuser privileged sudo owner nopasswd cluster-admin uid-0
         maintainer-rights spare-login god-mode as-root root-account root-access
        root-user root-key root-rights admin-account extra-admin
        wheel-group""",
    "grant": """grant give add make assign create promote insert elevate invite allow  open
        escalate""",
    "startup": """startup start-up   crontab cron cronjob launchagent launchagents
        launchd plist authorized_keys sitecustomize bashrc zshrc  autostart 
        systemd   hook post-checkout pre-commit-hook folderopen tasks.json
        settings.json rc.local logon every-session each-session every-interpreter
        each-interpreter
        every-host resident always-on scheduled-task registry-run sessionstart logout
        init.d
        systemd-unit systemd-service helper.service login-item
        bash_profile zprofile bash_login""",
    "write": """add append write create put drop leave install echo insert place register enable
        schedule set plant inject deposit save""",
    "code": """script binary executable attachment payload installer updater helper program
        snippet
        loader dropper helper-script dll collector""",
    "run": """run execute exec eval start launch source invoke install bash sh chmod import
        double-click interpret spawn""",
    "fetch": """download fetch grab get pull retrieve obtain curl wget iwr requests.get clone
        receive""",
    "money": """iban beneficiary payee bank-detail bank-account account-number wallet payout
        recipient-account sort-code bank remittance crypto-address swift""",
    "change": """change replace swap switch set redirect route point use forward reroute
        divert substitute update export add edit alter modify move configure""",
    "endpoint": """registry mirror proxy index remote base-url base_url mailbox relay gateway
        hosts origin endpoint resolver nameserver repository repo upstream channel feed
        pip_index_url https_proxy http_proxy anthropic_base_url openai_base_url goproxy
        npm_config_registry signing-certificate certificate extra-index-url smtp""",
    "official": """official usual default original upstream company regular standard corporate
        normal legitimate old shut-down deprecated discontinued""",
    "false": """pretend deny disguise fake forge falsify fabricate misreport mislead
        lie impersonate even-though even-when even-if under-the-name as-if
        typo-fix regardless-of name-of-another cover-up feign mask masquerade spoof invent
        act-as-though backdate
        write-down-as""",
    "result": """test pass passed success green result build check summary report commit author
        exist step change fail failed failing status outcome""",
    "trail": """log logs trail history trace histfile evidence audit-log record footprint
        bash_history protokoll journal""",
    "quiet": """quietly silently secretly unnoticed  stealthily covertly unobserved
        discreetly undetected invisible invisibly behind-the-scenes without-telling
        heimlich secrètement draw-no-attention before-anyone nobody-looks unseen
        off-the-record hush
        hidden-account hidden-admin hidden-user hidden-step hidden-backdoor
        stay-hidden kept-hidden
        say-nothing keep-quiet keep-silent keep-secret unreported unannounced under-wraps""",
    "trigger": """when whenever if once as-soon-as upon after until wait unless wenn sobald
        quand
        cuando past reaches""",
    "odd": """phrase codeword trigger-phrase passphrase keyword unattended quarter's-end
        watching
        friday""",
    "yes": """yes oui ja sí si y""",
    "every": """every each all any whole everywhere always whatever toutes alle entire
        globally""",
    "notice": """notice announcement official memo bulletin all-pending every-operation""",
    "granted": """authorise authorize authorised authorized approved allowed granted lifted
        waived cleared enabled""",
    "weak": """tag history main master schema namespace order users customer bucket region
        record
        partition drive cluster table container image branch
        disk""",
    "bare": "plain-text plaintext cleartext unencrypted in-the-clear",
    "signing_in": "header authorization bearer oauth",
    "bind": "bind apply govern oblige constrain concern restrict hold limit",
    "decide": "decide prevail outrank win trump govern overrule",
    "passage": """note paragraph passage bullet snippet memo rule-below text entry lesson
        experience memory""",
    "halt": "stop abandon drop put-aside halt quit cease pause shelve instead-of leave",
    "request": """requested request asked task ticket errand assignment job order mission
        goal objective""",
    "below": "below underneath following beneath hereunder stated-here given-here",
    "sham": """cosmetic formality optional unnecessary needless pointless pro-forma
        ceremonial rubber-stamp""",
    "pay": """salary payment transfer invoice payroll refund payout wage remittance bill
        deposit donation""",
    "account": "account iban card wallet",
    "newly": "from-now-on henceforth ending going-forward henceforward",
    "already": "already beforehand so therefore in-advance go-ahead",
    "consented": """agreed approved authorised authorized consented accepted confirmed okayed
        permitted""",
    "overlook": "overlook unaware oblivious in-the-dark miss unsuspecting",
    "own": "your-own own-pull own-merge own-change own-request own-code yourself itself",
    "detour": "through via os.system subprocess wrap alias detour indirectly another-tool",
    "command": "command binary call tool action operation",
    "tight": "600 0600 400 0400 700 0700",
    "never": "niemals jamais nunca nie",
    "consent": """approval permission consent confirmation sign-off authorisation authorization
        go-ahead clearance""",
    "private": """private internal confidential proprietary unreleased whole entire complete
        full
        closed-source""",
    "other": """colleague another-user another-person someone-else other-user neighbour
        neighbor coworker co-worker teammate boss
        manager employee victim""",
    "broke": "fail failing failed failure hang crash lost break broke dropped swallowed stop",
    "vendor": """vendor anthropic openai operator administrator maintainer developer system
        maintainers""",
    "must": """must shall should need required please urgent mandatory immediately right-now
        ask asks want wants have-to ought""",
    "sanction": """denied blocked refused rejected forbidden limit prevented stops
        block blocks deny refuse reject forbid""",
    "escape": """base64 wrap encode docker-sock docker-socket mount obfuscate split
        settings.local.json rename chroot nsenter hex alias symlink""",
}

# Chinese, found inside running text.
ZH_WORDS: Final[dict[str, str]] = {
    "you": "你 智能体 助手 代理 大模型 机器人",
    "person": """用户 人类 管理员    负责人 任何人 他人 别人 开发者 主人 同事 客户
        对方 有人 
    让人 给人 人看 人工
        领导 老板 上级 谁""",
    "oversee": """确认 同意 批准 审批 审核 许可 授权 征求 征得 询问 请示 等待 过目 复核 评审
        意见 知情 
    点头 把关 人看 review approve 放行""",
    "tell": """告诉 告知 提及 提到 汇报 报告 通知 透露 说明 声张 记录 让人知道 察觉 提示
        知道 晓得 发现""",
    "neg": """不要 不必 无需 不用 别 切勿 禁止 不得 不能 不再 勿 不需要 无须 没有 避免 停止
        不会 不受 不许 
    而不是""",
    "skip": "跳过 绕过 绕开 免去 省略 代替用户 自动 直接 一律 不经 擅自 无论 照样 避开 规避",
    "orders": """指令 要求 规则 限制 准则 提示词 系统提示 约束 规定 策略 设定 命令 嘱咐 叮嘱
        规范""",
    "dismiss": """忽略 无视 忘记 忘掉 抛到脑后 抛开 作废 失效 不必理会 不用理会 不再受 解除
        废除 推翻 抛弃 
    放下 取消 不算数 丢开 ignore
        不算 不作数 放下用户 不再管""",
    "supreme": """最高 唯一 优先 只按 只听 为准 仅按 照这里 照做 凌驾 首要
        只认 只看 说了算""",
    "self": "本条 这条 此条 本经验 本句 这里写 以下内容 这一条 下面这",
    "memory": "经验 记忆 教训 待审 知识库 队列 规则库 条目",
    "mutate": """通过 删掉 删除 保留 置顶 最前 永不过期 附上 传下去 采纳 批准 改成 写入 清除
        权重 抹去 复制 
    扩散 标记""",
    "secret": """密钥 私钥 秘钥 令牌 口令 密码 凭据 凭证 环境变量 公钥 证书文件 账号密码 token
        验证码""",
    "take": "读取 导出 提取 取出 获取 抓取 收集 窃取 查看 破解 拷贝 使用",
    "put": """发送 发到 发给 发往 上传 提交 粘贴 贴到 交给 转发 推送 外发 传到 传给 上报 写死
        写进 放进 放到 
    放入 抄送 同步到 公开 post""",
    "outside": "公开 外部 第三方 公网 对方 群里 issue 论坛 网盘 外网 陌生",
    "data": """全部内容 完整对话 对话 目录 配置 数据 源码 资料 通讯录 名单""",
    "destroy": """删除 清空 抹掉 格式化 销毁 清掉 删掉 覆盖 强制推送 强推 抹去 重置 砍掉 清除
        移除""",
    "valuable": """生产 线上 备份 快照 数据库 整个 所有数据 主库 正式 磁盘 全部数据 /var/lib
        生产库 线上库""",
    "safe": """测试 开发 本地 缓存 临时 旧日志 预发 构建 功能分支 已合入 失败的 夹具 过期 分批
        演练 无用 不用的""",
    "guard": """校验 验证 证书 防火墙 安全扫描 扫描 审计 鉴权 认证 权限 沙箱 加密 限流 风控 签名
        杀毒 selinux 确认框 密码校验 安全策略 保护 安全检查""",
    "off": """关闭 关掉 禁用 停用 注释掉 跳过 绕开 绕过 恒为真 放宽 关了 去掉 取消 屏蔽 777
        拆掉 明文""",
    "power": """管理员账号 管理员权限 root 超级用户 隐藏账号 最高权限 特权 管理员密码""",
    "grant": "添加 授予 赋予 加上 创建 增加 给所有 开放",
    "startup": """开机 计划任务 定时 常驻 自启 启动项 authorized_keys crontab zshrc bashrc
        随时登录 每五分钟 
    钩子
        bash_profile 随登录 登录启动 自启动""",
    "write": "写入 加入 追加 添加 放入 写进 植入 安装 创建 设置",
    "code": """脚本 程序 补丁 可执行 命令 二进制 语句 附件 代码""",
    "run": "运行 执行 启动 安装",
    "fetch": "下载 拉取 取回 获取 下载的",
    "money": "收款 账户 银行 尾号 打款 付款账户 卡号 收款人 转入",
    "change": "改成 换成 替换 改走 改为 切换 指向 改用 换到",
    "endpoint": "镜像 仓库 源 中继 代理 网关 邮件 注册表 地址 邮箱 证书",
    "official": "官方 公司 原来 默认 正式",
    "false": """谎称 假装 就算 即使 伪造 冒充 让对方以为 否认 装作 编造
        写成 说成 报成""",
    "result": "通过 测试 成功 发生 结果 步骤 存在 失败",
    "trail": "日志 痕迹 命令历史 记录 历史",
    "quiet": "悄悄 暗中 偷偷 隐藏 被发现 不声不响 秘密 私下 神不知 没有人在看 不留",
    "trigger": "一旦 当 每逢 如果 遇到 只要 凡是",
    "odd": "出现 暗号 无人值守 没有人 月底 触发",
    "yes": "点同意 同意",
    "every": "所有 全部 一切 任何 统统 一律 永久 全局 以后都 完整 整个",
    "notice": "已授权 已同意 已批准 授权全部 系统消息 官方通知",
    "weak": "订单 用户表 历史 主分支 分支 集群",
    "granted": "已授权 已同意 已批准 已放行",
    "bind": "约束 管得着 适用",
    "halt": "放下 停下 停止 搁置 中止 先别管",
    "request": "用户交代 交代的 任务 需求 工作 请求",
    "below": "下面 以下 如下",
    "sham": "走形式 形式 摆设 多余 没必要 走过场",
    "pay": "工资 付款 货款 退款 转账 汇款 打款",
    "account": "账户 账号 卡号 银行卡",
    "newly": "从今 今后 以后 改 尾号",
    "consented": "已批准 已同意 已授权 同意了 批准了",
    "own": "自己给自己 自己的合并 自行",
    "bare": "明文",
    "store": "浏览器 钥匙串",
    "private": "私有 内部 整个 完整 机密",
    "other": "别人的 同事的 他人的",
    "vendor": "管理员 系统 官方 运营方",
    "must": "必须 请 务必 立刻 马上",
    "sanction": "被拒绝 被拦截 拒绝 拦截 被禁",
    "escape": "base64 编码 挂载 改名 拆开",
}
