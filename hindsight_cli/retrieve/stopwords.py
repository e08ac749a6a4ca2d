"""Words that say nothing about a task, and words that say little."""

from __future__ import annotations

_STOP = """
a about above again all almost also although always am an and another any anyone anything are as
at away back be because been before being both but by came can cannot come comes could dear did do
does doing don done down each either else enough errno even ever every everyone everything few for
from further get gets give gives go goes going gone had has have having he hello help her here
hers hey hi him his how however i if in instead into is it its itself just keep keeps kept know
let lets like likely ll many may me might mine more most much must my myself need needs neither
never no nobody none nor not nothing now of off often ok on once one only onto or other others our
ours out over own per perhaps please possible put quite rather really same say says see seem seems
seen several shall she should since so some somebody someone something sometimes soon sqlstate
still such sure take takes tell than thank thanks that the their theirs them then there these they
thing things this those though through thus till to together too toward towards tried try trying
two under until up upon us ve very via want wants was way ways we well went were what whatever
when whenever where whether which while who whole whose why will with within without would yes yet
you your yours
"""
_COMMON = """
able add added allow answer app application apply ask available bad base basic begin best better
big bit break bring build call case cause change check choose clean close code command compare
complete compose computer convert correct create current day default delete describe different do
draft easy edit end entire error example exist exit expect explain extra fail failure fast feature
few field figure file find finish first fix follow full function general generate give good group
half handle happen hard high hold http idea important include info information input inside issue
item job kind large last late later leave left less letter level life line list little live local
long look lose lot low machine main make manage mean meaning message method minute miss mode more
move multiple name new next nice number object old open option order output own page part pass
people person piece place plan play point prepare print problem process produce program project
provide question quick read ready real reason recent remove repeat replace report request require
rest result return right run safe save screen second section send separate serve service set short
shorten show side sign similar simple single site size small software solve source special spend
split stand start state status stay step stop store story string style suggest summarise summarize
support switch system table team test text think time today tool top total translate turn type
understand unit update use user value version view wait watch week win word work world write wrong
year years
"""
_STOP_CJK = """
可不可以 怎么样 为什么 是不是 有没有 能不能 怎么办 怎么 如何 怎样 什么 哪些 哪个
哪里 这个 那个 这些 那些 这里 那里 这样 那样 一个 一下 一些 一直 一样 一种
一次 一遍 两个 几个 多少 我们 你们 他们 大家 自己 可以 能够 需要 应该 必须
想要 希望 帮我 帮忙 请问 请帮 现在 然后 还是 还有 但是 因为 所以 如果 而且
或者 以及 并且 不过 只是 就是 都是 已经 正在 经常 总是 有时 之后 之前 以后
以前 进行 使用 关于 对于 通过 根据 没有 不要 不是 时候 情况 问题 方法 办法
讲讲 介绍 解释 区别 里面 上面 下面 其中 直接 全部 所有
的 了 着 吗 呢 吧 啊 嘛 把 被 我 你 您 他 她 它 们 是 这 那 哪 谁
"""

_COMMON_CJK = """
任务 工作 项目 工程 程序 代码 文件 内容 信息 数据 功能 系统 服务 页面 用户 名称
名字 结果 列表 版本 步骤 生成 创建 新建 新增 添加 增加 加入 修改 改成 改为 更新
编写 写成 写个 实现 完成 处理 运行 执行 操作 调用 打开 查看 检查 返回 输出 输入
显示 报告 开始 结束 选择 支持 需求 要求 目标 设计 优化 改进 整理 命令 脚本 参数
工具 方案 示例 例子 教程 文档 说明 总结 错误 报错 失败 成功 出现 出错 提示 原因
测试 写 改 建 跑 加 删 查 找 做 弄 搞 换 发 读 开
打
"""

# Function words and the phrases people wrap a request in. Never searched.
STOP = frozenset(_STOP.split())

# Everywhere in requests and lessons, so two texts that share only these have nothing in common.
COMMON = frozenset(_COMMON.split())

# The same in Chinese: what is done in every task, what it is done to, and what runs answer.
COMMON_CJK = frozenset(_COMMON_CJK.split())

# Chinese that ends a meaningful run rather than belonging to it, the longest first.
STOP_CJK = tuple(sorted(_STOP_CJK.split(), key=len, reverse=True))

# Characters that are grammar when alone but also parts of words (上下文, 内存, 后台).
WEAK_CJK = frozenset(
    "过么给让叫使对向往从到在于和与跟同及或而但却则即若因为以之其此有没不也都还又再就才只很太更最"
    "会能可要想该应请个些每各某里上下中内外前后时用做去来说看得地一二三四五六七八九十两几多少好点样"
)
