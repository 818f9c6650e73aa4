"""Drives candor by the Python mcp client, which checks results against output schemas."""

import asyncio
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

CALLS = [
    ("search", {"query": "how long is parental leave"}, False),
    ("search", {"query": "who sells zeppelin insurance"}, False),
    ("search", {"query": "vpn", "explain": True, "limit": 20}, False),
    ("read", {"path": "internal/policies/leave.md"}, False),
    ("read", {"path": "internal/policies/none.md"}, True),
    ("read", {}, True),
    ("outline", {}, False),
    ("links", {"path": "internal/policies/leave.md"}, False),
    ("status", {}, False),
    ("verify", {"claims": [{"claim_text": "Leave is 27 days."}]}, False),
]


async def main(binary: str) -> None:
    server = StdioServerParameters(command=binary, args=["serve", "--demo"])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        called = {name for name, _, _ in CALLS}
        assert {t.name for t in tools} == called, f"tools {[t.name for t in tools]}"
        for name, args, fails in CALLS:
            result = await session.call_tool(name, args)
            assert result.is_error == fails, f"{name} {args}: {result.content[0].text}"
            assert (result.structured_content is None) == fails, f"{name} {args}"
        notes = (await session.list_resources()).resources
        text = (await session.read_resource(notes[0].uri)).contents[0].text
        assert notes[0].name in text
        await session.get_prompt("grounded_answer", {"question": "how long is leave"})
        print(f"python: {len(tools)} tools, {len(CALLS)} calls, resources and the prompt ok")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
