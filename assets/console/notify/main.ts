// Sound and desktop notification for a visitor's message, from one of the open tabs.

import { byId, on } from "../ui/dom";
import { preview, visitorName } from "../ui/format";
import { myId } from "../state/me";
import { attempt, state } from "../state/store";
import type { Message } from "../types";
import { choose, load, onPreferences, preferences } from "./preferences";
import { subscription } from "./push";
import { play, wake } from "./sound";
import { tr } from "../ui/texts";

// Many messages at once make one sound.
const between = 2_000;
let last = 0;
let leads = !navigator.locks;
let pushed = false;

const openHere = (id: string): boolean => document.hasFocus() && state.selected === id && !state.page;

function goTo(id: string): void {
  location.hash = "#/sessions/" + encodeURIComponent(id);
}

// notify shows what came while the console is not looked at. A browser that subscribed gets it pushed instead.
function notify(m: Message): void {
  if (pushed || document.hasFocus() || !("Notification" in window) || Notification.permission !== "granted") return;
  const session = state.sessions.get(m.sessionId);
  const shown = new Notification(session ? visitorName(session) : tr("New message"), { body: preview(m), tag: m.sessionId,
    icon: "/static/icon-192.png" });
  shown.onclick = () => {
    window.focus();
    goTo(m.sessionId);
    shown.close();
  };
}

// wanted reports whether somebody wants notifications of a conversation: mine are also those that nobody was given.
function wanted(id: string): boolean {
  const given = state.sessions.get(id)?.assignee;
  return preferences().notify === "everything" || (preferences().notify === "mine" && (!given || given.id === myId));
}

function received(m: Message): void {
  if (!leads || openHere(m.sessionId) || !wanted(m.sessionId)) return;
  if (preferences().sound && Date.now() - last > between) {
    last = Date.now();
    play();
  }
  try {
    notify(m);
  } catch {
    // Phones show notifications from the service worker only.
  }
}

const box = byId<HTMLInputElement>("sound");
onPreferences((p) => (box.checked = p.sound));
on("sound", "change", () => {
  if (box.checked) play();
  void attempt(choose({ sound: box.checked }), tr("Not saved"));
});
void load().catch(() => {});
for (const type of ["pointerdown", "keydown"]) addEventListener(type, wake, { capture: true, passive: true });
document.addEventListener("relay-received", (e) => received((e as CustomEvent<Message>).detail));
navigator.serviceWorker?.addEventListener("message", (e) => {
  const { open } = (e.data ?? {}) as { open?: unknown };
  if (typeof open === "string") goTo(open);
});
document.addEventListener("relay-pushed", (e) => (pushed = (e as CustomEvent<boolean>).detail));
// The tab that holds the lock speaks for all; another one takes over when it is closed.
void navigator.locks?.request("relay.hear", () => {
  leads = true;
  return new Promise(() => {});
});
void subscription().then((own) => (pushed = !!own), () => {});
