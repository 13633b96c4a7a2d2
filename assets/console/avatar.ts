// The round initials that stand for a visitor.

import { h } from "./dom";
import { visitorName } from "./format";
import type { Session } from "./types";

const tones = 6;
const recently = 5 * 60_000;

function tone(id: string): number {
  let sum = 0;
  for (const c of id) sum = (sum * 31 + c.charCodeAt(0)) % 9973;
  return sum % tones;
}

function initials(name: string): string {
  const words = name.replace(/@.*/, "").split(/[\s._-]+/).filter(Boolean);
  const picked = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return picked.map((w) => [...(w ?? "")][0] ?? "").join("").toUpperCase() || "?";
}

function recent(at: string): boolean {
  return Date.now() - Date.parse(at) < recently;
}

// active tells whether something happened in the session just now.
export function active(s: Session): boolean {
  return s.status === "open" && recent(s.lastActivity);
}

export function avatar(s: Session): HTMLElement {
  const classes = "avatar tone-" + tone(s.id) + (active(s) ? " active" : "");
  return h("span", { class: classes, "data-at": s.lastActivity, "aria-hidden": "true" }, initials(visitorName(s)));
}

// refreshAvatars takes the mark off those in whose session nothing happens any more.
export function refreshAvatars(): void {
  for (const el of document.querySelectorAll<HTMLElement>(".avatar.active")) el.classList.toggle("active", recent(el.dataset["at"] ?? ""));
}
