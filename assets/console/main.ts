// The console's start: it joins store, stream and views. State flows one way:
// events and responses change the store, the store notifies the views.

import { aiView, wireAI } from "./ai";
import { toastView, wireToast } from "./ask";
import { composerView, wireComposer } from "./composer";
import { byId, on, setText } from "./dom";
import { restoreDrafts } from "./drafts";
import { keepFocus } from "./focus";
import { refreshTimes, visitorName } from "./format";
import { healthView, loadBridges } from "./health";
import { wireKeys } from "./keys";
import { listView, wireList } from "./list";
import { attend, open, showMessage } from "./load";
import { logView, wireLog } from "./log";
import { isGuarded, navView, pages, showPage, wireNav } from "./nav";
import { organiseView, wireOrganise } from "./organise";
import { closeMenu, wirePerson } from "./person";
import { presenceView, wirePresence } from "./presence";
import { outboxView, restoreOutbox, revive } from "./queue";
import { current, set, subscribe } from "./store";
import type { View } from "./store";
import { connect, watch } from "./stream";
import { threadView, wireThread } from "./thread";

export * from "./shared";

const body = document.body;

// byAddress returns what the address names: a session, and one of its messages.
function byAddress(): [session: string, message: string] {
  const [, session = "", message = ""] = /^#\/sessions\/([^/]+)(?:\/([^/]+))?$/.exec(location.hash) ?? [];
  return [decodeURIComponent(session), decodeURIComponent(message)];
}

// go shows what the address names: a session, at a message, a page, or the list.
function go(): void {
  open(...byAddress());
  showPage();
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
  if (closeMenu()) return;
  if (body.classList.contains("with-details")) toggleDetails();
  else location.hash = "#/";
}

let details: Promise<unknown> | undefined;

// loadDetails loads the part about the visitor with the first conversation; without it the rest works.
function loadDetails(): void {
  details ??= import("./details").catch(() => (details = undefined));
}

// frameView draws what surrounds list and thread: title, connection, and which part a phone shows.
const frameView: View = (now, before) => {
  const { unread } = now.sessions;
  const s = current(now);
  const place = now.page || !s ? pages.find((p) => p.name === now.page)?.label ?? "Inbox" : visitorName(s);
  const title = (unread ? "(" + unread + ") " : "") + place + " · relay";
  if (document.title !== title) document.title = title;
  setText("link", now.lost ? "Reconnecting…" : "");
  if (now.selected) loadDetails();
  if (now.selected === before.selected && now.page === before.page) return;
  body.dataset["view"] = now.page || (now.selected ? "thread" : "list");
  body.classList.toggle("with-page", !!now.page);
  showDetails(false);
};

function tick(): void {
  refreshTimes();
  void loadBridges();
  watch();
}

const views = [
  frameView, navView, listView, threadView, organiseView, logView, outboxView, composerView, healthView, presenceView, aiView, toastView,
];
subscribe((now, before) => keepFocus(() => views.forEach((view) => view(now, before)), before.selected));
wireNav();
wirePerson();
wireList();
wireThread();
wireOrganise();
wireLog();
wireComposer();
wireToast();
wireAI();
wirePresence();
wireKeys(escape);
on("details-toggle", "click", toggleDetails);
on("details-close", "click", toggleDetails);
addEventListener("hashchange", (e) => isGuarded(e) || go());
addEventListener("online", connect);
document.addEventListener("relay-connected", revive);
addEventListener("focus", attend);
setInterval(tick, 20_000);
restoreDrafts();
restoreOutbox();
const [first, asked] = byAddress();
set({ selected: first });
open(first);
showPage();
let jump = asked;
subscribe(({ threadPhase }) => {
  if (jump && threadPhase === "ready") void showMessage(jump);
  if (threadPhase === "ready") jump = "";
});
connect();
void import("./notify/main").catch(() => {}); // without it the console is silent
