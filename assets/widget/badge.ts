// badge.ts keeps the launcher's number and name: how many messages wait.

import css from "./badge.css";
import type { Shell, State } from "./types";

/** createBadge returns what to call after each change of the state. */
export function createBadge({ button, root }: Shell): (state: State) => void {
  const badge = document.createElement("span");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  badge.className = "badge";
  root.adoptedStyleSheets.push(sheet);
  button.append(badge);
  return ({ open, unread }) => {
    badge.textContent = open || !unread ? "" : unread > 9 ? "9+" : String(unread);
    button.ariaLabel = open ? "Close chat" : unread ? `Open chat, ${unread} unread` : "Open chat";
  };
}
