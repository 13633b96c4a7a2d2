// Sound and desktop notification for a visitor's message, from one of the open tabs.

import { byId, on } from "../dom";
import { preview, visitorName } from "../format";
import { state } from "../store";
import type { Message } from "../types";
import { subscription } from "./push";
import { mute, muted, play, wake } from "./sound";

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
  const session = state.sessions[m.sessionId];
  const shown = new Notification(session ? visitorName(session) : "New message", { body: preview(m), tag: m.sessionId, icon: "/static/icon-192.png" });
  shown.onclick = () => {
    window.focus();
    goTo(m.sessionId);
    shown.close();
  };
}

function heard(m: Message): void {
  if (!leads || openHere(m.sessionId)) return;
  if (!muted() && Date.now() - last > between) {
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
const draw = (): void => void (box.checked = !muted());
on("sound", "change", () => {
  mute(!box.checked);
  if (box.checked) play();
});
draw();
addEventListener("storage", draw);
for (const type of ["pointerdown", "keydown"]) addEventListener(type, wake, { capture: true, passive: true });
document.addEventListener("relay-heard", (e) => heard((e as CustomEvent<Message>).detail));
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
