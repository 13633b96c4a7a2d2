// The lines between messages: closed, reopened, ratings, events of the page, pages.

import { h, newTab } from "../ui/dom";
import { fullTime, pagePath, webURL } from "../ui/format";
import type { Entry } from "../types";

type Data = Entry["data"];

const name = (by: unknown): string => (by ? " by " + by : "");

// Why the AI stopped, as the threads say it.
const stopped: Record<string, string> = {
  operator: "The AI stopped answering: an operator wrote",
  off: "The AI stopped answering: it was switched off here",
  asked: "The AI handed over: the visitor asks for a person",
  unsure: "The AI handed over: it does not know the answer",
  topic: "The AI handed over: it is about a topic that a person always answers",
  limit: "The AI handed over: it answered as often as it may",
  budget: "The AI handed over: today's tokens, or this address's messages, are used up",
  failed: "The AI handed over: its provider gives no answers, see Settings → AI",
};

const words: Record<string, (data: Data) => string> = {
  session_closed: () => "Conversation closed",
  session_reopened: () => "Conversation reopened",
  csat_request: () => "Asked for a rating",
  csat_submitted: ({ score, comment }) =>
    "The visitor rated this conversation " + score + " of 5" + (comment ? ": “" + comment + "”" : ""),
  custom_event: ({ name }) => "Event: " + name,
  visitor_disconnect: () => "The visitor left",
  ai_takeover: ({ active, reason }) => (active === false ? (stopped[String(reason)] ?? "The AI no longer answers") : "The AI answers"),
  session_assigned: ({ assigneeName, by }) => (assigneeName ? "Assigned to " + assigneeName : "Unassigned") + name(by),
  session_snoozed: ({ until, by }) => (until ? "Snoozed until " + fullTime(String(until)) + name(by) : "The snooze ended"),
  page_view: () => "Went to ",
};

// What is shown of an event's data: more fields on demand, never more than these, each cut.
const firstFields = 6;
const mostFields = 50;
const mostText = 500;

const cut = (text: string): string => (text.length > mostText ? text.slice(0, mostText) + "…" : text);

// facts shows an event's data, one field a line. A visitor's page makes it: hundreds of large ones must not slow the conversation.
function facts(data: unknown): HTMLElement | false {
  const fields = data && typeof data === "object" ? Object.entries(data) : [];
  const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
  const lines = (from: number, to: number): HTMLElement[] =>
    fields.slice(from, to).map(([name, value]) => h("div", {}, h("dt", {}, cut(name)), h("dd", { dir: "auto" }, cut(shown(value)))));
  if (!fields.length) return false;
  const list = h("dl", { class: "event-data" }, ...lines(0, firstFields));
  const hidden = Math.min(fields.length, mostFields) - firstFields;
  if (hidden > 0) {
    const more = h("button", { class: "link-button", onclick: () => more.replaceWith(...lines(firstFields, mostFields)) },
      `Show ${hidden} more of ${fields.length}`);
    list.append(more);
  }
  return list;
}

const link = (href: string, text: string): HTMLElement => h("a", { href, ...newTab }, text);

const page = (url: string): HTMLElement | string => (webURL(url) ? link(url, pagePath(url)) : pagePath(url));

export function entryItem({ type, at, data }: Entry): HTMLLIElement {
  return h("li", { class: "note", title: fullTime(at) },
    words[type]?.(data) ?? String(data["content"] ?? type) + " ",
    !!data["mail"] && link(data["mail"] as string, "Show"),
    type === "page_view" && page(String(data["url"] ?? "")),
    type === "custom_event" && facts(data["data"]));
}
