"""Drives `pkb serve` with the official Python client.

usage: mcp_client.py PKB HOME MODE

MODE is `legacy` (the initialize handshake) or `auto` (server/discover first).
The home has one source, `vault`, that was not synced yet or is up to date; it
holds the notes that tests/mcp writes. Prints one line when all is well.
"""

import asyncio
import os
import sys

from mcp import Client, MCPError, StdioServerParameters

TOOLS = {
    "search_knowledge",
    "get_document",
    "similar_documents",
    "get_links",
    "browse_knowledge",
    "sync_knowledge_base",
    "health_check",
}


def text(result):
    return "\n".join(block.text for block in result.content)


async def converse(client):
    assert client.server_info.name == "pkb", client.server_info
    assert "vault" in client.instructions, client.instructions
    assert "search_knowledge" in client.instructions, client.instructions

    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} >= TOOLS, tools
    for tool in tools:
        assert tool.description, tool
        assert tool.input_schema["type"] == "object", tool
        assert tool.output_schema["type"] == "object", tool
        writes = tool.name == "sync_knowledge_base"
        hints = tool.annotations
        assert hints.read_only_hint is not writes, tool
        assert hints.destructive_hint is writes, tool
        assert hints.idempotent_hint is True, tool
        assert hints.open_world_hint is False, tool

    seen = []

    async def progress(done, total, message):
        seen.append((done, total, message))

    # The client checks structured content against the output schema.
    synced = await client.call_tool("sync_knowledge_base", progress_callback=progress)
    assert not synced.is_error, text(synced)
    assert synced.structured_content["complete"], synced
    done = [step[0] for step in seen]
    assert done == sorted(set(done)), seen

    found = await client.call_tool("search_knowledge", {"query": "zephyrine telescope", "explain": True})
    assert not found.is_error, text(found)
    hit = found.structured_content["hits"][0]
    assert hit["title"] == "Star notes", hit
    assert "**Zephyrine telescope**" in hit["snippet"], hit
    assert hit["why"]["lexical_rank"] == 1, hit
    assert "Star notes" in text(found), text(found)

    lines = {"item": hit["uri"], "from_line": hit["from_line"], "to_line": hit["to_line"]}
    read = await client.call_tool("get_document", lines)
    assert not read.is_error, text(read)
    assert "zephyrine" in read.structured_content["text"].lower(), read
    assert read.structured_content["from_line"] == hit["from_line"], read

    listed = await client.call_tool("browse_knowledge", {"limit": 2})
    assert len(listed.structured_content["documents"]) == 2, listed
    assert listed.structured_content["next_offset"] == 2, listed

    health = await client.call_tool("health_check")
    assert health.structured_content["sources"][0]["name"] == "vault", health
    assert health.structured_content["components"], health

    wrong = await client.call_tool("get_document", {"item": "Star note"})
    assert wrong.is_error, wrong
    assert "no item" in text(wrong) and "Star notes.md" in text(wrong), text(wrong)
    try:
        await client.call_tool("no_such_tool")
    except MCPError as error:
        assert "search_knowledge" in str(error), error
    else:
        raise AssertionError("a tool that does not exist was called")


async def main(pkb, home, mode):
    strangers = []

    async def message(incoming):
        # What stands on stdout and is no message comes here as an exception.
        if isinstance(incoming, Exception):
            strangers.append(incoming)

    env = {name: value for name, value in os.environ.items() if name.startswith("PKB_")}
    server = StdioServerParameters(command=pkb, args=["--home", home, "serve", "--no-watch"], env=env)
    async with Client(server, mode=mode, message_handler=message, read_timeout_seconds=120) as client:
        await converse(client)
    assert not strangers, strangers
    print("all is well")


asyncio.run(main(*sys.argv[1:]))
