// The log of what was posted to the webhook.

import { call } from "../api";
import { byId, h, on, setText, syncChildren } from "../dom";
import { agoTime, sentence, until } from "../format";
import { attempt, changed, set, state } from "../store";
import type { State, View } from "../store";
import type { Delivery, Try } from "../types";

interface Page {
  deliveries: Delivery[];
  nextCursor?: string;
}

interface Retried {
  retried: number;
  nextCursor?: string;
}

const pageSize = 50;
const longest = 140;

const rows = new Map<string, { item: HTMLTableRowElement; shows: string }>();
let asked = 0;
let answered = 0;
let timer = 0;

// loadDeliveries reloads the list, or loads the page after a cursor. Over a slow
// line it may be asked again before it is answered: every answer counts that is
// newer than what is shown.
export async function loadDeliveries(cursor = ""): Promise<void> {
  const mine = ++asked;
  const filter = state.deliveriesFilter;
  const isNew = (): boolean => mine > answered && filter === state.deliveriesFilter;
  const query = "?dest=webhook&limit=" + pageSize + "&state=" + filter + "&cursor=" + cursor;
  try {
    const page = await call<Page>("GET", "/deliveries" + query);
    if (!isNew()) return;
    answered = mine;
    const kept = cursor ? state.deliveries : [];
    set({ deliveries: [...kept, ...page.deliveries], deliveriesCursor: page.nextCursor ?? "", deliveriesPhase: "ready" });
  } catch {
    if (isNew()) set({ deliveriesPhase: "failed" });
  }
}

// followDeliveries reloads the list, soon and once, unless older pages are being read.
export function followDeliveries(): void {
  clearTimeout(timer);
  if (state.deliveries.length <= pageSize) timer = setTimeout(() => loadDeliveries(), 500);
}

const tags: Record<Delivery["state"], [name: string, tone: string]> = {
  pending: ["Waiting", ""],
  sending: ["On its way", ""],
  done: ["Delivered", "good"],
  failed: ["Failed", "bad"],
};

// attemptText is what came of an attempt: the receiver's status, and how long it took.
function attemptText({ status, durationMs }: Try): string {
  return (status ? String(status) : "no answer") + " in " + durationMs.toLocaleString() + " ms";
}

// said is what the receiver said last, with all attempts; a long answer opens on demand.
function said({ state: is, lastError, nextAt, tries }: Delivery): (Node | string)[] {
  const error = sentence(lastError ?? "");
  const again = is === "pending" && error ? h("p", { class: "hint" }, "Again " + until(nextAt)) : "";
  const took = tries.length ? h("p", { class: "hint" }, tries.map(attemptText).join(", ")) : "";
  if (error.length <= longest) return [error, took, again];
  return [h("details", {}, h("summary", {}, error.slice(0, longest) + "…"), error), took, again];
}

async function retry(d: Delivery): Promise<void> {
  const path = "/deliveries/" + encodeURIComponent(d.id) + "/retry";
  if ((await attempt(call("POST", path), "It is not sent again")) === undefined) return;
  await loadDeliveries();
  byId("deliveries-title").focus();
}

function cells(d: Delivery): Node[] {
  const [name, tone] = tags[d.state];
  const failed = d.state === "failed" || (d.state === "pending" && (d.attempts > 0 || d.lastError));
  const again = failed && h("button", { type: "button", class: "button small", onclick: () => retry(d), "aria-label": "Send again: " + d.type }, "Send again");
  return [
    h("th", { scope: "row" }, h("a", { href: "#/sessions/" + d.sessionId }, d.type), h("code", { title: "webhook-id" }, d.webhookId)),
    h("td", {}, agoTime(d.createdAt)),
    h("td", {}, h("span", { class: "tag " + tone }, name)),
    h("td", { class: "number" }, String(d.attempts)),
    h("td", { class: "said" }, ...said(d)),
    h("td", {}, again),
  ];
}

// drawRow keeps a row whose delivery did not change, so that focus stays in it.
function drawRow(d: Delivery): HTMLTableRowElement {
  const shows = JSON.stringify(d);
  const old = rows.get(d.id);
  if (old?.shows === shows) return old.item;
  const item = old?.item ?? h("tr");
  item.replaceChildren(...cells(d));
  rows.set(d.id, { item, shows });
  return item;
}

function noteText({ deliveriesPhase, deliveries, deliveriesFilter }: State): string {
  if (deliveriesPhase === "failed") return "The deliveries could not be loaded.";
  if (deliveriesPhase === "loading") return "Loading…";
  if (deliveries.length) return "";
  return deliveriesFilter ? "None." : "Nothing was posted yet.";
}

export const deliveriesView: View = (now, before) => {
  if (!changed(now, before, "deliveries", "deliveriesCursor", "deliveriesPhase", "deliveriesFilter")) return;
  syncChildren(byId("deliveries"), now.deliveries.map(drawRow));
  setText("deliveries-note", noteText(now));
  byId("deliveries-more").hidden = !now.deliveriesCursor;
  for (const button of byId("deliveries-filter").children) {
    button.setAttribute("aria-pressed", String((button as HTMLElement).dataset["filter"] === now.deliveriesFilter));
  }
};

function show(filter: string): void {
  rows.clear();
  set({ deliveriesFilter: filter, deliveries: [], deliveriesCursor: "", deliveriesPhase: "loading" });
  void loadDeliveries();
}

// retryAll asks until the server says that there are no more: each request takes some thousands.
async function retryAll(): Promise<void> {
  const button = byId<HTMLButtonElement>("deliveries-retry");
  if (button.ariaDisabled === "true") return;
  button.ariaDisabled = "true";
  let count = 0;
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const more: Retried | undefined = await attempt(call<Retried>("POST", "/deliveries/retry", { dest: "webhook", cursor }), "Not all are sent again");
    count += more?.retried ?? 0;
    cursor = more?.nextCursor;
  }
  button.ariaDisabled = null;
  await loadDeliveries();
  setText("deliveries-note", count ? count.toLocaleString() + (count === 1 ? " is" : " are") + " sent again." : "None has failed.");
}

export function wireDeliveries(): void {
  on("deliveries-filter", "click", (e) => {
    const filter = (e.target as HTMLElement).dataset["filter"];
    if (filter !== undefined) show(filter);
  });
  on("deliveries-refresh", "click", () => loadDeliveries());
  on("deliveries-more", "click", () => loadDeliveries(state.deliveriesCursor));
  on("deliveries-retry", "click", retryAll);
}
