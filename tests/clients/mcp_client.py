"""Drives pkb with the official Python client.

usage: mcp_client.py MODE stdio PKB HOME
       mcp_client.py MODE http URL

MODE is `legacy` (the initialize handshake) or `auto` (server/discover first).
The home has the two sources that tests/mcp writes, not synced yet. Prints one
line when all is well.
"""

import asyncio
import os
import re
import sys
import time

from mcp import Client, MCPError, StdioServerParameters

TIMEOUT = 120


def text(result):
    return "\n".join(block.text for block in result.content)


async def ask(client, tool, arguments=None, **options):
    # The client checks structured content against the output schema.
    result = await client.call_tool(tool, arguments, **options)
    assert not result.is_error, text(result)
    return result.structured_content


async def what_it_is(client):
    assert client.server_info.name == "pkb", client.server_info
    assert "vault" in client.instructions, client.instructions
    assert "search_knowledge" in client.instructions, client.instructions
    tools = (await client.list_tools()).tools
    for tool in tools:
        assert len(tool.description) > 50, tool
        assert tool.input_schema["type"] == "object", tool
        assert tool.output_schema["type"] == "object", tool
        hints = tool.annotations
        for hint in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint):
            assert isinstance(hint, bool), tool


async def sync_search_and_read_on(client):
    seen = []

    async def progress(done, total, message):
        seen.append(done)

    synced = await ask(client, "sync_knowledge_base", {"sources": ["vault"]}, progress_callback=progress)
    assert synced["complete"], synced
    assert seen and seen == sorted(set(seen)), seen

    found = await client.call_tool("search_knowledge", {"query": "zephyrine telescope", "explain": True})
    hit = found.structured_content["hits"][0]
    assert hit["title"] == "Star notes", hit
    assert "**Zephyrine telescope**" in hit["snippet"], hit
    assert "Star notes" in text(found), text(found)

    whole, parts, following = "", 0, {"item": "long.md"}
    while following:
        part = await ask(client, "get_document", following)
        whole += part["text"]
        parts += 1
        cursor = part.get("next_cursor")
        following = {"item": "long.md", "cursor": cursor} if cursor else None
    rows = len(re.findall(r"of the long ledger\.", whole))
    assert rows == 3000, rows
    assert parts > 1, "the long text came whole"


async def write(client):
    async def found():
        return len((await ask(client, "search_knowledge", {"query": "quokkas", "mode": "lexical"}))["hits"])

    note = {"title": "Marsupials", "text": "Quokkas smile.", "tags": ["animals"], "source": "vault"}
    items = {"items": [(await ask(client, "add_note", note))["path"]]}
    assert await found() == 1
    await ask(client, "delete_item", items)
    assert await found() == 0
    assert "Marsupials" in str(await ask(client, "list_deleted")), await ask(client, "list_deleted")
    await ask(client, "restore_item", items)
    assert await found() == 1


async def cancel(client):
    begun = asyncio.Event()

    async def progress(done, total, message):
        begun.set()

    heap = client.call_tool("sync_knowledge_base", {"sources": ["heap"]}, progress_callback=progress)
    heap = asyncio.create_task(heap)
    await asyncio.wait_for(begun.wait(), TIMEOUT)
    heap.cancel()
    try:
        await heap
    except asyncio.CancelledError:
        pass
    else:
        raise AssertionError("the sync ended before it was cancelled")
    # It is over when another one may begin.
    end = time.monotonic() + TIMEOUT
    while (again := await client.call_tool("sync_knowledge_base", {"sources": ["vault"]})).is_error:
        assert "syncing this home" in text(again), text(again)
        assert time.monotonic() < end, "the cancelled sync does not stop"
        await asyncio.sleep(0.05)
    sources = (await ask(client, "health_check"))["sources"]
    items = [source["items"] for source in sources if source["name"] == "heap"]
    assert items[0] < 6000, f"nothing was cancelled: {sources}"


async def errors(client):
    wrong = await client.call_tool("get_document", {"item": "Star note"})
    assert wrong.is_error, wrong
    assert "no item" in text(wrong) and "Star notes.md" in text(wrong), text(wrong)
    try:
        await client.call_tool("no_such_tool")
    except MCPError as error:
        assert "search_knowledge" in str(error), error
    else:
        raise AssertionError("a tool that does not exist was called")


async def main(mode, way, *where):
    strangers = []

    async def message(incoming):
        # What stands on stdout and is no message comes here as an exception.
        if isinstance(incoming, Exception):
            strangers.append(incoming)

    if way == "stdio":
        pkb, home = where
        env = {name: value for name, value in os.environ.items() if name.startswith("PKB_")}
        server = StdioServerParameters(command=pkb, args=["--home", home, "serve", "--no-watch"], env=env)
    else:
        server = where[0]
    async with Client(server, mode=mode, message_handler=message, read_timeout_seconds=TIMEOUT) as client:
        for part in (what_it_is, sync_search_and_read_on, write, cancel, errors):
            await part(client)
    assert not strangers, strangers
    print("all is well")


asyncio.run(main(*sys.argv[1:]))
