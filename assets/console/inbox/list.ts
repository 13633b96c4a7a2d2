// The list of sessions: rows, tabs with counts, filters. Only the rows near those that are seen are in the page.

import { avatar, face } from "../ui/avatar";
import { byId, h, icon, on, setAttribute, setText, syncChildren } from "../ui/dom";
import { ago, agoTime, fullTime, mostCounted, pagePath, preview, visitorName } from "../ui/format";
import { loadList, loadMore, show } from "../net/load";
import { myId } from "../state/me";
import { snoozeTime } from "./organise";
import { sourceMark } from "./source";
import { siteMark, siteName } from "../state/sites";
import { attempt, changed, set, state } from "../state/store";
import type { State, View } from "../state/store";
import type { Session } from "../types";
import { tr } from "../ui/texts";

interface Row {
  item: HTMLLIElement;
  link: HTMLAnchorElement;
  pick: HTMLInputElement;
  // What its content was drawn from.
  session?: Session;
  typing?: string | undefined;
  viewers?: readonly string[] | undefined;
  unsent?: string;
  site?: string;
}

// rowHeight is that of list.css; beyond is how many rows are kept on either side of what is seen.
const rowHeight = 64;
const beyond = 4;
const searchPause = 250;
const rows = new Map<string, Row>();

// few is how many conversations a search shows above the messages, until all are asked for.
const few = 4;

// listed are the conversations in the list.
export const listed = ({ order, query, allFound }: State): readonly string[] => (query && !allFound ? order.slice(0, few) : order);

// colleague is a small face, with what it stands for.
const colleague = (name: string, sort: string, what: string): HTMLElement =>
  h("span", { class: sort, title: what }, face(name, name, "tiny"), h("span", { class: "sr" }, what));

// lastLine has the last message, unless somebody is writing: "" is the visitor.
function lastLine({ lastMessage: m }: Session, typing: string | undefined): HTMLElement {
  if (typing !== undefined) return h("span", { class: "row-last typing" }, typing ? tr("{name} is writing…", { name: typing })
    : tr("is typing…"));
  const from = m?.sender === "operator" ? (m.operatorName ?? tr("Operator")) + ": " : m?.sender === "ai" ? tr("AI") + ": " : "";
  return h("span", { class: "row-last", dir: "auto" }, from, m && preview(m));
}

// waits says for how long the visitor has been waiting for an answer.
function waits(at: string): HTMLElement {
  const time = h("time", { datetime: at, "data-ago": true }, ago(at));
  return h("span", { class: "waits", title: tr("Waiting since {time}", { time: fullTime(at) }) }, icon("wait"),
    h("span", { class: "sr" }, tr("waiting") + " "), time);
}

// unsentIn says what in a conversation did not reach relay: a draft, or what waits in the outbox.
function unsentIn({ outbox, drafts, selected }: State, id: string): string {
  const waiting = outbox.filter((p) => p.sessionId === id);
  if (waiting.some((p) => p.refused)) return tr("Not sent");
  if (waiting.some((p) => p.tried)) return tr("Waiting to be sent");
  return drafts[id] && id !== selected ? tr("Draft") : "";
}

function rowContent(s: Session, { typing, viewers = [], unsent }: Row): Node[] {
  const top = h("span", { class: "row-top" },
    h("b", { dir: "auto" }, visitorName(s)),
    h("span", { class: "row-page" }, !state.site && siteMark(s.site), pagePath(s.metadata["url"])),
    s.waitingSince && !s.snoozedUntil ? waits(s.waitingSince) : agoTime(s.lastActivity));
  const marks = h("span", { class: "row-marks" },
    ...viewers.slice(0, 2).map((name) => colleague(name, "viewer", tr("{name} is looking at this", { name }))),
    unsent && h("span", { class: unsent === tr("Draft") ? "tag" : "tag warn" }, unsent),
    s.snoozedUntil && h("span", { class: "tag" }, tr("Until {time}", { time: snoozeTime(s.snoozedUntil) })),
    s.blocked && h("span", { class: "tag bad" }, tr("Blocked")),
    s.status === "closed" && h("span", { class: "tag" }, tr("Closed")),
    ...s.tags.slice(0, 2).map((tag) => h("span", { class: "tag label" }, tag)),
    !!s.assignee && colleague(s.assignee.name, "assignee", tr("Assigned to {name}", { name: s.assignee.name })),
    s.unread > 0 && h("span", { class: "badge" }, String(s.unread), h("span", { class: "sr" }, " " + tr("unread"))));
  return [avatar(s), top, h("span", { class: "row-bottom" }, sourceMark(s), lastLine(s, typing), marks)];
}

