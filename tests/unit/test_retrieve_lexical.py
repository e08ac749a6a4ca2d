from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from hindsight_cli.fingerprint import error_fingerprint
from hindsight_cli.retrieve.document import Document
from hindsight_cli.retrieve.lexical import BESIDE, FLOOR, MAX_HITS, LexicalIndex
from hindsight_cli.retrieve.query import seams
from hindsight_cli.retrieve.result import Retrieval

BUCKET = Document(
    experience_id="ex-bucket",
    scenario="Uploads to the object bucket are refused after the access key was rotated.",
    recommend="Load the new key with `vaultctl key-sync --bucket media` and restart the uploader.",
    avoid="Making the bucket public.",
    tool_tags=("vaultctl",),
    task_tags=("security",),
)
QUEUE = Document(
    experience_id="ex-queue",
    scenario="Workers handle the same message twice because the visibility window is too short.",
    recommend="Raise VISIBILITY_TIMEOUT above the slowest handler and make handlers idempotent.",
    tool_tags=("rabbit", "python"),
    task_tags=("messaging",),
    error_fingerprints=(error_fingerprint("Bash", "fatal: delivery 17 was already acknowledged"),),
)
SCHEMA = Document(
    experience_id="ex-schema",
    scenario="A migration that adds a column locks the orders table of the database for minutes.",
    recommend="Add the column without a default, then fill it in batches.",
    avoid="Running it at noon.",
    tool_tags=("postgres",),
    task_tags=("migration",),
)
CHINESE = Document(
    experience_id="ex-zh",
    scenario="部署前先重跑gen-report后检查数据库锁定",
    recommend="等待锁释放之后再发布新版本。",
    tool_tags=("gen-report",),
    task_tags=("发布",),
)
ALL = (BUCKET, QUEUE, SCHEMA, CHINESE)


def an_index(documents: Iterable[Document] = ALL) -> LexicalIndex:
    index = LexicalIndex(sqlite3.connect(":memory:"))
    index.rebuild(documents)
    return index


def found(query: str, index: LexicalIndex | None = None, *, limit: int = 3) -> list[str]:
    return ids((index or an_index()).search(query, limit=limit))


def ids(answer: Retrieval) -> list[str]:
    return [hit.experience_id for hit in answer.hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("uploading to the bucket is refused", "ex-bucket"),
        ("VISIBILITY_TIMEOUT", "ex-queue"),
        ("visibilityTimeout", "ex-queue"),
        ("visibility-timeout", "ex-queue"),
        ("vaultctl", "ex-bucket"),
        ("--bucket media", "ex-bucket"),
        ("key-sync", "ex-bucket"),
        ("messages are handled twice by a worker", "ex-queue"),
        ("the db migrations lock a table", "ex-schema"),
        ("add columns to a pg table", "ex-schema"),
        ("数据库", "ex-zh"),
        ("gen-report", "ex-zh"),
        ("report 之前检查数据库", "ex-zh"),
        ("存储桶的密钥换了以后上传被拒绝", "ex-bucket"),
    ],
)
def test_what_a_query_says_is_found_in_words_parts_synonyms_and_both_languages(
    query: str, expected: str
) -> None:
    assert found(query)[0] == expected


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   \n\t",
        "the of and for it",
        "的了吗",
        "xqzv wkjp ffgh",
        "please make a new file and add code to it",
        "write a birthday poem for my aunt",
        "帮我写一首关于春天的诗",
        "*",
        "42 17 99",
    ],
)
@pytest.mark.parametrize("documents", [ALL, (BUCKET,)], ids=["a store", "a store of one"])
def test_a_query_that_shares_no_telling_word_gets_nothing(
    query: str, documents: tuple[Document, ...]
) -> None:
    answer = an_index(documents).search(query)

    assert answer.hits == ()
    assert answer.abstained
    assert answer.reason.endswith(".")


