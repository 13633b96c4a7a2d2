// The console's start: it joins store, stream and views. State flows one way:
// events and answers change the store, the store tells the views.

import { aiView, wireAI } from "./ai";
import { answersView } from "./answers";
import { toastView, wireToast } from "./ask";
import { bridgesView, loadBridges } from "./bridges";
import { composerView, wireComposer } from "./composer";
import { deliveriesView, followDeliveries, loadDeliveries, wireDeliveries } from "./deliveries";
import { detailsView, wireDetails } from "./details";
import { byId, h, on, setText } from "./dom";
import { restoreDrafts } from "./drafts";
import { keepFocus } from "./focus";
import { refreshTimes } from "./format";
import { wireKeys } from "./keys";
import { listView, wireList } from "./list";
import { attend, open } from "./load";
import { logView, wireLog } from "./log";
import { presenceView, wirePresence } from "./presence";
import { set, state, subscribe } from "./store";
import type { View } from "./store";
import { connect, watch } from "./stream";
import { threadView, wireThread } from "./thread";
import { loadSettings, webhookView, wireWebhook } from "./webhook";

const body = document.body;

// The pages of settings: an element, its heading and its link are named like each.
const pages = ["settings", "knowledge", "webhook", "bridges"];

function selectedByAddress(): string {
  return decodeURIComponent(/^#\/sessions\/([^/]+)$/.exec(location.hash)?.[1] ?? "");
}

// go shows what the address names: a session, a page of settings, or the list.
function go(): void {
  const page = pages.find((name) => location.hash === "#/" + name) ?? "";
  open(selectedByAddress());
  set({ page });
  if (page === "bridges") void loadBridges();
  if (page === "settings" || page === "knowledge") loadScript(page);
  if (page !== "webhook") return;
  set({ gaveUp: false, webhookTest: null });
  void loadSettings();
  void loadDeliveries();
}

// loadScript loads the script of a page that has one of its own, once.
function loadScript(page: string): void {
  const id = page + "-script";
  if (!document.getElementById(id)) document.head.append(h("script", { id, src: "/static/" + page + ".js" }));
}

function showDetails(visible: boolean): void {
  body.classList.toggle("with-details", visible);
  byId("details-toggle").setAttribute("aria-expanded", String(visible));
}

// toggleDetails moves the focus with what it shows or hides.
function toggleDetails(): void {
  const visible = !body.classList.contains("with-details");
  showDetails(visible);
  byId(visible ? "details-close" : "details-toggle").focus();
}

function escape(): void {
  if (body.classList.contains("with-details")) toggleDetails();
  else location.hash = "#/";
}

// frameView draws what surrounds list and thread: title, connection, and which part a phone shows.
const frameView: View = (now, before) => {
  const unread = Object.values(now.sessions).reduce((sum, s) => sum + s.unread, 0);
  document.title = (unread ? "(" + unread + ") " : "") + "relay";
  setText("link", now.lost ? "Reconnecting…" : "");
  byId("gave-up").hidden = !now.gaveUp;
  if (now.selected === before.selected && now.page === before.page) return;
  body.dataset["view"] = now.page || (now.selected ? "thread" : "list");
  for (const name of pages) {
    byId(name).hidden = now.page !== name;
    byId(name + "-link").setAttribute("aria-current", now.page === name ? "page" : "false");
  }
  if (now.page) byId(now.page + "-title").focus();
  showDetails(false);
};

function tick(): void {
  refreshTimes();
  if (state.page === "webhook") followDeliveries();
  void loadBridges();
  watch();
}

const views = [frameView, listView, threadView, logView, composerView, detailsView, webhookView, deliveriesView, bridgesView, presenceView, answersView, aiView, toastView];
subscribe((now, before) => keepFocus(() => views.forEach((view) => view(now, before)), before.selected));
wireList();
wireThread();
wireLog();
wireComposer();
wireDetails();
wireWebhook();
wireDeliveries();
wireToast();
wireAI();
wirePresence();
wireKeys(escape);
on("details-toggle", "click", toggleDetails);
on("details-close", "click", toggleDetails);
addEventListener("hashchange", go);
addEventListener("online", connect);
addEventListener("focus", attend);
setInterval(tick, 20_000);
restoreDrafts();
set({ selected: selectedByAddress() });
go();
connect();
