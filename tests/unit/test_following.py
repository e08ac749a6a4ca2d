"""Whether a run followed an experience, on hand-written runs."""

from __future__ import annotations

from typing import Any

import pytest

from hindsight_cli.records.event import Status
from hindsight_cli.records.experience import Content, Evidence
from hindsight_cli.reflect.following import Followed, followed
from tests.factories import a_content
from tests.unit.reflect_builder import TraceBuilder

YES, NO, UNKNOWN = Followed.YES, Followed.NO, Followed.UNKNOWN


def failed(text: str, tool: str = "Bash") -> Evidence:
    return Evidence(step_index=2, tool_name=tool, status="error", input=text, output="refused")


def passed(text: str, tool: str = "Bash") -> Evidence:
    return Evidence(step_index=3, tool_name=tool, status="ok", input=text, output="done")


def advice(
    recommend: str, avoid: str = "", *evidence: Evidence, scenario: str = "", **more: Any
) -> Content:
    return a_content(
        scenario=scenario or "Something fails",
        recommend=recommend,
        avoid=avoid,
        evidence=evidence,
        **more,
    )


def ran(*commands: str) -> TraceBuilder:
    trace = TraceBuilder()
    for command in commands:
        trace.shell(command)
    return trace


def answer(content: Content, trace: TraceBuilder) -> Followed:
    return followed(content, trace.build()).answer


PORT = advice(
    "Publish another host port: `docker run -d --name shop-db --env-file .env -p 3307:3306`.",
    "`docker run -d --name shop-db --env-file .env -p 3306:3306 mysql:8.4`.",
    failed("docker run -d --name shop-db --env-file .env -p 3306:3306 mysql:8.4"),
    passed("docker run -d --name shop-db --env-file .env -p 3307:3306 mysql:8.4"),
)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("docker run -d --name shop-db --env-file .env -p 3307:3306 mysql:8.4", YES),
        ("docker run -d --name cache -p 13306:3306 mysql:8.4", YES),  # another port, another name
        ("docker rm x && docker run -p 3307:3306 mysql:8.4", YES),
        ("sudo docker run -p 3307:3306 -d mysql:8.4", YES),
        ("bash -c 'docker run -p 3307:3306 mysql:8.4'", YES),
        ("docker run -d --name shop-db --env-file .env -p 3306:3306 mysql:8.4", NO),
        ("docker run -d --name shop-db mysql:8.4", NO),
        ("docker run -d -p 3306:3306 mysql:8.4", NO),
        ("docker exec -p 3307:3306 shop-db", NO),
        ("docker run -p 3307:3306 --help", NO),
        ("docker ps", NO),
        ("echo docker run -d -p 3307:3306 mysql:8.4", NO),
        ("echo 'docker run -p 3307:3306 mysql' >> NOTES.md", NO),
        ("grep -rn 'docker run -p 3307:3306' docs", NO),
        ("printf '%s' 'docker run -p 3307:3306 mysql' | tee run.sh", NO),
        ("cat > run.sh <<'EOF'\ndocker run -p 3307:3306 mysql:8.4\nEOF", NO),
        ("# docker run -p 3307:3306 mysql:8.4\nls", NO),
        ("git commit -m 'docker run -p 3307:3306 works'", NO),
        ('git log --grep "docker run -p 3307:3306"', NO),
        ("man docker run", NO),
    ],
)
def test_a_command_is_followed_when_what_made_the_difference_is_done(
    command: str, expected: Followed
) -> None:
    assert answer(PORT, ran("ls", command)) is expected


def test_the_step_that_shows_it_is_named() -> None:
    trace = ran("ls", "docker run -p 3307:3306 mysql:8.4", "docker ps")
    assert followed(PORT, trace.build()).step_index == 3


def test_only_what_comes_after_the_injection_counts() -> None:
    trace = ran("docker run -p 3307:3306 mysql:8.4", "docker ps")
    assert followed(PORT, trace.build(), after_step=1).answer is YES
    assert followed(PORT, trace.build(), after_step=2).answer is NO