def test_an_id_is_not_searched() -> None:
    document = Document(experience_id="zebra", scenario="Locks", recommend="Wait", avoid="")

    assert found("zebra", an_index([document])) == []


def test_a_question_about_something_else_names_the_score_it_lacks() -> None:
    query = "mount a columnar warehouse extension and benchmark parquet vacuum settings for a table"

    answer = an_index().search(query)

    assert answer.abstained
    assert "needed 0.4" in answer.reason


@pytest.mark.parametrize(
    "query",
    [
        '"',
        '"bucket" OR "queue',
        "bucket NEAR(key, 3) AND NOT x*",
        "scenario : bucket - key ^a {b} (c",
        "bucket\x00key",
        "bucket \ud800 \udfff key",
        "retrieval_text MATCH 'x'; DROP TABLE retrieval_entry; --",
        "%_' || 1",
        "bucket " * 15_000,
        "z" * 100_000,
        "\n".join(f"error: line {n} of bucket {n}" for n in range(5000)),
    ],
    ids=range(11),
)
@pytest.mark.parametrize("error", [False, True])
def test_any_text_is_a_query(query: str, *, error: bool) -> None:
    index = an_index()

    index.search(query, error=error, tool=None, tag=None)

    assert found("vaultctl", index) == ["ex-bucket"]


def test_any_text_can_be_stored() -> None:
    odd = 'a\x00b "c" \ud800 NEAR(' + "z" * 100_000
    document = Document(
        experience_id="ex-\ud800",
        scenario=f"zebra {odd}",
        recommend=odd,
        avoid=odd,
        tool_tags=(odd, "", "\ud800"),
        task_tags=(odd,),
        error_fingerprints=(odd, ""),
    )

    assert len(found("zebra", an_index([document]))) == 1


def test_a_known_error_comes_first_whatever_its_numbers() -> None:
    noise = "worker started\nqueue attached to bucket, key, table, migration, column\n"

    answer = an_index().search(f"{noise}fatal: delivery 4711 was already acknowledged")

    assert answer.hits[0].experience_id == "ex-queue"
    assert answer.hits[0].score == 1.0
    assert answer.hits[0].why_matched[0] == "error fingerprint"


def test_an_error_of_too_few_words_to_be_recognised_is_no_exact_hit() -> None:
    fingerprint = error_fingerprint("Bash", "KeyError: 'a'")
    document = Document(
        experience_id="ex-a", scenario="s", recommend="r", error_fingerprints=(fingerprint,)
    )

    hits = an_index([document]).search("KeyError: 'zebra'", error=True).hits

    assert all("error fingerprint" not in hit.why_matched for hit in hits)


@pytest.mark.parametrize(
    "output",
    [
        "AssertionError: 3 != 7",
        "E       assert 3 == 7",
        "FAILED tests/test_a.py::test_b - AssertionError: assert 3 == 7",
        "AssertionError: expected 3 to equal 7",
    ],
)
def test_a_value_that_was_not_expected_finds_no_lesson_about_another_one(output: str) -> None:
    line = "AssertionError: 1 != 2"
    sums = Document(
        experience_id="ex-sums",
        scenario=f"`python -m unittest` reports `{line}`.",
        recommend="In `sums.py` change `a - b` to `a + b`; then rerun the tests.",
        error_fingerprints=(error_fingerprint("Bash", line),),
    )
    index = an_index([*ALL, sums])

    assert ids(index.search(output, error=True)) == []
    assert ids(index.search(f"sums.py: {output}", error=True)) == ["ex-sums"]


