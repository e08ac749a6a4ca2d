"""What kind of work a tool does, judged by the names agents give their tools."""

from __future__ import annotations

from hindsight_cli.records.event import ToolKind
from hindsight_cli.records.jsonvalue import JsonValue

_NAMES: dict[ToolKind, str] = {
    ToolKind.SHELL: """bash bashoutput killbash killshell shell run_shell_command shell_command
        bash_command exec exec_command execute_command execute_bash run_command run_terminal_cmd
        run_in_terminal terminal local_shell powershell cmd cmd_run run ipython
        execute_ipython_cell execute_script write_stdin unified_exec developer__shell
        read_bash write_bash stop_bash list_bash read_powershell write_powershell
        stop_powershell list_powershell""",
    ToolKind.READ: """read read_file readfile read_many_files view view_file view_image open
        open_file cat notebookread list_dir list_directory list_files ls goto scroll_up
        scroll_down get_file_contents readmcpresource readmcpresourcetool""",
    ToolKind.EDIT: """edit edit_file multiedit str_replace str_replace_editor replace insert patch
        str_replace_based_edit_tool replace_in_file search_replace apply_patch apply_diff
        notebookedit edit_notebook edit_notebook_file file_edit file_editor text_editor
        developer__text_editor""",
    ToolKind.WRITE: """write write_file write_to_file create create_file new_file writefile
        file_write save_file""",
    ToolKind.SEARCH: """grep glob grep_search file_search codebase_search search_file_content
        search_files search_dir search_file find_file search_code semantic_search rg find
        toolsearch tool_search lsp""",
    ToolKind.WEB: """webfetch web_fetch websearch web_search google_web_search fetch
        fetch_webpage browser browse browse_interactive browser_action read_url_content
        web_search_call""",
    ToolKind.SUBAGENT: """task agent spawn_agent delegate subagent runsubagent dispatch_agent
        new_task taskoutput agentoutputtool wait_agent send_input close_agent sendmessage
        invoke_agent delegate_to_agent read_agent write_agent list_agents sessions_spawn
        sessions_send subagents""",
    ToolKind.PLAN: """todowrite todoread taskcreate taskupdate tasklist taskget update_plan
        todo_write write_todos manage_todo_list task_tracker think exitplanmode enterplanmode
        exit_plan_mode enter_plan_mode plan update_todo_list sequentialthinking""",
    ToolKind.ASK: """askuserquestion ask_user ask_user_question ask_followup_question
        request_user_input question ask_human""",
}
_KIND_BY_NAME = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_KIND_BY_EDITOR_COMMAND = {"view": ToolKind.READ, "create": ToolKind.WRITE}
_MCP_PREFIX = "mcp__"
_MCP_SPELLINGS = ((_MCP_PREFIX, "__"), ("mcp_", "_"))


def split_server(tool_name: str) -> tuple[str | None, str]:
    """The MCP server and the tool's name there, of `mcp__server__tool` and `mcp_server_tool`.

    `(None, name)` for every other name. With single underscores, the first ends the server.
    """
    for prefix, separator in _MCP_SPELLINGS:
        if tool_name.startswith(prefix):
            server, _, tool = tool_name[len(prefix) :].partition(separator)
            return (server, tool) if server and tool else (None, tool_name)
    return None, tool_name


def tool_kind(tool_name: str, arguments: JsonValue = None) -> ToolKind:
    """The kind of a call; OTHER for a name no agent is known to use for a general tool.

    A whole name decides, never a part of it: `search_direct_flight` of a business
    API says nothing about files. Editors that do several things are judged by
    their `command` argument.
    """
    if tool_name.startswith(_MCP_PREFIX) or split_server(tool_name)[0]:
        return ToolKind.MCP
    kind = _KIND_BY_NAME.get(tool_name.lower(), ToolKind.OTHER)
    if kind is ToolKind.EDIT and isinstance(arguments, dict):
        return _KIND_BY_EDITOR_COMMAND.get(str(arguments.get("command")), kind)
    return kind