def test_doing_both_the_wrong_and_the_right_thing_is_following() -> None:
    trace = ran(
        "docker run -d --name shop-db --env-file .env -p 3306:3306 mysql:8.4",
        "docker run -d --name shop-db --env-file .env -p 3307:3306 mysql:8.4",
    )
    assert answer(PORT, trace) is YES


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (Status.OK, YES),
        (Status.ERROR, YES),  # it was followed, and did harm
        (Status.DENIED, NO),
        (Status.CANCELLED, NO),
    ],
)
def test_a_call_that_never_ran_follows_nothing(status: Status, expected: Followed) -> None:
    trace = TraceBuilder()
    trace.shell("docker run -p 3307:3306 mysql:8.4", "out", status)
    assert answer(PORT, trace) is expected


@pytest.mark.parametrize(
    "recommend",
    [
        "Check the logs first and think about the root cause.",
        "先看日志，再考虑根本原因。",
        "Call `Bash` again.",
        "Read the whole of `README.md` before you begin.",
        "The value is `production`.",
    ],
)
def test_advice_without_a_literal_that_a_trace_shows_is_unknown(recommend: str) -> None:
    assert answer(advice(recommend), ran("npm ci", "cat README.md")) is UNKNOWN


def test_a_trace_without_calls_shows_nothing() -> None:
    trace = TraceBuilder().agent("I ran `docker run -p 3307:3306 mysql:8.4` for you.")
    assert answer(PORT, trace) is UNKNOWN


def test_what_the_agent_says_or_is_shown_is_not_done() -> None:
    trace = ran("ls")
    trace.agent("Next: docker run -p 3307:3306 mysql:8.4")
    trace.shell("cat notes", "docker run -p 3307:3306 mysql:8.4")
    assert answer(PORT, trace) is NO