def test_reasons_name_the_words_as_asked_and_the_synonym_that_stands_for_them() -> None:
    reasons = an_index().search("the db migrations lock a pg table").hits[0].why_matched

    assert "tool tag: postgres" in reasons
    assert "migrations" in reasons
    assert "db ~ database" in reasons


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"tool": "postgres"}, ["ex-schema"]),
        ({"tool": "PostgreSQL"}, ["ex-schema"]),
        ({"tag": "migration"}, ["ex-schema"]),
        ({"tag": "postgres"}, ["ex-schema"]),
        ({"tool": "rabbit"}, []),
        ({"tool": "migration"}, []),
        ({"tool": "postgres", "tag": "messaging"}, []),
        ({"tool": "nonesuch"}, []),
    ],
)
def test_a_tool_or_tag_asked_for_is_a_hard_filter(
    filters: dict[str, str], expected: list[str]
) -> None:
    answer = an_index().search(
        "a migration locks the table", tool=filters.get("tool"), tag=filters.get("tag")
    )

    assert ids(answer) == expected


def test_a_tag_nobody_has_is_named_in_the_reason() -> None:
    assert "'nonesuch'" in an_index().search("bucket", tool="nonesuch").reason


def test_a_tool_named_in_the_query_outranks_the_same_words_elsewhere() -> None:
    twins = [
        Document(experience_id=name, scenario="Tests hang.", recommend="Wait.", tool_tags=(tool,))
        for name, tool in (("ex-1", "alpha"), ("ex-2", "beta"))
    ]

    assert found("beta tests hang", an_index(twins))[0] == "ex-2"


def test_where_a_word_stands_decides() -> None:
    documents = [
        Document(experience_id="ex-1", scenario="Slow start.", recommend="Wait.", avoid="Zebra."),
        Document(experience_id="ex-2", scenario="Slow start.", recommend="Zebra.", avoid="Wait."),
        Document(experience_id="ex-3", scenario="Zebra start.", recommend="Wait.", avoid="Slow."),
    ]

    ranked = [hit.experience_id for hit in an_index(documents).candidates("zebra")]

    assert ranked == ["ex-3", "ex-2", "ex-1"]


def test_weight_decides_between_equals_and_never_more() -> None:
    def twin(name: str, scenario: str, weight: float) -> Document:
        return Document(experience_id=name, scenario=scenario, recommend="r", weight=weight)

    equals = [
        twin("ex-1", "Zebra crossing blocked.", 0.1),
        twin("ex-2", "Zebra crossing blocked.", 1),
    ]
    unequal = [twin("ex-1", "Zebra crossing blocked.", -1e9), twin("ex-2", "Zebra seen.", 1e9)]

    assert found("zebra crossing blocked", an_index(equals))[0] == "ex-2"
    assert found("zebra crossing blocked", an_index(unequal))[0] == "ex-1"


def test_equals_come_in_the_order_of_their_ids_on_every_run() -> None:
    twins = [
        Document(experience_id=f"ex-{n}", scenario="Zebra crossing.", recommend="Wait.")
        for n in (3, 1, 2, 4)
    ]

    assert found("zebra crossing", an_index(twins)) == ["ex-1", "ex-2", "ex-3"]
    assert found("zebra crossing", an_index(reversed(twins))) == ["ex-1", "ex-2", "ex-3"]


@pytest.mark.parametrize(("limit", "count"), [(0, 0), (1, 1), (3, 3), (50, MAX_HITS), (-2, 0)])
def test_no_more_than_five_are_shown(limit: int, count: int) -> None:
    twins = [
        Document(experience_id=f"ex-{n}", scenario="Zebra crossing.", recommend="Wait.")
        for n in range(9)
    ]

    assert len(found("zebra crossing", an_index(twins), limit=limit)) == count


def test_later_hits_far_below_the_first_are_dropped() -> None:
    near = Document(
        experience_id="ex-near", scenario="Zebra crossing blocked by a lorry.", recommend="Wait."
    )
    far = Document(experience_id="ex-far", scenario="A lorry.", recommend="Wait.")

    assert found("zebra crossing blocked by a lorry", an_index([far, near])) == ["ex-near"]


def test_scores_lie_between_0_and_1_and_fall() -> None:
    scores = [hit.score for hit in an_index().candidates("key of the bucket, table, message")]

    assert len(scores) > 1
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)


