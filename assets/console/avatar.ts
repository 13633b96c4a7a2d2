// The round initials that stand for a visitor.

import { h } from "./dom";
import { visitorName } from "./format";
import type { Session } from "./types";

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

// avatar has a mark while the visitor has its page open.
export function avatar(s: Session): HTMLElement {
  const classes = "avatar tone-" + tone(s.id) + (s.visitorOnline ? " active" : "");
  return h("span", { class: classes, "aria-hidden": "true" }, initials(visitorName(s)));
}
