"""The JSON shapes of the CLI contract, made from what api returns. Pure.

Source: docs/reference/cli.md.
"""

from __future__ import annotations

from dataclasses import asdict

TYPE_CHECKING = False  # as typing's, without loading typing on the hot path
if TYPE_CHECKING:
    from hindsight_cli.api.discovering import FoundSession
    from hindsight_cli.api.experiences import CitedStep, ExperienceDetail
    from hindsight_cli.api.failures import Failure
    from hindsight_cli.api.importing import ImportReport
    from hindsight_cli.api.overview import Overview
    from hindsight_cli.api.reflect_report import ReflectReport
    from hindsight_cli.api.searching import Found, SearchResult
    from hindsight_cli.api.traces import PlacedUnread
    from hindsight_cli.records.experience import ExperienceState
    from hindsight_cli.records.jsonvalue import JsonValue
    from hindsight_cli.traces.index import TraceRow

    Json = dict[str, JsonValue]

# What an entry about an injection says, besides when and by whom.
_HISTORY = ("injection_id", "session", "outcome", "followed", "step_index", "source", "wrong")


def experience(state: ExperienceState) -> Json:
    """An experience with its review state, content fields at the top."""
    proposal = state.experience
    return {
        "experience_id": proposal.experience_id,
        "trace_id": proposal.trace_id,
        "task": proposal.task,
        **asdict(proposal.content),
        "content_hash": proposal.content.content_hash,
        "origin": proposal.origin.value,
        "risk": list(proposal.risk),
        "source": asdict(proposal.source),
        "error_fingerprints": list(proposal.error_fingerprints),
        "environment": dict(proposal.environment),
        "unfinished": proposal.unfinished,
        "status": state.status.value,
        "trusted": state.trusted,
        "stale": state.stale,
        "stale_reason": state.stale_reason,
        "weight": state.weight,
        "shown": state.shown,
        "followed": state.followed,
        "success": state.success,
        "failure": state.failure,
        "created_at": state.created_at,
        "decided_at": state.decided_at,
        "decided_by": state.decided_by,
        "last_verified_at": state.last_verified_at,
        "reason": state.reason,
    }


def standing(state: ExperienceState) -> Json:
    """What outcomes move: what `feedback` answers for each experience it changed."""
    return {
        "experience_id": state.experience.experience_id,
        "status": state.status.value,
        "reason": state.reason,
        "weight": state.weight,
        "shown": state.shown,
        "followed": state.followed,
        "success": state.success,
        "failure": state.failure,
        "last_verified_at": state.last_verified_at,
    }


def experience_detail(detail: ExperienceDetail) -> Json:
    return {
        **experience(detail.state),
        "cited_steps": [cited_step(step) for step in detail.steps],
        "met": [
            {
                "trace_id": meeting.trace_id,
                "at": meeting.at,
                "by": meeting.by,
                "citations": [
                    {"step_index": c.step_index, "tool_name": c.tool_name}
                    for c in meeting.citations
                ],
            }
            for meeting in detail.met
        ],
        "history": [
            {
                "entry": e.entry.value,
                "at": e.at,
                "by": e.by,
                "entry_id": e.entry_id,
                **{k: e.data[k] for k in _HISTORY if k in e.data},
            }
            for e in detail.history
        ],
    }


def cited_step(step: CitedStep) -> Json:
    call = step.call
    return {
        "step_index": step.step_index,
        "tool_name": step.tool_name,
        "found": call is not None,
        "status": call.status.value if call else None,
        "exit_code": call.exit_code if call else None,
        "input": call.input if call else None,
        "output": call.output if call else None,
    }


def trace_row(row: TraceRow) -> Json:
    return asdict(row)


def unread(found: PlacedUnread) -> Json:
    return {**asdict(found.line), "after_step": found.after_step}


def import_report(report: ImportReport) -> Json:
    counts = ("found", "imported", "duplicate", "skipped", "failed")
    traces = []
    for row in report.traces:
        source = report.sessions[row.session_id]
        traces.append({**trace_row(row), "path": source.path, "format": source.format})
    return {
        "files": [asdict(file) for file in report.files],
        "traces": traces,
        **{count: report.total(count) for count in counts},
        "unknown_records": dict(report.unknown_records),
        "problems": [asdict(p) for p in report.problems],
    }


def found_file(found: FoundSession) -> Json:
    file = found.file
    return {
        "agent": file.agent,
        "path": str(file.path),
        "bytes": file.size_bytes,
        "cwd": file.cwd,
        "new": found.is_new,
        "failed": found.read.failed if found.read else 0,
        "reason": found.read.reason if found.read else "",
        "deleted": list(found.deleted),
    }


def overview(known: Overview) -> Json:
    return {
        "sessions": known.sessions,
        "tool_calls": known.tool_calls,
        "failed_tool_calls": known.failed_tool_calls,
        "recurring": [failure(f) for f in known.recurring],
    }


def reflect_report(report: ReflectReport) -> Json:
    return {
        "attributions": [asdict(a) for a in report.attributions],
        "proposed": [_proposal(e) for e in report.proposed],
        "dropped": [asdict(d) for d in report.dropped],
    }


def _proposal(proposed: JsonValue) -> Json:
    return {
        "experience_id": proposed.experience_id,
        "trace_id": proposed.trace_id,
        **asdict(proposed.content),
        "origin": proposed.origin.value,
        "risk": list(proposed.risk),
        "source": asdict(proposed.source),
        "error_fingerprints": list(proposed.error_fingerprints),
        "unfinished": proposed.unfinished,
    }


def found(item: Found) -> Json:
    content = item.state.experience.content
    return {
        "experience_id": item.state.experience.experience_id,
        "kind": content.kind.value,
        "scenario": content.scenario,
        "recommend": content.recommend,
        "avoid": content.avoid,
        "score": item.score,
        "why_matched": list(item.why_matched),
        "tool_tags": list(content.tool_tags),
        "task_tags": list(content.task_tags),
        "citations": [asdict(c) for c in content.citations],
        "weight": item.state.weight,
        "stale": item.state.stale,
        "workaround": content.workaround,
    }


def search_result(result: SearchResult) -> Json:
    return {
        "results": [found(item) for item in result.found],
        "abstained": result.abstained,
        "reason": result.reason,
        "mode": result.mode,
    }


def failure(item: Failure) -> Json:
    return {
        **asdict(item.row),
        "experience_ids": list(item.experience_ids),
        "at": [asdict(place) for place in item.at],
    }
