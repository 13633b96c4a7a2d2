// The console's start: it joins store, stream and views. State flows one way:
// events and answers change the store, the store tells the views.

import { toastView } from "./ask";
import { composerView, wireComposer } from "./composer";
import { detailsView, wireDetails } from "./details";
import { byId, on, setText } from "./dom";
import { refreshTimes } from "./format";
import { wireKeys } from "./keys";
import { listView, wireList } from "./list";
import { attend, open } from "./load";
import { logView, wireLog } from "./log";
import { setOnline } from "./receive";
import { set, state, subscribe } from "./store";
import type { View } from "./store";
import { connect, watch } from "./stream";
import { threadView, wireThread } from "./thread";

const body = document.body;

function selectedByAddress(): string {
  return decodeURIComponent(/^#\/sessions\/([^/]+)$/.exec(location.hash)?.[1] ?? "");
}

function showDetails(visible: boolean): void {
  body.classList.toggle("with-details", visible);
  byId("details-toggle").setAttribute("aria-expanded", String(visible));
}

function toggleDetails(): void {
  showDetails(!body.classList.contains("with-details"));
}

function escape(): void {
  if (body.classList.contains("with-details")) showDetails(false);
  else location.hash = "#/";
}

// frameView draws what surrounds list and thread: title, presence, connection, and which part a phone shows.
const frameView: View = (now, before) => {
  const unread = Object.values(now.sessions).reduce((sum, s) => sum + s.unread, 0);
  const presence = byId<HTMLButtonElement>("presence");
  document.title = (unread ? "(" + unread + ") " : "") + "relay";
  presence.disabled = now.online === null;
  presence.setAttribute("aria-checked", String(!!now.online));
  setText("presence-text", now.online ? "Online" : "Offline");
  setText("link", now.lost ? "Reconnecting…" : "");
  if (now.selected === before.selected) return;
  body.dataset["view"] = now.selected ? "thread" : "list";
  showDetails(false);
};

function tick(): void {
  refreshTimes();
  watch();
}

subscribe(frameView, listView, threadView, logView, composerView, detailsView, toastView);
wireList();
wireThread();
wireLog();
wireComposer();
wireDetails();
wireKeys(escape);
on("presence", "click", () => setOnline(!state.online));
on("details-toggle", "click", toggleDetails);
on("details-close", "click", toggleDetails);
addEventListener("hashchange", () => open(selectedByAddress()));
addEventListener("online", connect);
addEventListener("focus", attend);
setInterval(tick, 20_000);
set({ selected: selectedByAddress() });
connect();