def test_rebuild_replaces_all_and_leaves_the_commit_to_the_caller(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "index.db")
    index = LexicalIndex(connection)
    index.rebuild(ALL)
    connection.commit()

    index.rebuild([SCHEMA])
    assert found("vaultctl", index) == []
    connection.rollback()

    assert found("vaultctl", index) == ["ex-bucket"]
    index.rebuild([])
    connection.commit()
    assert found("vaultctl", index) == []


def test_a_database_opened_for_reading_only_is_searched(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    connection = sqlite3.connect(path)
    LexicalIndex(connection).rebuild(ALL)
    connection.commit()
    connection.close()

    reader = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)

    assert found("vaultctl", LexicalIndex(reader)) == ["ex-bucket"]
    reader.close()


def test_a_store_without_index_says_so() -> None:
    answer = LexicalIndex(sqlite3.connect(":memory:")).search("bucket")

    assert answer.abstained
    assert "not been built" in answer.reason


def test_ten_thousand_experiences_are_searched_in_milliseconds() -> None:
    subjects = ["bucket", "queue", "table", "index", "socket", "template", "cluster", "token"]
    documents = [
        Document(
            experience_id=f"ex-{n:05}",
            scenario=f"The {subjects[n % 8]} of service{n % 400} fails in step{n % 97} of the run.",
            recommend=f"Set option{n} and check the {subjects[(n + 3) % 8]} again.",
            tool_tags=(f"tool{n % 20}",),
        )
        for n in range(10_000)
    ]
    index = an_index([*documents, BUCKET])

    started = time.process_time()
    answers = [found("uploads to the bucket are refused since the key was rotated", index)[0]]
    answers += [found(f"option{n} of service{n % 400}", index)[0] for n in range(0, 1000, 100)]
    elapsed = time.process_time() - started

    assert answers == ["ex-bucket", *(f"ex-{n:05}" for n in range(0, 1000, 100))]
    assert elapsed / len(answers) < 0.1  # ordinary: 5 ms; a scan of all is many times that


def test_a_search_imports_nothing_heavy() -> None:
    code = (
        "import sys; from hindsight_cli.retrieve.lexical import LexicalIndex; import sqlite3;"
        "i = LexicalIndex(sqlite3.connect(':memory:')); i.search('x');"
        "print(*sorted({'typing', 'pathlib', 'numpy', 'typer', 'asyncio', 'pydantic'}"
        " & set(sys.modules)))"
    )
    child = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert child.stdout.strip() == ""


def test_an_experience_is_found_by_the_task_it_was_learned_in() -> None:
    learned = Document(
        experience_id="ex-1",
        scenario="A filter for `cursor` matches nothing",
        recommend="Ask for `cursor[bot]`.",
        context="can you address the bugbot comment on the PR?",
    )
    index = LexicalIndex(sqlite3.connect(":memory:"))
    index.rebuild([learned])
    assert [h.experience_id for h in index.search("address the bugbot comment").hits] == ["ex-1"]
    index.rebuild([replace(learned, context="")])
    assert index.search("address the bugbot comment").abstained


PUSH = Document(
    experience_id="ex-push",
    scenario="`git push origin dev` 返回 `stale info`（任务：给工单系统导出每周账单）。",
    recommend="先运行 `git fetch`，再运行 `git push --force-with-lease origin dev`。",
    context="给工单系统导出每周账单",
    tool_tags=("git",),
)
MODULE = Document(
    experience_id="ex-module",
    scenario="`python3.13 bill.py` returns `ModuleNotFoundError: No module named 'ledgerlib'`.",
    recommend="Run `python3.13 -m pip install ledgerlib` first.",
    tool_tags=("python3.13",),
    error_fingerprints=(
        error_fingerprint("Bash", "ModuleNotFoundError: No module named 'ledgerlib'"),
    ),
)


