// An assistant of the SDK for TypeScript. It uses the tools that are named on the standard input,
// with what they get, and prints what each says. Arguments: http URL KEY, or stdio COMMAND ARGUMENTS.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(process.env.PACKAGES + "/");
const load = (file) => import(pathToFileURL(resolve("@modelcontextprotocol/sdk/client/" + file)).href);
const { Client } = await load("index.js");
const { StreamableHTTPClientTransport } = await load("streamableHttp.js");
const { StdioClientTransport } = await load("stdio.js");

const [way, to, ...rest] = process.argv.slice(2);
const transport = way === "http"
  ? new StreamableHTTPClientTransport(new URL(to), { requestInit: { headers: { Authorization: "Bearer " + rest[0] } } })
  : new StdioClientTransport({ command: to, args: rest, env: { RELAY_API_KEY: process.env.RELAY_API_KEY } });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);

const uses = JSON.parse(readFileSync(0, "utf8"));
const said = {};
const { tools } = await client.listTools(); // from now on each answer is checked against its tool's schema
for (const { name, arguments: args } of uses) said[name] = await client.callTool({ name, arguments: args });
const { prompts } = await client.listPrompts();
for (const { name } of prompts) await client.getPrompt({ name });
const { resourceTemplates } = await client.listResourceTemplates();
const uri = resourceTemplates[0].uriTemplate.replace("{id}", uses.find((use) => use.arguments.conversation).arguments.conversation);
const { contents } = await client.readResource({ uri });
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), prompts: prompts.length, resource: contents[0].text, said }));
await client.close();
