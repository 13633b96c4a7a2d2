// The round initials that stand for a visitor.

import { h } from "./dom";
import { visitorName } from "./format";
import type { Session } from "../types";

const tones = 6;

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

// face is a circle with the initials of a name, in the tint of a key.
export function face(key: string, name: string, more = ""): HTMLElement {
  return h("span", { class: "avatar tone-" + tone(key) + " " + more, "aria-hidden": "true" }, initials(name));
}

// avatar has a mark while the visitor has its page open.
export function avatar(s: Session): HTMLElement {
  return face(s.visitorId, visitorName(s), s.visitorOnline ? "active" : "");
}