@pytest.mark.parametrize(
    "query",
    [
        "git 怎么打标签",
        "用 git 看一下提交历史",
        "explain git worktrees",
        "用 python3.13 写一个计算器",
        "写一个 python 爬虫",
        "upgrade the service to python3.13",
        "任务",
        "y 任务",
        "给工单系统换一个图标",
        "每周给团队写周报",
    ],
)
@pytest.mark.parametrize("documents", [(PUSH,), (MODULE,), (PUSH, MODULE)], ids=len)
def test_the_name_of_a_tool_or_a_word_of_the_old_task_is_no_reason(
    query: str, documents: tuple[Document, ...]
) -> None:
    assert found(query, an_index(documents)) == []


@pytest.mark.parametrize("query", ["git", "python3.13", "Python 3.13", "vaultctl"])
def test_a_query_of_nothing_but_a_tool_asks_for_what_there_is_about_it(query: str) -> None:
    assert len(found(query, an_index([PUSH, MODULE, BUCKET]))) == 1


def test_nothing_but_the_name_of_a_tool_in_common_is_said_to_be_so() -> None:
    assert "name of a tool" in an_index([PUSH]).search("git 怎么打标签").reason


@pytest.mark.parametrize("query", ["给工单系统导出每周账单", "给工单系统导出每月账单"])
def test_the_same_task_again_finds_what_it_taught(query: str) -> None:
    assert found(query, an_index([PUSH, MODULE])) == ["ex-push"]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("ModuleNotFoundError: No module named 'ledgerlib'", ["ex-module"]),
        ("ModuleNotFoundError: No module named 'ledgerlib.tax'", ["ex-module"]),
        ("ModuleNotFoundError: No module named 'numpy'", []),
        ("python3.13: No module named numpy", []),
    ],
)
@pytest.mark.parametrize("document", [MODULE, replace(MODULE, error_fingerprints=())])
def test_a_lesson_about_another_missing_module_is_no_answer(
    document: Document, error: str, expected: list[str]
) -> None:
    assert ids(an_index([document]).search(error, error=True)) == expected


@pytest.mark.parametrize(
    "query",
    ["端口冲突怎么办", "端口被占用了", "8080 端口占用", "port conflict", "the port is taken"],
)
def test_what_goes_wrong_is_found_under_its_other_names(query: str) -> None:
    port = Document(
        experience_id="ex-port",
        scenario="`srv up` answers `bind: address already in use` on the port.",
        recommend="Find the owner with `ss -ltnp`.",
    )

    assert found(query, an_index([port])) == ["ex-port"]


def test_a_single_answer_reaches_the_floor_and_a_weaker_one_says_what_it_is() -> None:
    near = Document(experience_id="ex-1", scenario="Zebra crossing.", recommend="r")
    far = Document(experience_id="ex-2", scenario="Slow.", recommend="Zebra crossing.")
    query = "zebra crossing alpha beta gamma delta epsilon zeta eta theta"

    both = an_index([near, far]).search(query).hits
    alone = an_index([far]).search(query)

    assert [hit.experience_id for hit in both] == ["ex-1", "ex-2"]
    assert both[0].score >= FLOOR > both[1].score
    assert BESIDE not in both[0].why_matched
    assert BESIDE in both[1].why_matched
    assert alone.abstained
    assert f"needed {FLOOR:.2f}" in alone.reason


def test_a_query_wholly_answered_by_a_common_word_has_at_least_the_floor() -> None:
    many = [
        Document(experience_id=f"ex-{n:02}", scenario="Other.", recommend="r", avoid=f"Zebra {n}.")
        for n in range(60)
    ]

    assert all(hit.score >= FLOOR for hit in an_index(many).search("zebra", limit=5).hits)


def test_a_pair_of_characters_across_two_words_is_no_word() -> None:
    assert seams("端口冲突", {"端口", "冲突"}) == {"口冲"}
    assert seams("清理缓存目录", {"缓存"}) == {"理缓", "存目"}
    assert seams("缓存", {"缓存"}) == set()
    assert seams("no chinese", {"缓存"}) == set()
