"""What makes advice worth keeping: not a platitude, and honest about being a workaround.

Source: docs/explanation/trust.md.
"""

from __future__ import annotations

import re

from hindsight_cli.guard.literals import literals

# Words an exhortation is made of. What is left when they are gone is what it says.
_VAGUE = frozenset(
    """a able about accurate accurately action actions add all always an and another any anything
    apply approach appropriate appropriately are as assume assumption assumptions at attention
    attentive avoid aware be before being best better both but by can care careful carefully
    carelessly case cases caution cautious check checking checks clean clear clearly code
    command commands common complete completely confirm consider considering correct correctly
    could details diligent diligently do does done double doublecheck each edge efficient
    efficiently ensure error errors every everything exercise explore first follow following
    for from full fully further go going good guidelines handle handled handling happen
    happens have high how if important in input inputs instead into investigate is issue
    issues it its keep know known learn less look make making may measures method methods mind
    mindful mistake mistakes more most must necessary need needed needs never next not note of
    on one only or other others output outputs over past patience patient pay people plan
    planning please possible practice practices precise prepare problem problems proceed
    proceeding process proper properly quality quick quickly read really recheck relevant
    remember required requirement requirements result results review reviewing right root safe
    safely same should simple situation situations slow slowly so solution solutions solve
    some something sound standard standards start step steps still stop such sure systematic
    systematically take task tasks test tested testing tests than that the their them then
    there these they thing things think this thorough thoroughly through time times to too
    triple try understand understanding until up use using validate validation verify
    verifying very was way well what when whenever where which while will wise wisely with
    without work working works write wrong you your yourself""".split()  # noqa: SIM905
)
_VAGUE_CJK = re.compile(
    "仔细|认真|小心|谨慎|注意|务必|一定|应该|应当|需要|必须|要|先|再|后|前|多|更|都|请|确保|"
    "确认|保证|检查|核对|"
    "验证|测试|理解|阅读|思考|分析|考虑|遵循|遵守|最佳|实践|问题|错误|情况|细节|代码|任务|需求|"
    "步骤|结果|方法|"
    "流程|规范|要求|相关|所有|每个|每次|一切|之后|之前|以后|以前|时候|进行|处理|做好|完成|操作|"
    "执行|使用|正确|"
    "完整|全面|充分|避免|防止|出错|犯错|粗心|大意|耐心|反复|及时|时刻|保持|提高|加强|质量|效率|"
    "逐步|逐一|一下|"
    "的|地|得|了|和|与|或|并|是|在|对|把|被|时|会|可以|能|不要|不|也|就|才|还|任何|自己|各|种|"
    "好|每|步|清楚"
)
_CJK = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_MAX_LEFT = 1  # meaningful words a platitude may still hold
_MAX_LEFT_CJK = 2

