"""The types of Copilot CLI's events that carry nothing to keep.

Those it marks as `ephemeral` are of the moment, and never kept. Source: the package
@github/copilot-sdk, 1.0.
"""

from __future__ import annotations

_FAMILIES = {
    "session": """auto_mode_resolved autopilot_objective_changed background_tasks_changed
        canvas.recorded canvas.removed compaction_start completion_receipt context_changed
        custom_agents_updated extensions_loaded fusion_completed fusion_resolved
        fusion_route_failed idle import_legacy info mcp_server_status_changed
        mcp_servers_loaded mode_changed mode_notice_delivered model_change
        permissions_changed plan_changed remote_steerable_changed resume schedule_cancelled
        schedule_created schedule_rearmed session_limits_changed skills_loaded start
        task_complete title_changed todos_changed tools_updated usage_checkpoint usage_info
        usage_record workspace_file_changed""",
    "assistant": """fusion_phase_completed fusion_phase_failed idle intent message_delta
        message_start reasoning_delta streaming_delta tool_call_delta turn_end turn_start
        usage""",
    "tool": "execution_partial_result execution_progress shell_output",
    "tool_search": "activated",
    "external_tool": "completed requested",
    "hook": "end progress start",
    "permission": """assentDetected carriedForward completed contextualAuthorization
        messageAuthorization messageAuthorizationDegraded messageAuthorizationRead
        requested""",
    "model": "call_final_result call_finished call_start",
    "subagent": "configured deselected selected",
    "command": "completed execute queued",
    "commands": "changed",
    "elicitation": "completed requested",
    "exit_plan_mode": "completed requested",
    "user_input": "completed requested",
    "sampling": "completed requested",
    "pending_messages": "modified",
    "auto_mode_switch": "completed requested",
}
SILENT = frozenset(
    f"{family}.{name}" for family, told in _FAMILIES.items() for name in told.split()
)
