// The list of sessions: rows, filter, search.

import { avatar } from "./avatar";
import { byId, h, on, setText, syncChildren } from "./dom";
import { agoTime, pagePath, preview, visitorName } from "./format";
import { loadList, loadMore, show } from "./load";
import { changed, state } from "./store";
import type { State, View } from "./store";
import type { Session } from "./types";

interface Row {
  item: HTMLLIElement;
  link: HTMLAnchorElement;
  shows: unknown[];
}

const searchPause = 250;
const rows = new Map<string, Row>();

function lastLine({ lastMessage: m }: Session, typing: boolean): HTMLElement {
  if (typing) return h("span", { class: "row-last typing" }, "is typing…");
  const from = m?.sender === "operator" ? (m.operatorName ?? "Operator") + ": " : m?.sender === "ai" ? "AI: " : "";
  return h("span", { class: "row-last", dir: "auto" }, from, m && preview(m));
}

function rowContent(s: Session, typing: boolean): Node[] {
  const top = h("span", { class: "row-top" },
    h("b", { dir: "auto" }, visitorName(s)),
    h("span", { class: "row-page" }, pagePath(s.metadata["url"])),
    agoTime(s.lastActivity));
  const marks = h("span", { class: "row-marks" },
    s.blocked && h("span", { class: "tag bad" }, "Blocked"),
    s.status === "closed" && h("span", { class: "tag" }, "Closed"),
    s.unread > 0 && h("span", { class: "badge" }, String(s.unread), h("span", { class: "sr" }, " unread")));
  return [avatar(s), top, h("span", { class: "row-bottom" }, lastLine(s, typing), marks)];
}

function makeRow(id: string): Row {
  const link = h("a", { class: "row", href: "#/sessions/" + id });
  const row = { item: h("li", {}, link), link, shows: [] };
  rows.set(id, row);
  return row;
}

// drawRow keeps the row's link, so that focus stays while its content changes.
function drawRow(now: State, id: string): HTMLLIElement {
  const session = now.sessions[id] as Session;
  const selected = now.selected === id;
  const shows = [session, now.typing[id] === "", selected];
  const row = rows.get(id) ?? makeRow(id);
  if (shows.every((value, i) => value === row.shows[i])) return row.item;
  row.shows = shows;
  row.link.replaceChildren(...rowContent(session, now.typing[id] === ""));
  row.link.classList.toggle("unread", session.unread > 0);
  row.link.setAttribute("aria-current", String(selected));
  return row.item;
}

function noteText({ listPhase, order, query, filter }: State): string {
  if (listPhase === "failed") return "The list could not be loaded.";
  if (listPhase === "loading") return "Loading…";
  if (order.length) return "";
  return query ? "Nothing matches “" + query + "”." : "No " + filter + " conversations.";
}

export const listView: View = (now, before) => {
  if (changed(now, before, "sessions", "order", "typing", "selected")) syncChildren(byId("rows"), now.order.map((id) => drawRow(now, id)));
  setText("list-note", noteText(now));
  byId("list-retry").hidden = now.listPhase !== "failed";
  for (const button of byId("filter").children) {
    button.setAttribute("aria-pressed", String((button as HTMLElement).dataset["filter"] === now.filter));
  }
};

export function wireList(): void {
  const search = byId<HTMLInputElement>("search");
  const scroll = byId("list-scroll");
  let timer = 0;
  const find = (pause: number) => () => {
    clearTimeout(timer);
    timer = setTimeout(() => show(state.filter, search.value.trim()), pause);
  };
  on("search", "input", find(searchPause));
  // Enter, and Escape, which clears the field without an "input"; WebKit then says only "change".
  for (const event of ["search", "change"]) on("search", event, find(0));
  on("filter", "click", (e) => {
    const filter = (e.target as HTMLElement).dataset["filter"];
    if (filter !== undefined) show(filter, search.value.trim());
  });
  on("list-retry", "click", () => loadList());
  on("list-scroll", "scroll", () => {
    if (scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 300) loadMore();
  });
}
