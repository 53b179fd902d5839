// Makes the bundle and the registry's entry; see README.md.
//
//   node make.mjs --pkb BINARY --modules NODE_MODULES --out FOLDER [--model FOLDER]

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const EXAMPLE_NAME = "com.example/pkb";
const EXAMPLE_URL = "https://example.com/releases";
// What is said of a tool in a list of tools is its first paragraph.
const PARAGRAPH = /\n\s*\n/;

const { values: options } = parseArgs({
  options: {
    pkb: { type: "string" },
    modules: { type: "string" },
    out: { type: "string" },
    model: { type: "string" },
  },
});
for (const name of ["pkb", "modules", "out"]) {
  if (!options[name]) fail(`--${name} is missing`);
}
const require = createRequire(join(resolve(options.modules), "pkb.cjs"));
const mcpb = join(resolve(options.modules), "@anthropic-ai", "mcpb", "dist", "cli", "cli.js");
const binary = `pkb${process.platform === "win32" ? ".exe" : ""}`;
const platform = `${process.platform}-${process.arch}`;

const said = await ask(resolve(options.pkb));
const stage = join(options.out, "stage");
const bundle = join(options.out, `pkb-${said.version}-${platform}.mcpb`);
rmSync(stage, { recursive: true, force: true });
rmSync(bundle, { force: true });
validate(registryEntry("0".repeat(64)));
mkdirSync(join(stage, "server"), { recursive: true });
copyFileSync(options.pkb, join(stage, "server", binary));
chmodSync(join(stage, "server", binary), 0o755);
copyFileSync(join(here, "..", "..", "..", "LICENSE"), join(stage, "LICENSE"));
if (options.model) {
  const filter = (file) => file === options.model || !basename(file).startsWith(".");
  const into = join(stage, "models", basename(options.model));
  cpSync(options.model, into, { recursive: true, dereference: true, filter });
}
writeJson(join(stage, "manifest.json"), manifest());
run(mcpb, "validate", join(stage, "manifest.json"));
run(mcpb, "pack", stage, bundle);
rmSync(stage, { recursive: true });

const entry = registryEntry(createHash("sha256").update(readFileSync(bundle)).digest("hex"));
validate(entry);
writeJson(join(options.out, "server.json"), entry);
console.log(`${bundle}\n${join(options.out, "server.json")}`);
if (entry.name === EXAMPLE_NAME || entry.packages[0].identifier.startsWith(EXAMPLE_URL)) {
  console.error("note: server.json has an example's name or address; set PKB_SERVER_NAME and PKB_BUNDLE_URL to publish it");
}

// The manifest, with what the program says of itself.
function manifest() {
  const made = JSON.parse(readFileSync(join(here, "manifest.json"), "utf8"));
  const server = made.server;
  server.entry_point = `server/${binary}`;
  server.mcp_config.command = `\${__dirname}/server/${binary}`;
  if (options.model) server.mcp_config.env.PKB_MODELS = "${__dirname}/models";
  return {
    ...made,
    version: said.version,
    tools: said.tools.map(({ name, description }) => ({ name, description: description.split(PARAGRAPH)[0].trim() })),
    prompts: said.prompts,
    compatibility: { platforms: [process.platform] },
  };
}

function registryEntry(fileSha256) {
  const made = JSON.parse(readFileSync(join(here, "server.json"), "utf8"));
  const base = (process.env.PKB_BUNDLE_URL ?? EXAMPLE_URL).replace(/\/+$/, "");
  made.name = process.env.PKB_SERVER_NAME ?? EXAMPLE_NAME;
  made.version = said.version;
  Object.assign(made.packages[0], {
    identifier: `${base}/${basename(bundle)}`,
    version: said.version,
    fileSha256,
  });
  return made;
}

function validate(entry) {
  const Ajv = require("ajv").default ?? require("ajv");
  const formats = require("ajv-formats").default ?? require("ajv-formats");
  const schema = JSON.parse(readFileSync(join(here, "schema", "server.schema.json"), "utf8"));
  if (schema.$id !== entry.$schema) fail(`server.json names ${entry.$schema}, and the copy here is ${schema.$id}`);
  // The schema gives examples, which is a word of OpenAPI's.
  const ajv = new Ajv({ allErrors: true, strict: false });
  formats(ajv);
  const check = ajv.compile(schema);
  if (!check(entry)) fail(`server.json does not fit its schema: ${ajv.errorsText(check.errors)}`);
}

// Version, tools and prompts, as the program gives them to clients.
async function ask(pkb) {
  const home = mkdtempSync(join(tmpdir(), "pkb-bundle-"));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PKB_")));
  const server = spawn(pkb, ["serve", "--no-watch"], {
    env: { ...env, PKB_HOME: join(home, "home"), PKB_MODELS: join(home, "models"), PKB_TELEMETRY: "off" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map();
  const ended = new Promise((end) => server.on("close", end));
  server.on("error", (error) => fail(`${pkb} cannot be started: ${error.message}`));
  createInterface({ input: server.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
  });
  ended.then((code) => waiting.forEach((answer) => answer({ error: { message: `pkb ended with ${code}` } })));
  let id = 0;
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params = {}) =>
    new Promise((answer, refuse) => {
      id += 1;
      waiting.set(id, ({ result, error }) => (error ? refuse(new Error(`${method}: ${error.message}`)) : answer(result)));
      send({ id, method, params });
    });
  const all = async (method, key) => {
    const items = [];
    let cursor;
    do {
      const page = await request(method, cursor ? { cursor } : {});
      items.push(...page[key]);
      cursor = page.nextCursor;
    } while (cursor);
    return items;
  };
  try {
    const clientInfo = { name: "pkb-bundle", version: "1" };
    const { serverInfo } = await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    send({ method: "notifications/initialized" });
    const tools = await all("tools/list", "tools");
    const prompts = [];
    for (const prompt of await all("prompts/list", "prompts")) prompts.push(await template(prompt, request));
    return { version: serverInfo.version, tools, prompts };
  } catch (error) {
    fail(error.message);
  } finally {
    server.stdin.end();
    await ended;
    rmSync(home, { recursive: true, force: true });
  }
}

// A prompt as a text in which what it must be given is left open.
async function template({ name, description, arguments: takes = [] }, request) {
  const needed = takes.filter((argument) => argument.required).map((argument) => argument.name);
  const open = Object.fromEntries(needed.map((argument) => [argument, `\${arguments.${argument}}`]));
  const { messages } = await request("prompts/get", { name, arguments: open });
  const text = messages.map(({ content }) => content.text).join("\n\n");
  for (const argument of needed) {
    if (!text.includes(open[argument])) fail(`the prompt ${name} leaves no place for ${argument}`);
  }
  return { name, description, arguments: needed, text };
}

function run(...command) {
  const done = spawnSync(process.execPath, command, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  if (done.status !== 0) fail(`${command.join(" ")}: ${done.stdout}${done.stderr}`);
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function fail(what) {
  console.error(`error: ${what}`);
  process.exit(1);
}
