"""Two wrapped servers, one question, two answers, and claims made from them."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

candor = sys.argv[1]
work = tempfile.mkdtemp()
home = os.path.join(work, "home")
vault = os.path.join(work, "vault")
shop = os.path.join(work, "shop")
for folder in (home, vault, shop):
    os.mkdir(folder)
with open(os.path.join(vault, "note.md"), "w") as f:
    f.write("# Note\n\nNothing about prices.\n")
with open(os.path.join(shop, "prices.txt"), "w") as f:
    f.write("The basic plan costs 29 EUR a month.\n")
memory = os.path.join(work, "memory.jsonl")
with open(memory, "w") as f:
    f.write(json.dumps({"type": "entity", "name": "basic plan", "entityType": "product",
                        "observations": ["The basic plan costs 31 EUR a month."]}) + "\n")
env = {"PATH": os.environ["PATH"], "HOME": home, "MEMORY_FILE_PATH": memory}


async def ask(name, tier, command, tool, arguments):
    wrapped = StdioServerParameters(command=candor, env=env, args=[
        "wrap", "--vault", vault, "--name", name, "--tier", tier, "--tool", tool, "--", *command])
    async with stdio_client(wrapped) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = [t.name for t in (await session.list_tools()).tools]
        assert tools == [tool], tools
        result = await session.call_tool(tool, arguments)
        assert not getattr(result, "is_error", getattr(result, "isError", False)), result
        text = result.content[0].text
        assert text.startswith("[candor call "), text
        meta = result.model_dump(by_alias=True)["_meta"]
        print(name, "says:", text.splitlines()[1][:90])
        return meta["candor/stamp"]["call_id"]


def claim(id, text, call, policy=None):
    out = {"claim_id": id, "claim_text": text, "origin": {"call_id": call}}
    if policy:
        out["render"] = {"policy": policy}
    return out


async def main():
    files = await ask("files", "T1", ["mcp-server-filesystem", shop], "read_text_file",
                      {"path": os.path.join(shop, "prices.txt")})
    notes = await ask("memory", "T2", ["mcp-server-memory"], "search_nodes", {"query": "basic plan"})
    claims = [
        claim("right", "The basic plan costs 29 EUR a month.", files),
        claim("wrong fact", "The basic plan costs 31 EUR a month.", files),
        claim("low tier", "The basic plan costs 31 EUR a month.", notes),
        claim("attributed", "The basic plan costs 31 EUR a month.", notes, "attributed"),
        claim("no call", "The basic plan costs 29 EUR a month.", "7:" + "0" * 32),
    ]
    path = os.path.join(work, "claims.json")
    with open(path, "w") as f:
        json.dump(claims, f)
    done = subprocess.run([candor, "verify", "--vault", vault, "--json", path], env=env, capture_output=True, text=True)
    assert done.returncode == 1, (done.returncode, done.stderr)
    results = {r["claim_id"]: r for r in json.loads(done.stdout)["results"]}
    for id, r in results.items():
        print(f"{id:12} {r['quadrant']:24} {r['cause'] or '-':12} {r['reason']}")
    assert results["right"]["quadrant"] == "both_right"
    assert results["wrong fact"]["quadrant"] in ("fact_wrong_source_right", "unknown")
    assert results["low tier"]["cause"] == "low_tier"
    assert results["attributed"]["quadrant"] == "both_right"
    assert results["no call"]["cause"] == "invalid"
    print("two servers, one journal: ok")


asyncio.run(main())
