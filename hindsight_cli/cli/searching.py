"""`search`, shared by the fast door and the full command line."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from hindsight_cli.api.project import Project
from hindsight_cli.api.searching import Found, SearchOptions, SearchResult, search, search_many
from hindsight_cli.cli import shapes
from hindsight_cli.cli.render import Output, remind
from hindsight_cli.cli.start import start_of
from hindsight_cli.errors import SourceNotFoundError, UsageError

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.records.jsonvalue import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    root: Path | None
    as_json: bool
    query: str | None
    queries: Path | None
    error: bool
    tool: str | None
    tag: str | None
    limit: int
    mode: str
    explain: bool


def run_search(request: SearchRequest) -> int:
    """Print what was found, best first; nothing at all when nothing fits."""
    output = Output("search", as_json=request.as_json)
    if (request.query is None) == (request.queries is None):
        raise UsageError(
            "Give one query, or --queries FILE.", hint='Example: hindsight search "deploy mysql"'
        )
    project = Project.find(start_of(request.root))
    options = SearchOptions(
        error=request.error,
        tool=request.tool,
        tag=request.tag,
        limit=request.limit,
        mode=request.mode,
        can_wait=sys.stdout.isatty(),
    )
    if project is None:
        reason = "no project here: run `hindsight init` in your project"
        data: dict[str, JsonValue] = {"results": [], "abstained": True, "reason": reason}
        output.say(reason[0].upper() + reason[1:] + ".")
        output.result({**data, "mode": request.mode} if request.query else {"answers": []}, "")
        return 0
    if request.queries is not None:
        return _answer_file(project, request.queries, options, output)
    result = search(project, request.query or "", options)
    if result.notice:
        output.say(result.notice)
    if not result.found:
        output.say(f"Nothing found: {result.reason}")
    text = "\n\n".join(_found_text(f, explain=request.explain) for f in result.found)
    output.result(shapes.search_result(result), text)
    remind(output, result.pending)
    return 0


def _answer_file(project: Project, path: Path, options: SearchOptions, output: Output) -> int:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise SourceNotFoundError(
            str(path), hint="--queries takes a file of JSON Lines."
        ) from error
    queries = [_query(path, n, line) for n, line in enumerate(lines, 1) if line.strip()]
    mode = "hybrid" if options.mode == "auto" else options.mode  # nobody waits for one of many
    options = replace(options, mode=mode, ranks_all=True)
    results = search_many(project, [text for _, text in queries], options)
    if results and results[0].notice:
        output.say(results[0].notice)
    answers = [
        {
            "id": identity,
            "results": _answer_ids(result),
            "abstained": result.abstained,
        }
        for (identity, _), result in zip(queries, results, strict=True)
    ]
    text = "\n".join(json.dumps(a, ensure_ascii=False) for a in answers)
    output.result({"answers": answers}, text)
    return 0


def _answer_ids(result: SearchResult) -> list[str]:
    """What is shown; of a query without answer the closest, which a search would not show."""
    if result.abstained:
        return list(result.ranked)
    return [f.state.experience.experience_id for f in result.found]


def _query(path: Path, number: int, line: str) -> tuple[JsonValue, str]:
    try:
        data = json.loads(line)
        return data["id"], str(data["query"])
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path}, line {number}: not an object with id and query.",
            hint='Each line is like {"id": "q1", "query": "deploy mysql"}.',
        ) from error


def _found_text(item: Found, *, explain: bool) -> str:
    content = item.state.experience.content
    flags = [f for f, on in (("stale", item.state.stale), ("workaround", content.workaround)) if on]
    flag = f"  ({', '.join(flags)})" if flags else ""
    lines = [
        f"{item.state.experience.experience_id}  {content.kind}  score {item.score:.2f}{flag}",
        f"  when   {content.scenario}",
        f"  do     {content.recommend}",
    ]
    if content.avoid:
        lines.append(f"  avoid  {content.avoid}")
    cited = ", ".join(
        f"step {c.step_index} {c.tool_name or ''}".rstrip() for c in content.citations
    )
    if cited:
        lines.append(f"  cites  {cited}  (trace {item.state.experience.trace_id})")
    if explain:
        lines.append(f"  why    {'; '.join(item.why_matched)}; weight {item.state.weight:.2f}")
    return "\n".join(lines)
