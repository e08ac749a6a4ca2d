"""A server made with the official SDK: speaks both protocol eras."""

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

app = MCPServer("official", instructions="Ask for sums.")


@app.tool()
def add(a: int, b: int) -> int:
    return a + b


@app.tool()
def picture() -> Image:
    return Image(data=b"\x89PNG\r\n\x1a\n" + bytes(40), format="png")


@app.tool()
def refuse(why: str) -> str:
    raise ToolError(why)


@app.tool()
async def count(to: int, ctx: Context) -> str:
    for number in range(to):
        await ctx.report_progress(number, to)
    return "counted"


@app.resource("note://today")
def note() -> str:
    return "buy milk"


if __name__ == "__main__":
    import sys

    if len(sys.argv) > 1:
        app.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        app.run("stdio")
