// The console's start: it joins store, stream and views. State flows one way:
// events and responses change the store, the store notifies the views.

import { toastView, wireToast } from "./ui/ask";
import { face } from "./ui/avatar";
import { composerView, wireComposer } from "./inbox/composer";
import { byId, on, setText } from "./ui/dom";
import { restoreDrafts } from "./state/drafts";
import { keepFocus } from "./ui/focus";
import { refreshTimes, visitorName } from "./ui/format";
import { loadBridges } from "./net/bridges";
import { wireKeys } from "./shell/keys";
import { listView, wireList } from "./inbox/list";
import { attend, open, showMessage } from "./net/load";
import { logView, wireLog } from "./inbox/log";
import { isGuarded, navView, pages, showPage, wireNav } from "./shell/nav";
import { organiseView, wireOrganise } from "./inbox/organise";
import { outboxView, restoreOutbox, revive } from "./inbox/outbox";
import { me } from "./state/me";
import { restoreSite } from "./state/sites";
import { current, set, subscribe } from "./state/store";
import type { State, View } from "./state/store";
import { connect, watch } from "./net/stream";
import { threadView, wireThread } from "./inbox/thread";
import { tr } from "./ui/texts";

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
  if (body.classList.contains("with-details")) toggleDetails();
  else location.hash = "#/";
}

let details: Promise<unknown> | undefined;
let ai: Promise<unknown> | undefined;

// loadParts loads the part about the visitor with the first conversation, and the AI's where there is one; without
// them the rest works.
function loadParts(now: State): void {
  if (now.selected) details ??= import("./inbox/details").catch(() => (details = undefined));
  if (now.ai && now.ai.state !== "off") ai ??= import("./inbox/ai").catch(() => (ai = undefined));
}

// frameView draws what surrounds list and thread: title, connection, and which part a phone shows.
const frameView: View = (now, before) => {
  const { unread } = now.sessions;
  const s = current(now);
  const place = now.page || !s ? pages.find((p) => p.name === now.page)?.label ?? tr("Inbox") : visitorName(s);
  const title = (unread ? "(" + unread + ") " : "") + place + " · relay";
  if (document.title !== title) document.title = title;
  setText("link", now.lost ? tr("Reconnecting…") : "");
  byId("live").title = byId("live").ariaLabel = now.lost ? tr("Not connected") : tr("Connected");
  loadParts(now);
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
  frameView, navView, listView, threadView, organiseView, logView, outboxView, composerView, toastView,
];
subscribe((now, before) => keepFocus(() => views.forEach((view) => view(now, before)), before.selected));
byId("me-face").replaceWith(face(me ?? "", me ?? "", "small"));
wireNav();
wireList();
wireThread();
wireOrganise();
wireLog();
wireComposer();
wireToast();
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
restoreSite();
set({ selected: first });
open(first);
showPage();
let jump = asked;
subscribe(({ threadPhase }) => {
  if (jump && threadPhase === "ready") void showMessage(jump);
  if (threadPhase === "ready") jump = "";
});
connect();
void import("./shell/person").catch(() => {}); // without it there is no menu of the person
void import("./notify/main").catch(() => {}); // without it the console is silent
void import("./inbox/views").catch(() => {}); // without it no list has a name
if (pages.some(({ name }) => name === "channels")) void import("./start/main").catch(() => {}); // they help at the beginning only
void import("./shell/health").catch(() => {}); // without it no page is marked
void import("./shell/sites").catch(() => {}); // without it all sites are shown