@pytest.mark.parametrize(
    ("content", "command", "expected"),
    [
        # An option that the failed command was without.
        (
            advice("Run `npm ci --legacy-peer-deps`.", "", failed("npm ci")),
            "npm ci --legacy-peer-deps",
            YES,
        ),
        (advice("Run `npm ci --legacy-peer-deps`.", "", failed("npm ci")), "npm ci", NO),
        # An option by itself belongs to the command it is of.
        (
            advice("Add `--legacy-peer-deps`.", "", failed("npm ci"), scenario="`npm ci` fails"),
            "npm ci --legacy-peer-deps",
            YES,
        ),
        (
            advice("Add `--legacy-peer-deps`.", "", failed("npm ci"), scenario="`npm ci` fails"),
            "yarn install --legacy-peer-deps",
            NO,
        ),
        (
            advice("Run `npm ci` with `--legacy-peer-deps`.", "", failed("npm ci")),
            "npm ci --legacy-peer-deps --no-audit",
            YES,
        ),
        (
            advice("Hand `--env-file .env` to docker run.", tool_tags=("docker",)),
            "docker run --env-file prod.env mysql:8.4",
            YES,
        ),
        (
            advice("Hand `--env-file .env` to docker run.", tool_tags=("docker",)),
            "docker run mysql:8.4",
            NO,
        ),
        (advice("Hand `--env-file .env` to docker run."), "podman run --env-file .env x", UNKNOWN),
        # A fixed value.
        (
            advice("Run `docker build --platform linux/amd64 .`.", "", failed("docker build .")),
            "docker build -t shop --platform linux/amd64 .",
            YES,
        ),
        (
            advice("Run `docker build --platform linux/amd64 .`.", "", failed("docker build .")),
            "docker build -t shop --platform linux/arm64 .",
            NO,
        ),
        (
            advice("Run `docker build --platform=linux/amd64 .`."),
            "docker build --platform linux/amd64 .",
            YES,
        ),
        # An option that is to be left out.
        (
            advice("Run `git push` without `--force`.", "", failed("git push --force origin main")),
            "git push origin main",
            YES,
        ),
        (
            advice("Run `git push` without `--force`.", "", failed("git push --force origin main")),
            "git push --force origin main",
            NO,
        ),
        (
            advice("Run `docker build .`.", "`docker build --no-cache .`."),
            "docker build .",
            YES,
        ),
        (
            advice("Run `docker build .`.", "`docker build --no-cache .`."),
            "docker build --no-cache .",
            NO,
        ),
        (
            advice("Use `git push --force-with-lease` instead of `git push --force`."),
            "git push --force-with-lease origin main",
            YES,
        ),
        (
            advice("Use `git push --force-with-lease` instead of `git push --force`."),
            "git push --force origin main",
            NO,
        ),
        # Another subcommand.
        (advice("Run `git stash pop`.", "", failed("git stash apply")), "git stash pop", YES),
        (advice("Run `git stash pop`.", "", failed("git stash apply")), "git stash", NO),
        (advice("Run `npm ci`.", "`npm install`."), "npm ci --no-audit", YES),
        (advice("Run `npm ci`.", "`npm install`."), "npm install", NO),
        (advice("Run `npm ci`.", "`npm install`."), "npm install-test", NO),
        (advice("Wait with `mysqladmin ping -h 10.0.0.5`."), "mysqladmin ping -h 127.0.0.1", YES),
        (advice("Wait with `mysqladmin ping -h 10.0.0.5`."), "mysqladmin shutdown -h 10.0.0.5", NO),
        # A variable.
        (
            advice(
                "Run `NODE_OPTIONS=--openssl-legacy-provider npm run build`.",
                "",
                failed("npm run build"),
            ),
            "NODE_OPTIONS=--openssl-legacy-provider npm run build",
            YES,
        ),
        (
            advice(
                "Run `NODE_OPTIONS=--openssl-legacy-provider npm run build`.",
                "",
                failed("npm run build"),
            ),
            "export NODE_OPTIONS=--openssl-legacy-provider && npm run build",
            YES,
        ),
        (
            advice(
                "Run `NODE_OPTIONS=--openssl-legacy-provider npm run build`.",
                "",
                failed("npm run build"),
            ),
            "npm run build",
            NO,
        ),
        (advice("Set `PYTHONPATH=src` before the tests."), "PYTHONPATH=src pytest", YES),
        (advice("Set `PYTHONPATH=src` before the tests."), "pytest src", NO),
        (advice("Set `CI=true`."), "echo CI=true", NO),
        # The value after an option that only tells the place.
        (
            advice(
                "Run `docker compose -f docker-compose.dev.yml up`.",
                "",
                failed("docker compose -f docker-compose.yml up"),
            ),
            "docker compose -f docker-compose.dev.yml up -d",
            YES,
        ),
        (
            advice(
                "Run `docker compose -f docker-compose.dev.yml up`.",
                "",
                failed("docker compose -f docker-compose.yml up"),
            ),
            "docker compose -f docker-compose.test.yml up -d",
            NO,
        ),
        # Clusters and other ways to write an option.
        (advice("Run `tar -xzf <file>`.", "", failed("tar -xf a.tgz")), "tar -x -z -f b.tgz", YES),
        (advice("Run `tar -xzf <file>`.", "", failed("tar -xf a.tgz")), "tar -xf b.tgz", NO),
        (advice("Run `python -m pip install -U pip`."), "python3 -m pip install -U pip", YES),
        (advice("Run `uv run pytest -x`."), "uv run pytest -x tests/unit", YES),
        (advice("Run `npx prisma generate`.", "", failed("npm start")), "npx prisma generate", YES),
    ],
)
def test_the_telling_part_of_a_command_decides(
    content: Content, command: str, expected: Followed
) -> None:
    assert answer(content, ran("git status", command)) is expected


