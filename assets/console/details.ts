// The open session's visitor: all known facts, and the rarer actions.

import { avatar } from "./avatar";
import { byId, h, newTab } from "./dom";
import { codeName, fullTime, pagePath, visitorName, webURL } from "./format";
import { current } from "./store";
import type { View } from "./store";
import type { Session } from "./types";

type Fact = [name: string, value: Node | string | undefined];

function facts(title: string, list: Fact[]): HTMLElement | string {
  const known = list.filter(([, value]) => value);
  if (!known.length) return "";
  const rows = known.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, value)));
  return h("section", {}, h("h3", {}, title), h("dl", {}, ...rows));
}

function link(url: string | undefined): Node | string | undefined {
  const href = webURL(url);
  return href ? h("a", { href, title: href, ...newTab }, pagePath(href)) : url;
}

// label turns a field's name, such as orderNumber, into words.
function label(field: string): string {
  const words = field.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ");
  return field === "id" ? "ID" : words.charAt(0).toUpperCase() + words.slice(1);
}

function fields(of: Record<string, unknown> = {}): Fact[] {
  const text = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
  return Object.entries(of).map(([name, value]) => [label(name), text(value)]);
}

function person(s: Session): HTMLElement {
  const [mark, tone] = !s.identity ? ["Anonymous", ""] : s.verified ? ["Verified", "good"] : ["Not verified", "warn"];
  return h("div", { class: "person" }, avatar(s), h("h2", { dir: "auto" }, visitorName(s)), h("span", { class: "tag " + tone }, mark));
}

function rating({ csat }: Session): HTMLElement | string {
  const score = csat?.score;
  if (!score) return facts("Satisfaction", [["Asked", csat?.askedAt && fullTime(csat.askedAt)]]);
  const stars = h("span", { class: "stars", role: "img", "aria-label": score + " of 5" }, "★".repeat(score) + "☆".repeat(5 - score));
  return facts("Satisfaction", [["Score", stars], ["Comment", csat.comment], ["Answered", csat.respondedAt && fullTime(csat.respondedAt)]]);
}

function visit({ metadata: m, createdAt }: Session): HTMLElement | string {
  return facts("Visit", [
    ["Page", link(m["url"])],
    ["Came from", link(m["referrer"])],
    ["Country", codeName("region", m["country"])],
    ["Language", codeName("language", m["language"])],
    ["Browser", m["browser"]],
    ["Device", m["deviceType"] && label(m["deviceType"])],
    ["Began", fullTime(createdAt)],
  ]);
}

export const detailsView: View = (now, before) => {
  const s = current(now);
  if (s === current(before)) return;
  byId("facts").replaceChildren();
  if (!s) return;
  const { name: _, ...identity } = s.identity ?? {};
  byId("facts").append(person(s), facts("Identity", fields(identity)), facts("Asked before the chat", fields(s.preChat)), visit(s), rating(s));
};