function makeRow(id: string): Row {
  const link = h("a", { class: "row", href: "#/sessions/" + id });
  const pick = h("input", { class: "pick", type: "checkbox", tabindex: "-1" }); // the key x is for keyboards
  const row: Row = { item: h("li", {}, link, pick), link, pick };
  rows.set(id, row);
  return row;
}

// drawRow keeps the row's link, so that focus stays while its content changes.
function drawRow(now: State, id: string, place: number): HTMLLIElement {
  const session = now.sessions.get(id) as Session;
  const typing = now.typing[id];
  const viewers = now.viewers[id];
  const row = rows.get(id) ?? makeRow(id);
  setAttribute(row.link, "aria-current", String(now.selected === id));
  setAttribute(row.item, "aria-setsize", String(now.nextCursor ? -1 : now.order.length));
  setAttribute(row.item, "aria-posinset", String(place + 1));
  row.pick.checked = !!now.picked?.includes(id);
  const unsent = unsentIn(now, id);
  const site = now.site || siteName(session.site, now);
  const same = row.typing === typing && row.viewers === viewers && row.unsent === unsent && row.site === site;
  if (same && row.session === session) return row.item;
  Object.assign(row, { session, typing, viewers, unsent, site });
  row.link.replaceChildren(...rowContent(session, row));
  row.link.classList.toggle("unread", session.unread > 0);
  row.pick.ariaLabel = tr("Select {name}", { name: visitorName(session) });
  return row.item;
}

// drawRows puts the rows near those that are seen into the page, and room for the others.
function drawRows(now: State): void {
  const scroll = byId("list-scroll");
  const order = listed(now);
  const first = Math.max(Math.floor(scroll.scrollTop / rowHeight) - beyond, 0);
  const end = Math.min(Math.ceil((scroll.scrollTop + scroll.clientHeight) / rowHeight) + beyond, order.length);
  const seen = order.slice(first, end);
  const focused = rowOf(document.activeElement);
  const held = focused && !seen.includes(focused) && order.includes(focused) ? [focused] : [];
  const list = byId("rows");
  list.style.paddingTop = first * rowHeight + "px";
  list.style.paddingBottom = Math.max(order.length - end, 0) * rowHeight + "px";
  syncChildren(list, [...seen.map((id, i) => drawRow(now, id, first + i)), ...held.map((id) => drawRow(now, id, now.order.indexOf(id)))]);
  for (const id of held) rows.get(id)?.item.classList.add("away");
  for (const id of seen) rows.get(id)?.item.classList.remove("away");
  if (rows.size > 400) for (const id of rows.keys()) if (!rows.get(id)?.item.isConnected) rows.delete(id);
}

// rowOf is the conversation whose row an element is in, "" for none.
export const rowOf = (el: Element | null): string =>
  decodeURIComponent(el?.closest("#rows li")?.firstElementChild?.getAttribute("href")?.slice("#/sessions/".length) ?? "");

