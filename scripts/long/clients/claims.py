"""Asks five questions, binds claims to the calls that answered, edits a note in between,
restarts the server and has the claims judged: each must get its right quadrant, and each
marker must lead to lines of the file that say it."""

import asyncio
import os
import re
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

NOTES = {
    "hr/leave.md": "# Leave\n\n## Parental leave\n\nEach parent has 16 weeks of parental leave.\n",
    "hr/travel.md": "# Travel\n\n## Hotels\n\nA hotel may cost at most 140 EUR a night.\n",
    "it/vpn.md": "# VPN\n\n## Private phones\n\nThe VPN may not be used on private phones.\n",
    "it/backup.md": "# Backups\n\n## Schedule\n\nBackups run every night at 02:30.\n",
    "wiki/canteen.md": "# Canteen\n\n## Prices\n\nLunch in the canteen costs 7 EUR.\n",
}
QUESTIONS = [
    ("How many weeks of parental leave are there?", "hr/leave.md"),
    ("What may a hotel cost a night?", "hr/travel.md"),
    ("May the VPN be used on private phones?", "it/vpn.md"),
    ("When do the backups run?", "it/backup.md"),
    ("What does lunch in the canteen cost?", "wiki/canteen.md"),
]
# The claim that each answer gives rise to, its policy, and the quadrant it deserves.
CLAIMS = [
    ("Parental leave is 16 weeks for each parent.", None, "both_right", ""),
    ("A hotel may cost at most 160 EUR a night.", None, "fact_wrong_source_right", ""),
    ("The VPN may not be used on private phones.", None, "both_right", ""),
    ("Backups run every night at 02:30.", None, "fact_right_source_wrong", "stale"),
    ("Lunch in the canteen costs 7 EUR.", None, "fact_right_source_wrong", "low_tier"),
]


def write(root: str, path: str, text: str) -> None:
    file = os.path.join(root, path)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "w") as f:
        f.write(text)


async def main(binary: str) -> None:
    work = tempfile.mkdtemp()
    for path, text in NOTES.items():
        write(work, "notes/" + path, text)
    write(work, "candor.yaml", "vaults: [{name: notes, root: ./notes}]\n"
          "profiles: {all: {allow: ['**']}}\n"
          "trust: [{paths: ['wiki/**'], tier: T2}]\ntrust_default: T0\n")
    os.mkdir(os.path.join(work, "home"))
    server = StdioServerParameters(
        command=binary, args=["serve", "--config", os.path.join(work, "candor.yaml")],
        env={"HOME": os.path.join(work, "home"), "PATH": os.environ["PATH"]})

    claims = []
    async with stdio_client(server) as (read, write_), ClientSession(read, write_) as session:
        await session.initialize()
        for (question, path), (text, policy, _, _) in zip(QUESTIONS, CLAIMS):
            answer = (await session.call_tool("search", {"query": question})).structured_content
            cited = answer["hits"][0]["citation"]
            assert cited["path"] == path, (question, cited)
            claims.append({"claim_id": path, "claim_text": text, "origin": {"call_id": answer["stamp"]["call_id"]},
                           "span": {"block": cited["id"]}})
    write(work, "notes/it/backup.md", NOTES["it/backup.md"].replace("02:30", "04:00"))

    async with stdio_client(server) as (read, write_), ClientSession(read, write_) as session:
        await session.initialize()
        verdict = (await session.call_tool("verify", {"claims": claims})).structured_content
    for result, (text, _, quadrant, cause) in zip(verdict["results"], CLAIMS):
        print(f"{result['quadrant']:24} {result['cause']:9} {text}")
        assert (result["quadrant"], result["cause"]) == (quadrant, cause), result
        if quadrant == "both_right":
            m = re.search(r"([^\[\s]+)#L(\d+)-L(\d+)@", result["marker"])
            lines = open(os.path.join(work, "notes", m[1])).read().split("\n")[int(m[2]) - 1:int(m[3])]
            assert any(w in "\n".join(lines) for w in ("16 weeks", "private phones")), lines
        else:
            assert result["marker"] == "", result
    print("python: five questions, an edit, a restart: every claim in its quadrant")


asyncio.run(main(sys.argv[1]))