@pytest.mark.parametrize(
    ("recommend", "commands", "expected"),
    [
        (
            "First run `npm run codegen`, then `npm run build`.",
            ["npm run codegen", "npm run build"],
            YES,
        ),
        ("First run `npm run codegen`, then `npm run build`.", ["npm run codegen"], YES),
        ("First run `npm run codegen`, then `npm run build`.", ["npm run build"], NO),
        (
            "Look with `docker ps --filter publish=3306`, then run `docker run -p 3307:3306 x`.",
            ["docker ps --filter publish=3306"],
            NO,
        ),
        (
            "Look with `docker ps --filter publish=3306`, then run `docker run -p 3307:3306 x`.",
            ["docker run -p 3307:3306 x"],
            YES,
        ),
        (
            "Back up with `pg_dump -Fc shop`, then run `alembic upgrade head`.",
            ["alembic upgrade head"],
            NO,
        ),
        ("Run `git rebase --abort` or `git merge --abort`.", ["git merge --abort"], YES),
        (
            "Run `git rebase --abort`. If it is dirty, run `git stash push` before.",
            ["git rebase --abort"],
            YES,
        ),
        (
            "Run `git rebase --abort`. If it is dirty, run `git stash push` before.",
            ["git stash push"],
            NO,
        ),
        ("Look at the state with `git log --oneline` first.", ["git log --oneline -3"], YES),
        ("Look at the state with `git log --oneline` first.", ["git log -3"], NO),
    ],
)
def test_everything_that_acts_must_be_done(
    recommend: str, commands: list[str], expected: Followed
) -> None:
    content = advice(recommend, "", failed("npm run build"))
    assert answer(content, ran(*commands)) is expected


def test_running_the_same_check_again_follows_nothing() -> None:
    content = advice(
        "In `app/tax.py` change `rate = 19` to `rate = 0.19`; then rerun `pytest -q`.",
        "Leaving `rate = 19`: that is what `pytest -q` rejects.",
        failed("pytest -q"),
        passed('{"file_path": "app/tax.py", "old_string": "rate = 19"}', "Edit"),
    )
    assert answer(content, ran("pytest -q")) is NO
    edited = ran("pytest -q")
    edited.edit("/repo/app/tax.py", "rate = 19\n", "rate = 0.19\n")
    assert answer(content, edited) is YES
    elsewhere = ran("pytest -q")
    elsewhere.edit("/repo/app/vat.py", "rate = 19\n", "rate = 0.19\n")
    assert answer(content, elsewhere) is NO
    back = ran("pytest -q")
    back.edit("/repo/app/tax.py", "rate = 0.19\n", "rate = 19\n")
    assert answer(content, back) is NO


def test_a_text_that_is_read_or_stood_there_before_is_no_edit() -> None:
    content = advice(
        "In `app/db.py` add `pool_pre_ping=True`.",
        "",
        passed('{"file_path": "app/db.py", "new_string": "pool_pre_ping=True"}', "Edit"),
    )
    read = TraceBuilder()
    read.call("Read", {"file_path": "app/db.py"}, "engine(pool_pre_ping=True)")
    read.shell("grep -n pool_pre_ping=True app/db.py")
    assert answer(content, read) is NO
    kept = TraceBuilder()
    kept.edit("app/db.py", "f(pool_pre_ping=True)", "g(pool_pre_ping=True)")
    assert answer(content, kept) is NO
    added = TraceBuilder()
    added.edit("app/db.py", "engine(url)", "engine(url, pool_pre_ping=True)")
    assert answer(content, added) is YES
    patch = (
        "*** Begin Patch\n*** Update File: app/db.py\n"
        "-engine(url)\n+engine(url, pool_pre_ping=True)\n"
    )
    patched = TraceBuilder()
    patched.call("apply_patch", {"input": patch})
    assert answer(content, patched) is YES


@pytest.mark.parametrize(
    ("recommend", "old", "new", "expected"),
    [
        (
            "In `.ci/run.sh` add `ROOT=${ROOT:-/srv}`; then rerun `make`.",
            "",
            "ROOT=${ROOT:-/srv}",
            YES,
        ),
        ("In `.ci/run.sh` add `ROOT=${ROOT:-/srv}`; then rerun `make`.", "", "ROOT=/srv", NO),
        ("In `.ci/run.sh` remove `set -e`.", "set -e\nmake", "make", YES),
        ("In `.ci/run.sh` put `import a` before `import b`, add `import c`.", "", "import c", YES),
        (
            "在 `.ci/run.sh` 中加入 `ROOT=${ROOT:-/srv}`，再运行 `make`。",
            "",
            "ROOT=${ROOT:-/srv}",
            YES,
        ),
        ("在 `.ci/run.sh` 中删去 `set -e`。", "set -e\nmake", "make", YES),
        ("在 `.ci/run.sh` 中把 `import a` 放到 `import b` 之前。", "", "import b", UNKNOWN),
    ],
)
def test_what_is_to_stand_in_a_file_is_no_command(
    recommend: str, old: str, new: str, expected: Followed
) -> None:
    trace = TraceBuilder()
    trace.edit("/repo/.ci/run.sh", old, new)
    assert answer(advice(recommend, "", failed("make")), trace) is expected