// focusRow brings a row into view and moves the focus to it.
export function focusRow(id: string): void {
  const scroll = byId("list-scroll");
  const top = state.order.indexOf(id) * rowHeight;
  if (top < scroll.scrollTop) scroll.scrollTop = top;
  else if (top + rowHeight > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + rowHeight - scroll.clientHeight;
  drawRows(state);
  rows.get(id)?.link.focus({ preventScroll: true });
}

const lists: Record<string, string> = {
  waiting: tr("Nobody is waiting."), open: tr("No open conversations."), closed: tr("No closed conversations."),
    snoozed: tr("Nothing is snoozed."),
};

function noteText({ listPhase, order, query, filter, whose, tag }: State): string {
  if (listPhase === "failed") return tr("The list could not be loaded.");
  if (listPhase === "loading") return tr("Loading…");
  if (order.length) return "";
  if (query) return tr("No conversation matches “{query}”.", { query });
  return whose || tag ? tr("None of these.") : (lists[filter] ?? "");
}

const countText = (n: number): string => (n >= mostCounted ? mostCounted - 1 + "+" : String(n));

function drawCounts({ counts, tag }: State): void {
  for (const button of byId("filter").children) {
    const n = counts?.[(button as HTMLElement).dataset["filter"] as "open"];
    button.lastElementChild!.textContent = n === undefined ? "" : countText(n);
  }
  byId("snoozed").hidden = !counts?.snoozed && state.filter !== "snoozed";
  byId("tag-filter").hidden = !counts?.tags.length && !tag;
  const names = (counts?.tags ?? []).map((t) => t.name);
  const options = tag && !names.includes(tag) ? [tag, ...names] : names;
  const select = byId<HTMLSelectElement>("tags");
  select.replaceChildren(h("option", { value: "" }, tr("All tags")), ...options.map((name) => h("option", { value: name }, name)));
  select.value = tag;
}

function drawFilters(now: State): void {
  const press = (el: Element, on: boolean): void => el.setAttribute("aria-pressed", String(on));
  for (const button of byId("filter").children) press(button, (button as HTMLElement).dataset["filter"] === now.filter);
  for (const button of byId("whose").children) press(button, (button as HTMLElement).dataset["whose"] === now.whose);
  press(byId("snoozed"), now.filter === "snoozed");
}

export const listView: View = (now, before) => {
  if (changed(now, before, "filter", "query", "whose", "tag", "site")) byId("list-scroll").scrollTop = 0;
  const drawn = ["sessions", "order", "typing", "viewers", "selected", "allFound", "outbox", "drafts", "sites", "picked"] as const;
  if (changed(now, before, ...drawn)) drawRows(now);
  if (changed(now, before, "picked", "order")) drawPicking(now);
  if (changed(now, before, "counts", "tag", "filter")) drawCounts(now);
  setText("list-note", noteText(now));
  byId("list-scroll").tabIndex = now.order.length ? -1 : 0; // without rows nothing in it takes the focus
  byId("list-retry").hidden = now.listPhase !== "failed";
  drawFilters(now);
  drawFound(now);
};

// rowTools loads what acts on rows by keys, and on several at once.
export const rowTools = (): Promise<typeof import("./rows") | undefined> => attempt(import("./rows"), tr("Not done"));

function drawPicking({ picked, order }: State): void {
  byId("pick").hidden = !picked && !order.length;
  byId("rows").classList.toggle("picking", !!picked);
  byId("pick").setAttribute("aria-pressed", String(!!picked));
  if (picked) void rowTools();
}

// clicked selects a row by its box, or with shift up to it.
async function clicked(e: MouseEvent): Promise<void> {
  const target = e.target as Element;
  const id = rowOf(target);
  if (!id || !(e.shiftKey || target.matches(".pick"))) return;
  if (!target.matches(".pick")) e.preventDefault(); // a link with shift is a new window
  (await rowTools())?.rowClick(id, e.shiftKey);
}

// drawFound says of a search what the conversations are, and hides the filters, which it does not heed.
function drawFound({ query, order, nextCursor, allFound }: State): void {
  byId("filter").hidden = byId("narrow").hidden = !!query;
  byId("rows-title").hidden = !query || !order.length;
  byId("rows-all").hidden = !query || allFound || (order.length <= few && !nextCursor);
}

let messages: Promise<typeof import("../search/main")> | undefined;

// findMessages loads the part that searches messages with the first search.
function findMessages(query: string): void {
  if (query) messages ??= import("../search/main");
  messages?.then((part) => part.find(query)).catch(() => {
    messages = undefined;
    set({ failure: tr("Messages cannot be searched: relay cannot be reached") });
  });
}

function search(query: string): void {
  if (query === state.query) return;
  show({ query });
  findMessages(query);
}

function wireFilters(): void {
  byId("whose").hidden = !myId;
  on("filter", "click", (e) => {
    const filter = (e.target as HTMLElement).closest<HTMLElement>("[data-filter]")?.dataset["filter"];
    if (filter !== undefined) show({ filter });
  });
  on("whose", "click", (e) => {
    const whose = (e.target as HTMLElement).dataset["whose"];
    if (whose) show({ whose: state.whose === whose ? "" : whose });
  });
  on("snoozed", "click", () => show({ filter: state.filter === "snoozed" ? "open" : "snoozed" }));
  on("pick", "click", () => set({ picked: state.picked ? null : [] }));
  on("rows", "click", (e) => clicked(e as MouseEvent));
  on("tags", "change", () => show({ tag: byId<HTMLSelectElement>("tags").value }));
}

export function wireList(): void {
  const field = byId<HTMLInputElement>("search");
  const scroll = byId("list-scroll");
  let timer = 0;
  const find = (pause: number) => () => {
    clearTimeout(timer);
    timer = setTimeout(() => search(field.value.trim()), pause);
  };
  wireFilters();
  on("search", "input", find(searchPause));
  // Enter, and Escape, which clears the field without an "input"; WebKit then says only "change".
  for (const event of ["search", "change"]) on("search", event, find(0));
  on("list-retry", "click", () => loadList());
  on("rows-all", "click", () => {
    set({ allFound: true });
    focusRow(state.order[few] ?? state.order[0] ?? "");
  });
  on("list-scroll", "scroll", () => {
    drawRows(state);
    if (scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 600 && (!state.query || state.allFound)) loadMore();
  });
  new ResizeObserver(() => drawRows(state)).observe(scroll);
}
