// What was said in a conversation that is not the open one: to read only.

import { call, sessionPath } from "../net/api";
import { h } from "../ui/dom";
import { fullTime, preview, visitorName } from "../ui/format";
import type { Message, Session } from "../types";
import { tr } from "../ui/texts";

const mostSaid = 50;
const longest = 600;

// saidIn is the end of a conversation, without notes.
export async function saidIn(id: string): Promise<Message[]> {
  const found = await call<{ messages: Message[] }>("GET", sessionPath(id) + "/messages?limit=" + mostSaid).catch(() => undefined);
  return (found?.messages ?? []).filter((m) => !m.internal && !m.deletedAt);
}

function author(m: Message, of: Map<string, Session>): string {
  const s = of.get(m.sessionId);
  if (m.sender === "visitor") return s ? visitorName(s) : tr("Visitor");
  return m.operatorName || (m.sender === "ai" ? tr("AI") : tr("Operator"));
}

// saidList shows messages of some conversations, by their ids.
export function saidList(all: Message[], of: Map<string, Session>): HTMLElement {
  return h("ul", { class: "plain said" }, ...all.map((m) => h("li", {}, h("b", { dir: "auto" }, author(m, of)), " ",
    h("small", { class: "hint" }, fullTime(m.timestamp)), h("span", { dir: "auto" }, preview(m).slice(0, longest)))));
}
