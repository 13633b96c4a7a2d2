// An assistant of the SDK for TypeScript that connects by OAuth. A browser of ten lines signs in with
// the secret key and lets it in. Arguments: URL KEY.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(process.env.PACKAGES + "/");
const load = (file) => import(pathToFileURL(resolve("@modelcontextprotocol/sdk/client/" + file)).href);
const { Client } = await load("index.js");
const { StreamableHTTPClientTransport } = await load("streamableHttp.js");
const { UnauthorizedError } = await load("auth.js");

const [base, key] = process.argv.slice(2);
const form = (path, fields, headers) => fetch(base + path, { method: "POST", redirect: "manual", headers, body: new URLSearchParams(fields) });
const leads = (answer) => answer.headers.get("refresh").split("url=")[1];
const unescape = (text) => text.replaceAll("&amp;", "&").replaceAll("&#43;", "+");
const field = (page, name) => unescape(new RegExp(`name="${name}" value="([^"]*)"`).exec(page)[1]);

async function browse(question) {
  const signedIn = await form("/console/login", { name: "Ada", key });
  const headers = { Cookie: signedIn.headers.get("set-cookie").split(";")[0] };
  const asked = await fetch(new URL(leads(await fetch(question)), base), { headers });
  const page = await asked.text();
  const fields = [["request", field(page, "request")], ["consent", field(page, "consent")], ["answer", "allow"], ["scope", "read"], ["scope", "note"]];
  return new URL(leads(await form("/console/connect", fields, headers))).searchParams.get("code");
}

const kept = {};
let question;
const provider = {
  redirectUrl: "http://127.0.0.1:7777/callback",
  clientMetadata: { client_name: "TypeScript", redirect_uris: ["http://127.0.0.1:7777/callback"], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  redirectToAuthorization: (url) => { question = url; },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
};

async function connect() {
  const transport = new StreamableHTTPClientTransport(new URL(base + "/mcp"), { authProvider: provider });
  const client = new Client({ name: "test", version: "1" });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  await transport.finishAuth(await browse(question));
  return connect();
}

const client = await connect();
const { tools } = await client.listTools();
const first = kept.tokens;
kept.tokens = { ...first, access_token: "roa_over" }; // it is refused, and renewed with the refresh token
const { content } = await client.callTool({ name: "list_people", arguments: {} });
console.log(JSON.stringify({ tools: tools.length, said: content[0].text, renewed: kept.tokens.refresh_token !== first.refresh_token, scope: kept.tokens.scope }));
await client.close();
