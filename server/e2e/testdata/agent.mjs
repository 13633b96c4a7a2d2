// A visitor's agent of the SDK for TypeScript. It asks, leaves a message, waits for a person's answer,
// and prints what each tool says and how often it heard of progress. Argument: the front door's URL.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(process.env.PACKAGES + "/");
const load = (file) => import(pathToFileURL(resolve("@modelcontextprotocol/sdk/client/" + file)).href);
const { Client } = await load("index.js");
const { StreamableHTTPClientTransport } = await load("streamableHttp.js");

const client = new Client({ name: "agent", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const { tools } = await client.listTools(); // from now on each answer is checked against its tool's schema
const use = async (name, args, options) => (await client.callTool({ name, arguments: args }, undefined, options)).structuredContent;
let heard = 0;
const asked = await use("ask", { question: "Is the lamp in stock?" });
const left = await use("leave_message", { text: "Is the lamp in stock?", id: "1" });
const waited = await use("wait_for_human", { conversation: left.conversation, seconds: 100 }, { onprogress: () => heard++, timeout: 120_000 });
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), asked, left, waited, heard }));
await client.close();
