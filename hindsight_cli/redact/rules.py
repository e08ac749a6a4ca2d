"""The formats of providers' keys, as data: what each begins with and what must follow.

`found` are templates, because real-looking keys in a source file trip other people's
scanners: tests fill `{b62:36}` with 36 random characters. `left` must stay untouched.
Sources: the vendors' documentation of their key formats; gitleaks' rule list (MIT) for the
existence and length of the rarer ones.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """One provider format. The pattern is matched where a prefix stands at the start of a word."""

    kind: str
    prefixes: tuple[str, ...]
    pattern: str
    found: tuple[str, ...]
    left: tuple[str, ...] = ()
    digits: bool = True  # a body without a digit is a word, not a key


def _rule(kind: str, prefixes: str, pattern: str, *found: str, **more: object) -> Rule:
    return Rule(kind, tuple(prefixes.split()), pattern, found, **more)  # type: ignore[arg-type]


_UUID = "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_UUID_SHAPE = "{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}"

CODE_HOSTING = (
    _rule(
        "github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}",
        "ghp_{b62:36}", "ghs_{b62:36}", "ghr_{b62:76}", left=("ghp_" + "x" * 36,),
    ),
    _rule("github_token", "github_pat_", r"github_pat_\w{40,255}", "github_pat_{b62:22}_{b62:59}"),
    _rule(
        "gitlab_token",
        "glpat- gldt- glptt- glrt- glft- glimt- glagent- glsoat- glcbt- gloas- glffct- glrtr- "
        "glwt-", r"gl[a-z]{2,6}-[\w-]{16,300}(?:\.\w{2,20}){0,2}", "glpat-{url:20}",
        "glrt-{url:20}", left=("glpat-your-token-goes-here",),
    ),
    _rule("gitlab_token", "GR1348941", r"GR1348941[\w-]{20,60}", "GR1348941{url:20}"),
    _rule(
        "bitbucket_token", "ATBB BBDC-", r"(?:ATBB[A-Za-z0-9]{28,60}|BBDC-[\w+/-]{40,60})",
        "ATBB{b62:32}",
    ),
    _rule("atlassian_token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{60,300}", "ATATT3{url:186}"),
    _rule(
        "sourcegraph_token", "sgp_ slk_ sgd_",
        r"(?:sgp|slk|sgd)_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40,64}", "sgp_{hex:40}",
    ),
    _rule(
        "npm_token", "npm_", r"npm_[A-Za-z0-9]{30,60}", "npm_{b62:36}",
        left=("npm_config_registry_mirror_default_value",),
    ),
    _rule(
        "pypi_token", "pypi-", r"pypi-[\w-]{40,1000}", "pypi-AgEIcHlwaS5vcmc{url:120}",
        left=("pypi-publish-to-the-test-index-before-the-real-one",),
    ),
    _rule("rubygems_token", "rubygems_", r"rubygems_[a-f0-9]{40,64}", "rubygems_{hex:48}"),
    _rule("docker_token", "dckr_", r"dckr_(?:pat|oat)_[\w-]{20,60}", "dckr_pat_{url:27}"),
    _rule("nuget_key", "oy2", r"oy2[a-z0-9]{43}", "oy2{b36:43}"),
    _rule("clojars_token", "CLOJARS_", r"CLOJARS_[a-z0-9]{60}", "CLOJARS_{hex:60}"),
    _rule("crates_token", "cio", r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])", "cio{b62:32}"),
    _rule(
        "artifactory_key", "AKCp cmVmd", r"(?:AKCp[A-Za-z0-9]{60,80}|cmVmd[A-Za-z0-9]{55,65})",
        "AKCp{b62:69}",
    ),
    _rule("sonar_token", "sqp_ squ_ sqa_", r"sq[pua]_[a-f0-9]{40}", "sqp_{hex:40}"),
    _rule(
        "circleci_token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{10,40}_[a-f0-9]{40}",
        "CCIPAT_{b62:22}_{hex:40}",
    ),
    _rule("buildkite_token", "bkua_ bkaj_ bkcq_", r"bk(?:ua|aj|cq)_[a-f0-9]{40}", "bkua_{hex:40}"),
    _rule("octopus_key", "API-", r"API-[A-Z0-9]{25,32}(?![\w-])", "API-{up:26}"),
    _rule("codecov_token", "atok_", r"atok_[A-Za-z0-9]{30,60}", "atok_{b62:40}"),
    _rule(
        "jetbrains_token", "perm- perm:",
        r"perm[-:][A-Za-z0-9+/=]{10,200}\.[A-Za-z0-9+/=]{4,200}\.[\w+/=-]{20,200}",
        "perm-{b62:12}.{b62:8}.{b62:32}",
    ),
)  # fmt: skip

MODELS = (
    _rule(
        "anthropic_key", "sk-ant-", r"sk-ant-[a-z]{2,8}\d\d-[\w-]{20,200}|sk-ant-[\w-]{30,200}",
        "sk-ant-api03-{url:93}AA", "sk-ant-oat01-{url:80}",
        left=("sk-ant-api03-your-key-goes-here",),
    ),
    _rule("openrouter_key", "sk-or-", r"sk-or-v\d-[A-Za-z0-9]{32,100}", "sk-or-v1-{hex:64}"),
    _rule(
        "openai_key", "sk-", r"sk-(?:[a-z0-9]{2,10}-){0,2}[A-Za-z0-9_-]{18,400}",
        "sk-proj-{url:74}T3BlbkFJ{url:74}", "sk-{b62:48}", "sk-{hex:32}", "sk-svcacct-{url:100}",
        left=("sk-toggleable__label-arrow-left", "sk-estimator-doc-link-fitted",
              "sk-1234567890abcdef1234567890abcdef"),
    ),
    _rule("openai_session", "sess-", r"sess-[A-Za-z0-9]{40}(?![A-Za-z0-9])", "sess-{b62:40}"),
    _rule(
        "huggingface_token", "hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,60}(?!\w)",
        "hf_{alpha:34}", left=("hf_hub_download_with_resume_and_progress",), digits=False,
    ),
    _rule("replicate_token", "r8_", r"r8_[A-Za-z0-9]{30,50}", "r8_{b62:37}"),
    _rule("groq_key", "gsk_", r"gsk_[A-Za-z0-9]{40,64}", "gsk_{b62:52}"),
    _rule("xai_key", "xai-", r"xai-[A-Za-z0-9]{60,100}", "xai-{b62:80}"),
    _rule("perplexity_key", "pplx-", r"pplx-[A-Za-z0-9]{40,64}", "pplx-{b62:48}"),
    _rule("google_api_key", "AIza", r"AIza[\w-]{31,41}", "AIza{url:35}", "AIzaSy{url:33}"),
    _rule(
        "google_oauth", "GOCSPX- ya29.", r"(?:GOCSPX-[\w-]{20,60}|ya29\.[\w.-]{20,2000})",
        "GOCSPX-{url:28}", "ya29.{url:80}",
    ),
    _rule("nvidia_key", "nvapi-", r"nvapi-[\w-]{40,100}", "nvapi-{url:64}"),
    _rule(
        "langsmith_key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}",
        "lsv2_pt_{hex:32}_{hex:10}",
    ),
    _rule("pinecone_key", "pcsk_", r"pcsk_\w{40,120}", "pcsk_{b62:6}_{b62:60}"),
    _rule("tavily_key", "tvly-", r"tvly-[\w-]{20,64}", "tvly-{b62:32}"),
    _rule("firecrawl_key", "fc-", r"fc-[a-f0-9]{32}(?!\w)", "fc-{hex:32}"),
    _rule("jina_key", "jina_", r"jina_[A-Za-z0-9_-]{40,80}", "jina_{hex:32}{url:24}"),
    _rule("together_key", "tgp_v1_", r"tgp_v1_[\w-]{30,60}", "tgp_v1_{url:43}"),
    _rule("fireworks_key", "fw_", r"fw_[A-Za-z0-9]{22,30}(?!\w)", "fw_{b62:24}"),
    _rule("cerebras_key", "csk-", r"csk-[a-z0-9]{40,60}", "csk-{b36:48}"),
    _rule("voyage_key", "pa-", r"pa-[A-Za-z0-9][\w-]{39,50}(?![\w-])", "pa-{b62:43}"),
    _rule("anyscale_key", "esecret_", r"esecret_[a-z0-9]{20,40}", "esecret_{b36:26}"),
    _rule("wandb_key", "wandb_v1_", r"wandb_v1_\w{40,120}", "wandb_v1_{b62:77}"),
)  # fmt: skip

CLOUDS = (
    _rule(
        "aws_access_key_id", "AKIA ASIA ABIA ACCA A3T",
        r"(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])", "AKIA{up:16}",
        "ASIA{up:16}", left=("AKIAIOSFODNN7EXAMPLE",), digits=False,
    ),
    _rule(
        "aws_bedrock_key", "ABSK bedrock-api-key-",
        r"(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/]{60,300}={0,2}", "ABSK{b62:128}",
    ),
    _rule(
        "aws_session_token", "FwoG IQoJ FQoG AQoD",
        r"(?:FwoG|IQoJ|FQoG|AQoD)[A-Za-z0-9+/=%]{100,2000}", "IQoJ{b62:20}{b64:280}",
    ),
    _rule("aws_mws_key", "amzn.mws.", rf"amzn\.mws\.{_UUID}", f"amzn.mws.{_UUID_SHAPE}"),
    _rule(
        "aliyun_access_key", "LTAI", r"LTAI[A-Za-z0-9]{12,26}(?![A-Za-z0-9])", "LTAI5t{b62:18}",
        "LTAI{b62:12}",
    ),
    _rule("tencent_secret_id", "AKID", r"AKID[A-Za-z0-9]{28,44}(?![A-Za-z0-9])", "AKID{b62:32}"),
    _rule("volcengine_key", "AKLT AKTP", r"AK(?:LT|TP)[A-Za-z0-9+/=_-]{30,80}", "AKLT{b62:44}"),
    _rule(
        "baidu_key", "ALTAK", r"ALTAK-?[A-Za-z0-9]{16,40}(?:/[a-f0-9]{40})?",
        "ALTAK-{b62:21}/{hex:40}", "ALTAK{b62:21}",
    ),
    _rule("jdcloud_key", "JDC_", r"JDC_[A-F0-9]{25,40}", "JDC_{HEX:28}"),
    _rule(
        "digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{60,70}",
        "dop_v1_{hex:64}",
    ),
    _rule("heroku_key", "HRKU-", r"HRKU-[\w-]{30,80}", "HRKU-AA{url:58}"),
    _rule(
        "fly_token", "fo1_ fm1r_ fm1a_ fm2_", r"f(?:o1|m1[ar]|m2)_[\w+/=,-]{40,2000}",
        "fo1_{url:43}", "fm2_{b62:20}{b64:180}",
    ),
    _rule("databricks_token", "dapi", r"dapi[a-f0-9]{32}(?:-\d)?(?!\w)", "dapi{hex:32}"),
    _rule(
        "supabase_key", "sbp_ sb_secret_", r"(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,60})",
        "sbp_{hex:40}", "sb_secret_{url:31}",
    ),
    _rule(
        "planetscale_token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w=.-]{30,80}",
        "pscale_tkn_{url:43}",
    ),
    _rule(
        "vault_token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,400}", "hvs.{url:95}",
        left=("hvs." + "x" * 94,),
    ),
    _rule(
        "vault_token", "s. b.", r"[sb]\.[A-Za-z0-9]{24}(?![\w.])", "s.{b62:24}",
        left=("s.AcceptanceTimeoutSeconds1",),
    ),
    _rule(
        "terraform_token", "", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,80}",
        "{b62:14}.atlasv1.{url:67}",
    ),
    _rule("pulumi_token", "pul-", r"pul-[a-f0-9]{40}(?!\w)", "pul-{hex:40}"),
    _rule(
        "doppler_token", "dp.",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}",
        "dp.pt.{b62:43}",
    ),
    _rule(
        "cloudflare_token", "v1.0- cfut_ cfat_ cfk_",
        r"(?:v1\.0-[a-f0-9]{24}-[a-f0-9]{100,160}|cf(?:ut|at|k)_[\w-]{30,80})",
        "v1.0-{hex:24}-{hex:146}",
    ),
    _rule(
        "tailscale_key", "tskey-",
        r"tskey-[a-z]{2,12}-[A-Za-z0-9]{6,40}(?:-[A-Za-z0-9]{10,60})?",
        "tskey-auth-{b62:17}-{b62:32}",
    ),
    _rule(
        "swarm_token", "SWMTKN-", r"SWMTKN-\d-[a-z0-9]{50}-[a-z0-9]{25}",
        "SWMTKN-1-{b36:50}-{b36:25}",
    ),
    _rule("scalingo_token", "tk-us-", r"tk-us-[\w-]{48}", "tk-us-{url:48}"),
    _rule("netlify_token", "nfp_", r"nfp_[A-Za-z0-9]{36,60}", "nfp_{b62:36}"),
    _rule("render_key", "rnd_", r"rnd_[A-Za-z0-9]{28,40}", "rnd_{b62:32}"),
    _rule(
        "yandex_key", "AQVN YCAJ y0_ t1.", r"(?:AQVN[\w-]{35,40}|YCAJ[\w-]{20,60}|y0_[\w-]{50,70}"
        r"|t1\.[\w-]{20,400}={0,2}\.[\w-]{86}={0,2})", "AQVN{url:36}", "y0_{url:58}",
    ),
    _rule("onepassword_token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/=_-]{100,2000}", "ops_eyJ{b62:300}"),
    _rule(
        "onepassword_key", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}"
        r"|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
        "A3-{up:6}-{up:11}-{up:5}-{up:5}-{up:5}",
    ),
    _rule(
        "age_key", "AGE-SECRET-KEY- AGE-PLUGIN-",
        r"AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]+)-1?[A-Z0-9]{40,200}", "AGE-SECRET-KEY-1{up:58}",
    ),
    _rule("openshift_token", "sha256", r"sha256~[\w-]{40,50}", "sha256~{url:43}"),
)  # fmt: skip

SERVICES = (
    _rule(
        "slack_token", "xox", r"xox(?:e\.xox[bp]|[abceoprs])-[\w-]{10,300}",
        "xoxb-{dig:12}-{dig:13}-{b62:24}", "xoxp-{dig:12}-{dig:12}-{dig:12}-{hex:32}",
        left=("xoxb-your-bot-token-here",),
    ),
    _rule(
        "slack_token", "xapp-", r"xapp-\d-[A-Z0-9]{6,20}-\d{6,20}-[a-f0-9]{30,100}",
        "xapp-1-A{up:10}-{dig:13}-{hex:64}",
    ),
    _rule(
        "stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_",
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,200}", "sk_live_{b62:24}", "rk_live_{b62:24}",
    ),
    _rule("webhook_secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,100}", "whsec_{b62:32}"),
    _rule("elevenlabs_key", "sk_", r"sk_[a-f0-9]{40,64}(?!\w)", "sk_{hex:48}"),
    _rule("twilio_key", "SK", r"SK[0-9a-f]{32}(?![0-9A-Za-z])", "SK{hex:32}"),
    _rule("sendgrid_key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{16,64}", "SG.{url:22}.{url:43}"),
    _rule("mailgun_key", "key-", r"key-[0-9a-f]{32}(?![0-9A-Za-z])", "key-{hex:32}"),
    _rule("mailchimp_key", "", r"[0-9a-f]{32}-us\d{1,2}(?!\w)", "{hex:32}-us12"),
    _rule(
        "brevo_key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}",
        "xkeysib-{hex:64}-{b62:16}",
    ),
    _rule(
        "resend_key", "re_", r"re_[A-Za-z0-9]{7,10}_[A-Za-z0-9]{22,30}(?!\w)",
        "re_{b62:8}_{b62:24}",
    ),
    _rule("postman_key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}", "PMAK-{hex:24}-{hex:34}"),
    _rule("linear_key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,64}", "lin_api_{b62:40}"),
    _rule(
        "notion_key", "ntn_ secret_", r"(?:ntn_[A-Za-z0-9]{40,60}|secret_[A-Za-z0-9]{43})(?!\w)",
        "ntn_{dig:11}{b62:35}", "secret_{b62:43}",
    ),
    _rule("airtable_key", "pat", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", "pat{b62:14}.{hex:64}"),
    _rule(
        "harness_token", "pat. sat.", r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}",
        "pat.{url:22}.{b62:24}.{b62:20}",
    ),
    _rule("hubspot_key", "pat-", rf"pat-(?:na|eu|ap)\d-{_UUID}", f"pat-na1-{_UUID_SHAPE}"),
    _rule("figma_token", "figd_ figo_ figu_", r"fig[dou]_[\w-]{30,80}", "figd_{url:40}"),
    _rule(
        "shopify_token", "shpat_ shpca_ shppa_ shpss_ shptka_ shpua_",
        r"shp[a-z]{2,3}_[a-fA-F0-9]{32}", "shpat_{hex:32}",
    ),
    _rule(
        "square_token", "sq0atp- sq0csp- sq0idp- EAAA",
        r"(?:sq0(?:atp|csp|idp)-[\w-]{22,60}|EAAA[\w-]{60}(?![\w-]))", "sq0atp-{url:22}",
    ),
    _rule("facebook_token", "EAA", r"EAA[A-Za-z0-9]{80,400}(?!\w)", "EAAC{b62:120}"),
    _rule("instagram_token", "IGQV IGAA", r"IG(?:QV|AA)[\w-]{80,300}", "IGQV{b62:120}"),
    _rule(
        "twitter_bearer", "AAAAAAAAAAAAAAAAAAAA",
        r"A{20,24}[A-Za-z0-9]{8,60}%[A-Za-z0-9%]{20,120}", "A" * 22 + "{b62:20}%2F{b62:50}",
    ),
    _rule(
        "linkedin_key", "WPL_AP", r"WPL_AP\d\.[A-Za-z0-9]{10,30}\.\S{4,20}",
        "WPL_AP1.{b62:16}.{b62:8}",
    ),
    _rule("vk_token", "vk1.a.", r"vk1\.a\.[\w-]{80,300}", "vk1.a.{url:180}"),
    _rule(
        "mapbox_token", "sk.eyJ tk.eyJ", r"[st]k\.eyJ[\w-]{20,200}\.[\w-]{20,40}",
        "sk.eyJ{b62:80}.{b62:22}",
    ),
    _rule(
        "newrelic_key", "NRAK- NRII- NRJS- NRAA-", r"NR(?:AK|II|JS|AA)-[A-Za-z0-9-]{19,40}",
        "NRAK-{up:27}",
    ),
    _rule(
        "grafana_token", "glc_ glsa_",
        r"(?:glc_[A-Za-z0-9+/]{30,400}={0,3}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})",
        "glsa_{b62:32}_{hex:8}", "glc_{b62:80}",
    ),
    _rule(
        "sentry_token", "sntrys_ sntryu_ sntryi_", r"sntry[suia]_[\w+/=]{40,400}",
        "sntryu_{hex:64}",
    ),
    _rule(
        "dynatrace_token", "dt0", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}",
        "dt0c01.{up:24}.{up:64}",
    ),
    _rule("honeycomb_key", "hcaik_ hcxik_ hcbik_", r"hc[a-z]ik_[a-z0-9]{50,70}", "hcaik_{b36:58}"),
    _rule("launchdarkly_key", "api- sdk- mob-", rf"(?:api|sdk|mob)-{_UUID}", f"sdk-{_UUID_SHAPE}"),
    _rule("contentful_token", "CFPAT-", r"CFPAT-[\w-]{40,50}", "CFPAT-{url:43}"),
    _rule("typeform_token", "tfp_", r"tfp_[\w=.-]{40,80}", "tfp_{b62:44}_{b62:14}"),
    _rule("prefect_key", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{36}(?!\w)", "pnu_{b62:36}"),
    _rule("dbt_token", "dbtc_ dbtu_ dbts_", r"dbt[cus]_[\w=-]{30,80}", "dbtc_{url:40}"),
    _rule("readme_key", "rdme_", r"rdme_[a-z0-9]{70}", "rdme_{b36:70}"),
    _rule("duffel_token", "duffel_", r"duffel_(?:test|live)_[\w=-]{40,50}", "duffel_live_{url:43}"),
    _rule("easypost_key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{54}", "EZAK{b62:54}"),
    _rule(
        "shippo_token", "shippo_", r"shippo_(?:live|test)_[a-fA-F0-9]{40}",
        "shippo_live_{hex:40}",
    ),
    _rule(
        "lob_key", "live_ test_", r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}(?!\w)",
        "live_{hex:35}",
    ),
    _rule(
        "flutterwave_key", "FLWSECK", r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}(?:-X)?",
        "FLWSECK_TEST-{hex:32}-X",
    ),
    _rule(
        "paypal_token", "access_token$",
        r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}",
        "access_token$production${b36:16}${hex:32}",
    ),
    _rule(
        "plaid_token", "access-", rf"access-(?:sandbox|development|production)-{_UUID}",
        f"access-sandbox-{_UUID_SHAPE}",
    ),
    _rule("adobe_secret", "p8e-", r"p8e-[A-Za-z0-9_-]{28,40}", "p8e-{b62:32}"),
    _rule("frameio_token", "fio-u-", r"fio-u-[\w=-]{60,70}", "fio-u-{url:64}"),
    _rule("infracost_key", "ico-", r"ico-[A-Za-z0-9]{32}(?!\w)", "ico-{b62:32}"),
    _rule("intra42_secret", "s-s4t2", r"s-s4t2(?:ud|af)-[a-f0-9]{64}", "s-s4t2ud-{hex:64}"),
    _rule("clickhouse_key", "4b1d", r"4b1d[A-Za-z0-9]{38}(?!\w)", "4b1d{b62:38}"),
    _rule("maxmind_key", "", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)", "{b62:6}_{b62:29}_mmk"),
    _rule(
        "django_secret", "django-insecure-", r"django-insecure-[^\s\"'`\\]{30,80}",
        "django-insecure-{b62:50}",
    ),
    _rule("fcm_key", "AAAA", r"AAAA[\w-]{7}:APA91b[\w-]{100,160}", "AAAA{url:7}:APA91b{url:134}"),
    _rule("adafruit_key", "aio_", r"aio_[A-Za-z0-9]{28}(?!\w)", "aio_{b62:28}"),
    _rule("dingtalk_secret", "SEC", r"SEC[0-9a-f]{64}(?!\w)", "SEC{hex:64}"),
)  # fmt: skip

ENCODED = (
    _rule(
        "jwt", "eyJ", r"eyJ[\w-]{8,4000}\.[\w-]{6,8000}(?:\.[\w-]*){0,3}",
        "eyJhbGciOiJIUzI1NiJ9.eyJ{b62:40}.{url:43}", "eyJhbGciOiJIUzI1NiJ9.eyJ{b62:40}",
        left=("eyJzIjoi.example",),
    ),
    _rule(
        "jwt", "ZXlKaGJHY ZXlKMGVY ZXlKcmFX", r"ZXlK[A-Za-z0-9+/_-]{60,8000}={0,2}",
        "ZXlKaGJHY{b62:120}",
    ),
    _rule("grafana_key", "eyJrIjoi", r"eyJrIjoi[A-Za-z0-9]{60,400}={0,2}", "eyJrIjoi{b62:90}"),
    _rule(
        "private_key", "LS0tLS1CRUdJTiB",
        r"LS0tLS1CRUdJTiB(?:SU0Eg|QUklW|FQyBQ|PUEVO|FTkNS|EU0Eg)[A-Za-z0-9+/]{40,12000}={0,2}",
        "LS0tLS1CRUdJTiBQUklW{b64:200}",
        left=("LS0tLS1CRUdJTiBDRVJU" + "TUlJRGRUQ0NBbDJnQXdJQkFnSUpBTEF0",),
    ),
    _rule(
        "discord_token", "M N O", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}",
        "MT{b62:22}.{url:6}.{url:38}",
    ),
)  # fmt: skip

RULES = (*ENCODED, *CODE_HOSTING, *MODELS, *CLOUDS, *SERVICES)