TOOL = advice(
    "Call `search_flights` with `date`: `2024-05-20`, `cabin`: `business`.",
    "`search_flights` with `date`: `May 20`.",
    failed('{"origin": "JFK", "date": "May 20", "cabin": "first"}', "search_flights"),
    passed('{"origin": "JFK", "date": "2024-05-20", "cabin": "business"}', "search_flights"),
)


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("search_flights", {"date": "2024-05-20", "cabin": "business"}, YES),
        ("search_flights", {"date": "2026-11-02", "cabin": "business", "origin": "TXL"}, YES),
        ("mcp__travel__search_flights", {"date": "2026-11-02", "cabin": "business"}, YES),
        ("search_flights", {"date": "2026-11-02", "cabin": "economy"}, NO),
        ("search_flights", {"date": "June 3", "cabin": "business"}, NO),
        ("search_flights", {}, NO),
        ("search_hotels", {"date": "2026-11-02", "cabin": "business"}, NO),
    ],
)
def test_a_tool_is_followed_with_its_telling_arguments(
    tool: str, arguments: dict[str, str], expected: Followed
) -> None:
    trace = TraceBuilder()
    trace.call("get_user", {"id": "7"})
    trace.call(tool, arguments)
    assert answer(TOOL, trace) is expected


@pytest.mark.parametrize(
    ("recommend", "arguments", "expected"),
    [
        ("Call `query` with `limit` as well.", {"sql": "select 1", "limit": 10}, YES),
        ("Call `query` with `limit` as well.", {"sql": "select 1"}, NO),
        ("Call `query` with `max_rows`: `30` as well.", {"sql": "select 1", "max_rows": 60}, YES),
        ("Call `query` without `explain`.", {"sql": "select 1"}, YES),
        ("Call `query` without `explain`.", {"sql": "select 1", "explain": True}, NO),
        ("Call `query` with `mode=read_only`.", {"mode": "read_only"}, YES),
        ("Call `query` with `mode=read_only`.", {"mode": "read_write"}, NO),
        ("Write `sql` for `query` with `#` before it.", {"sql": "# select 1"}, YES),
        ("Write `sql` for `query` with `#` before it.", {"sql": "select 1"}, NO),
        ("Call `query` again with `sql`.", {"sql": "select 2"}, UNKNOWN),
        ("Call `query`.", {"sql": "select 2"}, UNKNOWN),
        ("调用 `query` 时还要带上 `limit`。", {"sql": "select 1", "limit": 10}, YES),
        ("调用 `query` 时去掉 `explain`。", {"sql": "select 1", "explain": True}, NO),
        ("调用 `query`，参数 `mode`：`read_only`。", {"mode": "read_only"}, YES),
    ],
)
def test_arguments_that_the_refused_call_had_are_not_telling(
    recommend: str, arguments: dict[str, Any], expected: Followed
) -> None:
    content = advice(recommend, "", failed('{"sql": "select 1", "explain": true}', "query"))
    trace = TraceBuilder()
    trace.call("query", arguments)
    assert answer(content, trace) is expected


def test_another_id_is_not_the_right_id() -> None:
    content = advice(
        "Call `pay` with `card`: `gift_card_123`.",
        "",
        failed('{"card": "credit_card_999"}', "pay"),
    )
    for card, expected in (("gift_card_123", YES), ("credit_card_999", NO), ("debit_card_5", NO)):
        trace = TraceBuilder()
        trace.call("pay", {"card": card})
        assert answer(content, trace) is expected


