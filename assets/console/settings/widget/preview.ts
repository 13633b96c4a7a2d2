// The preview of the widget: the real one, with an API that answers in the page. The console gives it the
// settings that are being edited, and it follows them without a reload.

import { dress } from "../../../widget/loader/dress";

type Config = Record<string, unknown>;

let config: Config = {};
let send: (text: string) => void = () => undefined;
const real = fetch;
const json = (body: unknown): Response => Response.json(body);
const now = (): string => new Date().toISOString();

// stream is an event stream that stays open.
function stream(): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(out) {
      send = (text) => out.enqueue(encoder.encode(text));
      send("event: connected\ndata: " + JSON.stringify({ type: "connected", sessionId: "preview", lastEventId: "0", operatorOnline: true,
        status: "open" }) + "\n\n");
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

const answers: Record<string, (body: Config) => Response> = {
  init: () => json({ sessionId: "preview", sessionToken: "preview", operatorOnline: true, messages: [], timeline: [], lastEventId: "0",
    config, session: { status: "open", identity: null, csat: {}, aiActive: false } }),
  stream,
  messages: (body) =>
    json({ id: now(), sessionId: "preview", content: body["content"], clientId: body["clientId"], sender: "visitor", timestamp: now(),
      attachments: [] }),
};

window.fetch = async (input, init) => {
  const [, name] = /\/api\/widget\/(\w+)/.exec(String(input)) ?? [];
  if (!name) return real(input, init);
  const body = typeof init?.body === "string" ? (JSON.parse(init.body) as Config) : {};
  return (answers[name] ?? (() => json({ ok: true })))(body);
};

// begin starts the widget open, but without the focus, as a chat that was open on the page before.
function begin(): void {
  localStorage.removeItem("relay:preview:session");
  sessionStorage.setItem("relay:preview:open", "true");
  const script = document.createElement("script");
  script.src = "/widget.js";
  script.dataset["apiKey"] = "preview";
  script.onload = button;
  document.head.append(script);
}

// button gives the launcher what the page would give it before the widget starts.
function button(): void {
  const element = document.querySelector("relay-chat");
  if (!element) return;
  const own = { label: String(config["launcherLabel"] ?? ""), picture: String(config["launcherPicture"] ?? "") };
  dress(element, own, location.href);
  element.shadowRoot!.querySelector<HTMLElement>(".launcher")!.style.display = config["launcherHidden"] ? "none" : "";
}

addEventListener("message", (e: MessageEvent<Config>) => {
  if (e.origin !== location.origin || e.source !== parent) return;
  const first = !Object.keys(config).length;
  config = e.data;
  document.documentElement.style.colorScheme = "light";
  if (first) return begin();
  button();
  send("event: config\ndata: " + JSON.stringify({ type: "config", sessionId: "preview", config }) + "\n\n");
});
parent.postMessage("ready", location.origin);