# Signs that a step got past a problem without solving it.
_WORKAROUND = re.compile(
    r"""(?<![\w-])(?:
      --no-verify(?:-ssl|-tls)? | --insecure | --no-check-certificate | --trusted-host
    | --no-validate | --skip(?:-[\w-]+)? | --no-tests?
    | --ignore-(?:errors|scripts|platform-reqs|requires-python)
    | --force(?!-with-lease|-reinstall|-unlock|-recreate|-exclude)(?:-[\w-]+)? | --legacy-peer-deps
    | --allow-(?:unauthenticated|insecure[\w-]*|downgrades) | --break-system-packages
    | --disable-[\w-]+ | --privileged | --nodeps | --no-deps | --exit-zero | --passWithNoTests
    | --dangerously-[\w-]+ | --no-sandbox | --no-preserve-root | --allow-empty
    )(?![\w-])
    | \bcurl\b[^\n|;]*\s(?:-[a-zA-Z]*k[a-zA-Z]*|--insecure)\b
    | \|\|\s*(?:true|exit\s+0|:)(?![\w:]) | ;\s*(?:true|exit\s+0)\s*(?:`|$)
    | \bset\s\+e\b | \bchmod\s+(?:-R\s+)?0?777\b | \bsetenforce\s+0\b
    | \bverify\s*=\s*(?:False|false|0)\b | \bcheck_hostname\s*=\s*False\b | \bCERT_NONE\b
    | \bNODE_TLS_REJECT_UNAUTHORIZED\s*=\s*['"]?0 | \bGIT_SSL_NO_VERIFY\b
    | \bsslVerify\s*=?\s*false\b
    | \bStrictHostKeyChecking[= ]no\b | \bPYTHONHTTPSVERIFY\s*=\s*0
    | \bSKIP(?:_[A-Z]+)*\s*= | \b[A-Z_]*SKIP_[A-Z_]+\b | \bHUSKY\s*=\s*0 | \bCI\s*=\s*(?:false|0)\b
    | (?:@|\b)(?:pytest\.mark\.)?(?:xfail|skipif)\b | \bpytest\.skip\b | @(?:unittest\.)?skip\b
    | \.(?:skip|only)\( | \bxit\( | \bt\.Skip\( | \#\[ignore\] | @Disabled\b | @Ignore\b
    | \#\s*(?:type:\s*ignore|noqa|nosec|pragma:\s*no\s*cover) | @ts-(?:ignore|nocheck)
    | \beslint-disable
    | //\s*nolint | @SuppressWarnings | \bset\s+-?o?\s*noexec\b | \bexcept\s*:\s*pass\b
    | \bgit\s+commit\b[^\n|;]*\s-n\b
    """,
    re.VERBOSE,
)
_WORKAROUND_WORDS = re.compile(
    r"\b(?:work-?around|temporar(?:y|ily)|stop-?gap|monkey-?patch(?:ed|ing)|for now\b|band-?aid|"
    r"(?:comment(?:ed|ing)?|stub(?:bed|bing)?) out the (?:failing|broken)|"
    r"(?:skip(?:ped|ping)?|disabl(?:e|ed|ing)|delet(?:e|ed|ing)|remov(?:e|ed|ing)) "
    r"(?:the |this |that |all |any |these |those )?(?:\w+ ){0,2}(?:failing |flaky |broken |slow )?"
    r"(?:tests?|checks?|assertions?|validation|verification|hooks?|lint(?:er|ing)?)\b)"
    r"|(?:跳过|禁用|关闭|注释掉|删除|绕过|屏蔽)[^,，。;；]{0,6}(?:测试|校验|验证|检查|用例|断言|"
    r"钩子)|临时|变通|权宜|规避|强制(?:推送|覆盖|安装)",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"(?:\b(?:not|never|no|don't|avoid|instead of|rather than|without|before|stop|refuse|"
    r"reject)|不要|切勿|禁止|避免|别|不能|不可|而不是|勿)\W{0,3}(?:\w+\W+){0,3}$",
    re.IGNORECASE,
)


def is_platitude(recommend: str, avoid: str = "", tools: tuple[str, ...] = ()) -> bool:
    """Whether the advice names nothing one could do: no tool, command, file, no matter."""
    text = f"{recommend} {avoid}"
    if literals(text) or _names_tool(recommend, tools):
        return False
    return _is_vague(recommend) and _is_vague(avoid)


def _names_tool(text: str, tools: tuple[str, ...]) -> bool:
    folded = text.casefold()
    return any(re.search(rf"(?<!\w){re.escape(tool.casefold())}(?!\w)", folded) for tool in tools)


def _is_vague(text: str) -> bool:
    if _CJK.search(text):
        rest = _VAGUE_CJK.sub("", "".join(_CJK.findall(text)))
        latin = [word for word in _WORD.findall(_CJK.sub(" ", text)) if word.isascii()]
        return len(rest) <= _MAX_LEFT_CJK and not latin
    words = {word.casefold() for word in _WORD.findall(text)}
    return len(words - _VAGUE) <= (_MAX_LEFT if len(words) > _MAX_LEFT * 3 else 0)


def workaround_sign(recommend: str) -> str:
    """The first sign that `recommend` gets past a problem without solving it, or ""."""
    for pattern in (_WORKAROUND, _WORKAROUND_WORDS):
        for match in pattern.finditer(recommend):
            if not _REFUSED.search(recommend[: match.start()].rsplit("\n", maxsplit=1)[-1][-60:]):
                return match.group().strip()
    return ""
