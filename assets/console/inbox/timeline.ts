// The lines between messages: closed, reopened, ratings, events of the page, pages.

import { h, newTab } from "../ui/dom";
import { fullTime, pagePath, webURL } from "../ui/format";
import type { Entry } from "../types";
import { tr } from "../ui/texts";

type Data = Entry["data"];

const name = (by: unknown): string => (by ? " " + tr("by {name}", { name: String(by) }) : "");

// Why the AI stopped, as the threads say it.
const stopped: Record<string, string> = {
  operator: tr("The AI stopped answering: an operator wrote"),
  off: tr("The AI stopped answering: it was switched off here"),
  asked: tr("The AI handed over: the visitor asks for a person"),
  unsure: tr("The AI handed over: it does not know the answer"),
  topic: tr("The AI handed over: it is about a topic that a person always answers"),
  action: tr("The AI handed over: what it is to do needs a person's yes"),
  limit: tr("The AI handed over: it answered as often as it may"),
  budget: tr("The AI handed over: today's tokens, or this address's messages, are used up"),
  failed: tr("The AI handed over: its provider gives no answers, see Settings → AI"),
};

const words: Record<string, (data: Data) => string> = {
  session_closed: () => tr("Conversation closed"),
  session_reopened: () => tr("Conversation reopened"),
  csat_request: () => tr("Asked for a rating"),
  csat_submitted: ({ score, comment }) =>
    tr("The visitor rated this conversation {score} of 5", { score: Number(score) }) + (comment ? ": “" + String(comment) + "”" : ""),
  custom_event: ({ name }) => tr("Event: {name}", { name: String(name) }),
  visitor_disconnect: () => tr("The visitor left"),
  ai_takeover: ({ active, reason }) =>
    (active === false ? (stopped[String(reason)] ?? tr("The AI no longer answers")) : tr("The AI answers")),
  session_assigned: ({ assigneeName, by }) =>
    (assigneeName ? tr("Assigned to {name}", { name: String(assigneeName) }) : tr("Unassigned")) + name(by),
  session_snoozed: ({ until, by }) =>
    (until ? tr("Snoozed until {time}", { time: fullTime(String(until)) }) + name(by) : tr("The snooze ended")),
  session_merged: ({ by, what }) => (what === "moved" ? tr("The visitor went on in another conversation of the same person")
    : what === "separated" ? tr("Separated from another conversation") : tr("Merged with another conversation")) + name(by),
  page_view: () => tr("Went to") + " ",
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
      tr("Show {hidden} more of {n}", { hidden, n: fields.length }));
    list.append(more);
  }
  return list;
}

const link = (href: string, text: string): HTMLElement => h("a", { href, ...newTab }, text);

const page = (url: string): HTMLElement | string => (webURL(url) ? link(url, pagePath(url)) : pagePath(url));

export function entryItem({ type, at, data }: Entry): HTMLLIElement {
  return h("li", { class: "note", title: fullTime(at) },
    words[type]?.(data) ?? String(data["content"] ?? type) + " ",
    !!data["mail"] && link(data["mail"] as string, tr("Show")),
    type === "page_view" && page(String(data["url"] ?? "")),
    type === "custom_event" && facts(data["data"]));
}