@pytest.mark.parametrize(
    ("content", "command", "expected"),
    [
        (
            advice("运行 `npm ci --legacy-peer-deps`。", "`npm ci`。", failed("npm ci")),
            "npm ci --legacy-peer-deps",
            YES,
        ),
        (
            advice("运行 `npm ci --legacy-peer-deps`。", "`npm ci`。", failed("npm ci")),
            "npm ci",
            NO,
        ),
        (
            advice("运行 `git push`，去掉 `--force`。", "", failed("git push --force")),
            "git push origin main",
            YES,
        ),
        (
            advice("运行 `git push`，去掉 `--force`。", "", failed("git push --force")),
            "git push --force",
            NO,
        ),
        (
            advice(
                "先运行 `npm run codegen`，再运行 `npm run build`。", "", failed("npm run build")
            ),
            "npm run build",
            NO,
        ),
        (advice("用 `uv sync` 代替 `pip install -r requirements.txt`。"), "uv sync", YES),
        (
            advice("用 `uv sync` 代替 `pip install -r requirements.txt`。"),
            "pip install -r requirements.txt",
            NO,
        ),
        (advice("不要用 `npm install`，改用 `npm ci`。"), "npm install", NO),
        (advice("不要用 `npm install`，改用 `npm ci`。"), "npm ci", YES),
        (
            advice("用 `git merge --abort` 或 `git rebase --abort` 退出。"),
            "git rebase --abort",
            YES,
        ),
        (
            advice("把 `--env-file .env` 传给 docker run。", tool_tags=("docker",)),
            "docker run --env-file .env mysql",
            YES,
        ),
        (advice("先想清楚再动手。"), "npm ci", UNKNOWN),
    ],
)
def test_advice_in_chinese_is_read_as_well(
    content: Content, command: str, expected: Followed
) -> None:
    assert answer(content, ran("git status", command)) is expected


def test_without_the_check_that_is_asked_for_nothing_was_followed() -> None:
    lacking = advice("Run `pytest -q` first.", "Reporting done without `pytest -q`.")
    assert answer(lacking, ran("pytest -q")) is YES
    assert answer(lacking, ran("ls")) is NO


@pytest.mark.parametrize(
    ("recommend", "refused", "command", "expected"),
    [
        # What follows an option that takes no value is none of its own.
        (
            "Run `pip install --pre torch`.",
            "pip install torch",
            "pip install --pre torch==2.5",
            YES,
        ),
        # Another file of a command that is told of a file by name.
        ("Clear it: `rm -rf .next/cache`.", "npm start", "rm -rf app/.next/cache; npm start", YES),
        ("Clear it: `rm -rf .next/cache`.", "npm start", "rm -rf dist && npm start", NO),
        ("Run `rm -rf <build folder>`.", "npm start", "rm -rf dist && npm start", YES),
        ("Free it with `fuser -k 8080/tcp`.", "npm start", "fuser -k 3000/tcp", YES),
        ("Wait with `pg_isready -p 5432`.", "psql", "until pg_isready -p 5; do sleep 1; done", YES),
        ("Never push with `--no-verify`; run `tox`.", "git push", "tox && git push", YES),
        ("Never push with `--no-verify`; run `tox`.", "git push", "git push --no-verify", NO),
        ("Run `terraform init -upgrade` first.", "terraform plan", "terraform init", NO),
        ("Set `export CGO_ENABLED=0`.", "go build", "CGO_ENABLED=0 go build", YES),
        ("Set `export CGO_ENABLED=0`.", "go build", "CGO_ENABLED=1 go build", NO),
        ("First `cd api && pytest`.", "pytest api", "cd api && pytest -q", YES),
        ("First `cd api && pytest`.", "pytest api", "pytest api -q", NO),
        ("先执行 `source .venv/bin/activate`。", "pytest", "source .venv/bin/activate", YES),
        ("先执行 `source .venv/bin/activate`。", "pytest", "pytest", NO),
    ],
)
def test_advice_in_a_persons_own_words_is_read_as_well(
    recommend: str, refused: str, command: str, expected: Followed
) -> None:
    assert answer(advice(recommend, "", failed(refused)), ran("ls", command)) is expected
