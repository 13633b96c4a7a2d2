// The lines between messages: closed, reopened, ratings, events of the page, pages.

import { h, newTab } from "./dom";
import { fullTime, pagePath, webURL } from "./format";
import type { Entry } from "./types";

type Data = Entry["data"];

const name = (by: unknown): string => (by ? " by " + by : "");

const words: Record<string, (data: Data) => string> = {
  session_closed: () => "Conversation closed",
  session_reopened: () => "Conversation reopened",
  csat_request: () => "Asked for a rating",
  csat_submitted: ({ score, comment }) => "The visitor rated this conversation " + score + " of 5" + (comment ? ": “" + comment + "”" : ""),
  custom_event: ({ name }) => "Event: " + name,
  visitor_disconnect: () => "The visitor left the site",
  ai_takeover: ({ active }) => (active === false ? "The AI no longer answers" : "The AI answers"),
  session_assigned: ({ assigneeName, by }) => (assigneeName ? "Assigned to " + assigneeName : "Unassigned") + name(by),
  session_snoozed: ({ until, by }) => (until ? "Snoozed until " + fullTime(String(until)) + name(by) : "The snooze ended"),
  page_view: () => "Went to ",
};

// facts shows an event's data, one field a line.
function facts(data: unknown): HTMLElement | false {
  const fields = data && typeof data === "object" ? Object.entries(data) : [];
  const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
  return !!fields.length && h("dl", { class: "event-data" }, ...fields.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, shown(value)))));
}

function page(url: string): HTMLElement {
  return webURL(url) ? h("a", { href: url, ...newTab }, pagePath(url)) : h("span", {}, pagePath(url));
}

export function entryItem({ type, at, data }: Entry): HTMLLIElement {
  return h("li", { class: "note", title: fullTime(at) },
    words[type]?.(data) ?? type,
    type === "page_view" && page(String(data["url"] ?? "")),
    type === "custom_event" && facts(data["data"]));
}
