"""Between an agent and an MCP server: bytes passed on as they are, messages noted beside."""
