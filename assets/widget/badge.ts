// badge.ts keeps the launcher's number and name: how many messages wait.

import css from "./badge.css";
import { core as english } from "./lang/en.json";
import type { Language } from "./language";
import { count } from "./plural";
import type { Shell, State } from "./types";

/** createBadge returns what to call after each change of the state. */
export function createBadge({ button, root }: Shell, words: Language["words"]): (state: State) => void {
  const badge = document.createElement("span");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  badge.className = "badge";
  root.adoptedStyleSheets.push(sheet);
  button.append(badge);
  return ({ open, unread, language }) => {
    const t = words("core", english);
    badge.textContent = open || !unread ? "" : unread > 9 ? "9+" : String(unread);
    button.lang = language;
    button.ariaLabel = open ? t.shut : unread ? `${t.open}, ${count(unread, t.wait, language)}` : t.open;
  };
}
