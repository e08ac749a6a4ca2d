"""`hindsight mcp serve`: what an MCP agent may ask. A thin shell over api, like cli and tui."""
