// Drives pkb with the official TypeScript client.
//
// usage: mcp_client.mjs SDK MODE stdio PKB HOME
//        mcp_client.mjs SDK MODE http URL
//
// SDK is `client` (the package of 2026-07-28) or `sdk` (the one before); MODE is
// `legacy` (the initialize handshake) or, for `client`, `auto` (server/discover
// first). The packages are those in PKB_TEST_NODE_MODULES. The home has the two
// sources that tests/mcp writes, not synced yet. Prints one line when all is
// well.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const [sdk, mode, way, ...where] = process.argv.slice(2);
const load = createRequire(join(process.env.PKB_TEST_NODE_MODULES, "client.cjs"));
const TIMEOUT = 120_000;

async function connect() {
  const newest = sdk === "client";
  const { Client } = load(newest ? "@modelcontextprotocol/client" : "@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = load(
    newest ? "@modelcontextprotocol/client/stdio" : "@modelcontextprotocol/sdk/client/stdio.js",
  );
  const { StreamableHTTPClientTransport } = load(
    newest ? "@modelcontextprotocol/client" : "@modelcontextprotocol/sdk/client/streamableHttp.js",
  );
  const client = new Client({ name: "tests", version: "0" }, { versionNegotiation: { mode } });
  // What stands on stdout and is no message comes here.
  const strangers = [];
  client.onerror = (error) => strangers.push(error);
  let transport;
  if (way === "stdio") {
    const [command, home] = where;
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PKB|XDG)_/.test(name)));
    transport = new StdioClientTransport({ command, args: ["--home", home, "serve", "--no-watch"], env });
  } else {
    transport = new StreamableHTTPClientTransport(new URL(where[0]));
  }
  await client.connect(transport);
  const call = (name, args = {}, options = {}) => {
    const asked = [{ name, arguments: args }, { timeout: TIMEOUT, ...options }];
    // The older package takes a schema between the two.
    return client.callTool(asked[0], ...(newest ? [] : [undefined]), asked[1]);
  };
  return { client, call, strangers, era: newest ? client.getProtocolEra() : "legacy" };
}

const text = (result) => result.content.map((block) => block.text).join("\n");

async function converse({ client, call }) {
  assert.equal(client.getServerVersion().name, "pkb");
  assert.match(client.getInstructions(), /search_knowledge/);

  // The client checks structured content against the output schemas that it
  // saw here.
  const { tools } = await client.listTools();
  for (const tool of tools) {
    assert.ok(tool.description.length > 50, tool.name);
    assert.equal(tool.inputSchema.type, "object", tool.name);
    assert.equal(tool.outputSchema.type, "object", tool.name);
    const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    assert.deepEqual(hints.map((hint) => typeof tool.annotations[hint]), hints.map(() => "boolean"), tool.name);
  }

  const ask = async (name, args, options) => {
    const result = await call(name, args, options);
    assert.ok(!result.isError, text(result));
    return result.structuredContent;
  };

  // Sync with progress.
  const steps = [];
  const synced = await ask("sync_knowledge_base", { sources: ["vault"] }, { onprogress: (step) => steps.push(step.progress) });
  assert.ok(synced.complete, JSON.stringify(synced));
  assert.ok(steps.length > 0, "there was no progress");
  assert.ok(steps.every((step, at) => at === 0 || step > steps[at - 1]), `${steps}`);

  // Search, and read on.
  const found = await ask("search_knowledge", { query: "zephyrine telescope" });
  assert.equal(found.hits[0].title, "Star notes");
  let whole = "";
  let parts = 0;
  let next = { item: "long.md" };
  while (next) {
    const part = await ask("get_document", next);
    whole += part.text;
    parts += 1;
    next = part.next_cursor ? { item: "long.md", cursor: part.next_cursor } : undefined;
  }
  assert.equal(whole.match(/^Row \d+ of the long ledger\.$/gm)?.length, 3000);
  assert.ok(parts > 1, "the long text came whole");

  // Add a note, find it, delete it, bring it back.
  const finds = async () => (await ask("search_knowledge", { query: "quokkas", mode: "lexical" })).hits.length;
  const title = `Marsupials ${sdk} ${mode} ${way}`;
  const note = await ask("add_note", { title, text: "Quokkas smile.", tags: ["animals"], source: "vault" });
  assert.equal(await finds(), 1, JSON.stringify(note));
  await ask("delete_item", { items: [note.path] });
  assert.equal(await finds(), 0);
  const deleted = await ask("list_deleted", {});
  assert.ok(JSON.stringify(deleted).includes(title), JSON.stringify(deleted));
  await ask("restore_item", { items: [note.path] });
  assert.equal(await finds(), 1);
  await ask("delete_item", { items: [note.path] });

  // Cancel what takes long. It is over when another sync may begin.
  const cancel = new AbortController();
  const begun = call("sync_knowledge_base", { sources: ["heap"] }, { signal: cancel.signal, onprogress: () => cancel.abort() });
  await assert.rejects(begun);
  for (let patience = TIMEOUT; ; patience -= 50) {
    assert.ok(patience > 0, "the cancelled sync does not stop");
    const again = await call("sync_knowledge_base", { sources: ["vault"] });
    if (!again.isError) break;
    assert.match(text(again), /syncing this home/);
    await sleep(50);
  }
  const health = await ask("health_check", {});
  const heap = health.sources.find((source) => source.name === "heap");
  assert.ok(heap.items < 6000, `nothing was cancelled: ${JSON.stringify(heap)}`);

  await assert.rejects(call("no_such_tool"), /search_knowledge/);
}

const connection = await connect();
await converse(connection);
await connection.client.close();
assert.deepEqual(connection.strangers, []);
console.log(`all is well: ${connection.era}`);
