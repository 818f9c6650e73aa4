"""Drives candor over HTTP by the Python mcp client, with two tokens at one time."""

import asyncio
import sys

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from session import CALLS


async def session(url: str, token: str, work):
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        streamable_http_client(url, http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as client,
    ):
        await client.initialize()
        return await work(client)


async def everything(client: ClientSession) -> None:
    tools = (await client.list_tools()).tools
    assert {t.name for t in tools} == {name for name, _, _ in CALLS}, f"tools {[t.name for t in tools]}"
    for name, args, fails in CALLS:
        result = await client.call_tool(name, args)
        assert result.is_error == fails, f"{name} {args}: {result.content[0].text}"
    notes = (await client.list_resources()).resources
    assert notes[0].name in (await client.read_resource(notes[0].uri)).contents[0].text
    print(f"python over HTTP: {len(CALLS)} calls and resources ok")


def interleaved(profile: str, calls: int):
    async def work(client: ClientSession) -> None:
        for n in range(calls):
            if n % 2 == 0:
                got = (await client.call_tool("status", {})).structured_content["profile"]
                assert got == profile, f"{profile} is answered as {got}"
                continue
            result = await client.call_tool("search", {"query": "how long is parental leave"})
            said = str(result.structured_content) + result.content[0].text
            assert (profile == "staff") == ("internal/policies/leave.md" in said), f"{profile}: {said[:300]}"

    return work


async def main(url: str, staff: str, guest: str, calls: int) -> None:
    await session(url, staff, everything)
    await asyncio.gather(
        session(url, staff, interleaved("staff", calls // 2)),
        session(url, guest, interleaved("guest", calls // 2)),
    )
    print(f"python over HTTP: {calls} interleaved calls with two tokens, each answered for its own profile")


asyncio.run(main(*sys.argv[1:4], int(sys.argv[4])))
